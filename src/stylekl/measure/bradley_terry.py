"""Bradley-Terry: one strength for each model from who beat whom, whatever the order.

The chance that i beats j is s_i/(s_i + s_j) (Bradley and Terry 1952, doi:10.1093/biomet/39.3-4.324). Displayed as
1500 + 400·log10(s), the geometric mean of the strengths being 1, so that the mean score is 1500 and 100 points are
about 64 %.

The estimate is the maximum of the likelihood. Minorisation-maximisation (Hunter 2004, doi:10.1214/aos/1079120141)
reaches it too, but so slowly on one-sided data that it stops points away from it. Here Newton's method with step
halving goes there, over a matrix of counts: O(n²) a step and the solution of n equations, however many the battles.
The gradient at the answer is returned: it is what shows that the answer is the maximum.

There is a maximum only where every model can be reached from every other along wins (Ford 1957,
doi:10.1080/00029890.1957.11989117): the win graph is strongly connected. Pseudo-wins, a tenth of a win each way
for every pairing, make it so. Without them, the models outside the largest connected component have no score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PSEUDO = 0.1  # wins each way
MEAN = 1500.0
POINTS = 400.0 / math.log(10.0)  # displayed points for one unit of log strength
_FAR = 700.0  # beyond this exp() overflows
_STEPS = 200
_HALVINGS = 60
_EXACT = 1e-13  # of the counts of a model: rounding leaves no more to gain
_CLOSE = 1e-9  # enough for a resample: far below a thousandth of a point
_AT_ONCE = 1 << 17  # cells of matrices worked on together: they stay in the cache


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The scores (N,), nan for a model that is not scoreable, and what shows that they are the maximum.

    `gradient` is the greatest absolute derivative of the log-likelihood by a log strength, in wins: how many wins
    the model would have to have more or less for the answer to be exact. 0 where no model is scoreable.
    """

    scores: NDArray[np.float64]
    scoreable: NDArray[np.bool_]
    gradient: float
    steps: int


def count_wins(
    winner: NDArray[np.int64], loser: NDArray[np.int64], models: int, weight: float = 1.0
) -> NDArray[np.float64]:
    """Return the matrix (N, N) of how often the model of a row beat that of a column, times `weight`."""
    cells = np.bincount(winner * models + loser, minlength=models * models)
    return np.asarray(weight * cells.reshape(models, models), np.float64)


