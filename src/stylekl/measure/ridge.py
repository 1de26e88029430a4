"""Ridge regression on class membership, with the exact score of every row that a fit without it would give.

A linear model of the rows' features, fitted to the table of which row belongs to which class (Hoerl and Kennard 1970,
doi:10.1080/00401706.1970.10488634), in its dual form: all it needs is the table of inner products between rows. From
the inverse of that table follow the scores of any rows under the fit that leaves them out, so cross-validation and
nested cross-validation cost one fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

PENALTY = (
    0.2  # on rows of length 1: tried from 0.05 to 0.5 on three sets of five models, flat from 0.1 to 0.3
)
_COMMON = 0.05  # a column in more rows than this share is multiplied as a dense one
_ROWS = 1000  # rows multiplied at a time
_DECIMALS = 9


def inner_products(rows: csr_matrix, others: csr_matrix | None = None) -> NDArray[np.float64]:
    """Return the inner products of sparse rows (N, F) with others (M, F), or with each other; shape (N, M)."""
    other = rows if others is None else others
    held = np.bincount(other.indices, minlength=other.shape[1])
    common = held > _COMMON * other.shape[0]
    frequent, rare = other[:, common].toarray().T, other[:, ~common].T.tocsr()
    found = np.empty((rows.shape[0], other.shape[0]))
    for low in range(0, rows.shape[0], _ROWS):
        some = rows[low : low + _ROWS]
        found[low : low + _ROWS] = some[:, common].toarray() @ frequent
        found[low : low + _ROWS] += (some[:, ~common] @ rare).toarray()
    return found


@dataclass(frozen=True, eq=False)
class Ridge:
    """A fit to N rows of C classes.

    `inverse` (N, N) is that of the inner products plus the penalty, `targets` (N, C) what was fitted, `dual` (N, C)
    the weights of the rows, and `noise` (N,) the penalty of each row: larger for the rows of large classes, so that
    every class weighs the same. Scores of new rows are (their inner products + 1) · dual; the 1 is the intercept.
    """

    inverse: NDArray[np.float64]
    targets: NDArray[np.float64]
    dual: NDArray[np.float64]
    noise: NDArray[np.float64]

    def without(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the scores (R, C) of `rows` under the fit that leaves all of them out."""
        return rounded(self.targets[rows] - self._residual(rows))

    def dual_without(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the weights (N, C) of the fit that leaves `rows` out; theirs are 0."""
        weights = np.asarray(self.dual - self.inverse[:, rows] @ self._residual(rows))
        weights[rows] = 0.0
        return weights

    def unexplained(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return for each of `rows` the share of it that no other rows explain, with `rows` left out together."""
        block = np.linalg.inv(self.inverse[np.ix_(rows, rows)])
        return np.asarray(np.diag(block) - self.noise[rows])

    def held_out(
        self, targets: NDArray[np.float64], folds: Sequence[NDArray[np.int64]]
    ) -> NDArray[np.float64]:
        """Return the scores of all rows, each by the fit without its fold, had `targets` (N, B) been fitted."""
        from scipy.linalg import solve

        fitted = self.inverse @ targets
        scores = np.array(targets)
        for rows in folds:
            block = self.inverse[np.ix_(rows, rows)]
            scores[rows] -= solve(block, fitted[rows], assume_a="pos", check_finite=False)
        return rounded(scores)

    def _residual(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        from scipy.linalg import solve

        block = self.inverse[np.ix_(rows, rows)]
        return np.asarray(solve(block, self.dual[rows], assume_a="pos", check_finite=False))


def rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores without the digits that differ from machine to machine, so that ties are ties everywhere."""
    return np.asarray(np.round(scores, _DECIMALS))


def fit_ridge(
    products: NDArray[np.float64], labels: NDArray[np.int64], classes: int, penalty: float = PENALTY
) -> Ridge:
    """Fit rows to their classes.

    `products` (N, N) are the inner products of the rows, `labels` (N,) their classes, 0 to `classes` − 1. A class
    without rows gets a low score everywhere.
    """
    from scipy.linalg import lapack

    count = len(labels)
    sizes = np.bincount(labels, minlength=classes)
    noise = penalty * sizes[labels] * np.count_nonzero(sizes) / count
    inverse = np.add(products, 1.0, order="F")
    inverse[np.diag_indices(count)] += noise
    # In place: at 8,000 rows this table is half a gigabyte. It is symmetric and positive definite by its making.
    inverse, _ = lapack.dpotrf(inverse, lower=1, overwrite_a=1)
    inverse, _ = lapack.dpotri(inverse, lower=1, overwrite_c=1)
    for low in range(0, count, _ROWS):
        stop = min(low + _ROWS, count)
        inverse[low:stop, stop:] = inverse[stop:, low:stop].T
        corner = inverse[low:stop, low:stop]
        inverse[low:stop, low:stop] = np.tril(corner) + np.tril(corner, -1).T
    targets = np.eye(classes)[labels] - 1.0 / classes
    return Ridge(inverse, targets, inverse @ targets, noise)
