"""The delete-a-group jackknife: bias removed, standard error, interval.

Busing, Meijer and van der Leeden (1999), doi:10.1023/A:1008800423698, for groups of unequal size. Deviation: each
group is weighted by 1 − f, f being the share of its stratum that it removes, which is their estimator where there
is one stratum and extends to prompts as strata (Few prompts, docs/method.md); the variance is taken about the
weighted mean of the replicates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stylekl.measure.divergence import POSITIVE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.measure.units import Units


# What was asked of scipy: to load it takes a quarter of a second, which a run that asks nothing new can do without.
QUANTILES: dict[int, tuple[float, float]] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Jackknifed:
    """Jackknifed numbers, elementwise: `value` (bias removed), `raw` (plug-in) and `se`."""

    value: NDArray[np.float64]
    raw: NDArray[np.float64]
    se: NDArray[np.float64]


def jackknife(replicates: NDArray[np.float64], fractions: NDArray[np.float64]) -> Jackknifed:
    """Jackknife along the last axis.

    `replicates` has shape (…, G + 1): the statistic on everything, then with each of G groups left out;
    `fractions` (G,) is the share of its stratum that each group removes (1/G for equal groups). Linear in the
    replicates: jackknifed parts add up to the jackknifed whole. With one group se is nan.
    """
    raw, deleted = replicates[..., 0], replicates[..., 1:]
    weights = 1.0 - fractions
    change = deleted - raw[..., None]
    # einsum adds up each row alike; a matrix product rounds as the number of rows has it
    shift = np.einsum("...g,g->...", change, weights)
    value = raw - shift
    if len(fractions) < 2:
        return Jackknifed(value, raw, np.full_like(raw, np.nan))
    centre = shift / weights.sum()
    variance = np.einsum("...g,g->...", np.square(change - centre[..., None]), weights)
    return Jackknifed(value, raw, np.sqrt(variance))


def student_quantiles(degrees: int) -> tuple[float, float]:
    """Return the 97.5 % and the 95 % point of Student's t with `degrees` of freedom (nan for none)."""
    if degrees < 1:
        return float("nan"), float("nan")
    if degrees not in QUANTILES:
        from scipy.special import stdtrit

        QUANTILES[degrees] = float(stdtrit(degrees, 0.975)), float(stdtrit(degrees, 0.95))
    return QUANTILES[degrees]


def two_sided_p(value: float, error: float, degrees: int) -> float:
    """Return the two-sided p-value of Student's t of a number against 0; 1 where it has no error."""
    from scipy.special import stdtr

    if error == 0:
        return 1.0
    return 2.0 * float(stdtr(degrees, -abs(value) / error))


def replicate_distributions(sums: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distribution on everything and with each group left out.

    `sums` (S, G, V) holds the weighted symbol frequencies of each stratum and group, `weights` (S, G) the sum of
    the weights of the replies behind them; all weights add up to 1. Returns (G + 1, V), with `POSITIVE` for 0.
    Within a stratum what remains is scaled up to the stratum's full weight; a stratum that a group empties is
    dropped and the others scaled up instead; a group that is everything leaves `POSITIVE` everywhere. With one
    stratum this is the ordinary leave-a-group-out mean.
    """
    totals, full = sums.sum(axis=1), weights.sum(axis=1)
    remaining = full[:, None] - weights
    kept = remaining > 1e-12 * full[:, None]
    scale = np.where(kept, full[:, None] / np.where(kept, remaining, 1.0), 0.0)
    share = (kept * full[:, None]).sum(axis=0)
    share[share == 0] = 1.0  # a group that is everything leaves nothing
    out = np.empty((sums.shape[1] + 1, sums.shape[2]))
    out[0] = totals.sum(axis=0) / full.sum()
    if len(sums) == 1:  # the common case, without the temporary of the general one
        np.subtract(totals, sums[0], out=out[1:])
        out[1:] *= (scale[0] / share)[:, None]
    else:
        np.einsum("sg,sgv->gv", scale, totals[:, None] - sums, out=out[1:])
        out[1:] /= share[:, None]
    np.maximum(out, POSITIVE, out=out)
    return out


def replicates_by_unit(table: NDArray[np.float64], units: Units) -> NDArray[np.float64]:
    """Return the (G + 1, V) replicate distributions of weighted frequencies (U, V) given unit by unit."""
    shape = (units.strata, units.groups)
    place = units.stratum * units.groups + units.group
    member = np.zeros((shape[0] * shape[1], len(place)))
    member[place, np.arange(len(place))] = 1.0
    weights = member @ table.sum(axis=1)
    return replicate_distributions((member @ table).reshape(*shape, -1), weights.reshape(shape))
