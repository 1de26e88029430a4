"""Exact tests on a few samples, question by question, and the least p that so few samples can give.

All are permutation tests within questions, enumerated: if two sides answer alike, every way of dealing the samples of a
question to the sides is equally likely (Fisher 1935; stratified as in Mehta, Patel and Gray 1985,
doi:10.2307/2288543). Nothing is drawn at random, and no sample size is too small for the p to be right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

Counts = tuple[int, int, int]
GRID = 360  # statistics are whole numbers of these parts, so that equal ones are equal
_MOST_STATES = 2_000_000  # of the enumeration in `homogeneous`
_MOST_STEPS = 1_000_000_000  # of putting the distributions of questions together: a second or so
_MOST_SAMPLES = 1000  # beyond it the number of dealings is no floating-point number


@dataclass(frozen=True, slots=True)
class Test:
    """A p-value, the least that samples so few could have given, and the number of questions in it.

    Both are null where no question has samples on both sides.
    """

    p: float | None
    least: float | None
    strata: int

    @property
    def could(self) -> bool:
        """Whether the samples could have shown a difference at .05."""
        return self.least is not None and self.least < 0.05


NOTHING = Test(None, None, 0)


def differ(pairs: Iterable[tuple[Counts, Counts]]) -> Test:
    """Return the two-sided test that two sides answer alike, from their counts of each verdict question by question.

    The statistic is the sum over questions of the total variation distance between the two sides' shares. The least p
    is that of one side giving one verdict and the other side another throughout. Null where a question has so many
    samples that the enumeration would have too many states.
    """
    used = [(a, b) for a, b in pairs if sum(a) and sum(b)]
    if not used:
        return NOTHING
    if any(_states(a, b) > _MOST_STATES for a, b in used):
        return Test(None, None, len(used))
    spreads = [_distances((a[0] + b[0], a[1] + b[1], a[2] + b[2]), sum(a)) for a, b in used]
    observed = sum(_distance(a, b) for a, b in used)
    least = 1.0
    for a, b in used:
        least *= (2 if sum(a) == sum(b) else 1) / math.comb(sum(a) + sum(b), sum(a))
    # Where all have three samples the statistic takes every 120th value: the others need no room.
    step = math.gcd(*(place for places, _ in spreads for place in places)) or 1
    total = np.ones(1)
    for places, chances in spreads:
        own = np.zeros(places[-1] // step + 1)
        own[[place // step for place in places]] = chances
        total = np.convolve(total, own)
    return Test(_tail(total, observed // step), least, len(used))


def more(strata: Iterable[tuple[int, int, int, int]]) -> Test:
    """Return the one-sided test that something is more frequent on one side, from (k of n here, k of n there).

    The statistic is the sum of k here; its distribution is that of a sum of hypergeometric counts. The least p is that
    of k = n here and k = 0 there throughout. Null where the enumeration would have too many states.
    """
    used = [each for each in strata if each[1] and each[3]]
    if not used:
        return NOTHING
    samples = [n for _, n, _, _ in used]
    if max(samples) > _MOST_STATES or (len(used) > 1 and max(samples) * sum(samples) > _MOST_STEPS):
        return Test(None, None, len(used))
    total, observed, least = np.ones(1), 0, 1.0
    for here, n, there, m in used:
        total = np.convolve(total, _hypergeometric(here + there, n, m))
        observed += here
        least *= 1 / math.comb(n + m, n)
    return Test(_tail(total, observed), least, len(used))


def homogeneous(counts: Sequence[tuple[int, int]]) -> Test:
    """Return the test that k of n is one share for all sides, from each side's (k, n), k of n dealt at random.

    The statistic is Σ k²/n, that of Pearson's chi-square with fixed margins. Null with fewer than two sides, and where
    the enumeration would have too many states.
    """
    used = sorted((k, n) for k, n in counts if n)
    if len(used) < 2:
        return NOTHING
    hits, size = sum(k for k, _ in used), sum(n for _, n in used)
    if size > _MOST_SAMPLES:
        return Test(None, None, len(used))
    observed = sum(_square(k, n) for k, n in used)
    step = math.gcd(*(_square(k, n) for _, n in used for k in range(n + 1))) or 1
    most = sum(_square(n, n) for _, n in used) // step
    if (hits + 1) * (most + 1) > _MOST_STATES:
        return Test(None, None, len(used))
    # ways[k, v]: how many ways there are to deal k hits to the sides so far with the statistic v
    ways = np.zeros((hits + 1, most + 1))
    ways[0, 0] = 1.0
    for _, n in used:
        grown = np.zeros_like(ways)
        for k in range(min(n, hits) + 1):
            more_by = _square(k, n) // step
            grown[k:, more_by:] += math.comb(n, k) * ways[: hits + 1 - k, : most + 1 - more_by]
        ways = grown
    p = float(ways[hits, observed // step :].sum()) / math.comb(size, hits)
    half = math.comb(size, sum(n for _, n in used[: len(used) // 2]))
    return Test(min(p, 1.0), 1 / half, len(used))


def interval(k: int, n: int) -> tuple[float | None, float | None]:
    """Return the exact 95 % interval of a share, k of n (Clopper and Pearson 1934, doi:10.2307/2331986).

    It covers in at least 95 % at every n, and is as wide as a few questions make it. Null where n is 0.
    """
    from scipy.special import betaincinv

    if not n:
        return None, None
    low = float(betaincinv(k, n - k + 1, 0.025)) if k else 0.0
    high = float(betaincinv(k + 1, n - k, 0.975)) if k < n else 1.0
    return low, high


def _square(k: int, n: int) -> int:
    return round(GRID * k * k / n)


def _distance(a: Counts, b: Counts) -> int:
    """Return the total variation distance between two sides' shares, in parts of GRID."""
    n, m = sum(a), sum(b)
    return round(GRID * sum(abs(x * m - y * n) for x, y in zip(a, b, strict=True)) / (2 * n * m))


