"""From scores to answers: calibrated probabilities, how often they are right, and when not to answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

ANSWER = 0.9  # the probability from which an answer is given
SURE = 0.5  # the probability above which the best one is checked against how often it is right
SLOPE, SPREAD = 0.25, 0.15  # what the slope is expected to be, and how surely, before a file has been seen
NEAREST = 300  # texts of like length that a text is compared with
_STEPS = 50
_GENTLE = 1e-3  # keeps a logistic regression finite where the two sides do not overlap


@dataclass(frozen=True, slots=True)
class Temperature:
    """By what scores are multiplied before they become probabilities, for a text of so many characters.

    The factor is exp(level + slope·ln(characters / centre)): the longer the text, the surer. `centre` is the typical
    length of the texts that it was fitted to and `longest` a length that few of them pass, at which the factor stays.
    `se` is the standard error of the level, clustered over prompts.
    """

    level: float
    slope: float
    se: float
    centre: float
    longest: float

    def factor(self, characters: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the factor for texts of these lengths, one standard error on the careful side."""
        size = np.log(np.clip(characters, 1, self.longest) / self.centre)
        return np.asarray(np.exp(self.level - self.se + self.slope * size))


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities (R, C) in proportion to the exponentials of scores (R, C)."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def probabilities(
    scores: NDArray[np.float64], characters: NDArray[np.int64], temperature: Temperature
) -> NDArray[np.float64]:
    """Return the calibrated probabilities (R, C) of scores (R, C) of texts of these lengths."""
    return softmax(scores * temperature.factor(characters)[:, None])


def fit_temperature(
    scores: NDArray[np.float64],
    labels: NDArray[np.int64],
    characters: NDArray[np.int64],
    clusters: NDArray[np.int64],
) -> Temperature:
    """Fit the factor that makes probabilities of scores as true as they claim to be.

    Temperature scaling (Guo, Pleiss, Sun and Weinberger 2017, arXiv:1706.04599): the factor with the greatest
    likelihood of `labels` (R,) given `scores` (R, C), which must come from fits that did not see these rows. We let it
    depend on the length of the text, with a normal prior on the slope, and state its error clustered over prompts
    (`clusters` (R,)). Newton's method, with halved steps where the likelihood would fall.
    """
    size = np.log(np.maximum(characters, 1))
    design = np.column_stack([np.ones_like(size), size - size.mean()])
    point = np.array([math.log(3.0), SLOPE])

    def loss(at: NDArray[np.float64]) -> float:
        scaled = scores * np.exp(design @ at)[:, None]
        top = scaled.max(axis=1)
        own = scaled[np.arange(len(labels)), labels]
        likelihood = own - top - np.log(np.exp(scaled - top[:, None]).sum(axis=1))
        return float(-likelihood.sum() + 0.5 * ((at[1] - SLOPE) / SPREAD) ** 2)

    current = loss(point)
    for _ in range(_STEPS):
        slopes, curve = _derivatives(scores, labels, design, point)
        gradient = slopes.sum(axis=0) + np.array([0.0, (point[1] - SLOPE) / SPREAD**2])
        step = np.linalg.solve(curve, gradient)
        step *= min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-300))
        while (value := loss(point - step)) > current + 1e-12 and float(np.abs(step).max()) > 1e-9:
            step /= 2.0
        point, current = point - step, value
        if float(np.abs(step).max()) < 1e-8:
            break
    slopes, curve = _derivatives(scores, labels, design, point)
    totals = np.zeros((int(clusters.max(initial=0)) + 1, 2))
    np.add.at(totals, clusters, slopes)
    inverse = np.linalg.inv(curve)
    variance = inverse @ (totals.T @ totals) @ inverse
    longest = float(np.quantile(characters, 0.95, method="higher"))
    level, slope = point.tolist()
    return Temperature(level, slope, math.sqrt(float(variance[0, 0])), math.exp(float(size.mean())), longest)


