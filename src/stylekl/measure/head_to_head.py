"""Who beat whom: counts for each unit of resampling, the bootstrap over units, and tests of one pairing.

A unit is what was drawn at random: a reader's session, or a single vote where there are none. Its fights are not
independent, so a resample draws whole units, with replacement. Each unit's fights are counted once; a resample is a
weighted sum of those counts, and no fight is looked at again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stylekl.measure import bradley_terry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

RESAMPLES = 2_000
TAILS = (2.5, 97.5)
Z = 1.959963984540054
_EXACT_UP_TO = 4_000  # differences summed: beyond, the normal curve is as good
_AT_ONCE = 1 << 21  # numbers held at once while resampling


@dataclass(frozen=True, slots=True, eq=False)
class UnitCounts:
    """How often each unit saw one model beat another: entries (E,) of unit, cell (winner · models + loser), weight.

    Units of the same content are one, `multiplicity` (L,) times: exchangeable, they need not be drawn one by one.
    """

    models: int
    unit: NDArray[np.int64]
    cell: NDArray[np.int64]
    weight: NDArray[np.float64]
    multiplicity: NDArray[np.int64]

    @property
    def units(self) -> int:
        """How many units there are, those without a decided fight included."""
        return int(self.multiplicity.sum())

    def total(self) -> NDArray[np.float64]:
        """Return the wins (N, N) of all units together."""
        weight = self.weight * self.multiplicity[self.unit]
        cells = np.bincount(self.cell, weight, self.models**2).astype(np.float64)
        return np.asarray(cells.reshape(self.models, self.models))

    def resampled(self, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
        """Yield the wins (R, N, N) of `resamples` resamples, some at a time; one seed gives the same ones."""
        from scipy.sparse import csr_array

        size = self.models**2
        table = csr_array((self.weight, (self.cell, self.unit)), (size, len(self.multiplicity)))
        random = np.random.default_rng(seed)
        most = max(_AT_ONCE // max(size, len(self.multiplicity)), 1)
        for done in range(0, resamples, most):
            count = min(most, resamples - done)
            drawn = np.stack([self._draw(random) for _ in range(count)], axis=1)
            wins = np.asarray(table @ drawn).T
            yield np.ascontiguousarray(wins).reshape(count, self.models, self.models)

    def _draw(self, random: np.random.Generator) -> NDArray[np.float64]:
        kinds, units = len(self.multiplicity), self.units
        if kinds == units:  # much faster than one binomial for each
            return np.bincount(random.integers(0, units, units), minlength=units).astype(np.float64)
        return random.multinomial(units, self.multiplicity / units).astype(np.float64)


def count_units(
    unit: NDArray[np.int64],
    winner: NDArray[np.int64],
    loser: NDArray[np.int64],
    models: int,
    units: int,
    *,
    weight: NDArray[np.float64] | None = None,
) -> UnitCounts:
    """Return the counts of F decided fights (F,) in `units` units, each fight with a weight (1 unless given)."""
    cells = models * models
    key, place = np.unique(unit * cells + winner * models + loser, return_inverse=True)
    counts = np.bincount(place, weight, len(key)).astype(np.float64)
    owner, cell = key // cells, key % cells
    entries = np.bincount(owner, minlength=units)
    single = entries[owner] == 1
    # units of one entry, the most common kind, are alike where cell and count are
    kind = np.full(units, -1)
    alike, label = np.unique(
        np.stack([cell[single].astype(np.float64), counts[single]]), axis=1, return_inverse=True
    )
    kind[owner[single]] = label
    none = entries == 0
    kind[none] = alike.shape[1]
    several = np.flatnonzero(entries > 1)
    kind[several] = alike.shape[1] + 1 + np.arange(len(several))
    _, first, merged, multiplicity = np.unique(
        kind, return_index=True, return_inverse=True, return_counts=True
    )
    if 16 * len(multiplicity) > units:  # little is alike: drawing one by one is faster
        return UnitCounts(models, owner, cell, counts, np.ones(units, np.int64))
    kept = np.isin(owner, first)
    return UnitCounts(models, merged[owner[kept]], cell[kept], counts[kept], multiplicity)


def bootstrap(
    counts: UnitCounts,
    scores: NDArray[np.float64],
    *,
    pseudo: float = bradley_terry.PSEUDO,
    met: NDArray[np.bool_] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Return the Bradley-Terry scores (R, N) of resamples of the units; `scores` (N,) are those of all units.

    Every resample gets the pseudo-wins too. A resample that is not connected (there can be one only where pseudo-wins
    do not join all models) is a row of nan. Efron and Tibshirani (1993), doi:10.1201/9780429246593, chapter 8.
    """
    none = np.zeros((counts.models, counts.models))
    added = bradley_terry.with_pseudo(none, pseudo, met) if pseudo > 0 else none
    joined = bool(bradley_terry.connected(added).all())
    found = []
    for wins in counts.resampled(resamples, seed):
        full = wins + added
        whole = np.array([joined or bool(bradley_terry.connected(each).all()) for each in full])
        part = np.full(full.shape[:2], np.nan)
        if whole.any():
            part[whole] = bradley_terry.fit_many(full[whole], scores)
        found.append(part)
    return np.concatenate(found) if found else np.empty((0, counts.models))


