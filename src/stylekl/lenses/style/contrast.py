"""What separates two sides, symbol by symbol: tells, examples, class totals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stylekl.facets.classes import CLASSES, class_of
from stylekl.lenses.reports import ClassTotal, Estimate, Tell
from stylekl.lenses.style.examples import find_example
from stylekl.lenses.style.study import Study, estimates
from stylekl.measure.divergence import contributions, skewed_kl
from stylekl.measure.jackknife import jackknife, replicates_by_unit
from stylekl.measure.sides import Side
from stylekl.measure.tells import Usage, compare_usage
from stylekl.measure.units import Units, deal, slots_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.measure.comparison import Comparison

Q_TELL = 0.05
OTHERS = "others"


@dataclass(frozen=True, slots=True)
class Contrast:
    """Tells (each side's strongest first), class totals, and the divergence of the first side from the second."""

    tells: tuple[Tell, ...]
    classes: tuple[ClassTotal, ...]
    candidates: int
    estimate: Estimate | None


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Two sides on common units: who they are, their frequencies unit by unit, their contributions in bits."""

    study: Study
    units: Units
    models: tuple[list[int], list[int]]
    names: tuple[str, str]
    tables: tuple[NDArray[np.float64], NDArray[np.float64]]
    bits: tuple[NDArray[np.float64], NDArray[np.float64]]
    estimates: tuple[Estimate | None, Estimate | None]

    def whole(self, side: int) -> float | None:
        """Return the divergence from a side to the other, or None where it may be 0."""
        found = self.estimates[side]
        return found.value if found is not None and found.low > 0 else None


def contrast_pair(study: Study, first: int, second: int) -> Contrast:
    """Return what separates two models on the prompts that both answered."""
    comparison: Comparison = study.comparisons[min(first, second), max(first, second)]
    tables = study.paired(first, second, comparison.units)
    ids = study.evidence.models[first].id, study.evidence.models[second].id
    return _contrast(study, comparison.units, ([first], [second]), ids, tables)


def contrast_others(study: Study, index: int, others: list[int]) -> Contrast:
    """Return what separates a model from the mean of `others`, prompt by prompt over those that answered it."""
    samples = study.evidence.counts.samples()
    answered = (samples[others] > 0).sum(axis=0) if others else np.zeros(samples.shape[1], np.int64)
    most = samples[others].max(axis=0) if others else answered
    slots = slots_of(samples[index], most)
    if not slots.any() or not len(study.evidence.vocabulary):
        return Contrast((), (), 0, None)
    units = deal(slots, study.evidence.ranks)
    own = study.side(index, units)
    share = 1.0 / np.maximum(answered, 1)
    rest = [Side(study.entries, other, units, share) for other in others]
    tables = (
        own.with_other(own.unit, units.count)[0],
        np.sum([side.with_other(side.unit, units.count)[0] for side in rest], axis=0),
    )
    return _contrast(study, units, ([index], others), (study.evidence.models[index].id, OTHERS), tables)


def _contrast(
    study: Study,
    units: Units,
    models: tuple[list[int], list[int]],
    names: tuple[str, str],
    tables: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> Contrast:
    skew, fractions = study.evidence.options.skew, units.fractions
    p, q = (replicates_by_unit(table, units) for table in tables)
    bits = tuple(jackknife(contributions(one, two, skew).T, fractions).value for one, two in ((p, q), (q, p)))
    both = estimates(np.array([skewed_kl(p, q, skew), skewed_kl(q, p, skew)]), units)
    sides = _Sides(study, units, models, names, tables, (bits[0], bits[1]), (both[0], both[1]))
    usage = compare_usage(tables[0][:, :-1], tables[1][:, :-1])
    return Contrast(
        _tells(sides, usage), _classes(sides), int(np.isfinite(usage.q).sum()), sides.estimates[0]
    )


def _classes(sides: _Sides) -> tuple[ClassTotal, ...]:
    """Add the contributions up by class; "other" holds the symbols outside the vocabulary as well."""
    evidence = sides.study.evidence
    kinds = [class_of(evidence.facet.symbol(int(identifier))) for identifier in evidence.vocabulary] + [
        "other"
    ]
    totals = []
    for kind in CLASSES:
        chosen = np.array([found == kind for found in kinds])
        parts = [float(bits[chosen].sum()) for bits in sides.bits]
        shares = [_share(part, sides.whole(side)) for side, part in enumerate(parts)]
        totals.append(ClassTotal(kind, parts[0], parts[1], shares[0], shares[1]))
    return tuple(totals)


def _share(part: float, whole: float | None) -> float | None:
    return None if whole is None else part / whole


def _tells(sides: _Sides, usage: Usage) -> tuple[Tell, ...]:
    found = []
    for side, sign in enumerate((1.0, -1.0)):
        bits = sides.bits[side][:-1]
        chosen = np.flatnonzero((usage.q < Q_TELL) & (sign * usage.z > 0))
        strongest = chosen[np.argsort(-bits[chosen], kind="stable")][: sides.study.evidence.options.tells]
        found += [_tell(sides, usage, side, int(column)) for column in strongest]
    return tuple(found)


def _tell(sides: _Sides, usage: Usage, side: int, column: int) -> Tell:
    evidence = sides.study.evidence
    identifier = int(evidence.vocabulary[column])
    symbol = evidence.facet.symbol(identifier)
    held = [_held(sides, models, identifier) for models in sides.models]
    bits = float(sides.bits[side][column])
    lift, low, high = _lift(usage, side, column)
    example = find_example(evidence, held[side].rows, identifier) if evidence.options.text else None
    return Tell(
        symbol=symbol,
        facet=evidence.facet.NAME,
        kind=class_of(symbol),
        more=sides.names[side],
        lift=lift,
        low=low,
        high=high,
        bits=bits,
        share=_share(bits, sides.whole(side)),
        rate_a=float(usage.rate_a[column]),
        rate_b=float(usage.rate_b[column]),
        count_a=held[0].count,
        count_b=held[1].count,
        prompts_a=held[0].prompts,
        prompts_b=held[1].prompts,
        q=float(usage.q[column]),
        example=example[0] if example else None,
        span=example[1] if example else None,
    )


def _lift(usage: Usage, side: int, column: int) -> tuple[float | None, float | None, float | None]:
    """Return the lift of the side that says more, with its interval; None where the other never does."""
    a, b = float(usage.rate_a[column]), float(usage.rate_b[column])
    if a == 0 or b == 0:
        return None, None, None
    low, high = float(usage.low[column]), float(usage.high[column])
    return (a / b, low, high) if side == 0 else (b / a, 1.0 / high, 1.0 / low)


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    count: int
    prompts: int
    rows: NDArray[np.int64]


def _held(sides: _Sides, models: list[int], identifier: int) -> _Held:
    """Return how often, in how many prompts and in which rows of the common prompts the models use a symbol."""
    counts = sides.study.evidence.counts
    rows, total = [], 0
    for model in models:
        span = counts.rows(model)
        low = int(counts.starts[span.start])
        entries = low + np.flatnonzero(counts.symbols[low : int(counts.starts[span.stop])] == identifier)
        holding = np.searchsorted(counts.starts, entries, side="right") - 1
        common = sides.units.slots[counts.prompt[holding]] > 0
        rows.append(holding[common])
        total += int(counts.counts[entries[common]].sum())
    together = np.concatenate(rows)
    return _Held(total, len(np.unique(counts.prompt[together])), together)
