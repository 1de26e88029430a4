"""Sparse counts of cells, a cell being what one model replied to one prompt under one condition.

All that is added up are whole numbers, so sums are the same in any order and in any parts, and what was added can be
taken off again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stylekl.counts.table import fixed_shares, narrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_TOGETHER = 1 << 22  # entries that are added up at a time
_BITS = 18  # of a token


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Counts of C cells with N entries.

    `at` (C, 3) holds the indices of model, prompt and condition, sorted, none twice; `replies` (C,) how many replies a
    cell has and `lengths` (C,) how many symbols. `symbols` and `counts` (N,) are its entries, `sizes` (C,) how many of
    them, sorted by symbol. `shares` and `holders` are those of `Counts`, of the entries of cells with several replies
    alone: of one reply they follow from its counts.
    """

    at: NDArray[np.int32]
    replies: NDArray[np.int64]
    lengths: NDArray[np.int64]
    sizes: NDArray[np.int64]
    symbols: NDArray[np.int32]
    counts: NDArray[np.integer]
    shares: NDArray[np.int64]
    holders: NDArray[np.int32]

    def full(self) -> Full:
        """Return the same with shares and holders of every entry."""
        several = np.repeat(self.replies > 1, self.sizes)
        shares = fixed_shares(self.counts, np.repeat(self.lengths, self.sizes))
        holders = np.ones(len(self.symbols), np.int64)
        shares[several], holders[several] = self.shares, self.holders
        return Full(
            self.at,
            self.replies,
            self.lengths,
            self.sizes,
            self.symbols,
            self.counts.astype(np.int64),
            shares,
            holders,
        )

    def placed(self, at: NDArray[np.integer]) -> Cells:
        """Return the same cells in other places (C, 3), sorted; those in one place become one."""
        return together([self.moved_to(at)])

    def moved(self, *places: NDArray[np.int64]) -> Cells:
        """Return them with other indices of models, prompts and conditions, `places` by the present ones, unsorted."""
        return self.moved_to(np.stack([place[of] for place, of in zip(places, self.at.T, strict=True)], 1))

    def moved_to(self, at: NDArray[np.integer]) -> Cells:
        """Return them in other places, unsorted."""
        return replace(self, at=np.asarray(at, np.int32).reshape(-1, 3))

    def taken(self, order: NDArray[np.integer]) -> Cells:
        """Return some of the cells, in this order."""
        several = self.replies > 1
        entries = _entries(self.sizes, order)
        counted = _entries(np.where(several, self.sizes, 0), order)
        return Cells(
            self.at[order],
            self.replies[order],
            self.lengths[order],
            self.sizes[order],
            self.symbols[entries],
            narrow(self.counts[entries]),
            self.shares[counted],
            self.holders[counted],
        )


class Full(NamedTuple):
    """Cells in any order, with the shares and holders of every entry; numbers may be below zero."""

    at: NDArray[np.int32]
    replies: NDArray[np.int64]
    lengths: NDArray[np.int64]
    sizes: NDArray[np.int64]
    symbols: NDArray[np.int32]
    counts: NDArray[np.int64]
    shares: NDArray[np.int64]
    holders: NDArray[np.int64]

    def compact(self) -> Cells:
        """Return them as cells, in the order in which they are."""
        several = np.repeat(self.replies > 1, self.sizes)
        return Cells(
            self.at.astype(np.int32),
            self.replies,
            self.lengths,
            self.sizes,
            self.symbols,
            narrow(self.counts),
            self.shares[several],
            self.holders[several].astype(np.int32),
        )


def no_cells() -> Cells:
    """Return no cells at all."""
    none = np.empty(0, np.int64)
    at, symbols = np.empty((0, 3), np.int32), none.astype(np.int32)
    return Full(at, none, none, none, symbols, none, none, none).compact()


