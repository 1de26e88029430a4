"""Calibrated probabilities, rates with clustered intervals, strangers, lengths."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.measure.attribution import (
    Confidence,
    beyond_chance,
    confusion,
    fit_confidence,
    fit_of,
    fit_stranger,
    fit_temperature,
    least_length,
    probabilities,
    ranks_among,
    rate,
    softmax,
    wilson,
)


def drawn(seed: int, level: float, slope: float, count: int = 4000, classes: int = 4):
    """Return scores, lengths and labels drawn from the probabilities that a known temperature gives."""
    random = np.random.default_rng(seed)
    scores = random.normal(0, 0.3, (count, classes))
    characters = np.exp(random.normal(6.5, 0.8, count)).astype(np.int64)
    factor = np.exp(level + slope * (np.log(characters) - np.log(characters).mean()))
    chances = softmax(scores * factor[:, None])
    labels = (chances.cumsum(axis=1) < random.random((count, 1))).sum(axis=1)
    return scores, labels, characters


@pytest.mark.parametrize(("level", "slope"), [(0.0, 0.0), (1.5, 0.3), (2.0, -0.2)])
def test_a_known_temperature_is_found(level: float, slope: float) -> None:
    """Level and slope within four standard errors, the level's own error among them."""
    scores, labels, characters = drawn(1, level, slope)
    found = fit_temperature(scores, labels, characters, np.arange(len(labels)))

    assert abs(found.level - level) < 4 * found.se
    assert abs(found.slope - slope) < 0.2
    assert found.centre == pytest.approx(math.exp(np.log(characters).mean()))


def test_calibrated_probabilities_are_as_true_as_they_claim() -> None:
    """On fresh draws, in each bin of the best probability, within sampling error."""
    fitted = fit_temperature(*drawn(2, 1.8, 0.3), np.arange(4000))
    scores, labels, characters = drawn(3, 1.8, 0.3, count=20_000)
    chances = probabilities(scores, characters, fitted)
    best, right = chances.max(axis=1), chances.argmax(axis=1) == labels

    for low, high in ((0.25, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.0)):
        inside = (best >= low) & (best < high)
        assert abs(best[inside].mean() - right[inside].mean()) < 0.03


def test_few_clusters_make_the_factor_more_careful() -> None:
    """The same rows, fifty to a cluster that all share one outcome, are worth less: the factor is lower."""
    scores, labels, characters = drawn(4, 1.5, 0.2, count=60)
    alone = fit_temperature(scores, labels, characters, np.arange(60))
    repeated = [np.repeat(part, 50, axis=0) for part in (scores, labels, characters)]
    together = fit_temperature(*repeated, np.repeat(np.arange(60), 50))
    pretended = fit_temperature(*repeated, np.arange(3000))

    assert together.se > 3 * pretended.se
    assert (together.factor(characters) < pretended.factor(characters)).all()
    assert alone.se == pytest.approx(together.se, rel=0.3)


def test_the_scale_of_the_scores_does_not_matter() -> None:
    scores, labels, characters = drawn(5, 1.0, 0.2, count=500)
    clusters = np.arange(500)
    one = fit_temperature(scores, labels, characters, clusters)
    ten = fit_temperature(10 * scores, labels, characters, clusters)

    np.testing.assert_allclose(
        probabilities(scores, characters, one), probabilities(10 * scores, characters, ten), atol=1e-6
    )


def test_the_factor_grows_with_the_length_and_stops_where_nothing_was_seen() -> None:
    found = fit_temperature(*drawn(6, 1.0, 0.3), np.arange(4000))
    factors = found.factor(np.array([1, 50, 500, 5000, 10**9, 10**12]))

    assert (np.diff(factors)[:3] > 0).all()
    assert factors[-1] == factors[-2]


