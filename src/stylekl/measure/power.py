"""How many prompts it takes to see a difference of a given size, from the spread of the replies at hand.

With x (V,) the paired difference of two sides' frequencies in one unit over √m (m the mean of the two distributions)
and Σ its covariance, the corrected divergence of n units is c·|mean x|², c = skew² / 2 ln 2, to second order. Where
there is no difference it varies as c/n times a weighted sum of χ² less its mean, whose two moments are tr Σ and tr Σ²;
where there is one of size d = c·|δ|², its variance is

    2c² tr Σ² / n²  +  4c·d·λ / n,   λ = δ'Σδ / δ'δ.

A difference is seen where it passes what chance reaches once in twenty times. The chance of that is `POWER` at the n
that solves d = (95 % point under no difference) + z·√variance. The 95 % point is that of the χ² with the same two
moments (Satterthwaite 1946, doi:10.2307/3002019). How this fares against the exact test is in docs/method.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stylekl.measure.divergence import LN2
from stylekl.measure.units import FEW_UNITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

POWER = 0.8
_Z = 0.8416212335729143  # Φ(z) = POWER
_P = 0.05


@dataclass(frozen=True, slots=True)
class Spread:
    """How much the paired differences of single units vary, in bits: c·tr Σ, c²·tr Σ² and c·λ."""

    trace: float
    square: float
    along: float

    @property
    def chance(self) -> float:
        """What chance alone passes in 5 % of cases, times the number of units, in bits."""
        from scipy.special import chdtri

        scale = self.square / self.trace
        degrees = self.trace / scale
        return max(scale * (float(chdtri(degrees, _P)) - degrees), 0.0)


def spread(
    a: NDArray[np.float64], b: NDArray[np.float64], stratum: NDArray[np.int64], skew: float
) -> Spread | None:
    """Return the spread of two sides, or None below 3 units to each stratum or where the sides are alike.

    `a` and `b` (U, V) are the weighted frequencies of each unit, each side adding up to 1 over all of it; `stratum`
    (U,) places the units, within whose strata alone they vary. λ is that of the observed difference, noise included:
    where there is little difference it is the λ of a difference that chance would make.
    """
    units, strata = len(a), int(stratum.max(initial=0)) + 1
    degrees = units - strata
    if degrees < 2 * strata:
        return None
    m = 0.5 * (a + b).sum(axis=0)
    x = (a - b) * units
    x /= np.sqrt(np.where(m > 0, m, 1.0))
    mean = x.mean(axis=0)
    members = np.zeros((strata, units))
    members[stratum, np.arange(units)] = 1.0
    x -= ((members @ x) / members.sum(axis=1, keepdims=True))[stratum]
    norms = np.einsum("uv,uv->u", x, x)
    trace = float(norms.sum()) / degrees
    if trace <= 0:
        return None
    gram = x @ x.T if units <= x.shape[1] else x.T @ x
    # The diagonal holds fourth moments, and centring alone makes products of −trace / (units − 1).
    square = (float(np.square(gram).sum()) - float(np.square(norms).sum())) / (units * (units - 1))
    square -= (trace / max(units - 1, 1)) ** 2
    square = max(square, trace * trace / min(degrees, x.shape[1]))
    length = float(mean @ mean)
    along = float(np.square(x @ mean).sum()) / degrees / length if length > 0 else square / trace
    c = skew * skew / (2.0 * LN2)
    return Spread(c * trace, c * c * square, c * along)


def units_needed(found: Spread, size: float) -> int:
    """Return how many units it takes to see a difference of `size` bits four times in five; at least 6."""
    a = found.chance**2 - 2.0 * _Z * _Z * found.square
    b = 2.0 * size * (found.chance + 2.0 * _Z * _Z * found.along)
    # a·t² − b·t + size² = 0 with t = 1 / n: the root below that of size = chance·t.
    t = 2.0 * size * size / (b + math.sqrt(max(b * b - 4.0 * a * size * size, 0.0)))
    return max(math.ceil(1.0 / t), FEW_UNITS)


def size_visible(found: Spread, units: int) -> float:
    """Return the least difference, in bits, that `units` units show four times in five."""
    chance = found.chance / units
    b = 4.0 * _Z * _Z * found.along / units
    c = 2.0 * _Z * _Z * found.square / units**2 + b * chance
    return chance + 0.5 * (b + math.sqrt(b * b + 4.0 * c))
