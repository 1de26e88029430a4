"""The exact test against brute force, its false alarms, the floor and the q-values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.measure.exchange import benjamini_hochberg, exact_p, floor


def brute_force(K: np.ndarray) -> float:
    """Go through every assignment of signs, one by one."""
    size = len(K)
    forms = [np.array(s) @ K @ np.array(s) for s in product((1.0, -1.0), repeat=size)]
    return float(np.mean(np.array(forms) >= K.sum() - 1e-9 * np.abs(K).sum()))


@given(st.integers(2, 9), st.floats(0, 3), st.integers(0, 10**6))
def test_exact_p_is_the_share_of_all_sign_vectors(size, shift, seed):
    D = np.random.default_rng(seed).standard_normal((size, 5)) + shift
    K = D @ D.T

    assert exact_p(K[None])[0] == pytest.approx(brute_force(K))


def test_clear_difference_has_the_least_p_that_the_groups_allow():
    D = np.random.default_rng(0).standard_normal((20, 30)) + 2
    assert exact_p((D @ D.T)[None])[0] == 0.5**19


def test_no_difference_at_all_has_p_one():
    assert exact_p(np.zeros((1, 6, 6)))[0] == 1.0


def test_no_pairs_give_no_p():
    assert exact_p(np.empty((0, 4, 4))).shape == (0,)


def test_p_does_not_depend_on_which_side_is_first():
    D = np.random.default_rng(5).standard_normal((8, 6)) + 0.3
    assert exact_p((D @ D.T)[None])[0] == exact_p(((-D) @ (-D).T)[None])[0]


def test_false_alarms_are_at_the_level():
    """Where signs are exchangeable, p falls below 5 % in 5 % of cases (2,000 drawn, 3 standard errors)."""
    rng = np.random.default_rng(6)
    D = rng.standard_normal((2000, 10, 12)) * rng.gamma(1.0, 1.0, (1, 1, 12))
    p = exact_p(np.einsum("nev,nfv->nef", D, D))

    assert (p < 0.05).mean() == pytest.approx(0.05, abs=0.015)


def test_floor_is_the_95_percent_point_of_the_form_less_its_mean():
    """With one symbol the form is a squared sum of signs, chi-squared but for its steps of 2 / √units."""
    units = 400
    D = np.full((units, 1), 1.0 / units)
    signs = 1.0 - 2.0 * np.random.default_rng(7).integers(0, 2, (20000, units))

    found = floor(D, np.array([1.0]), 1.0, signs)

    assert found == pytest.approx((3.841 - 1) / units / (2 * np.log(2)), rel=0.1)


def test_floor_of_no_difference_is_nought():
    assert floor(np.zeros((10, 3)), np.array([0.5, 0.5, 0.0]), 0.99, np.ones((5, 10))) == 0.0


def test_q_values_of_the_worked_example():
    """Benjamini and Hochberg (1995), table 1: at 5 % the first four of fifteen are called."""
    p = np.array(
        [
            0.0001,
            0.0004,
            0.0019,
            0.0095,
            0.0201,
            0.0278,
            0.0298,
            0.0344,
            0.0459,
            0.3240,
            0.4262,
            0.5719,
            0.6528,
            0.7590,
            1.0,
        ]
    )
    assert np.count_nonzero(benjamini_hochberg(p) < 0.05) == 4


@given(st.lists(st.floats(0, 1), max_size=12))
def test_q_is_never_below_p_and_keeps_its_order(values):
    p = np.array(values)
    q = benjamini_hochberg(p)

    assert (q >= p - 1e-15).all()
    assert (np.diff(q[np.argsort(p, kind="stable")]) >= 0).all()


def test_unknown_p_stays_unknown_and_does_not_count():
    q = benjamini_hochberg(np.array([0.01, np.nan, 0.02]))

    assert np.isnan(q[1])
    assert q[[0, 2]] == pytest.approx([0.02, 0.02])


def test_floor_is_the_same_from_signs_in_blocks():
    """What many units do not hold in memory at once changes nothing."""
    random = np.random.default_rng(8)
    D, signs = random.standard_normal((30, 4)) / 30, 1.0 - 2.0 * random.integers(0, 2, (500, 30))
    m = np.full(4, 0.25)

    assert floor(D, m, 0.99, iter(np.array_split(signs, 7))) == pytest.approx(floor(D, m, 0.99, signs))
