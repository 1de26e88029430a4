"""Divergences against their definitions, and the identities that make tells add up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from stylekl.measure.divergence import (
    POSITIVE,
    contributions,
    jensen_shannon,
    negative_entropy,
    skewed_kl,
    three_divergences,
)
from tests.measure.strategies import distributions, plain_jensen_shannon, plain_skewed_kl


@given(distributions())
def test_skewed_kl_is_its_definition(pair):
    p, q = pair

    assert skewed_kl(p, q) == pytest.approx(plain_skewed_kl(p.tolist(), q.tolist(), 0.99), abs=1e-12)


@given(distributions())
def test_jensen_shannon_is_its_definition_symmetric_and_at_most_one_bit(pair):
    p, q = pair

    assert jensen_shannon(p, q) == pytest.approx(plain_jensen_shannon(p.tolist(), q.tolist()), abs=1e-12)
    assert jensen_shannon(p, q) == pytest.approx(jensen_shannon(q, p), abs=1e-14)
    assert -1e-12 <= jensen_shannon(p, q) <= 1 + 1e-12


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

    assert float(jensen_shannon(p, q)) == pytest.approx(1)
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


@given(distributions())
def test_three_divergences_together_are_the_three_apart(pair):
    p, q = (np.maximum(side, POSITIVE) for side in pair)
    together = three_divergences(p, q, 0.99, negative_entropy(p), negative_entropy(q))

    apart = (skewed_kl(p, q), skewed_kl(q, p), jensen_shannon(p, q))
    assert together == pytest.approx([float(value) for value in apart], abs=1e-12)
