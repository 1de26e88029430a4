"""Every pair of models: paired on prompts, both divergences with their replicates, and the exact test.

Pairs that share the same units (the usual case: all of them) share the sums, so the work on the counts is linear in
the models and only small arrays are touched pair by pair.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from stylekl.counts.shares import shared
from stylekl.measure.divergence import POSITIVE, negative_entropy, three_divergences
from stylekl.measure.exchange import exact_p
from stylekl.measure.sides import Side, entries
from stylekl.measure.units import FEW_UNITS, Units, deal, slots_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from stylekl.counts import Counts
    from stylekl.measure.sides import Entries

LENGTH_RATIO = 3.0
LEAST_EXPECTED = 16.0
_AT_ONCE = 32  # pairs whose forms are in memory
_WORTH = 300  # pairs from which on several processes pay


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two models (a < b, indices) on their common units.

    `kl_ab`, `kl_ba`, `js` (G + 1,) are the plug-in value and the G leave-a-group-out ones, in bits; `p` is the
    exact p-value. `length_ratio` is the mean reply length of a over that of b, in symbols; `kept` (V,), where
    not None, marks the symbols that were not folded into "other" because the lengths differ.
    """

    a: int
    b: int
    units: Units
    kl_ab: NDArray[np.float64]
    kl_ba: NDArray[np.float64]
    js: NDArray[np.float64]
    p: float
    length_ratio: float
    kept: NDArray[np.bool_] | None


