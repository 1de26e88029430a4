"""What separates two sides: their divergence, symbol by symbol and class by class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from stylekl.lenses.reports import ClassTotal, Estimate, Tell
from stylekl.lenses.style.study import Study, estimates
from stylekl.measure.divergence import contributions, skewed_kl
from stylekl.measure.jackknife import jackknife, replicates_by_unit
from stylekl.measure.sides import Side
from stylekl.measure.tells import Usage, compare_usage
from stylekl.measure.units import Units, deal, slots_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

OTHERS = "others"


@dataclass(frozen=True, slots=True)
class Contrast:
    """Tells (each side's strongest first), class totals, and the divergence of the first side from the second."""

    tells: tuple[Tell, ...]
    classes: tuple[ClassTotal, ...]
    candidates: int
    estimate: Estimate | None


@dataclass(frozen=True, eq=False)
class Sides:
    """Two sides on common units in one facet: who they are, and their frequencies (U, V + 1) unit by unit.

    `lengths` is the mean number of symbols in a reply of each side.
    """

    study: Study
    units: Units
    models: tuple[list[int], list[int]]
    names: tuple[str, str]
    tables: tuple[NDArray[np.float64], NDArray[np.float64]]
    lengths: tuple[float, float]

    @cached_property
    def _replicates(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        first, second = (replicates_by_unit(table, self.units) for table in self.tables)
        return first, second

    @cached_property
    def bits(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The jackknifed contribution of each symbol and of "other" to both directions, (V + 1,)."""
        skew, fractions = self.study.evidence.options.skew, self.units.fractions
        p, q = self._replicates
        there = jackknife(contributions(p, q, skew).T, fractions).value
        back = jackknife(contributions(q, p, skew).T, fractions).value
        return there, back

    @cached_property
    def estimates(self) -> tuple[Estimate | None, Estimate | None]:
        """The divergence in both directions."""
        skew = self.study.evidence.options.skew
        p, q = self._replicates
        there, back = estimates(np.array([skewed_kl(p, q, skew), skewed_kl(q, p, skew)]), self.units)
        return there, back

    @cached_property
    def usage(self) -> Usage:
        """How the two sides use each symbol of the vocabulary."""
        return compare_usage(self.tables[0][:, :-1], self.tables[1][:, :-1])

    def whole(self, side: int) -> float | None:
        """Return the divergence from a side to the other, or None where it may be 0."""
        found = self.estimates[side]
        return found.value if found is not None and found.low > 0 else None

    def classes(self) -> tuple[ClassTotal, ...]:
        """Add the contributions up by class; "other" holds the symbols outside the vocabulary as well."""
        evidence = self.study.evidence
        kinds = [evidence.facet.kind(int(identifier)) for identifier in evidence.vocabulary] + ["other"]
        totals = []
        for kind in evidence.facet.CLASSES:
            chosen = np.array([found == kind for found in kinds])
            parts = [float(bits[chosen].sum()) for bits in self.bits]
            shares = [share_of(part, self.whole(side)) for side, part in enumerate(parts)]
            totals.append(ClassTotal(kind, parts[0], parts[1], shares[0], shares[1]))
        return tuple(totals)


def share_of(part: float, whole: float | None) -> float | None:
    """Return a part as a share; None where there is no whole to speak of."""
    return None if whole is None else part / whole


def sides_of_pair(study: Study, first: int, second: int) -> Sides:
    """Return two models on the prompts that both answered."""
    comparison = study.comparisons[min(first, second), max(first, second)]
    units = comparison.units
    own = study.side(first, units), study.side(second, units)
    return Sides(
        study,
        units,
        ([first], [second]),
        (study.evidence.models[first].id, study.evidence.models[second].id),
        study.paired(first, second, units),
        (own[0].mean_length, own[1].mean_length),
    )


def sides_of_focus(study: Study, index: int, others: list[int]) -> Sides | None:
    """Return a model and the mean of `others`, prompt by prompt over those that answered it; None without any."""
    samples = study.evidence.counts.samples()
    answered = (samples[others] > 0).sum(axis=0) if others else np.zeros(samples.shape[1], np.int64)
    most = samples[others].max(axis=0) if others else answered
    slots = slots_of(samples[index], most)
    if not slots.any() or not len(study.evidence.vocabulary):
        return None
    units = deal(slots, study.evidence.ranks)
    own = study.side(index, units)
    share = 1.0 / np.maximum(answered, 1)
    table = own.with_other(own.unit, units.count)[0]
    rest, lengths = np.zeros_like(table), []
    for other in others:
        side = Side(study.entries, other, units, share)
        side.add_to(rest)
        lengths.append(side.mean_length)
    return Sides(
        study,
        units,
        ([index], others),
        (study.evidence.models[index].id, OTHERS),
        (table, rest),
        (own.mean_length, float(np.mean(lengths))),
    )


def contrast_pair(study: Study, first: int, second: int) -> Contrast:
    """Return what separates two models on the prompts that both answered."""
    sides = sides_of_pair(study, first, second)
    key = min(first, second), max(first, second)
    phrases = _phrases(study, key)
    return _contrast(sides, None if phrases is None else sides_of_pair(phrases, first, second))


def contrast_others(study: Study, index: int, others: list[int]) -> Contrast:
    """Return what separates a model from the mean of `others`, prompt by prompt over those that answered it."""
    sides = sides_of_focus(study, index, others)
    if sides is None:
        return Contrast((), (), 0, None)
    phrases = _phrases(study, None)
    return _contrast(sides, None if phrases is None else sides_of_focus(phrases, index, others))


def _phrases(study: Study, pair: tuple[int, int] | None) -> Study | None:
    """Return the study of phrases that may be tells beside those of `study`; None where they are not asked for."""
    evidence = study.evidence
    if not evidence.options.facets or evidence.facet.NAME not in ("tokens", "words"):
        return None
    phrases = study.in_facet("phrases", [] if pair is None else [pair])
    return phrases if len(phrases.evidence.vocabulary) else None


def _contrast(sides: Sides, phrases: Sides | None) -> Contrast:
    from stylekl.lenses.style.tells import tells

    found, candidates = tells([sides] if phrases is None else [sides, phrases])
    return Contrast(found, sides.classes(), candidates, sides.estimates[0])
