"""Bradley-Terry with covariates: does what is longer win, where both models are as strong?

log odds that a beats b = θ_a − θ_b + β·x, with x the difference between the two replies. That is what "style control"
of public leaderboards does (Li, Angelopoulos and Chiang 2024). The strengths get the pseudo-wins that the ranking
gives them; β gets none. Newton's method with step halving; the errors of β are clustered by unit (Liang and Zeger
1986, doi:10.1093/biomet/73.1.13), with the factor U/(U − 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEPS = 100
_HALVINGS = 40
_FARTHEST = (
    30.0  # log odds for one unit: beyond, the covariate separates wins from losses and has no estimate
)


@dataclass(frozen=True, slots=True, eq=False)
class Controlled:
    """Slopes `beta` (K,) in log odds for one unit of each covariate, their errors (K,), log strengths (N,).

    All nan where there is no maximum, or none was reached. `gradient` is the greatest absolute derivative.
    """

    beta: NDArray[np.float64]
    error: NDArray[np.float64]
    strengths: NDArray[np.float64]
    gradient: float


def controlled(
    winner: NDArray[np.int64],
    loser: NDArray[np.int64],
    more: NDArray[np.float64],
    unit: NDArray[np.int64],
    models: int,
    *,
    pseudo: float,
) -> Controlled:
    """Return the fit to F decided fights; `more` (F, K) is by how much the winner's reply has more than the loser's.

    `unit` (F,) says which fights belong together. Without a pseudo-win the models must be strongly connected. The
    columns of `more` must vary and must not add up to each other; where they do, all is nan.
    """
    problem = _Problem(winner, loser, more, models, pseudo)
    parameters = np.zeros(models + more.shape[1])
    value, slope, curvature = problem.at(parameters)
    enough = 1e-10 * max(len(winner), 1)
    for _ in range(_STEPS):
        if np.abs(slope).max() <= enough:
            break
        step = _solved(curvature, slope)
        if step is None:
            return _nothing(problem)
        size = 1.0
        for _ in range(_HALVINGS):
            there = parameters + size * step
            found = problem.at(there)
            if found[0] >= value - 1e-12 * abs(value):
                break
            size /= 2.0
        parameters, (value, slope, curvature) = there, found
        if np.abs(parameters[models:]).max() > _FARTHEST:
            return _nothing(problem)
    gradient = float(np.abs(slope).max())
    inverse = _solved(curvature, np.eye(len(parameters))[:, models:])
    if inverse is None or gradient > 1e-6 * max(len(winner), 1):
        return _nothing(problem)
    error = problem.errors(parameters, inverse.T, unit)
    return Controlled(parameters[models:], error, parameters[:models], gradient)


class _Problem:
    def __init__(
        self,
        winner: NDArray[np.int64],
        loser: NDArray[np.int64],
        more: NDArray[np.float64],
        models: int,
        pseudo: float,
    ) -> None:
        self.winner, self.loser, self.more, self.models = winner, loser, more, models
        self.prior = pseudo * (1.0 - np.eye(models))

    def missed(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance (F,) that each fight went the other way."""
        strengths, beta = parameters[: self.models], parameters[self.models :]
        odds = strengths[self.winner] - strengths[self.loser] + self.more @ beta
        return np.asarray(1.0 / (1.0 + np.exp(np.clip(odds, -700.0, 700.0))))

    def at(self, parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Return the log-likelihood, its derivative and the negative of its second derivative."""
        size, more = self.models, self.more
        missed = self.missed(parameters)
        weight = missed * (1.0 - missed)
        strengths = parameters[:size]
        gaps = np.clip(strengths[None, :] - strengths[:, None], -700.0, 700.0)
        chances = 1.0 / (1.0 + np.exp(gaps))
        prior = self.prior * chances * chances.T
        value = float(np.log1p(-np.minimum(missed, 1 - 1e-16)).sum() + (self.prior * np.log(chances)).sum())
        slope = np.concatenate(
            [
                np.bincount(self.winner, missed, size) - np.bincount(self.loser, missed, size),
                missed @ more,
            ]
        )
        slope[:size] += (self.prior * chances.T).sum(axis=1) - (self.prior * chances).sum(axis=1)
        cells = np.bincount(self.winner * size + self.loser, weight, size * size).reshape(size, size)
        shared = cells + cells.T + 2.0 * prior
        curvature = np.zeros((len(parameters),) * 2)
        curvature[:size, :size] = np.diag(shared.sum(axis=1)) - shared
        for column in range(more.shape[1]):
            part = weight * more[:, column]
            across = np.bincount(self.winner, part, size) - np.bincount(self.loser, part, size)
            curvature[:size, size + column] = curvature[size + column, :size] = across
        curvature[size:, size:] = (more * weight[:, None]).T @ more
        # a constant added to all strengths changes nothing: it is held at 0
        curvature[:size, :size] += max(float(np.trace(shared)), float(shared.sum()) / size, 1e-12) / size
        return value, slope, curvature

    def errors(
        self, parameters: NDArray[np.float64], inverse: NDArray[np.float64], unit: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the clustered standard errors (K,) of β; `inverse` (K, N + K) are its rows of the inverse."""
        size = self.models
        own = inverse[:, :size]
        moved = own[:, self.winner] - own[:, self.loser] + inverse[:, size:] @ self.more.T
        moved = moved * self.missed(parameters)
        _, place = np.unique(unit, return_inverse=True)
        units = int(place.max(initial=0)) + 1
        sums = np.stack([np.bincount(place, row, units) for row in moved])
        if units < 2:
            return np.full(len(sums), np.nan)
        return np.asarray(np.sqrt(units / (units - 1) * np.square(sums).sum(axis=1)))


def _solved(curvature: NDArray[np.float64], slope: NDArray[np.float64]) -> NDArray[np.float64] | None:
    try:
        found = np.linalg.solve(curvature, slope)
    except np.linalg.LinAlgError:
        return None
    exact = np.abs(curvature @ found - slope).max() <= 1e-6 * (1.0 + np.abs(slope).max())
    return np.asarray(found) if np.isfinite(found).all() and exact else None


def _nothing(problem: _Problem) -> Controlled:
    columns = problem.more.shape[1]
    return Controlled(
        np.full(columns, np.nan), np.full(columns, np.nan), np.full(problem.models, np.nan), float("nan")
    )