def test_scores_without_any_difference_give_equal_chances() -> None:
    characters, labels = np.full(30, 100), np.arange(30) % 3
    found = fit_temperature(np.zeros((30, 3)), labels, characters, np.arange(30))

    np.testing.assert_allclose(probabilities(np.zeros((2, 3)), np.array([10, 1000]), found), 1 / 3)


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=6), st.floats(-3, 3), st.floats(0, 3))
def test_belief_lowers_the_best_and_keeps_it_best(
    scores: list[float], intercept: float, slope: float
) -> None:
    """Probabilities stay probabilities, in the same order, and the best is never higher than it was."""
    before = softmax(np.array([scores]))
    after = Confidence(intercept, slope).believed(before)

    assert after.sum() == pytest.approx(1.0)
    assert after.min() >= 0
    assert after.max() <= before.max() + 1e-12
    assert after[0, before[0].argmax()] == pytest.approx(after.max())


def test_belief_is_lost_where_the_answers_are_wrong_and_kept_where_they_are_right() -> None:
    random = np.random.default_rng(7)
    best = random.uniform(0.5, 0.999, 4000)
    honest = fit_confidence(best, random.random(4000) < best)
    boasting = fit_confidence(best, random.random(4000) < 0.5 + 0.5 * (best - 0.5))
    chances = np.array([[0.95, 0.05]])

    assert honest.believed(chances)[0, 0] == pytest.approx(0.95, abs=0.015)
    assert boasting.believed(chances)[0, 0] == pytest.approx(0.725, abs=0.03)
    assert fit_confidence(np.empty(0), np.empty(0, bool)) == Confidence(0.0, 1.0)


def test_wilson_has_its_published_values() -> None:
    """10 of 10 and 81 of 263 (Newcombe 1998, table I) by the normal, which many degrees of freedom come to."""
    assert wilson(1.0, 10, 10**7)[0] == pytest.approx(0.7225, abs=1e-4)
    assert wilson(81 / 263, 263, 10**7) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0.0, 20, 10**7) == pytest.approx((0.0, 0.1611), abs=1e-4)


def test_independent_cases_have_the_plain_interval() -> None:
    hits = np.random.default_rng(8).random(400) < 0.7
    found = rate(hits, np.arange(400))

    assert found.worth == pytest.approx(400, rel=0.01)
    assert (found.low, found.high) == pytest.approx(wilson(hits.mean(), found.worth or 0, 399))


def test_the_interval_of_clustered_cases_covers_the_truth() -> None:
    """40 clusters of 5 whose shares vary: covered in 93 % or more; taken for 200 cases, in far fewer."""
    random = np.random.default_rng(9)
    covered = naive = 0
    clusters = np.repeat(np.arange(40), 5)
    for _ in range(1000):
        hits = random.random(200) < np.repeat(random.beta(1.5, 0.5, 40), 5)
        found = rate(hits, clusters)
        alone = rate(hits, np.arange(200))
        covered += found.low <= 0.75 <= found.high
        naive += alone.low <= 0.75 <= alone.high

    assert covered >= 930
    assert naive < 850


def test_all_right_is_not_surely_right() -> None:
    """Clusters that all agree are worth one each; none at all, or one alone, has no interval."""
    found = rate(np.ones(100, bool), np.repeat(np.arange(10), 10))

    assert (found.value, found.worth) == (1.0, 10.0)
    assert found.low == pytest.approx(wilson(1.0, 10, 9)[0])
    assert rate(np.ones(3, bool), np.zeros(3, np.int64)).low is None
    assert rate(np.empty(0, bool), np.empty(0, np.int64)).value is None


def test_weights_make_the_share_one_of_classes() -> None:
    hits = np.array([True, True, True, False])
    found = rate(hits, np.arange(4), np.array([1 / 3, 1 / 3, 1 / 3, 1.0]))

    assert found.value == pytest.approx(0.5)


def test_beyond_chance_is_the_tail_of_what_chance_gives() -> None:
    """Two standard deviations above; where chance never varies, all or nothing."""
    exchanged = np.array([0.4, 0.5, 0.6])

    assert beyond_chance(0.7, exchanged, 30) == pytest.approx(0.5 * math.erfc(2 / math.sqrt(2)))
    assert beyond_chance(0.5, np.full(3, 0.5), 30) == 1.0
    assert beyond_chance(0.6, np.full(3, 0.5), 30) == 2**-29