def with_pseudo(
    wins: NDArray[np.float64], pseudo: float = PSEUDO, met: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Return wins (…, N, N) with `pseudo` more each way for every pairing, or for those that `met` (N, N) says."""
    size = wins.shape[-1]
    pairings = ~np.eye(size, dtype=bool) if met is None else met & ~np.eye(size, dtype=bool)
    return np.asarray(wins + pseudo * pairings)


def fit(wins: NDArray[np.float64]) -> Fit:
    """Return the fit to wins (N, N), pseudo-wins included where there are to be any.

    Battles between a model that is scoreable and one that is not say nothing about the former and are left out.
    A single model, or none, is not scoreable: a score compares.
    """
    size = len(wins)
    scoreable = connected(wins)
    scores = np.full(size, np.nan)
    if not scoreable.any():
        return Fit(scores, scoreable, 0.0, 0)
    inner = np.where(np.eye(int(scoreable.sum()), dtype=bool), 0.0, wins[np.ix_(scoreable, scoreable)])
    strengths, gradient, steps = _maximise(inner[None], np.zeros((1, len(inner))))
    scores[scoreable] = display(strengths[0])
    return Fit(scores, scoreable, float(gradient[0]), steps)


def fit_many(wins: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scores (R, N) of R matrices of wins (R, N, N) at once; `start` (N,) are scores to begin with.

    Each must be strongly connected, which pseudo-wins see to; it is not looked at here.
    """
    size = wins.shape[-1]
    off = ~np.eye(size, dtype=bool)
    begin = (start - MEAN) / POINTS
    found = np.empty(wins.shape[:2])
    most = max(_AT_ONCE // (size * size), 1)
    for place in range(0, len(wins), most):
        part = wins[place : place + most] * off
        found[place : place + most] = display(_maximise(part, np.tile(begin, (len(part), 1)), _CLOSE)[0])
    return found


def display(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the displayed scores (…, N) of log strengths (…, N), their mean being 1500."""
    return np.asarray(MEAN + POINTS * (strengths - strengths.mean(axis=-1, keepdims=True)))


def chance(gap: float) -> float:
    """Return the chance that the better of two models `gap` points apart wins."""
    return 1.0 / (1.0 + math.exp(-min(max(gap / POINTS, -_FAR), _FAR)))


def gradient(wins: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the derivative (N,) of the log-likelihood of wins (N, N) by each log strength, at displayed scores (N,).

    It is 0 at the maximum: the wins of every model are those that its strength leads to expect.
    """
    off = np.where(np.eye(len(wins), dtype=bool), 0.0, wins)
    return np.asarray(_derivative(off[None], _chances((scores - MEAN)[None] / POINTS))[0])


def connected(wins: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which of N models are scoreable on wins (N, N).

    They form the largest strongly connected component of the win graph. Where that is a single model, or where two
    components are as large, none is.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    size = len(wins)
    if size < 2:
        return np.zeros(size, dtype=bool)
    _, labels = connected_components(csr_array(wins > 0), directed=True, connection="strong")
    sizes = np.bincount(labels)
    largest = np.flatnonzero(sizes == sizes.max())
    if sizes.max() < 2 or len(largest) > 1:
        return np.zeros(size, dtype=bool)
    return np.asarray(labels == largest[0])


def _chances(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the chance (R, N, N) that a row beats a column."""
    gaps = strengths[:, None, :] - strengths[:, :, None]
    np.clip(gaps, -_FAR, _FAR, out=gaps)
    np.exp(gaps, out=gaps)
    gaps += 1.0
    return np.reciprocal(gaps, out=gaps)


def _likelihood(wins: NDArray[np.float64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.einsum("rij,rij->r", wins, np.log(chances)))


def _derivative(wins: NDArray[np.float64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
    # wins_ij·p_ji − wins_ji·p_ij, summed over j: no difference of large numbers where all is one-sided
    missed = wins * np.swapaxes(chances, 1, 2)
    return np.asarray(missed.sum(axis=2) - missed.sum(axis=1))


def _maximise(
    wins: NDArray[np.float64], strengths: NDArray[np.float64], exact: float = _EXACT
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Return the log strengths (R, N), their greatest derivatives (R,) and the number of steps taken.

    Newton's method: the step solves the equations of the second derivatives and is halved until the likelihood
    rises. The likelihood is concave, so it ends at the maximum: where no derivative exceeds `exact` times the fights of
    the model that has most.
    """
    met = wins + np.swapaxes(wins, 1, 2)
    enough = exact * np.maximum(met.sum(axis=2).max(axis=1), 1.0)
    chances = _chances(strengths)
    reached = _likelihood(wins, chances)
    slope = _derivative(wins, chances)
    active = np.arange(len(wins))
    steps = 0
    for steps in range(_STEPS + 1):
        active = active[np.abs(slope[active]).max(axis=1) > enough[active]]
        if not len(active) or steps == _STEPS:
            break
        step = _direction(met[active], chances[active], slope[active])
        moved = _line_search(wins, strengths, step, reached, slope, chances, active)
        active = active[moved]
    return strengths, np.abs(slope).max(axis=1), steps


def _direction(
    met: NDArray[np.float64], chances: NDArray[np.float64], slope: NDArray[np.float64]
) -> NDArray[np.float64]:
    curvature = met * chances * np.swapaxes(chances, 1, 2)
    size = met.shape[-1]
    places = np.arange(size)
    degree = curvature.sum(axis=2)
    scale = degree.mean(axis=1)[:, None, None] + np.finfo(float).tiny
    equations = scale / size - curvature  # a constant added to all strengths changes nothing: it is held at 0
    equations[:, places, places] += degree
    return np.asarray(np.linalg.solve(equations, slope[..., None])[..., 0])


def _line_search(
    wins: NDArray[np.float64],
    strengths: NDArray[np.float64],
    step: NDArray[np.float64],
    reached: NDArray[np.float64],
    slope: NDArray[np.float64],
    chances: NDArray[np.float64],
    active: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Take each step, or its half, its quarter and so on; tell which of the active ones moved.

    A step is taken where the likelihood rises, or where it stays within rounding and the slope falls.
    """
    moved = np.zeros(len(active), dtype=bool)
    waiting = np.arange(len(active))
    size = 1.0
    for _ in range(_HALVINGS):
        rows = active[waiting]
        there = strengths[rows] + size * step[waiting]
        new = _chances(there)
        value = _likelihood(wins[rows], new)
        steep = _derivative(wins[rows], new)
        rise = value - reached[rows]
        rounding = 1e-12 * np.abs(reached[rows])
        flatter = np.abs(steep).max(axis=1) < np.abs(slope[rows]).max(axis=1)
        taken = (rise > rounding) | ((rise >= -rounding) & flatter)
        done = rows[taken]
        strengths[done], reached[done] = there[taken], value[taken]
        slope[done], chances[done] = steep[taken], new[taken]
        moved[waiting[taken]] = True
        waiting = waiting[~taken]
        if not len(waiting):
            break
        size /= 2.0
    return moved