def together(parts: Sequence[Cells]) -> Cells:
    """Return the cells of all parts sorted, those in one place added up."""
    whole = Cells(*_joined([_columns(part) for part in parts]))
    order, new = _sorted(whole.at)
    alone = new & np.append(new[1:], True)
    if alone.all():
        return whole.taken(order)
    added = _added(whole.taken(order[~alone]).full(), new[~alone]).compact()
    both = Cells(*_joined([_columns(whole.taken(order[alone])), _columns(added)]))
    return both.taken(_sorted(both.at)[0])


def less(whole: Cells, off: Cells) -> Cells:
    """Return `whole` without `off`, which it counts; a cell of which no reply is left is gone."""
    full = off.full()
    negative = full._replace(
        replies=-full.replies,
        lengths=-full.lengths,
        counts=-full.counts,
        shares=-full.shares,
        holders=-full.holders,
    )
    both = Full(*_joined([whole.full(), negative]))
    order, new = _sorted(both.at)
    return _added(_picked(both, order, _entries(both.sizes, order)), new).compact()


def _columns(cells: Cells) -> tuple[NDArray[Any], ...]:
    return tuple(getattr(cells, name) for name in Cells.__slots__)


def _joined(parts: Sequence[tuple[NDArray[Any], ...]]) -> list[NDArray[Any]]:
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]


def _sorted(at: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the order of places, and which of them, in that order, are other than the one before."""
    order = np.lexsort(at.T[::-1])
    at = at[order]
    new = np.ones(len(at), bool)
    new[1:] = (at[1:] != at[:-1]).any(axis=1)
    return order, new


def _entries(sizes: NDArray[np.int64], order: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the entries of rows of so many each, in this order of the rows."""
    starts = (np.cumsum(sizes) - sizes)[order]
    sizes = sizes[order]
    ends = np.cumsum(sizes)
    found: NDArray[np.int64] = np.repeat(starts - (ends - sizes), sizes)
    found += np.arange(len(found))
    return found


def _picked(full: Full, rows: Any, entries: Any) -> Full:
    """Return these rows, and these entries, which are theirs."""
    columns: list[Any] = [column[rows] for column in full[:4]]
    columns += [column[entries] for column in full[4:]]
    return Full(*columns)


def _added(rows: Full, new: NDArray[np.bool_]) -> Full:
    """Add up sorted rows, of which the `new` ones begin a place; a number of entries at a time."""
    first = np.flatnonzero(new)
    bounds = np.append(first, len(new))
    ends = np.concatenate([[0], rows.sizes.cumsum()])
    steps = np.unique(ends[bounds] // _TOGETHER, return_index=True)[1]
    steps = np.unique(np.append(steps, len(first)))
    parts = []
    for low, high in pairwise(steps.tolist()):
        some = slice(bounds[low], bounds[high])
        held = slice(ends[bounds[low]], ends[bounds[high]])
        parts.append(_added_at_once(_picked(rows, some, held), np.diff(bounds[low : high + 1])))
    return Full(*_joined(parts))


def _added_at_once(rows: Full, runs: NDArray[np.int64]) -> Full:
    """Add up rows that stand in runs of so many."""
    first = np.cumsum(runs) - runs
    cell = np.repeat(np.repeat(np.arange(len(runs)), runs), rows.sizes)
    keys = cell << _BITS | rows.symbols
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    start = np.flatnonzero(np.diff(keys, prepend=-1))
    counts, shares, holders = rows.counts, rows.shares, rows.holders
    if len(start):
        counts, shares, holders = (
            np.add.reduceat(values[order], start) for values in (counts, shares, holders)
        )
    kept = holders > 0
    keys = keys[start][kept]
    replies, lengths = (np.add.reduceat(values, first) for values in (rows.replies, rows.lengths))
    held = replies > 0
    return Full(
        rows.at[first][held],
        replies[held],
        lengths[held],
        np.bincount(keys >> _BITS, minlength=len(runs))[held],
        (keys & ((1 << _BITS) - 1)).astype(np.int32),
        counts[kept],
        shares[kept],
        holders[kept],
    )
