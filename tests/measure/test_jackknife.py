"""The jackknife: linear, exact for what it should be exact for."""

from __future__ import annotations

import numpy as np
import pytest

from stylekl.measure.jackknife import jackknife, replicate_distributions, student_quantiles


def test_mean_has_no_bias_and_the_textbook_standard_error():
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
    deleted = [np.delete(values, i).mean() for i in range(6)]

    result = jackknife(np.array([values.mean(), *deleted]), np.full(6, 1 / 6))

    assert result.value == pytest.approx(values.mean())
    assert result.se == pytest.approx(values.std(ddof=1) / np.sqrt(6))


def test_bias_of_the_plug_in_variance_is_removed_exactly():
    """The jackknife turns the variance with divisor n into the one with divisor n − 1."""
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    deleted = [np.delete(values, i).var() for i in range(5)]

    result = jackknife(np.array([values.var(), *deleted]), np.full(5, 1 / 5))

    assert result.value == pytest.approx(values.var(ddof=1))


def test_jackknifed_parts_add_up_to_the_jackknifed_whole():
    parts = np.random.default_rng(1).standard_normal((7, 21))
    fractions = np.full(20, 1 / 20)

    assert jackknife(parts, fractions).value.sum() == pytest.approx(
        jackknife(parts.sum(axis=0), fractions).value
    )


def test_unequal_groups_of_a_mean_follow_busing():
    """For a mean over units in unequal groups the estimate is the mean itself."""
    groups = [np.array([1.0, 2.0]), np.array([5.0]), np.array([4.0, 4.0, 6.0])]
    everything = np.concatenate(groups)
    deleted = [np.concatenate(groups[:i] + groups[i + 1 :]).mean() for i in range(3)]
    fractions = np.array([len(group) / 6 for group in groups])

    result = jackknife(np.array([everything.mean(), *deleted]), fractions)

    assert result.value == pytest.approx(everything.mean())


def test_one_group_has_no_error():
    assert np.isnan(jackknife(np.array([1.0, 2.0]), np.array([1.0])).se)


def test_student_quantiles_are_the_tabulated_ones():
    assert student_quantiles(19) == pytest.approx((2.0930, 1.7291), abs=1e-4)
    assert np.isnan(student_quantiles(0)).all()


def test_replicates_of_one_stratum_are_the_means_without_each_group():
    rng = np.random.default_rng(2)
    units = rng.dirichlet(np.ones(4), 9)
    group = np.arange(9) % 3
    sums = np.array([units[group == g].sum(axis=0) / 9 for g in range(3)])[None]
    weights = np.full((1, 3), 1 / 3)

    found = replicate_distributions(sums, weights)

    assert found[0] == pytest.approx(units.mean(axis=0))
    for g in range(3):
        assert found[g + 1] == pytest.approx(units[group != g].mean(axis=0))


def test_replicates_of_strata_keep_the_weight_of_each_prompt():
    """Leaving a reply out changes its prompt's mean, not how much the prompt counts."""
    replies = np.random.default_rng(3).dirichlet(np.ones(4), (2, 3))  # 2 prompts × 3 replies
    sums, weights = replies / 6, np.full((2, 3), 1 / 6)

    found = replicate_distributions(sums, weights)

    assert found[2] == pytest.approx(np.delete(replies, 1, axis=1).mean(axis=1).mean(axis=0))


def test_emptied_stratum_is_dropped():
    replies = np.random.default_rng(4).dirichlet(np.ones(3), 2)
    sums = np.array([[replies[0] / 2, np.zeros(3)], [np.zeros(3), replies[1] / 2]])
    weights = np.array([[0.5, 0], [0, 0.5]])

    assert replicate_distributions(sums, weights)[1] == pytest.approx(replies[1])
