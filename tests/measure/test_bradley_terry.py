from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.measure import bradley_terry
from stylekl.measure.bradley_terry import count_wins, fit, fit_many, gradient, with_pseudo
from tests.rankings import SETS, battle_set

STRICT = np.triu(np.full((10, 10), 300.0), 1)


def matrices(battles):
    """The wins of a set, half a win each way for every draw, and who met."""
    size = len(battles.models)
    wins = count_wins(*battles.decided, size)
    drawn = battles.result == 0.5
    halves = count_wins(battles.first[drawn], battles.second[drawn], size, 0.5)
    halves = halves + halves.T
    return wins, halves, (wins + wins.T + halves) > 0


@pytest.mark.parametrize("name", SETS)
def test_every_variant_agrees_with_independent_code(shared, name):
    battles = battle_set(shared, name)
    wins, halves, met = matrices(battles)
    variants = {
        "bt_decided_only": wins,
        "bt_ties_half": wins + halves,
        "bt_decided_pseudo01_all_pairings": with_pseudo(wins),
        "bt_decided_pseudo01_fought_pairings": with_pseudo(wins, met=met),
        "bt_ties_half_pseudo01_all_pairings": with_pseudo(wins + halves),
    }

    for variant, counted in variants.items():
        found = fit(counted)

        assert np.abs(found.scores - battles.scores(variant)).max() < 1e-6, variant
        assert found.gradient < 1e-8, variant
        assert found.scores.mean() == pytest.approx(1500.0)


def test_a_strict_order_is_refused_without_pseudo_wins():
    found = fit(STRICT)

    assert not found.scoreable.any()
    assert np.isnan(found.scores).all()


def test_a_strict_order_with_pseudo_wins_reaches_its_optimum_at_once():
    """Plain minorisation-maximisation is a point away after 87,000 iterations."""
    wins = with_pseudo(STRICT)
    start = time.process_time()
    found = fit(wins)
    spent = time.process_time() - start

    assert found.gradient < 1e-8
    assert np.abs(gradient(wins, found.scores)).max() < 1e-8
    assert (np.diff(found.scores) < 0).all()
    assert found.scores + found.scores[::-1] == pytest.approx(np.full(10, 3000.0))
    assert spent < 0.1


def test_two_models_stand_where_the_odds_put_them():
    found = fit(np.array([[0.0, 30.0], [10.0, 0.0]]))

    assert found.scores[0] - found.scores[1] == pytest.approx(400 * np.log10(3.0))


def test_a_hundred_points_are_sixty_four_per_cent():
    assert bradley_terry.chance(100.0) == pytest.approx(0.64, abs=0.001)
    assert bradley_terry.chance(1e9) == 1.0


def test_models_outside_the_connected_part_have_no_score_and_move_none():
    """A and B beat each other, nobody beats C, and D beats nobody."""
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0] = 3.0, 1.0
    wins[2, :2] = 5.0
    wins[:3, 3] = 2.0
    found = fit(wins)

    assert found.scoreable.tolist() == [True, True, False, False]
    assert np.isnan(found.scores[2:]).all()
    assert found.scores[0] - found.scores[1] == pytest.approx(400 * np.log10(3.0))


def test_of_two_parts_as_large_none_is_scored():
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 1.0

    assert not fit(wins).scoreable.any()


def test_a_model_alone_has_no_score():
    assert np.isnan(fit(np.zeros((1, 1))).scores).all()
    assert fit(np.zeros((0, 0))).scores.shape == (0,)


def test_battles_of_a_model_with_itself_count_for_nothing():
    wins = np.array([[7.0, 3.0], [1.0, 9.0]])

    assert fit(wins).scores == pytest.approx(fit(np.array([[0.0, 3.0], [1.0, 0.0]])).scores)


def test_resamples_are_fitted_as_each_alone():
    random = np.random.default_rng(3)
    wins = with_pseudo(random.poisson(2.0, (40, 6, 6)).astype(float))
    together = fit_many(wins, np.full(6, 1500.0))
    alone = np.stack([fit(each).scores for each in wins])

    assert together == pytest.approx(alone, abs=1e-6)


WINS = st.integers(2, 6).flatmap(
    lambda size: st.lists(st.integers(0, 2000), min_size=size * size, max_size=size * size).map(
        lambda cells: np.array(cells, float).reshape(size, size)
    )
)


@settings(max_examples=60, deadline=None)
@given(WINS)
def test_at_the_answer_every_model_has_the_wins_that_its_score_expects(wins):
    counted = with_pseudo(wins)
    found = fit(counted)
    off = counted * ~np.eye(len(wins), dtype=bool)
    gaps = found.scores[:, None] - found.scores[None, :]
    expected = ((off + off.T) / (1.0 + 10.0 ** (-gaps / 400.0))).sum(axis=1)

    assert expected == pytest.approx(off.sum(axis=1), abs=1e-6)
    assert found.gradient < 1e-8


@settings(max_examples=60, deadline=None)
@given(WINS, st.randoms(use_true_random=False))
def test_the_order_of_the_models_does_not_matter(wins, random):
    order = list(range(len(wins)))
    random.shuffle(order)

    assert fit(with_pseudo(wins)[np.ix_(order, order)]).scores == pytest.approx(
        fit(with_pseudo(wins)).scores[order], abs=1e-6
    )
