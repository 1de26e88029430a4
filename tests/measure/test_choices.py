"""The kernels of the choices lens: the rules of orders, envelopes and majorities, the distances and the tests."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stylekl.measure import choices as m

OUTCOMES = st.integers(m.NOT_ASKED, m.ERROR)


def joined(ab: int, ba: int) -> int:
    return int(m.pair_outcomes(np.array([ab], np.int8), np.array([ba], np.int8))[0])


def test_the_pair_rules(shared) -> None:
    rules = json.loads((shared / "reference" / "answers" / "answers.json").read_text())["pair_rule"]
    code = {"freedom": m.CHOSE_A, "censor": m.CHOSE_B, "none": m.NO_CHOICE, None: m.NOT_ASKED}

    found = [joined(code[rule["ab"]], code[rule["ba"]]) for rule in rules]

    # both, both, either slot twice, one reply without a choice, neither, and what is missing: apart from none
    assert found == [
        *(m.CHOSE_A, m.CHOSE_B, m.ORDER_BIAS, m.ORDER_BIAS, m.ONE_SIDED, m.NO_CHOICE, m.NOT_ASKED),
    ]
    assert [rule["expect"] for rule in rules] == ["freedom", "censor"] + ["none"] * 5


def test_the_majority_rules(shared) -> None:
    rules = json.loads((shared / "reference" / "answers" / "answers.json").read_text())["majority_rule"]
    a, b, none = (np.array([rule[key] for rule in rules]) for key in ("a", "b", "none"))

    found = m.majority(a, b, a + b + none)

    assert [{0: "a", 1: "b", 2: "none"}[int(each)] for each in found] == [rule["expect"] for rule in rules]


@pytest.mark.parametrize(
    ("ab", "ba", "outcome"),
    [
        (m.CHOSE_A, m.REFUSED, m.ONE_SIDED),
        (m.EMPTY, m.CHOSE_B, m.ONE_SIDED),
        (m.CHOSE_A, m.ERROR, m.ERROR),
        (m.REFUSED, m.REFUSED, m.REFUSED),
        (m.NO_CHOICE, m.REFUSED, m.REFUSED),
        (m.BOTH, m.NO_CHOICE, m.BOTH),
        (m.EMPTY, m.NO_CHOICE, m.NO_CHOICE),
        (m.EMPTY, m.EMPTY, m.EMPTY),
        (m.ERROR, m.REFUSED, m.ERROR),
        (m.CHOSE_A, m.NOT_ASKED, m.NOT_ASKED),
    ],
)
def test_what_two_orders_come_to(ab: int, ba: int, outcome: int) -> None:
    assert joined(ab, ba) == joined(ba, ab) == outcome


@given(OUTCOMES, OUTCOMES)
def test_a_real_preference_is_the_same_word_twice_and_nothing_else(ab: int, ba: int) -> None:
    found = joined(ab, ba)

    assert (found in (m.CHOSE_A, m.CHOSE_B)) == (ab == ba and ab in (m.CHOSE_A, m.CHOSE_B))
    assert found == joined(ba, ab)
    assert (found == m.ORDER_BIAS) == ({ab, ba} == {m.CHOSE_A, m.CHOSE_B})


@pytest.mark.parametrize(
    ("samples", "outcome"),
    [
        ("aaabb", m.CHOSE_A),
        ("aab", m.CHOSE_A),
        ("aabb", m.NO_CHOICE),
        ("aarrr", m.REFUSED),
        ("aar!", m.CHOSE_A),
        ("aarr", m.REFUSED),
        ("!!!", m.ERROR),
        ("", m.NOT_ASKED),
        ("rn", m.REFUSED),
        ("enn", m.NO_CHOICE),
        ("aabbr", m.REFUSED),
        ("a", m.CHOSE_A),
    ],
)
def test_what_the_samples_of_an_order_come_to(samples: str, outcome: int) -> None:
    letters = "abnxre!"
    counts = np.array([[samples.count(letter) for letter in letters]])

    assert int(m.order_picks(counts)[0]) == outcome


def test_the_p_of_a_subset_is_fishers_and_that_of_a_simulation() -> None:
    """One set: 3 marked of 8, all 3 among 4 drawn: 5/70. Several sets: as often as in 100,000 draws."""
    assert m.subset_p(np.array([8]), np.array([3]), np.array([4]), 3) == pytest.approx(5 / 70)
    assert m.subset_p(np.array([8]), np.array([0]), np.array([4]), 0) == pytest.approx(1)

    size, marked, drawn = np.array([8, 12, 5]), np.array([3, 2, 1]), np.array([4, 3, 1])
    chance = np.random.default_rng(5)
    simulated = sum(
        chance.hypergeometric(k, n - k, d, 100_000) for n, k, d in zip(size, marked, drawn, strict=True)
    )
    assert m.subset_p(size, marked, drawn, 3) == pytest.approx(np.mean(simulated >= 3), abs=0.005)


def naive_hamming(x: np.ndarray, y: np.ndarray) -> tuple[int, int, int]:
    both = [(a, b) for a, b in zip(x, y, strict=True) if a >= 0 and b >= 0]
    differ = sum(a != b for a, b in both)
    return len(both), differ, sum({a, b} == {0, 1} for a, b in both)


@given(arrays(np.int8, st.tuples(st.integers(1, 5), st.integers(0, 8)), elements=st.integers(-1, 2)))
def test_distances_are_those_of_the_plain_definition(prints: np.ndarray) -> None:
    common, differ, opposite = m.agreement(prints)

    for i, j in product(range(len(prints)), repeat=2):
        assert (common[i, j], differ[i, j], opposite[i, j]) == naive_hamming(prints[i], prints[j])


@given(st.lists(st.integers(-6, 6), max_size=9))
def test_the_p_of_signs_is_that_of_enumeration(values: list[int]) -> None:
    observed = abs(sum(values))
    sums = [
        abs(sum(s * v for s, v in zip(signs, values, strict=True)))
        for signs in product((1, -1), repeat=len(values))
    ]

    assert m.sign_p(np.array(values, np.int64)) == pytest.approx(np.mean([each >= observed for each in sums]))


def test_consistency_is_not_claimed_where_one_responder_gave_both() -> None:
    """With two draws of one responder p is below .05 in at most about 5 % of comparisons."""
    chance = np.random.default_rng(7)
    taste = chance.random((20, 1)) * np.ones((1, 20))

    def drawn() -> np.ndarray:
        return np.where(chance.random((4000, 20, 20)) < taste, 1, -1).astype(np.int8)

    p = m.consistent_p((drawn() - drawn()).astype(np.int8))

    for level in (0.5, 0.1, 0.05, 0.01):
        assert np.mean(p < level) == pytest.approx(level, rel=0.25)


def test_consistency_is_seen_where_two_differ_in_every_envelope() -> None:
    d = np.zeros((6, 20), np.int8)
    d[:3] = 2

    assert m.consistent_p(d) < 1e-6
    assert m.consistent_p(np.zeros((6, 20), np.int8)) == 1


def test_one_differing_envelope_a_pair_says_nothing() -> None:
    d = np.zeros((30, 20), np.int8)
    d[:, 0] = 2

    assert m.consistent_p(d) == 1


def test_wilson_known_values() -> None:
    """Newcombe (1998), table I: 81 of 263 is .2553 to .3662; 0 of 20 is 0 to .1611."""
    assert m.wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert m.wilson(0, 20) == pytest.approx((0, 0.1611), abs=5e-5)


def test_the_interval_of_a_clustered_share_covers_the_truth() -> None:
    """In 95 % of samples or more, whether the replies of a pair agree or not."""
    chance = np.random.default_rng(11)
    for spread in (0.5, 5.0, 500.0):
        inside = 0
        for _ in range(400):
            share = chance.beta(0.7 * spread, 0.3 * spread, 30)
            low, high = m.clustered_share(chance.binomial(40, share), np.full(30, 40))[1:3]
            inside += low <= 0.7 <= high
        assert inside / 400 > 0.93


def test_a_share_of_nothing_and_of_one_cluster_has_no_interval() -> None:
    assert np.isnan(m.clustered_share(np.array([0]), np.array([0]))[:3]).all()
    value, low, _, units = m.clustered_share(np.array([3]), np.array([4]))
    assert (value, units) == (0.75, 1)
    assert np.isnan(low)


def test_a_share_without_any_variation_rests_on_its_clusters() -> None:
    value, low, high, _ = m.clustered_share(np.full(10, 50), np.full(10, 50))

    assert (value, high) == (1.0, 1.0)
    assert 0.5 < low < 0.75  # as 10 of 10, not 500 of 500


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda e: e[0] != e[1]), max_size=15))
def test_triples_are_those_of_a_search_of_all(edges: set[tuple[int, int]]) -> None:
    listed = sorted(edges)
    found = m.triples(np.array([x for x, _ in listed], int), np.array([y for _, y in listed], int))

    slow = [
        (x, y, z)
        for x, y, z in product(range(6), repeat=3)
        if x < y and x < z and {(x, y), (y, z), (z, x)} <= edges
    ]
    assert found == slow
