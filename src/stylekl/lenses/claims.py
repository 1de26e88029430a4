"""What the findings of every lens share: the hypotheses, the claims, and the q that controls all of them together."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from stylekl.measure.families import LEVEL, family_q
from stylekl.measure.jackknife import two_sided_p

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from stylekl.lenses.frame import LensModel
    from stylekl.lenses.reports import ModelRow, Vocabulary
    from stylekl.lenses.words import Voice
    from stylekl.measure.families import Family

SURE = 3.0  # −log10 q counts up to here: beyond .001 a sentence is sure, and its effect decides
COUNTED = 3.0  # what is counted has no error
RULE = 2.0  # a rule with measured errors of about 1 %
ABSENCE = 0.0  # nothing was found


def surety(q: float | None) -> float:
    """Return −log10 q; 0 without a q."""
    return 0.0 if q is None else -math.log10(max(q, 1e-9))


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence before it is words: its kind, the models, the facts, and what orders it.

    `effect` is from 0 to 1; `sure`, where given, stands for −log10 q.
    """

    kind: str
    models: tuple[str, ...]
    facts: dict[str, Any]
    q: float | None
    effect: float
    sure: float | None = None

    @property
    def strength(self) -> float:
        """From 0 to 4: how sure, up to 3, plus the effect."""
        sure = self.sure if self.sure is not None else surety(self.q)
        return min(max(sure, 0.0), SURE) + min(max(self.effect, 0.0), 1.0)


class Control:
    """The q of every hypothesis of the list."""

    def __init__(self, families: Sequence[Family]) -> None:
        self._q = family_q(families)
        tested = [int(np.isfinite(q).sum()) for q in self._q.values()]
        self.families = sum(number > 0 for number in tested)
        self.hypotheses = sum(tested)

    def q(self, key: str, index: int = 0) -> float | None:
        """Return the q of a hypothesis, or None where it was not tested."""
        family = self._q.get(key)
        if family is None or not np.isfinite(family[index]):
            return None
        return float(family[index])

    def holds(self, key: str, index: int = 0) -> float | None:
        """Return the q of a hypothesis where it is below .05, else None."""
        q = self.q(key, index)
        return q if q is not None and q < LEVEL else None


class Sentence(Protocol):
    """How a kind of finding, or of what is not supported, is said from its facts alone."""

    @property
    def sentence(self) -> Callable[[Mapping[str, Any], Voice], tuple[str, str]]:
        """Return the two parts of the sentence: lead and text, or what and why not."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding: `sentence` makes lead and text from the facts, `check` tells whether they bear it out."""

    sentence: Callable[[Mapping[str, Any], Voice], tuple[str, str]]
    check: Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Missing:
    """A kind of claim that files may not support, and how it is said: what, and why not."""

    sentence: Callable[[Mapping[str, Any], Voice], tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Lack:
    """A claim that is not supported, before it is words."""

    kind: str
    models: tuple[str, ...]
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Inquiry:
    """What one lens brings to the findings: what it looked at, and what it says once every q is known.

    `families` are its hypotheses, their keys its own; `claims` and `lacks` return what holds and what does not, and
    `kinds` and `missing` how that is said. `models` are those shown; `note` says in a line what all rests on.
    """

    lens: str
    families: Sequence[Family]
    claims: Callable[[Control], Iterable[Claim]]
    lacks: Callable[[Control], Iterable[Lack]]
    kinds: Mapping[str, Sentence]
    missing: Mapping[str, Sentence]
    models: tuple[ModelRow | LensModel, ...]
    note: str = ""
    vocabulary: Vocabulary | None = None
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def plain_facts(value: Any) -> Any:
    """Return facts as JSON gives them back: plain values, floats to 10 significant digits, None for what is no number.

    Sentences are made from these, so that what reads the JSON makes the same ones.
    """
    if isinstance(value, dict):
        return {str(key): plain_facts(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_facts(item) for item in value]
    if isinstance(value, np.generic):
        return plain_facts(value.item())
    if isinstance(value, float):
        return float(f"{value:.10g}") + 0.0 if math.isfinite(value) else None
    return value


def estimate_facts(estimate: Any) -> dict[str, float]:
    """Return what a sentence needs of an estimate."""
    return {key: getattr(estimate, key) for key in ("value", "low", "high", "se", "upper")}


def two_sided(t: float, degrees: int) -> float:
    """Return the two-sided p of Student's t; 1 where the difference points the other way or has no error."""
    if not math.isfinite(t) or t <= 0 or degrees < 1:
        return 1.0
    return two_sided_p(t, 1.0, degrees)


def share_effect(share: float) -> float:
    """Return a share as an effect: a half is a third, the whole a half, what exceeds it more."""
    return share / (1.0 + share) if share > 0 else 0.0
