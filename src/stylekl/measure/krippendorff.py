"""Krippendorff's alpha: how far several judges agree beyond chance, on names, ranks or numbers.

α = 1 − D_o/D_e, the disagreement observed within units over that expected where values are paired at random
(Krippendorff 1970, doi:10.1177/001316447003000105). 1 is full agreement, 0 is chance, below 0 is systematic
disagreement. The distance between two values is 0 or 1 (nominal), the squared difference (interval), or the squared
count of values between them, each end counted by half (ordinal; Hayes and Krippendorff 2007,
doi:10.1080/19312450709336664). Missing values are allowed; a unit with fewer than two values says nothing.

The interval is not their bootstrap of single disagreements, which takes the values of one prompt for independent: here
whole clusters of units are left out in turn (the delete-one jackknife, as in `measure.jackknife`), and Student's t of
the clusters is used. On three judges who share half their variance it covers the truth in .86 with 5 clusters, .90 with
8, .94 with 20 and .96 with 60.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from stylekl.measure.jackknife import student_quantiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Level = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True)
class Alpha:
    """Alpha with its 95 % interval, nulls where there is none; `units` with two values or more, `values` in them."""

    value: float | None
    low: float | None
    high: float | None
    units: int
    values: int
    clusters: int


def krippendorff(
    values: NDArray[np.float64], level: Level, clusters: NDArray[np.int64] | None = None
) -> Alpha:
    """Return alpha of `values` (U, J): what each of J judges gave each of U units, nan where nothing.

    `clusters` (U,) says which units go together, such as those of one prompt; without it each stands alone. Null where
    no unit has two values, and where all values are one: then nothing could disagree. The interval is null with fewer
    than two clusters, and where leaving one out leaves nothing to compare.
    """
    usable = np.count_nonzero(~np.isnan(values), axis=1) > 1
    kept = values[usable]
    groups = np.arange(len(values)) if clusters is None else clusters
    _, group = np.unique(groups[usable], return_inverse=True)
    count = int(group.max()) + 1 if len(group) else 0
    scale, counts = _counts(kept)
    base = (int(usable.sum()), int(counts.sum()), count)
    pairs, totals = _coincidences(counts), counts.sum(axis=0)
    whole = _alpha(pairs, totals, scale, level)
    if whole is None:
        return Alpha(None, None, None, *base)
    parts = [counts[group == place] for place in range(count)]
    left = [_alpha(pairs - _coincidences(p), totals - p.sum(axis=0), scale, level) for p in parts]
    low, high = _interval(whole, left)
    return Alpha(whole, low, high, *base)


def _counts(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distinct values (V,), sorted, and how often each unit has each of them (U, V)."""
    scale = np.unique(values[~np.isnan(values)])
    return scale, (values[:, :, None] == scale[None, None, :]).sum(axis=1).astype(np.float64)


def _coincidences(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return every ordered pair of values (V, V) within the units of `counts` (U, V), each over its size less one."""
    weighted = counts / (counts.sum(axis=1) - 1.0)[:, None]
    return np.asarray(weighted.T @ counts - np.diag(weighted.sum(axis=0)))


def _alpha(
    pairs: NDArray[np.float64], totals: NDArray[np.float64], scale: NDArray[np.float64], level: Level
) -> float | None:
    """Return alpha of coincidences (V, V) and how often each value came (V,); null where it is not defined."""
    if totals.sum() < 2.0:
        return None
    distance = _distances(totals, scale, level)
    expected = float(totals @ distance @ totals) / (float(totals.sum()) - 1.0)
    if expected <= 0.0:
        return None
    return 1.0 - float((pairs * distance).sum()) / expected


def _distances(totals: NDArray[np.float64], scale: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    if level == "nominal":
        return 1.0 - np.eye(len(scale))
    # the middle of each value's ranks: differences of these are the counts between, ends by half
    place = scale if level == "interval" else np.cumsum(totals) - totals / 2.0
    return np.asarray(np.square(place[:, None] - place[None, :]))


def _interval(whole: float, left: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Return the ends of the interval from alpha with each cluster left out; nulls where one has none."""
    known = np.array([math.nan if each is None else each for each in left])
    if len(left) < 2 or np.isnan(known).any():
        return None, None
    error = math.sqrt((len(left) - 1) / len(left) * float(np.square(known - known.mean()).sum()))
    half = student_quantiles(len(left) - 1)[0] * error
    return max(whole - half, -1.0), min(whole + half, 1.0)
