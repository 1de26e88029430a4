"""Kinship: do two models depart from the crowd in the same way, prompt by prompt?

For each prompt a model's distribution of symbols, its square roots taken (so that distances are Hellinger's), less the
mean over the models that answered it, points in the direction in which this model's reply departs from the crowd's.
c is the cosine between two such directions. Unrelated models have c = −1/(k − 1) on average, only because k models
share their mean, so κ = (c + 1/(k − 1))·(k − 1)/k is 0 for them and 1 for copies; the mean over prompts is what is
given. It finds shared weights and training where a divergence finds shared habits, and it depends on which other
models the file holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from stylekl.counts.pooling import pooled, shares_of
from stylekl.counts.shares import shared
from stylekl.measure.units import GROUPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.counts import Counts

LEAST_MODELS = 4
MANY_MODELS = 22
_WORTH = 4_000  # replies from which on several processes pay


@dataclass(frozen=True, slots=True, eq=False)
class Kinship:
    """κ of every pair of K models with its replicates.

    `replicates` (G + 1, K, K) is κ over all prompts and with each of G groups of prompts left out, nan where two
    models have no prompt in common; `fractions` (G,) is the share of the prompts in each group.
    """

    replicates: NDArray[np.float64]
    fractions: NDArray[np.float64]


def likely_kin(value: float, se: float, models: int) -> bool:
    """Tell whether κ calls two models likely kin: κ − 1.73·se above .13, or above .16 in files of over 22 models.

    Measured on families with known names: 80 and 72 % of siblings called, 3 and 0 of 507 unrelated pairs.
    """
    return value - 1.73 * se > (0.16 if models > MANY_MODELS else 0.13)


def kinship(counts: Counts, ranks: NDArray[np.int64], processes: int = 1) -> Kinship | None:
    """Return the kinship of all models, or None below 4 models or 2 prompts that have any.

    `ranks` (P,) deals the prompts into 20 groups (one group a prompt below 40). A prompt that fewer than 4 models
    answered takes no part. Several replies to a prompt are averaged. The number of `processes` changes nothing.
    """
    counts = pooled(counts)
    prompts = _answered(counts, ranks)
    if len(prompts) < 2:
        return None
    groups = GROUPS if len(prompts) >= 2 * GROUPS else len(prompts)
    several = [prompts[group::groups] for group in range(groups)]
    number = 1 if len(counts.prompt) < _WORTH else max(1, min(processes, groups))
    found = shared(partial(_sums, counts), [several[share::number] for share in range(number)])
    shape = (groups, counts.models, counts.models)
    sums, numbers = np.empty(shape), np.empty(shape)
    for share, (of_share, answered) in enumerate(found):
        sums[share::number], numbers[share::number] = of_share, answered
    whole, count = sums.sum(axis=0), numbers.sum(axis=0)
    left = np.subtract(count, numbers, out=numbers)
    rest = np.subtract(whole, sums, out=sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        replicates = np.concatenate([whole[None], rest])
        replicates /= np.concatenate([count[None], left])
    replicates[~np.isfinite(replicates)] = np.nan
    fractions = np.bincount(np.arange(len(prompts)) % groups, minlength=groups) / len(prompts)
    return Kinship(replicates, fractions)


def _sums(
    counts: Counts, groups: list[list[NDArray[np.int64]]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums of κ over the prompts of each group, and how many prompts are in each, (groups, K, K)."""
    scratch = _Scratch(np.full(counts.limit, -1, np.int32))
    sums, numbers = np.zeros((2, len(groups), counts.models, counts.models))
    for group, prompts in enumerate(groups):
        for rows in prompts:
            kappa, models = _cosines(counts, rows, scratch), counts.model[rows]
            if len(models) == counts.models:  # the common case, without the copies of the other
                sums[group] += kappa
                numbers[group] += 1.0
            else:
                place = np.ix_(np.array([group]), models, models)
                sums[place] += kappa[None]
                numbers[place] += 1.0
    return sums, numbers


def _answered(counts: Counts, ranks: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the rows of each prompt that enough models answered, by rank of the prompt and model."""
    order = np.argsort(ranks[counts.prompt], kind="stable")
    found = np.split(order, np.flatnonzero(np.diff(counts.prompt[order])) + 1)
    return [rows for rows in found if len(rows) >= LEAST_MODELS]


def _cosines(counts: Counts, rows: NDArray[np.int64], scratch: _Scratch) -> NDArray[np.float64]:
    """Return κ (k, k) of the k models whose rows to a prompt these are."""
    k = len(rows)
    roots, squares = _roots(counts, rows, scratch)
    products = roots @ roots.T
    products[np.diag_indices(k)] = squares
    # The products of the vectors less their mean, without touching the k × V table again.
    margin = products.mean(axis=0)
    products += products.mean() - margin - margin[:, None]
    norms = np.sqrt(np.maximum(products.diagonal(), 0.0))
    scale = np.divide(1.0, norms, out=np.zeros(k), where=norms > 1e-6)
    cosines = products * scale * scale[:, None]
    return (cosines + 1.0 / (k - 1)) * (k - 1) / k


@dataclass(slots=True)
class _Scratch:
    """What one prompt after the other is worked out in: `column` (limit,), all −1, and a table."""

    column: NDArray[np.int32]
    table: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))

    def zeros(self, rows: int, columns: int) -> NDArray[np.float64]:
        """Return a table of zeros, in the place of the one before where there is room: fresh memory is slow."""
        if self.table.shape[0] < rows or self.table.shape[1] < columns:
            self.table = np.zeros((rows, columns + columns // 2))
            return self.table[:, :columns]
        found = self.table[:rows, :columns]
        found.fill(0.0)
        return found


def _roots(
    counts: Counts, rows: NDArray[np.int64], scratch: _Scratch
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the roots of the distributions of a prompt's k models, k × V, and the sum of their squares, (k,).

    V are the symbols that several of the models use: one that a single model uses adds to nothing but its own square.
    """
    column = scratch.column
    low, sizes = counts.starts[rows], counts.starts[rows + 1] - counts.starts[rows]
    ends = np.cumsum(sizes)
    entries = np.repeat(low - ends + sizes, sizes) + np.arange(ends[-1])
    member = np.repeat(np.arange(len(rows)), sizes)
    symbols = counts.symbols.take(entries)
    values = shares_of(counts, entries, rows.take(member))
    if counts.replies is not None:
        values /= counts.replies[rows].take(member)
    ordered = np.sort(symbols)
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    shared = again[np.flatnonzero(np.diff(again, prepend=-1))]
    column[shared] = np.arange(len(shared), dtype=np.int32)
    place = column.take(symbols)
    column[shared] = -1
    kept = np.flatnonzero(place >= 0)
    roots = scratch.zeros(len(rows), len(shared))
    roots[member.take(kept), place.take(kept)] = np.sqrt(values.take(kept))
    return roots, np.asarray(np.bincount(member, values, len(rows)), np.float64)