def _derivatives(
    scores: NDArray[np.float64],
    labels: NDArray[np.int64],
    design: NDArray[np.float64],
    point: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the slope of each row's loss, (R, 2), and the curvature of the whole, kept above 0."""
    factor = np.exp(design @ point)
    chances = softmax(scores * factor[:, None])
    mean = (chances * scores).sum(axis=1)
    spread = (chances * scores**2).sum(axis=1) - mean**2
    # The expected curvature: that of the likelihood itself can be negative far from the optimum.
    weight = factor**2 * spread
    slopes = (factor * (mean - scores[np.arange(len(labels)), labels]))[:, None] * design
    curve = (design * weight[:, None]).T @ design + np.diag([1e-6, 1.0 / SPREAD**2])
    return slopes, curve


@dataclass(frozen=True, slots=True)
class Confidence:
    """How far the best of several probabilities is to be believed: log odds of intercept + slope · its log odds.

    One temperature for all classes claims too much where some classes are easier than others.
    """

    intercept: float
    slope: float

    def believed(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return probabilities (R, C) whose best is as low as it must be, and never higher than it was.

        Only where the best is above one half, and down to one half, so that the best stays the best; what it loses
        goes to the others in proportion.
        """
        best = chances.max(axis=1)
        odds = self.intercept + self.slope * _log_odds(best)
        lower = np.where(best > SURE, np.clip(1.0 / (1.0 + np.exp(-odds)), SURE, best), best)
        top = np.arange(chances.shape[1]) == chances.argmax(axis=1)[:, None]
        others = np.where(top, 0.0, chances)
        total = others.sum(axis=1, keepdims=True)
        parts = np.where(total > 0.0, others / np.maximum(total, 1e-300), ~top / (chances.shape[1] - 1))
        return np.asarray(np.where(top, lower[:, None], parts * (1.0 - lower)[:, None]))


def _log_odds(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.log(chances) - np.log(np.maximum(1.0 - chances, 1e-9)))


def fit_confidence(best: NDArray[np.float64], right: NDArray[np.bool_]) -> Confidence:
    """Fit how often the best probability (R,) of those above one half is right (R,).

    Platt's logistic regression (1999) on its log odds, as top-label calibration (Gupta and Ramdas 2022,
    arXiv:2107.08353) asks it of the answer that is given, with a normal prior on the intercept at 0 and the slope at
    1: believe what is claimed until the file says otherwise.
    """
    sure = best > SURE
    design = np.column_stack([np.ones(int(sure.sum())), _log_odds(best[sure])])
    hits = right[sure].astype(np.float64)
    point, expected = np.array([0.0, 1.0]), np.array([0.0, 1.0])
    certain = np.diag(1.0 / np.array([0.5, 0.3]) ** 2)
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ point, -30, 30)))
        gradient = design.T @ (chance - hits) + certain @ (point - expected)
        curve = (design * (chance * (1 - chance))[:, None]).T @ design + certain
        step = np.linalg.solve(curve, gradient)
        point = point - step * min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < 1e-9:
            break
    return Confidence(float(point[0]), float(max(point[1], 0.0)))


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % interval, over `count` cases; `value` is null where there are none.

    `worth` is how many independent cases that is.
    """

    value: float | None
    low: float | None
    high: float | None
    count: int
    worth: float | None = None


def rate(
    hits: NDArray[np.bool_], clusters: NDArray[np.int64], weights: NDArray[np.float64] | None = None
) -> Rate:
    """Return the (weighted) share of hits; the interval is Wilson's, for cases of one prompt that go together.

    `hits`, `clusters` and `weights` are (R,). The variance of the share is linearised and summed by cluster; it says
    how many independent cases the R are worth (Korn and Graubard 1998), at most R. Where all cases agree they are
    worth one a cluster. Student's t on the clusters less one takes the normal's place. Below two clusters there is
    no interval.
    """
    if not len(hits):
        return Rate(None, None, None, 0)
    weights = np.ones(len(hits)) if weights is None else weights
    shares = weights / weights.sum()
    value = min(float(shares @ hits), 1.0)
    totals = np.bincount(clusters, shares * (hits - value))
    present = int(np.count_nonzero(np.bincount(clusters)))
    if present < 2:
        return Rate(value, None, None, len(hits))
    variance = float((totals**2).sum()) * present / (present - 1)
    worth = float(min(value * (1 - value) / variance, len(hits))) if variance > 1e-15 else float(present)
    low, high = wilson(value, worth, present - 1)
    return Rate(value, low, high, len(hits), worth)


def wilson(share: float, cases: float, degrees: int) -> tuple[float, float]:
    """Return the 95 % interval of Wilson (1927, doi:10.1080/01621459.1927.10502953) of a share of `cases` cases."""
    from scipy.special import stdtrit

    t = float(stdtrit(degrees, 0.975))
    stretch = 1 + t * t / cases
    half = t * math.sqrt(share * (1 - share) / cases + t * t / (4 * cases * cases)) / stretch
    centre = (share + t * t / (2 * cases)) / stretch
    return max(0.0, centre - half), min(1.0, centre + half)


def beyond_chance(observed: float, exchanged: NDArray[np.float64], units: int) -> float:
    """Return the one-sided p of a share, given what it is (B,) where there is nothing to be seen.

    By the mean and the standard deviation of the latter: a share over cases that were judged by fits to each other
    varies more than a share of independent cases (Bengio and Grandvalet 2004), so no binomial will do. Never below
    2^(1 − units), the least that the exchange of so many units can give, exchanged all at once or not at all.
    """
    from scipy.special import ndtr

    spread = float(exchanged.std(ddof=1))
    least = min(2.0 ** (1 - units), 1.0)
    if spread == 0.0:
        return 1.0 if observed <= exchanged[0] else least
    return max(float(ndtr((float(exchanged.mean()) - observed) / spread)), least)


def confusion(labels: NDArray[np.int64], named: NDArray[np.int64], classes: int) -> NDArray[np.int64]:
    """Return the table (C, C) of how many rows of each class (row) were named which class (column)."""
    flat = np.bincount(labels * classes + named, minlength=classes * classes)
    return np.asarray(flat.reshape(classes, classes))


@dataclass(frozen=True, slots=True, eq=False)
class Stranger:
    """How the fit of a text tells those who are known from those who are not: a logistic regression.

    `weights` (5,) are those of 1 and of what `fit_of` returns, less `centre` (4,), over `scale` (4,).
    """

    weights: NDArray[np.float64]
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]

    def chance(self, fit: NDArray[np.float64], prior: float) -> NDArray[np.float64]:
        """Return the probability (R,) that a stranger wrote each text, if beforehand it is `prior`.

        `fit` (R, 4) is from `fit_of`.
        """
        if prior <= 0.0:
            return np.zeros(len(fit))
        given = _design((fit - self.centre) / self.scale)
        return np.asarray(1.0 / (1.0 + np.exp(given @ self.weights + math.log((1.0 - prior) / prior))))


