"""The constructed scores: decisiveness, efficiency, their mean, the four regions, and framing sensitivity.

They are arithmetic on a view of what matters, not observations, and say so wherever they are shown. Every step is
rounded to four decimals, halves away from nought, as the published code of the method does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CONSTRUCTED = {
    "decisiveness": "0.6 * share of yes or no + 0.4 * share of exactly one word, over the samples",
    "efficiency": (
        "0.7 * inverted latency + 0.3 * inverted output tokens: medians, each 1 for the least of the edition's "
        "models and 0 for the greatest"
    ),
    "composite": "(decisiveness + efficiency) / 2",
    "region": "cut at the medians of the edition's models; at or above is high",
    "sensitivity": (
        "share of the questions on which the majority under a condition differs from that under the control"
    ),
}
REGIONS = {
    (True, True): "Category Definers",
    (True, False): "Considered Voices",
    (False, True): "Rapid Responders",
    (False, False): "Emerging Participants",
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What the scores of a model are made of: counts of its samples and medians over them, null where not measured."""

    samples: int
    decided: int
    one_word: int
    latency_ms: float | None
    output_tokens: float | None


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a model in an edition, each from 0 to 1.

    A model without samples has 0 in all of them and no region. Efficiency and composite are null where latency or
    tokens were not measured; the region is null where there is no efficiency.
    """

    decisiveness: float
    efficiency: float | None
    composite: float | None
    region: str | None = None


@dataclass(frozen=True, slots=True)
class Cuts:
    """The medians of the edition's available models, at which the regions are cut; null without any."""

    decisiveness: float | None
    efficiency: float | None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far the framing moves a model: `moved` of `questions` with a majority under both; null where none has."""

    moved: int
    questions: int
    value: float | None


def rounded(value: float) -> float:
    """Return a number to four decimals, a half upwards."""
    return math.floor(value * 10_000 + 0.5) / 10_000


def decisiveness(found: Measured) -> float:
    """Return 0.6 of the share of yes or no plus 0.4 of the share of one word; 0 without samples."""
    if not found.samples:
        return 0.0
    return rounded(0.6 * (found.decided / found.samples) + 0.4 * (found.one_word / found.samples))


def inverted(value: float, least: float, most: float) -> float:
    """Return 1 for the least and 0 for the most; 1 where the two are equal."""
    return 1.0 if most == least else rounded(1.0 - (value - least) / (most - least))


def score(models: Mapping[str, Measured]) -> tuple[dict[str, Scores], Cuts]:
    """Return the scores of an edition's models, and where the regions are cut.

    Models without samples take no part in the ranges and the medians.
    """
    there = [found for found in models.values() if found.samples]
    slow = [found.latency_ms for found in there if found.latency_ms is not None]
    long = [found.output_tokens for found in there if found.output_tokens is not None]
    bare = {name: _scores(found, slow, long) for name, found in models.items()}
    known = [bare[name] for name, found in models.items() if found.samples]
    cuts = Cuts(
        _median([each.decisiveness for each in known if each.efficiency is not None]),
        _median([each.efficiency for each in known if each.efficiency is not None]),
    )
    return {name: _placed(each, cuts) if models[name].samples else each for name, each in bare.items()}, cuts


def _scores(found: Measured, slow: Sequence[float], long: Sequence[float]) -> Scores:
    if not found.samples:
        return Scores(0.0, 0.0, 0.0)
    decided = decisiveness(found)
    if found.latency_ms is None or found.output_tokens is None:
        return Scores(decided, None, None)
    quick = inverted(found.latency_ms, min(slow), max(slow))
    short = inverted(found.output_tokens, min(long), max(long))
    efficient = rounded(0.7 * quick + 0.3 * short)
    return Scores(decided, efficient, rounded((decided + efficient) / 2))


def _placed(found: Scores, cuts: Cuts) -> Scores:
    if found.efficiency is None or cuts.decisiveness is None or cuts.efficiency is None:
        return found
    region = REGIONS[found.decisiveness >= cuts.decisiveness, found.efficiency >= cuts.efficiency]
    return Scores(found.decisiveness, found.efficiency, found.composite, region)


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def sensitivity(pairs: Sequence[tuple[str | None, str | None]]) -> Sensitivity:
    """Return the share of (majority under the control, majority under a condition) that differ.

    "other" is a majority like yes and no; a pair with a null on either side is left out.
    """
    both = [(plain, framed) for plain, framed in pairs if plain is not None and framed is not None]
    moved = sum(plain != framed for plain, framed in both)
    return Sensitivity(moved, len(both), rounded(moved / len(both)) if both else None)
