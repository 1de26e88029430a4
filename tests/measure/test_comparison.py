"""Comparisons against a slow version that follows the definitions reply by reply."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.counts.pooling import pooled
from stylekl.measure import sides
from stylekl.measure.comparison import compare, fold
from stylekl.measure.kinship import kinship
from stylekl.measure.units import FEW_PROMPTS, deal, slots_of
from stylekl.measure.vocabulary import coverage, sizes, style_vocabulary
from tests.measure.strategies import (
    files,
    make_counts,
    plain_distribution,
    plain_jensen_shannon,
    plain_skewed_kl,
)


def plain_comparison(counts, a, b, vocabulary, ranks):
    """Return the plug-in and the leave-a-group-out divergences of two models, from the definitions."""
    samples = counts.samples()
    units = deal(slots_of(samples[a], samples[b]), ranks)
    values = []
    for left_out in range(-1, units.groups):
        sides = []
        for model in (a, b):
            keep = {
                (prompt, sample)
                for prompt in range(counts.prompts)
                if units.slots[prompt]
                for sample in range(samples[model, prompt])
                if units.group[units.first[prompt] + sample % units.slots[prompt]] != left_out
            }
            sides.append(plain_distribution(counts, model, vocabulary, keep) if keep else None)
        values.append(sides)
    return units, values


@settings(max_examples=60, deadline=None)
@given(files(), st.permutations(range(14)))
def test_divergences_and_replicates_equal_the_plain_version(counts, ranks):
    vocabulary, ranks = np.array([0, 2, 3, 5]), np.array(ranks[: counts.prompts]).argsort()
    found, _ = compare(counts, vocabulary, ranks, skew=0.99)
    samples = counts.samples()

    expected = [
        (a, b) for a, b in combinations(range(counts.models), 2) if slots_of(samples[a], samples[b]).any()
    ]
    assert [(comparison.a, comparison.b) for comparison in found] == expected
    for comparison in found:
        units, values = plain_comparison(counts, comparison.a, comparison.b, vocabulary.tolist(), ranks)
        assert comparison.units.group.tolist() == units.group.tolist()
        for index, (p, q) in enumerate(values):
            if p is None or q is None or comparison.kept is not None:
                continue
            assert comparison.kl_ab[index] == pytest.approx(plain_skewed_kl(p, q, 0.99), abs=1e-9)
            assert comparison.kl_ba[index] == pytest.approx(plain_skewed_kl(q, p, 0.99), abs=1e-9)
            assert comparison.js[index] == pytest.approx(plain_jensen_shannon(p, q), abs=1e-9)


def speak(rng, model, prompts, favourite):
    """Return replies that say `favourite` more than the other symbols."""
    weights = np.ones(6) + 2 * (np.arange(6) == favourite)
    return [
        (model, prompt, rng.choice(6, 30, p=weights / weights.sum()).tolist()) for prompt in range(prompts)
    ]


def test_another_model_does_not_change_a_pair():
    rng = np.random.default_rng(0)
    two = speak(rng, 0, 30, 1) + speak(rng, 1, 30, 2)
    three = two + speak(rng, 2, 30, 4)[:17]
    vocabulary, ranks = np.arange(5), np.arange(30)

    small = compare(make_counts(two, models=2, prompts=30, limit=8), vocabulary, ranks, skew=0.99)[0][0]
    large = compare(make_counts(three, models=3, prompts=30, limit=8), vocabulary, ranks, skew=0.99)[0][0]

    assert np.array_equal(small.kl_ab, large.kl_ab)
    assert small.p == large.p


def test_swapping_the_models_swaps_the_directions_and_nothing_else():
    rng = np.random.default_rng(1)
    first, second = speak(rng, 0, 25, 1), speak(rng, 1, 25, 1)
    swapped = [(1 - model, *rest) for model, *rest in second + first]
    vocabulary, ranks = np.arange(5), np.arange(25)

    there = compare(make_counts(first + second, models=2, prompts=25, limit=8), vocabulary, ranks, skew=0.99)[
        0
    ][0]
    back = compare(make_counts(swapped, models=2, prompts=25, limit=8), vocabulary, ranks, skew=0.99)[0][0]

    assert np.array_equal(there.kl_ab, back.kl_ba)
    assert np.array_equal(there.js, back.js)
    assert there.p == back.p


def test_wanted_pairs_have_the_same_numbers_and_all_pairs_their_p():
    rng = np.random.default_rng(2)
    counts = make_counts(
        [reply for model in range(3) for reply in speak(rng, model, 25, model)], models=3, prompts=25, limit=8
    )
    everything, p = compare(counts, np.arange(5), np.arange(25), skew=0.99)
    one, p_again = compare(counts, np.arange(5), np.arange(25), skew=0.99, wanted=[(0, 2)])

    assert len(one) == 1
    assert p == p_again
    assert np.array_equal(one[0].kl_ab, everything[1].kl_ab)


def test_below_six_units_there_is_no_p():
    counts = make_counts(
        [(m, p, [m, 1, 2]) for m in range(2) for p in range(5)], models=2, prompts=5, limit=4
    )

    assert np.isnan(compare(counts, np.array([1]), np.arange(5), skew=0.99)[1][0, 1])


def test_models_without_a_common_prompt_are_not_compared():
    counts = make_counts([(0, 0, [1]), (1, 1, [1])], models=2, prompts=2, limit=4)

    assert compare(counts, np.array([1]), np.arange(2), skew=0.99) == ([], {})


def test_rare_symbols_are_folded_where_lengths_differ_threefold():
    rng = np.random.default_rng(3)
    short = [(0, p, rng.choice(6, 8, p=[0.5, 0.3, 0.1, 0.05, 0.04, 0.01]).tolist()) for p in range(30)]
    long = [(1, p, rng.choice(6, 80, p=[0.5, 0.3, 0.1, 0.05, 0.04, 0.01]).tolist()) for p in range(30)]
    counts = make_counts(short + long, models=2, prompts=30, limit=8)

    (comparison,), _ = compare(counts, np.arange(6), np.arange(30), skew=0.99)

    assert comparison.kept.tolist() == [True, True, True, False, False, False]


def test_folding_moves_mass_and_loses_none():
    p = np.array([0.5, 0.2, 0.2, 0.1])

    assert fold(p, np.array([True, False, True])).tolist() == pytest.approx([0.5, 0, 0.2, 0.3])
    assert fold(p, None) is p


@settings(deadline=None)
@given(files(), st.randoms(use_true_random=False))
def test_replies_put_together_by_prompt_weigh_what_they_weigh_apart(counts, random):
    """And as many replies hold each symbol."""
    ranks = np.array(random.sample(range(counts.prompts), counts.prompts), np.int64)
    slots = np.minimum(slots_of(*counts.samples()[:2]), 1)
    if not slots.any():
        return
    units = deal(slots, ranks)
    found = sides.entries(counts, np.arange(4), 1)
    joined = sides.Side(found, 0, units)
    plain = sides.Side(replace(found, pooled=counts), 0, units)

    np.testing.assert_allclose(joined.replicates, plain.replicates, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(joined.rates, plain.rates, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(joined.holding, plain.holding)
    assert (joined.replies, joined.length) == (plain.replies, plain.length)


@settings(deadline=None)
@given(files(), st.randoms(use_true_random=False))
def test_pooled_counts_give_the_same_bits_as_those_of_single_replies(counts, random):
    """In one thread and in two: the comparisons, the vocabulary, its coverage and kinship."""
    ranks = np.array(random.sample(range(counts.prompts), counts.prompts), np.int64)
    if sizes(counts)[0] < FEW_PROMPTS:
        return
    together = pooled(counts)
    vocabulary = style_vocabulary(counts, 0.02)

    np.testing.assert_array_equal(vocabulary, style_vocabulary(together, 0.02))
    assert coverage(counts, np.arange(4)) == coverage(together, np.arange(4))
    slots = [slots_of(*pair) for pair in combinations(counts.samples(), 2)]
    if all(slot.max(initial=0) <= 1 for slot in slots):
        (one, p), (two, q) = (
            compare(each, np.arange(4), ranks, skew=0.99, processes=threads)
            for each, threads in ((counts, 1), (together, 2))
        )
        assert repr(p) == repr(q)
        for first, second in zip(one, two, strict=True):
            for name in ("kl_ab", "kl_ba", "js", "length_ratio"):
                np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    one_kin, two_kin = kinship(counts, ranks), kinship(together, ranks, 2)
    assert (one_kin is None) == (two_kin is None)
    if one_kin is not None and two_kin is not None:
        np.testing.assert_array_equal(one_kin.replicates, two_kin.replicates)
