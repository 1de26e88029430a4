"""Divergences against their definitions, and the identities that make tells add up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from stylekl.measure.divergence import (
    POSITIVE,
    contributions,
    negative_entropy,
    skewed_kl,
    three_divergences,
)
from tests.measure.strategies import distributions, plain_jensen_shannon, plain_skewed_kl


@given(distributions())
def test_skewed_kl_is_its_definition(pair):
    p, q = pair

    assert skewed_kl(p, q) == pytest.approx(plain_skewed_kl(p.tolist(), q.tolist(), 0.99), abs=1e-12)


def together(p, q, skew=0.99):
    """The three divergences from the kernel that wants positive distributions."""
    p, q = np.maximum(p, POSITIVE), np.maximum(q, POSITIVE)
    return tuple(map(float, three_divergences(p, q, skew, negative_entropy(p), negative_entropy(q))))


@given(distributions())
def test_three_divergences_are_their_definitions(pair):
    p, q = (side.tolist() for side in pair)
    expected = plain_skewed_kl(p, q, 0.99), plain_skewed_kl(q, p, 0.99), plain_jensen_shannon(p, q)

    assert together(*pair) == pytest.approx(expected, abs=1e-12)


@given(distributions())
def test_swapping_swaps_the_directions_and_leaves_jensen_shannon(pair):
    there, back = together(*pair), together(*pair[::-1])

    assert there == pytest.approx((back[1], back[0], back[2]), abs=1e-14)
    assert -1e-12 <= there[2] <= 1 + 1e-12


@given(distributions())
def test_divergence_of_a_distribution_from_itself_is_nought(pair):
    p, _ = pair

    assert skewed_kl(p, p) == pytest.approx(0, abs=1e-12)


@given(distributions())
def test_skewed_kl_lies_between_nought_and_the_bound_of_its_mixture(pair):
    p, q = pair

    assert -1e-12 <= skewed_kl(p, q) <= math.log2(1 / 0.01) + 1e-12


@given(distributions())
def test_contributions_add_up_to_the_divergence(pair):
    p, q = pair

    assert contributions(p, q).sum() == pytest.approx(float(skewed_kl(p, q)), abs=1e-12)


def test_known_values():
    """Disjoint distributions are one bit apart by Jensen-Shannon and log2(100) by the skewed KL."""
    p, q = np.array([1.0, 0.0]), np.array([0.0, 1.0])

    assert together(p, q) == pytest.approx((math.log2(100), math.log2(100), 1))
    assert float(skewed_kl(p, q)) == pytest.approx(math.log2(100))


def test_plain_kl_is_infinite_where_the_other_lacks_a_symbol():
    p, q = np.array([0.5, 0.5]), np.array([1.0, 0.0])

    assert skewed_kl(p, q, 1.0) == math.inf
    assert skewed_kl(q, p, 1.0) == pytest.approx(1)


def test_divergences_work_along_the_last_axis():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(5), (3, 4)), rng.dirichlet(np.ones(5), (3, 4))

    assert skewed_kl(p, q).shape == (3, 4)
    assert skewed_kl(p, q)[1, 2] == pytest.approx(float(skewed_kl(p[1, 2], q[1, 2])))