def fit_of(
    scores: NDArray[np.float64], unexplained: NDArray[np.float64], characters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return what says how well texts fit, (R, 4).

    The best score, its lead over the second best, how much of the text is unexplained, the logarithm of its length.
    """
    ordered = np.sort(scores, axis=1)
    lead = ordered[:, -1] - ordered[:, -2]
    return np.column_stack([ordered[:, -1], lead, unexplained, np.log(np.maximum(characters, 1))])


def _design(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.column_stack([np.ones(len(values)), values])


def fit_stranger(known: NDArray[np.float64], strangers: NDArray[np.float64]) -> Stranger:
    """Fit a logistic regression that tells texts of known writers (A, 4) from those of strangers (B, 4).

    Both are from `fit_of`; each side weighs one half. A slight pull towards 0 keeps it finite.
    """
    values = np.concatenate([known, strangers])
    centre, scale = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-9)
    design = _design((values - centre) / scale)
    sign = np.repeat([1.0, -1.0], [len(known), len(strangers)])
    mass = np.repeat([0.5 / len(known), 0.5 / len(strangers)], [len(known), len(strangers)])
    weights = np.zeros(design.shape[1])
    pull = _GENTLE * np.array([0.0, *[1.0] * (len(weights) - 1)])
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(np.clip(sign * (design @ weights), -30, 30)))
        gradient = design.T @ (mass * sign * chance) - pull * weights
        curve = (design * (mass * chance * (1 - chance))[:, None]).T @ design + np.diag(pull + 1e-12)
        step = np.linalg.solve(curve, gradient)
        weights = weights + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < 1e-9:
            break
    return Stranger(weights, centre, scale)


def least_length(lengths: Sequence[int], answered: Sequence[float | None], least: float) -> int | None:
    """Return the first of `lengths` (ascending) whose share of answers is at least `least`; null where none is."""
    return next(
        (
            length
            for length, share in zip(lengths, answered, strict=True)
            if share is not None and share >= least
        ),
        None,
    )


def ranks_among(
    values: NDArray[np.float64],
    sizes: NDArray[np.int64],
    others: NDArray[np.float64],
    their_sizes: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return for each value (T,) the share of `others` (N,) of like size that are at least as great, itself counted in.

    A conformal p (Vovk, Gammerman and Shafer 2005) against the 300 others whose size is nearest by its logarithm.
    """
    near_by = np.log(np.maximum(their_sizes, 1))
    shares = np.empty(len(values))
    for place, (value, size) in enumerate(zip(values.tolist(), sizes.tolist(), strict=True)):
        near = np.argsort(np.abs(near_by - math.log(max(size, 1))), kind="stable")[:NEAREST]
        shares[place] = (1 + np.count_nonzero(others[near] >= value)) / (1 + len(near))
    return shares
