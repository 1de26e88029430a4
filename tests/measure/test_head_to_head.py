from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.measure import bradley_terry
from stylekl.measure.head_to_head import (
    bootstrap,
    count_units,
    effective,
    interval,
    sign_p,
    wilson,
)
from tests.rankings import battle_set


def test_bootstrap_ends_agree_with_independent_code(shared):
    battles = battle_set(shared, "llmfao_crowd")
    decided = battles.result != 0.5
    units = int(battles.session.max()) + 1
    counts = count_units(battles.session[decided], *battles.decided, len(battles.models), units)
    scores = bradley_terry.fit(bradley_terry.with_pseudo(counts.total())).scores
    low, high = interval(bootstrap(counts, scores))
    expected = battles.expected["bootstrap"]

    assert counts.units == 124
    for found, ends in ((low, expected["low"]), (high, expected["high"])):
        assert np.abs(found - [ends[model] for model in battles.models]).max() < 20


@pytest.mark.parametrize("name", ["evalica_food", "baseball_1987", "llmfao_crowd"])
def test_counts_agree_with_the_published_records(shared, name):
    battles = battle_set(shared, name)
    wins = bradley_terry.count_wins(*battles.decided, len(battles.models))
    place = {model: i for i, model in enumerate(battles.models)}
    for pair, record in battles.expected["head_to_head"].items():
        a, b = (place[model] for model in pair.split(" || "))
        assert (wins[a, b], wins[b, a]) == (record["first_wins"], record["second_wins"])


def fights(seed: int, units: int, rows: int):
    random = np.random.default_rng(seed)
    winner = random.integers(0, 5, rows)
    return random.integers(0, units, rows), winner, (winner + random.integers(1, 5, rows)) % 5


@pytest.mark.parametrize(("units", "rows"), [(40, 300), (4000, 300), (300, 300)])
def test_a_resample_is_the_sum_of_its_units(units, rows):
    """Whether units of the same content are drawn together or one by one."""
    unit, winner, loser = fights(1, units, rows)
    counts = count_units(unit, winner, loser, 5, units)
    resamples = np.concatenate(list(counts.resampled(3000, seed=4)))

    assert counts.units == units
    assert (counts.total() == bradley_terry.count_wins(winner, loser, 5)).all()
    assert (resamples == np.round(resamples)).all()
    # mean and variance of a sum of units drawn with replacement
    own = np.zeros((units, 25))
    np.add.at(own, (unit, winner * 5 + loser), 1.0)
    mean, spread = own.sum(axis=0).reshape(5, 5), np.sqrt(units * own.var(axis=0)).reshape(5, 5)
    assert np.abs(resamples.mean(axis=0) - mean).max() < 5 * spread.max() / math.sqrt(3000)
    seen = spread > 0
    assert (resamples.std(axis=0)[seen] / spread[seen]) == pytest.approx(np.ones(seen.sum()), rel=0.1)


def test_one_seed_gives_the_same_resamples_and_another_does_not():
    counts = count_units(*fights(2, 30, 200), 5, 30)
    scores = bradley_terry.fit(bradley_terry.with_pseudo(counts.total())).scores
    one, same, other = (bootstrap(counts, scores, resamples=50, seed=seed) for seed in (1, 1, 2))

    assert (one == same).all()
    assert not (one == other).all()


def test_without_pseudo_wins_a_resample_that_is_not_connected_has_no_score():
    unit = np.arange(6)
    winner, loser = np.array([0, 0, 0, 0, 0, 1]), np.array([1, 1, 1, 1, 1, 0])
    counts = count_units(unit, winner, loser, 2, 6)
    scores = bradley_terry.fit(counts.total()).scores
    found = bootstrap(counts, scores, pseudo=0.0, resamples=200)

    assert np.isnan(found).all(axis=1).any()
    assert not np.isnan(found).all()


def test_weights_are_kept():
    counts = count_units(
        np.array([0, 0]), np.array([0, 1]), np.array([1, 0]), 2, 1, weight=np.array([0.5, 0.5])
    )

    assert counts.total().tolist() == [[0.0, 0.5], [0.5, 0.0]]


def test_wilson_interval_of_a_known_case():
    """8 of 10, as in any textbook."""
    assert wilson(0.8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0.5, 0) == (0.0, 1.0)


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1), st.integers(1, 10_000))
def test_a_share_lies_in_its_interval(share, number):
    low, high = wilson(share, number)

    assert 0.0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1.0


def test_fights_of_one_unit_count_once_where_they_always_agree():
    won, lost = np.array([4.0, 0, 4, 0, 4, 0, 4, 0]), np.array([0.0, 4, 0, 4, 0, 4, 0, 4])

    assert effective(won, lost) == pytest.approx(8.0, rel=0.15)
    assert effective(np.ones(8), np.zeros(8)) == 8.0
    assert effective(won * 0 + 1, lost * 0 + 1) == 16.0  # they vary less than chance: no bonus


def enumerated(differences: list[int]) -> float:
    observed = abs(sum(differences))
    signed = itertools.product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in signed]
    return sum(each >= observed for each in sums) / len(sums)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_the_sign_test_goes_through_all_signs(differences):
    assert sign_p(np.array(differences)) == pytest.approx(enumerated(differences))


def test_the_curve_takes_over_where_the_sums_are_large():
    exact, curve = np.ones(4000, int), np.ones(4001, int)
    exact[:1900] = curve[:1900] = -1

    assert sign_p(exact) == pytest.approx(sign_p(curve), rel=0.1)
    assert sign_p(np.zeros(5, int)) == 1.0
