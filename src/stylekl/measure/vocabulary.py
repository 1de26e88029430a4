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

from stylekl.measure.units import FEW_PROMPTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.counts import Counts

THRESHOLD = 0.02
_COUNTED = 1 << 20  # entries counted at a time


def _shares(counts: Counts, *, by_reply: bool) -> NDArray[np.float64]:
    """Return each symbol's share of prompts (or replies) that hold it, averaged over the models with any."""
    total, models = np.zeros(counts.limit), 0
    low, high, base = (
        0,
        0,
        0,
    )  # models that follow each other and answered equally often are counted in one go
    for model in range(counts.models):
        rows = counts.rows(model)
        if rows.start == rows.stop:
            continue
        models += 1
        start, stop = int(counts.starts[rows.start]), int(counts.starts[rows.stop])
        prompts = counts.prompt[rows]
        replies, distinct = rows.stop - rows.start, np.count_nonzero(np.diff(prompts)) + 1
        if not by_reply and replies != distinct:
            total += _prompts_holding(counts, rows) / distinct
            continue
        if start != high or replies != base or stop - low > _COUNTED:
            total += np.bincount(counts.symbols[low:high], minlength=counts.limit) / max(base, 1)
            low, base = start, replies
        high = stop
    total += np.bincount(counts.symbols[low:high], minlength=counts.limit) / max(base, 1)
    return total / max(models, 1)


def _prompts_holding(counts: Counts, rows: slice) -> NDArray[np.int64]:
    """Return how many prompts have a reply of a model, in `rows`, that holds each symbol."""
    holding = np.zeros(counts.limit, np.int64)
    starts = np.flatnonzero(np.diff(counts.prompt[rows], prepend=-1)) + rows.start
    bounds = counts.starts[np.append(starts, rows.stop)]
    chunks = np.unique(bounds // _COUNTED, return_index=True)[1]
    for first, last in pairwise(np.unique(np.append(chunks, len(starts))).tolist()):
        prompts = np.repeat(np.arange(last - first), np.diff(bounds[first : last + 1]))
        keys = prompts * counts.limit + counts.symbols[bounds[first] : bounds[last]]
        holding += np.bincount(np.unique(keys) % counts.limit, minlength=counts.limit)
    return holding


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
    shares = _shares(counts, by_reply=False)
    if share_of(prompts, replies) == "prompts":
        return np.flatnonzero(shares >= least)
    return np.flatnonzero((_shares(counts, by_reply=True) >= least) & (shares * prompts >= 3 - 1e-9))


def sizes(counts: Counts) -> tuple[int, int]:
    """Return how many prompts have a reply, and how many replies the models that answered most gave to them."""
    most = counts.samples().max(axis=0, initial=0)
    return int(np.count_nonzero(most)), int(most.sum())


def coverage(counts: Counts, vocabulary: NDArray[np.int64]) -> float:
    """Return the share of a reply's symbols that the vocabulary holds: mean over replies, then over models."""
    inside = np.zeros(counts.limit, np.int32)
    inside[vocabulary] = 1
    per_model = []
    for model in range(counts.models):
        rows = counts.rows(model)
        if rows.start == rows.stop:
            continue
        total = 0.0
        # some replies at a time: the products would be as large as the counts
        steps = np.searchsorted(
            counts.starts[rows.start : rows.stop + 1],
            np.arange(counts.starts[rows.start], counts.starts[rows.stop], _COUNTED),
        )
        for first, last in pairwise(np.unique(np.append(steps, rows.stop - rows.start)).tolist()):
            starts = counts.starts[rows.start + first : rows.start + last + 1]
            low, high = starts[0], starts[-1]
            known = counts.counts[low:high] * inside.take(counts.symbols[low:high])
            holding = np.flatnonzero(np.diff(starts))
            share = (
                np.add.reduceat(known, starts[holding] - low, dtype=np.int32) if len(holding) else np.zeros(0)
            )
            total += (share / counts.lengths[rows.start + first : rows.start + last][holding]).sum()
        per_model.append(total / (rows.stop - rows.start))
    return float(np.mean(per_model)) if per_model else 0.0
