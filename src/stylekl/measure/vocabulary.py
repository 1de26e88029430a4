"""The style vocabulary: the symbols that say how models write, as many as the data can support.

A symbol belongs where the share of prompts that hold it, averaged over the models, is at least the threshold (2 %)
and at least 12 prompts' worth (8 where there are fewer than 25 prompts). Below 10 prompts with several replies
each, replies take the prompts' place: 8 replies' worth, and 3 prompts' worth as well. Everything else is one
symbol, "other". docs/method.md says what was tried instead.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from stylekl.counts.pooling import pooled
from stylekl.counts.table import SHARE_BITS
from stylekl.measure.units import FEW_PROMPTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.counts import Counts

THRESHOLD = 0.02
_COUNTED = 1 << 20  # entries counted at a time


def _shares(counts: Counts) -> NDArray[np.float64]:
    """Return each symbol's share of the rows that hold it, averaged over the models with any.

    Of pooled counts that is the share of prompts, of others the share of replies.
    """
    total, models = np.zeros(counts.limit), 0
    low, high, base = (
        0,
        0,
        0,
    )  # models that follow each other and have equally many rows are counted in one go
    for model in range(counts.models):
        rows = counts.rows(model)
        if rows.start == rows.stop:
            continue
        models += 1
        start, stop = int(counts.starts[rows.start]), int(counts.starts[rows.stop])
        if start != high or rows.stop - rows.start != base or stop - low > _COUNTED:
            total += np.bincount(counts.symbols[low:high], minlength=counts.limit) / max(base, 1)
            low, base = start, rows.stop - rows.start
        high = stop
    total += np.bincount(counts.symbols[low:high], minlength=counts.limit) / max(base, 1)
    return total / max(models, 1)


def share_of(prompts: int, replies: int) -> str:
    """Return what the share that admits a symbol is a share of: "prompts" or "replies"."""
    return "prompts" if prompts >= FEW_PROMPTS or replies == prompts else "replies"


def least_share(prompts: int, replies: int, threshold: float) -> float:
    """Return the share of prompts that admits a symbol (below 10 prompts with several replies: of replies).

    `threshold`, or the prompts' worth that few prompts need where that is more; 1 at most, nan without prompts.
    """
    if not prompts:
        return float("nan")
    if share_of(prompts, replies) == "prompts":
        return min(max(threshold, (12 if prompts >= 25 else 8) / prompts), 1.0)
    return min(max(threshold, 8 / replies), 1.0)


def style_vocabulary(counts: Counts, threshold: float = THRESHOLD) -> NDArray[np.int64]:
    """Return the symbol ids of the style vocabulary, ascending; empty where nothing is common enough.

    `threshold` is the least share of prompts. The floor in prompts' worth holds whatever the threshold.
    """
    prompts, replies = sizes(counts)
    if not prompts:
        return np.empty(0, np.int64)
    least = least_share(prompts, replies, threshold) - 1e-9
    shares = _shares(pooled(counts))
    if share_of(prompts, replies) == "prompts":
        return np.flatnonzero(shares >= least)
    return np.flatnonzero((_shares(counts) >= least) & (shares * prompts >= 3 - 1e-9))


def sizes(counts: Counts) -> tuple[int, int]:
    """Return how many prompts have a reply, and how many replies the models that answered most gave to them."""
    most = counts.samples().max(axis=0, initial=0)
    return int(np.count_nonzero(most)), int(most.sum())


def coverage(counts: Counts, vocabulary: NDArray[np.int64]) -> float:
    """Return the share of a reply's symbols that the vocabulary holds: mean over replies, then over models."""
    counts = pooled(counts)
    inside = np.zeros(counts.limit, bool)
    inside[vocabulary] = True
    replies = np.ones(len(counts.lengths)) if counts.replies is None else counts.replies
    per_model = []
    for model in range(counts.models):
        rows = counts.rows(model)
        if rows.start == rows.stop:
            continue
        total = np.zeros(rows.stop - rows.start)
        # some rows at a time: the shares would be as large as the counts
        steps = np.searchsorted(
            counts.starts[rows.start : rows.stop + 1],
            np.arange(counts.starts[rows.start], counts.starts[rows.stop], _COUNTED),
        )
        for first, last in pairwise(np.unique(np.append(steps, len(total))).tolist()):
            some = slice(rows.start + first, rows.start + last)
            total[first:last] = _held_shares(counts, some, inside)
        per_model.append(total.sum() / replies[rows].sum())
    return float(np.mean(per_model)) if per_model else 0.0


def _held_shares(counts: Counts, rows: slice, inside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the share of the symbols that are `inside` in each reply, over pooled replies the sum; shape (R,)."""
    held = slice(int(counts.starts[rows.start]), int(counts.starts[rows.stop]))
    starts = counts.starts[rows.start : rows.stop] - held.start
    filled = np.flatnonzero(np.diff(counts.starts[rows.start : rows.stop + 1]))
    shares = np.zeros(rows.stop - rows.start)
    if not len(filled):
        return shares
    known = inside.take(counts.symbols[held])
    number = np.add.reduceat(counts.counts[held] * known, starts[filled], dtype=np.int64)
    shares[filled] = number / counts.lengths[rows][filled]
    if counts.shares is None or counts.replies is None:
        return shares
    sums = np.add.reduceat(counts.shares[held] * known, starts[filled]) * 0.5**SHARE_BITS
    shares[filled] = np.where(counts.replies[rows][filled] > 1, sums, shares[filled])
    return shares
