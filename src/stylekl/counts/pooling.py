"""Counts of several replies to one prompt, added up: one row for each (model, prompt).

What is asked of prompts needs no single replies, and one row is as large for a hundred replies as for a few. All
that is added are whole numbers (`fixed_shares`): the sums are the same in whatever parts and order they are made.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from stylekl.counts.table import SHARE_BITS, Counts, fixed_shares, narrow

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TOGETHER = 1 << 21  # entries whose replies are put together at a time
_MADE: WeakKeyDictionary[Counts, Counts] = WeakKeyDictionary()


def pooled(counts: Counts) -> Counts:
    """Return the counts with one row for each (model, prompt); themselves where they are so already.

    Rows keep their order. Sums hold half a million replies to a prompt. Made once for each table.
    """
    if counts.replies is not None or not counts.sample.any():
        return counts
    if (found := _MADE.get(counts)) is None:
        found = _MADE[counts] = _pooled(counts)
    return found


def _pooled(counts: Counts) -> Counts:
    first = np.flatnonzero(counts.sample == 0)  # rows of one (model, prompt) stand together
    bounds = np.append(first, len(counts.sample))
    chunks = np.unique(counts.starts[bounds] // _TOGETHER, return_index=True)[1]
    parts = [
        _added(counts, bounds[low : high + 1])
        for low, high in pairwise(np.unique(np.append(chunks, len(first))).tolist())
    ]
    return replace(
        counts,
        symbols=np.concatenate([part.symbols for part in parts]),
        counts=np.concatenate([part.counts for part in parts]),
        starts=np.concatenate([[0], *(part.sizes for part in parts)]).cumsum().astype(np.int64),
        lengths=np.add.reduceat(counts.lengths, first),
        model=counts.model[first],
        prompt=counts.prompt[first],
        sample=np.zeros(len(first), np.int32),
        replies=np.diff(bounds),
        shares=np.concatenate([part.shares for part in parts]),
        holders=np.concatenate([part.holders for part in parts]),
    )


class _Part(NamedTuple):
    symbols: NDArray[np.int32]
    counts: NDArray[np.integer]
    shares: NDArray[np.int64]
    holders: NDArray[np.integer]
    sizes: NDArray[np.int64]


def _added(counts: Counts, bounds: NDArray[np.int64]) -> _Part:
    """Add up the rows between each two of `bounds`."""
    held = slice(int(counts.starts[bounds[0]]), int(counts.starts[bounds[-1]]))
    rows = np.arange(bounds[0], bounds[-1])
    sizes = np.diff(counts.starts[bounds[0] : bounds[-1] + 1])
    cell = np.repeat(np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)), sizes)
    keys = cell * counts.limit + counts.symbols[held]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    number = counts.counts[held][order]
    lengths = np.repeat(counts.lengths[rows], sizes)[order]
    if not len(first):
        empty = np.empty(0, np.int64)
        return _Part(
            empty.astype(np.int32), number, empty, empty.astype(np.int32), np.zeros(len(bounds) - 1, np.int64)
        )
    return _Part(
        (keys[first] % counts.limit).astype(np.int32),
        narrow(np.add.reduceat(number, first, dtype=np.int64)),
        np.add.reduceat(fixed_shares(number, lengths), first),
        narrow(np.diff(first, append=len(keys))),
        np.bincount(keys[first] // counts.limit, minlength=len(bounds) - 1),
    )


def shares_of(counts: Counts, entries: NDArray[np.integer], rows: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return what share of its reply each of these entries is; `rows` (like `entries`) are their rows.

    Of pooled replies it is the sum over them.
    """
    shares = counts.counts.take(entries) / counts.lengths.take(rows)
    if counts.shares is None or counts.replies is None:
        return shares
    several = counts.replies.take(rows) > 1
    return np.where(several, counts.shares.take(entries) * 0.5**SHARE_BITS, shares)
