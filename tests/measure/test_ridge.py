"""Ridge regression on classes: what leaving rows out gives is what fitting without them gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from stylekl.measure.ridge import PENALTY, fit_ridge, inner_products


def made(seed: int, rows: int = 24, classes: int = 3, columns: int = 40) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    features = random.poisson(0.4, (rows, columns)) * random.random((rows, columns))
    return features / np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-9), (
        np.arange(rows) % classes
    )


def slow_scores(features: np.ndarray, labels: np.ndarray, classes: int, kept: np.ndarray) -> np.ndarray:
    """Return the scores of all rows by a fit to `kept` with a column of ones, in the primal, row by row."""
    sizes = np.bincount(labels, minlength=classes)
    weights = len(labels) / (PENALTY * sizes[labels] * np.count_nonzero(sizes))
    design = np.column_stack([features, np.ones(len(features))])
    targets = np.eye(classes)[labels] - 1 / classes
    left = np.eye(design.shape[1])
    right = np.zeros((design.shape[1], classes))
    for row in kept:
        left += weights[row] * np.outer(design[row], design[row])
        right += weights[row] * np.outer(design[row], targets[row])
    return design @ np.linalg.solve(left, right)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 9))
def test_scores_without_rows_are_those_of_a_fit_that_never_saw_them(seed: int, out: int) -> None:
    """From one inverse, against a fit in the primal to the other rows alone."""
    features, labels = made(seed)
    rows = np.random.default_rng(seed).permutation(len(labels))[:out]
    ridge = fit_ridge(features @ features.T, labels, 3)
    plain = slow_scores(features, labels, 3, np.setdiff1d(np.arange(len(labels)), rows))

    np.testing.assert_allclose(ridge.without(rows), plain[rows], atol=1e-8)
    weights = ridge.dual_without(rows)
    np.testing.assert_allclose((features @ features.T + 1) @ weights, plain, atol=1e-8)
    assert not weights[rows].any()


def test_all_classes_weigh_the_same_whatever_their_size() -> None:
    """A class given four times over weighs as the others do: as if each were given twice, rows being twice as many."""
    features, labels = made(1, rows=12)
    often = np.concatenate([np.arange(12), *[np.flatnonzero(labels == 0)] * 3])
    once = fit_ridge(features @ features.T, labels, 3, PENALTY / 2)
    more = fit_ridge(features[often] @ features[often].T, labels[often], 3)

    np.testing.assert_allclose(
        (features @ features.T + 1) @ once.dual, (features @ features[often].T + 1) @ more.dual, atol=1e-9
    )


def test_other_targets_are_held_out_as_if_they_had_been_fitted() -> None:
    features, labels = made(4)
    folds = [np.arange(24)[start::4] for start in range(4)]
    ridge = fit_ridge(features @ features.T, labels, 3)
    rolled = fit_ridge(features @ features.T, np.roll(labels, 3), 3)
    scores = ridge.held_out(rolled.targets, folds)

    for rows in folds:
        np.testing.assert_allclose(scores[rows], rolled.without(rows), atol=1e-8)


def test_what_is_unexplained_is_the_variance_that_the_other_rows_leave() -> None:
    features, labels = made(2)
    rows, rest = np.arange(5), np.arange(5, 24)
    products = features @ features.T
    ridge = fit_ridge(products, labels, 3)
    prior = products + 1
    inner = prior[np.ix_(rest, rest)] + np.diag(ridge.noise[rest])
    left = prior[np.ix_(rows, rows)] - prior[np.ix_(rows, rest)] @ np.linalg.solve(
        inner, prior[np.ix_(rest, rows)]
    )

    np.testing.assert_allclose(ridge.unexplained(rows), np.diag(left), atol=1e-9)


def test_the_inverse_is_whole_and_symmetric_beyond_one_block() -> None:
    """The factorisation writes one triangle; the other is filled in pieces of 1,000 rows."""
    features, labels = made(3, rows=2100, columns=30)
    products = features @ features.T
    ridge = fit_ridge(products, labels, 3)

    np.testing.assert_array_equal(ridge.inverse, ridge.inverse.T)
    np.testing.assert_allclose(ridge.inverse @ (products + 1 + np.diag(ridge.noise)), np.eye(2100), atol=1e-7)


@pytest.mark.parametrize("rows", [1, 7, 1500])
def test_inner_products_of_sparse_rows_are_those_of_dense_ones(rows: int) -> None:
    """Common columns and rare ones, in pieces of 1,000 rows."""
    random = np.random.default_rng(rows)
    dense = random.random((rows, 60)) * (random.random((rows, 60)) < random.random(60) ** 3)
    others = random.random((9, 60)) * (random.random((9, 60)) < 0.3)

    np.testing.assert_allclose(inner_products(csr_matrix(dense)), dense @ dense.T, atol=1e-12)
    np.testing.assert_allclose(
        inner_products(csr_matrix(dense), csr_matrix(others)), dense @ others.T, atol=1e-12
    )


def test_equal_rows_get_equal_scores() -> None:
    """Ties are ties on every machine: the digits that rounding decides are gone."""
    ridge = fit_ridge(np.ones((12, 12)), np.arange(12) % 3, 3)

    assert len(np.unique(ridge.without(np.arange(3)))) == 1
