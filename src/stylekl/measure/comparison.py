"""Every pair of models: paired on prompts, both divergences with their replicates, and the exact test.

Pairs that share the same units (the usual case: all of them) share the sums, so the work on the counts is linear in
the models and only small arrays are touched pair by pair.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from stylekl.counts.cores import in_order
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
_AT_ONCE = 32  # pairs that a thread takes


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
    threads: int = 1,
) -> tuple[list[Comparison], dict[tuple[int, int], float]]:
    """Compare the models pair by pair.

    Returns the comparisons of the `wanted` pairs (all by default), and the exact p-value of every pair with a
    prompt in common (nan below 6 units): multiplicity counts the whole file, whatever is looked at. With
    `only_wanted` nothing is computed for the other pairs, and the family is the caller's to state. The number of
    `threads` changes no result.
    """
    asked = None if wanted is None else set(wanted)
    comparisons: list[Comparison] = []
    p_values: dict[tuple[int, int], float] = {}
    found = sorted(blocks(counts, ranks, asked if only_wanted else None), key=lambda block: len(block[1]))
    table = entries(
        counts,
        vocabulary,
        min((least_replies(2 * units.count) for units, _ in found), default=3),
        {model for _, pairs in found for pair in pairs for model in pair},
    )
    for units, pairs in found:
        models = sorted({model for pair in pairs for model in pair})
        last = units is found[-1][0]  # of the most pairs, for which there is to be room
        sides = dict(zip(models, in_order(partial(_side, table, units, last), models, threads), strict=True))
        several = [pairs[start : start + _AT_ONCE] for start in range(0, len(pairs), _AT_ONCE)]
        compared = in_order(partial(_compared, sides, units, asked, skew), several, threads)
        for some, (p, measured) in zip(several, compared, strict=True):
            p_values.update(zip(some, p.tolist(), strict=True))
            for a, b in measured:
                ratio = sides[a].mean_length / sides[b].mean_length
                comparisons.append(
                    Comparison(a, b, units, *measured[a, b][:3], p_values[a, b], ratio, measured[a, b][3])
                )
    comparisons.sort(key=lambda comparison: (comparison.a, comparison.b))
    return comparisons, {pair: p_values[pair] for pair in sorted(p_values)}


def _side(table: Entries, units: Units, last: bool, model: int) -> Side:
    """Return a model's part with all that its comparisons ask of it; its entries are let go of after its `last`."""
    side = Side(table, model, units)
    side.prepare()
    if last:
        table.forget(model)
    return side


def _compared(
    sides: dict[int, Side],
    units: Units,
    asked: Collection[tuple[int, int]] | None,
    skew: float,
    pairs: list[tuple[int, int]],
) -> tuple[NDArray[np.float64], dict[tuple[int, int], _Divergences]]:
    """Return the exact p-values of some pairs, and the divergences of those that are asked for."""
    if units.count < FEW_UNITS:
        p = np.full(len(pairs), np.nan)
    else:
        p = exact_p(np.array([_form(sides[a], sides[b]) for a, b in pairs]))
    return p, {
        (a, b): divergences(sides[a], sides[b], skew) for a, b in pairs if asked is None or (a, b) in asked
    }


def _form(a: Side, b: Side) -> NDArray[np.float64]:
    return exchange_form(a, b, LEAST_EXPECTED / min(a.length, b.length) if _uneven(a, b) else 0.0)
