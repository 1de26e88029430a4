"""What is resampled: prompts, or replies where prompts are few."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stylekl.measure.units import deal, prompt_ranks, slots_of


def ones(count: int) -> np.ndarray:
    return np.ones(count, np.int64)


def test_forty_prompts_go_into_twenty_groups_of_two():
    units = deal(ones(40), np.arange(40))

    assert (units.kind, units.groups, units.exchange_groups) == ("prompt", 20, 20)
    assert np.bincount(units.group).tolist() == [2] * 20


def test_below_forty_prompts_each_is_a_group_and_the_exchange_has_twenty():
    units = deal(ones(39), np.arange(39))

    assert (units.groups, units.exchange_groups) == (39, 20)


def test_ten_prompts_are_units_however_often_they_were_answered():
    slots = slots_of(np.full(10, 7), np.full(10, 3))

    assert slots.tolist() == [1] * 10


def test_below_ten_prompts_replies_are_units_and_prompts_strata():
    slots = slots_of(np.array([10] * 5), np.array([10] * 5))
    units = deal(slots, np.arange(5))

    assert (units.kind, units.count, units.strata, units.groups) == ("reply", 50, 5, 20)
    assert units.degrees == 19


def test_no_group_takes_two_replies_of_one_prompt():
    units = deal(np.full(5, 10), np.arange(5))
    pairs = list(zip(units.stratum.tolist(), units.group.tolist(), strict=True))

    assert len(set(pairs)) == 50
    assert np.allclose(units.fractions, 0.1)


def test_a_prompt_that_one_model_lacks_gives_no_unit():
    assert slots_of(np.array([1, 0, 2]), np.array([1, 3, 0])).tolist() == [1, 0, 0]


@given(st.lists(st.text(max_size=5), min_size=1, max_size=30, unique=True), st.randoms())
def test_groups_follow_the_prompt_not_its_position(texts, random):
    shuffled = random.sample(texts, len(texts))
    group = dict(zip(texts, deal(ones(len(texts)), prompt_ranks(texts)).first.tolist(), strict=True))
    again = dict(zip(shuffled, deal(ones(len(texts)), prompt_ranks(shuffled)).first.tolist(), strict=True))

    assert group == again


@given(st.integers(2, 200))
def test_fractions_of_one_stratum_add_up_to_one(prompts):
    assert np.isclose(deal(ones(prompts), np.arange(prompts)).fractions.sum(), 1.0)