@lru_cache(maxsize=4096)
def _distances(margins: Counts, n: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return the distances, ascending, and the chance of each, where n of samples with these totals go to one side."""
    from scipy.special import gammaln

    size = sum(margins)
    m = size - n
    yes = np.arange(min(margins[0], n) + 1)[:, None]
    no = np.arange(min(margins[1], n) + 1)[None, :]
    other = n - yes - no
    kept = (other >= 0) & (other <= margins[2])
    cells = (yes + 0 * no, no + 0 * yes, other)
    log_ways = np.zeros(other.shape)
    spread = np.zeros(other.shape)
    for cell, total in zip(cells, margins, strict=True):
        inside = np.clip(cell, 0, total)
        log_ways += gammaln(total + 1) - gammaln(inside + 1) - gammaln(total - inside + 1)
        spread += np.abs(cell * m - (total - cell) * n)
    log_all = gammaln(size + 1) - gammaln(n + 1) - gammaln(m + 1)
    chance = np.exp(log_ways[kept] - log_all)
    place = np.rint(GRID * spread[kept] / (2 * n * m)).astype(np.int64)
    chances = np.bincount(place, chance)
    places = np.unique(place)
    return tuple(places.tolist()), tuple(chances[places].tolist())


@lru_cache(maxsize=4096)
def _hypergeometric(hits: int, n: int, m: int) -> NDArray[np.float64]:
    if n + m > _MOST_SAMPLES:
        from scipy.special import gammaln

        k = np.arange(max(0, hits - m), min(n, hits) + 1)
        log_ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        log_ways += gammaln(m + 1) - gammaln(hits - k + 1) - gammaln(m - hits + k + 1)
        log_all = gammaln(n + m + 1) - gammaln(hits + 1) - gammaln(n + m - hits + 1)
        chances = np.zeros(n + 1)
        chances[k] = np.exp(log_ways - log_all)
        return chances
    ways = [math.comb(n, k) * math.comb(m, hits - k) if hits >= k else 0 for k in range(n + 1)]
    return np.array([each / math.comb(n + m, hits) for each in ways])


def _states(a: Counts, b: Counts) -> int:
    """Return how many ways `_distances` looks at."""
    yes, no = (min(x + y, sum(a)) + 1 for x, y in zip(a[:2], b[:2], strict=True))
    return yes * no


def _tail(chances: NDArray[np.float64], observed: int) -> float:
    """Return the chance of the observed value or more."""
    return float(min(max(chances[observed:].sum(), 0.0), 1.0))
