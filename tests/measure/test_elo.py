from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.measure.elo import elo
from tests.rankings import SETS, battle_set


@pytest.mark.parametrize("name", SETS)
def test_ratings_agree_with_independent_code(shared, name):
    battles = battle_set(shared, name)

    found = elo(battles.first, battles.second, battles.result, len(battles.models))

    assert np.abs(found - battles.scores("elo_k32")).max() < 1e-6


def test_one_win_between_equals_moves_half_of_k():
    assert elo(np.array([0]), np.array([1]), np.array([1.0]), 3).tolist() == [1516.0, 1484.0, 1500.0]


def test_a_draw_between_equals_moves_nothing_and_a_draw_with_a_better_one_gains():
    assert elo(np.array([0]), np.array([1]), np.array([0.5]), 2).tolist() == [1500.0, 1500.0]

    first, second = np.array([0, 1]), np.array([1, 0])
    ratings = elo(first, second, np.array([1.0, 0.5]), 2)

    assert 1484.0 < ratings[1] < 1500.0


def test_no_battles_leave_everybody_at_the_start():
    none = np.empty(0, np.int64)

    assert elo(none, none, np.empty(0), 2, start=1000.0).tolist() == [1000.0, 1000.0]


BATTLES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=60
)


@settings(max_examples=60, deadline=None)
@given(BATTLES)
def test_the_sum_of_the_ratings_stays_and_sides_do_not_matter(rows):
    first = np.array([a for a, _, _ in rows])
    second = np.array([(a + step) % 5 for a, step, _ in rows])
    result = np.array([won for _, _, won in rows])

    ratings = elo(first, second, result, 5)

    assert ratings.sum() == pytest.approx(5 * 1500.0)
    assert elo(second, first, 1.0 - result, 5) == pytest.approx(ratings)