def interval(samples: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the 2.5th and 97.5th percentiles of samples (R, …) along the first axis; nan where one is nan."""
    low, high = np.percentile(samples, TAILS, axis=0)
    return np.asarray(low), np.asarray(high)


def effective(won: NDArray[np.float64], lost: NDArray[np.float64]) -> float:
    """Return how many independent fights the fights of U units are worth; `won` and `lost` (U,) count them.

    The number of fights over the design effect: the variance of the share won between units over that of as many
    independent fights (Kish 1965), never below 1. Where all or none were won there is no variance to see, and each
    unit that has any counts once.
    """
    fought = won + lost
    total = float(fought.sum())
    units = int(np.count_nonzero(fought))
    share = float(won.sum()) / total if total else 0.0
    if units < 2 or share in (0.0, 1.0):
        return float(units)
    between = units / (units - 1) * float(np.square(won - share * fought).sum()) / total**2
    return total / max(between * total / (share * (1.0 - share)), 1.0)


def wilson(share: float, fights: float) -> tuple[float, float]:
    """Return the 95 % interval of a share of `fights` independent fights; (0, 1) without any.

    Wilson (1927), doi:10.1080/01621459.1927.10502953.
    """
    if fights <= 0:
        return 0.0, 1.0
    shrunk = 1.0 + Z * Z / fights
    middle = (share + Z * Z / (2.0 * fights)) / shrunk
    half = Z / shrunk * math.sqrt(share * (1.0 - share) / fights + Z * Z / (4.0 * fights * fights))
    return max(middle - half, 0.0), min(middle + half, 1.0)


def sign_p(differences: NDArray[np.int64]) -> float:
    """Return the two-sided p that neither of two models is preferred; `differences` (U,) are wins less losses by unit.

    Under that hypothesis each unit's difference may as well have the other sign. Exact over all signs (with one
    fight a unit it is the sign test), up to 4,000 in sum; beyond, by the normal curve. 1 without a difference.
    """
    sizes = np.abs(differences[differences != 0])
    observed = abs(int(differences.sum()))
    reach = int(sizes.sum())
    if not reach:
        return 1.0
    if reach > _EXACT_UP_TO:
        nearer = max(observed - int(sizes.min()), 0)  # sums lie two of the least apart: half way to the next
        return math.erfc(nearer / math.sqrt(2.0 * float(np.square(sizes).sum())))
    chances = np.ones(1)
    for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
        steps = np.zeros(2 * int(size) * int(count) + 1)
        steps[:: 2 * int(size)] = _binomial(int(count))
        chances = np.convolve(chances, steps)
    sums = np.arange(-reach, reach + 1)
    return min(float(chances[np.abs(sums) >= observed].sum()), 1.0)


def _binomial(count: int) -> NDArray[np.float64]:
    """Return the chances of 0 to `count` heads in as many throws of a fair coin."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])
    return np.asarray(np.exp(logs[-1] - logs - logs[::-1] - count * math.log(2.0)))