def least_replies(replies: int) -> int:
    """Return how many of a pair's replies must hold a symbol that the exchange test looks at.

    24, which is 12 prompts' worth as in the style vocabulary, or a tenth of the replies where that is fewer, and
    at least 3. Rarer symbols add noise to the form and no power (docs/method.md); the rule counts both sides
    alike, so exchanges leave it unchanged.
    """
    return max(3, min(24, replies // 10))


def exchange_form(a: Side, b: Side, least_rate: float = 0.0) -> NDArray[np.float64]:
    """Return the form K (E, E) of two sides, over the symbols that enough of their replies hold.

    Symbols whose mean rate is below `least_rate` are left out too.
    """
    chosen = np.flatnonzero(a.holding + b.holding >= least_replies(a.replies + b.replies))
    D = a.frequencies.take(chosen, axis=0)
    D -= b.frequencies.take(chosen, axis=0)
    m = 0.5 * (a.rates.take(chosen) + b.rates.take(chosen))
    D *= np.where(m >= least_rate, 1.0 / np.sqrt(m), 0.0).astype(np.float32)[:, None]
    return np.asarray(D.T @ D, np.float64)


def _uneven(a: Side, b: Side) -> bool:
    return not 1.0 / LENGTH_RATIO <= a.mean_length / b.mean_length <= LENGTH_RATIO


def kept_symbols(a: Side, b: Side) -> NDArray[np.bool_] | None:
    """Return the symbols that both sides are long enough to show, or None where the lengths are near enough."""
    if not _uneven(a, b):
        return None
    m = 0.5 * (a.replicates[0, :-1] + b.replicates[0, :-1])
    return np.asarray(m * min(a.length, b.length) >= LEAST_EXPECTED)


def fold(p: NDArray[np.float64], kept: NDArray[np.bool_] | None, empty: float = 0.0) -> NDArray[np.float64]:
    """Return frequencies (…, V + 1) with the symbols that are not kept added to "other", and `empty` left there."""
    if kept is None:
        return p
    folded = np.where(np.append(kept, True), p, empty)
    folded[..., -1] += np.where(kept, 0.0, p[..., :-1]).sum(axis=-1)
    return folded


_Divergences: TypeAlias = (
    "tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_] | None]"
)


def divergences(a: Side, b: Side, skew: float) -> _Divergences:
    """Return kl_ab, kl_ba and js (G + 1,) of two sides in bits, and the symbols kept (see `Comparison`)."""
    kept = kept_symbols(a, b)
    if kept is None:
        p, q, p_entropy, q_entropy = a.replicates, b.replicates, a.negative_entropy, b.negative_entropy
    else:
        p, q = fold(a.replicates, kept, POSITIVE), fold(b.replicates, kept, POSITIVE)
        p_entropy, q_entropy = negative_entropy(p), negative_entropy(q)
    return (*three_divergences(p, q, skew, p_entropy, q_entropy), kept)


def blocks(
    counts: Counts, ranks: NDArray[np.int64], only: Collection[tuple[int, int]] | None = None
) -> list[tuple[Units, list[tuple[int, int]]]]:
    """Return the pairs (of `only`, or all) that have a prompt in common, together where their units are the same."""
    samples = counts.samples()
    by_slots: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
    for a, b in combinations(range(counts.models), 2) if only is None else sorted(only):
        by_slots[slots_of(samples[a], samples[b]).tobytes()].append((a, b))
    found = []
    for key, pairs in by_slots.items():
        slots = np.frombuffer(key, np.int64)
        if slots.any():
            found.append((deal(slots, ranks), pairs))
    return found


def compare(
    counts: Counts,
    vocabulary: NDArray[np.int64],
    ranks: NDArray[np.int64],
    *,
    skew: float,
    wanted: Iterable[tuple[int, int]] | None = None,
    only_wanted: bool = False,
    processes: int = 1,
) -> tuple[list[Comparison], dict[tuple[int, int], float]]:
    """Compare the models pair by pair.

    Returns the comparisons of the `wanted` pairs (all by default), and the exact p-value of every pair with a
    prompt in common (nan below 6 units): multiplicity counts the whole file, whatever is looked at. With
    `only_wanted` nothing is computed for the other pairs, and the family is the caller's to state. The number of
    `processes` changes no result.
    """
    asked = None if wanted is None else set(wanted)
    found = blocks(counts, ranks, asked if only_wanted else None)
    table = entries(
        counts,
        vocabulary,
        min((least_replies(2 * units.count) for units, _ in found), default=3),
        {model for _, pairs in found for pair in pairs for model in pair},
    )
    units = [units for units, _ in found]
    work = partial(_compared, table, units, asked, skew)
    outcomes = chain.from_iterable(shared(work, _shares([pairs for _, pairs in found], processes)))
    comparisons: list[Comparison] = []
    p_values: dict[tuple[int, int], float] = {}
    for (a, b), outcome in sorted(outcomes, key=itemgetter(0)):
        p_values[a, b] = outcome.p
        if outcome.divergences is not None:
            kl_ab, kl_ba, js, kept = outcome.divergences
            block = units[outcome.block]
            comparisons.append(Comparison(a, b, block, kl_ab, kl_ba, js, outcome.p, outcome.ratio, kept))
    return comparisons, p_values


class _Outcome(NamedTuple):
    """What a pair comes to: its block, its p, the ratio of lengths, and its divergences where they are asked for."""

    block: int
    p: float
    ratio: float
    divergences: _Divergences | None


class _Part(NamedTuple):
    """Some pairs of a block."""

    block: int
    pairs: list[tuple[int, int]]

    @property
    def models(self) -> list[int]:
        """The models of the pairs."""
        return sorted({model for pair in self.pairs for model in pair})

    @property
    def cost(self) -> float:
        """What comparing them costs, in units of a pair: a side costs four times as much."""
        return len(self.pairs) + 4.0 * len(self.models)


def _shares(several: list[list[tuple[int, int]]], processes: int) -> list[list[_Part]]:
    """Return the pairs of each block in shares that cost alike, one for each process; few pairs are one."""
    number = sum(map(len, several))
    if processes < 2 or number < _WORTH:
        return [[_Part(block, pairs) for block, pairs in enumerate(several)]]
    size = -(-number // processes)
    parts = [
        _Part(block, pairs[start : start + size])
        for block, pairs in enumerate(several)
        for start in range(0, len(pairs), size)
    ]
    shares: list[list[_Part]] = [[] for _ in range(processes)]
    for part in sorted(parts, key=lambda part: -part.cost):
        min(shares, key=lambda share: sum(each.cost for each in share)).append(part)
    return [share for share in shares if share]


def _compared(
    table: Entries,
    units: list[Units],
    asked: Collection[tuple[int, int]] | None,
    skew: float,
    parts: list[_Part],
) -> list[tuple[tuple[int, int], _Outcome]]:
    """Compare pairs."""
    found = []
    parts = sorted(parts, key=lambda part: len(part.pairs))  # the most last, for which there is to be room
    for part in parts:
        sides: dict[int, Side] = {}
        for model in part.models:
            sides[model] = Side(table, model, units[part.block])
            sides[model].prepare()
            if part is parts[-1]:
                table.forget(model)
        for start in range(0, len(part.pairs), _AT_ONCE):
            pairs = part.pairs[start : start + _AT_ONCE]
            if units[part.block].count < FEW_UNITS:
                p = np.full(len(pairs), np.nan)
            else:
                p = exact_p(np.array([_form(sides[a], sides[b]) for a, b in pairs]))
            for (a, b), value in zip(pairs, p.tolist(), strict=True):
                ratio = sides[a].mean_length / sides[b].mean_length
                wanted = asked is None or (a, b) in asked
                measured = divergences(sides[a], sides[b], skew) if wanted else None
                found.append(((a, b), _Outcome(part.block, value, ratio, measured)))
    return found


def _form(a: Side, b: Side) -> NDArray[np.float64]:
    return exchange_form(a, b, LEAST_EXPECTED / min(a.length, b.length) if _uneven(a, b) else 0.0)