def test_few_units_bound_what_can_be_beyond_chance() -> None:
    """Five prompts can be exchanged in 32 ways, two by two alike: nothing is below 1 in 16."""
    assert beyond_chance(1.0, np.array([0.45, 0.5, 0.55]), 5) == 1 / 16
    assert beyond_chance(1.0, np.array([0.45, 0.5, 0.55]), 0) == 1.0


def test_confusion_counts_every_row_once() -> None:
    table = confusion(np.array([0, 0, 1, 2, 2, 2]), np.array([0, 1, 1, 0, 2, 2]), 3)

    assert table.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 2]]


def test_a_stranger_is_told_by_a_poorer_fit() -> None:
    """Known and strangers from two normal distributions: the chance follows the ratio of their densities."""
    random = np.random.default_rng(11)
    known, strangers = random.normal(1.0, 1, (4000, 4)), random.normal(0.0, 1, (4000, 4))
    found = fit_stranger(known, strangers)
    at = np.array([[1.0, 1.0, 1.0, 1.0], [0.5, 0.5, 0.5, 0.5], [0.0, 0.0, 0.0, 0.0]])
    true = 1 / (1 + np.exp(at.sum(axis=1) - 2.0))

    np.testing.assert_allclose(found.chance(at, 0.5), true, atol=0.03)
    assert (found.chance(at, 0.1) < found.chance(at, 0.5)).all()
    assert not found.chance(at, 0.0).any()


def test_where_a_stranger_fits_as_well_the_chance_is_what_it_was_beforehand() -> None:
    random = np.random.default_rng(12)
    found = fit_stranger(random.normal(0, 1, (5000, 4)), random.normal(0, 1, (5000, 4)))

    np.testing.assert_allclose(found.chance(random.normal(0, 1, (20, 4)), 0.05), 0.05, atol=0.015)


def test_sides_that_do_not_overlap_stay_finite() -> None:
    found = fit_stranger(np.full((5, 4), 1.0), np.full((5, 4), -1.0))

    assert np.isfinite(found.weights).all()
    assert found.chance(np.full((1, 4), -1.0), 0.5)[0] > 0.95


def test_the_fit_is_best_lead_unexplained_and_length() -> None:
    found = fit_of(np.array([[0.1, 0.7, 0.4]]), np.array([0.3]), np.array([100]))

    np.testing.assert_allclose(found, [[0.7, 0.3, 0.3, math.log(100)]])


def test_the_least_length_is_the_first_with_enough_answers() -> None:
    assert least_length((50, 100, 200), (0.01, 0.06, 0.2), 0.05) == 100
    assert least_length((50, 100, 200), (0.01, 0.06, None), 0.05) == 100
    assert least_length((50, 100), (None, 0.04), 0.05) is None


def test_a_value_like_the_others_has_a_uniform_rank() -> None:
    """Conformal: over many files a share a of such values has a rank of a or less."""
    random = np.random.default_rng(1)
    sizes = np.full(520, 100)
    ranks = []
    for _ in range(200):
        values, others = random.normal(size=20), random.normal(size=500)
        ranks.append(ranks_among(values, sizes[:20], others, sizes[20:]))
    found = np.concatenate(ranks)

    assert (found <= 0.2).mean() == pytest.approx(0.2, abs=0.03)
    assert (found >= 0.8).mean() == pytest.approx(0.2, abs=0.03)
    assert found.min() >= 1 / 301


def test_only_others_of_like_size_count() -> None:
    """Short ones all have great values: among the long ones a middling value is the greatest."""
    others = np.concatenate([np.full(300, 9.0), np.linspace(0, 1, 300)])
    sizes = np.repeat([10, 10_000], 300)

    assert ranks_among(np.array([2.0]), np.array([9_000]), others, sizes)[0] == pytest.approx(1 / 301)
    assert ranks_among(np.array([2.0]), np.array([11]), others, sizes)[0] == 1.0
