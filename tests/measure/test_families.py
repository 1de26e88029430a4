"""Families of hypotheses: who is selected, what holds within, and how often anything does where nothing should."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stylekl.measure.exchange import benjamini_hochberg
from stylekl.measure.families import LEVEL, Family, family_q, simes

chances = st.lists(st.floats(1e-12, 1.0), min_size=1, max_size=8)
families = st.lists(chances, min_size=1, max_size=6)


def q_of(lists: list[list[float]]) -> list[np.ndarray]:
    found = family_q([Family(str(place), np.array(p)) for place, p in enumerate(lists)])
    return [found[str(place)] for place in range(len(lists))]


def test_simes_of_known_values():
    """Of .01, .04 and .5 it is 3 × .01; of three equal ones it is that one."""
    assert np.isclose(simes(np.array([0.5, 0.01, 0.04])), 0.03)
    assert np.isclose(simes(np.full(3, 0.02)), 0.02)
    assert np.isclose(simes(np.array([np.nan, 0.02])), 0.02)
    assert np.isnan(simes(np.array([np.nan])))


@given(chances)
def test_families_of_one_are_one_list(p):
    assert np.allclose([q[0] for q in q_of([[each] for each in p])], benjamini_hochberg(np.array(p)))


@given(chances)
def test_one_family_is_one_list(p):
    assert np.allclose(q_of([p])[0], benjamini_hochberg(np.array(p)))


@given(families)
def test_what_is_rejected_is_what_the_two_steps_reject(lists):
    """Against the procedure as it is written down: select families, then go on within them at α·R/m."""
    selected = benjamini_hochberg(np.array([simes(np.array(p)) for p in lists])) < LEVEL
    level = LEVEL * selected.sum() / len(lists)

    for p, q, chosen in zip(lists, q_of(lists), selected, strict=True):
        by_hand = (benjamini_hochberg(np.array(p)) < level) & chosen
        near = np.abs(benjamini_hochberg(np.array(p)) - level) < 1e-12 * level

        assert ((q < LEVEL) == by_hand)[~near].all() or len(p) == 1
        assert (q >= np.array(p) * (1 - 1e-12)).all()
        assert not chosen or (q < LEVEL).any() or near.any()


@given(st.floats(1e-6, 1.0), chances)
def test_what_stands_under_a_hypothesis_is_no_surer_than_it(head, p):
    found = family_q([Family("head", np.array([head])), Family("under", np.array(p), "head")])

    assert np.isclose(found["head"][0], head)
    assert (found["under"] >= head * (1 - 1e-12)).all()
    assert np.allclose(found["under"], np.maximum(benjamini_hochberg(np.array(p)), head))


def test_what_stands_under_others_shares_their_selection():
    """One of two heads is selected, so what is under it is tested at half the level."""
    found = family_q(
        [
            Family("sure", np.array([1e-6])),
            Family("not", np.array([0.9])),
            Family("under", np.array([0.02]), "sure"),
        ]
    )

    assert np.isclose(found["under"][0], 0.04)


def test_what_was_not_tested_is_not_counted():
    found = family_q([Family("one", np.array([0.03])), Family("none", np.array([np.nan, np.nan]))])

    assert np.isclose(found["one"][0], 0.03)
    assert np.isnan(found["none"]).all()


def test_a_family_of_thousands_does_not_drown_one_of_one():
    rng = np.random.default_rng(1)
    found = family_q([Family("many", rng.uniform(size=5000)), Family("one", np.array([0.01]))])

    assert found["one"][0] < 0.03


def test_where_nothing_holds_anything_is_rejected_in_one_of_twenty():
    """Of 2,000 lists of families and families under them, all true."""
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(2000):
        made = [Family(str(n), rng.uniform(size=size)) for n, size in enumerate((1, 1, 1, 40, 3))]
        made.append(Family("under", rng.uniform(size=5), "0"))
        alarms += any((q < LEVEL).any() for q in family_q(made).values())

    assert 0.03 < alarms / 2000 < 0.065
