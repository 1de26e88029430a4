"""Identical long replies: those listed for a pair are those counted everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.facets.taking import LONG
from stylekl.lenses import style
from stylekl.lenses.style import StyleOptions
from stylekl.lenses.style.copies import QUOTED, copied
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.results import Model, Prompt, Reply, Results

LINE = "A long shared answer, word for word. "


def results_of(given_texts):
    """Return results from (model, prompt, text)."""
    models = sorted({model for model, _, _ in given_texts})
    prompts = sorted({prompt for _, prompt, _ in given_texts})
    results = Results(
        models=[Model(id=model) for model in models],
        prompts=[Prompt(id=prompt, text=f"Prompt {prompt}.") for prompt in prompts],
    )
    results.replies += [Reply(model=m, prompt=p, text=text) for m, p, text in given_texts]
    return results


LONGER = st.sampled_from(
    [LINE * 3, f" {LINE * 3}\n", LINE * 4, "Short.", "x" * (LONG - 1), "x" * LONG, "y" * 900]
)
REPLIES = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["p1", "p2", "p3"]), LONGER), max_size=20
)


@settings(deadline=None, max_examples=30)
@given(REPLIES)
def test_as_many_are_listed_as_are_counted(replies):
    """Each once, however many samples repeat it, the same from either side; the longest first."""
    evidence = gather_evidence(
        results_of([("a", "p0", "One."), ("b", "p0", "Two."), ("c", "p0", "3."), *replies]), StyleOptions()
    )
    counted = style.matrix(evidence.results, evidence=evidence).pairs

    for pair in counted:
        one, two = evidence.index[pair.a], evidence.index[pair.b]
        found = copied(evidence, one, two)
        assert len(found) == pair.copies
        assert found == copied(evidence, two, one)
        assert [copy.characters for copy in found] == sorted(
            (copy.characters for copy in found), reverse=True
        )
        for copy in found:
            assert copy.characters >= LONG
            assert copy.text == copy.text.strip()[:QUOTED]


@pytest.fixture(scope="module")
def shared():
    """Two models that share two long replies of eight, one of them under white space."""
    replies = [(model, f"p{i}", f"{model} says {i} in its own words.") for model in "ab" for i in range(6)]
    replies += [(model, "p6", LINE * 9) for model in "ab"]
    replies += [("a", "p7", f"\n{LINE * 5}"), ("b", "p7", f"{LINE * 5} \n")]
    return results_of(replies)


def test_a_pair_lists_what_both_replied(shared):
    """The prompt, the length, the first 200 characters; in the report of either order."""
    found = style.pair(shared, "a", "b").style

    assert [(copy.prompt, copy.characters) for copy in found.copied] == [
        ("p6", len((LINE * 9).strip())),
        ("p7", len((LINE * 5).strip())),
    ]
    assert found.copied[0].text == (LINE * 9)[:200]
    assert found.pair.copies == 2
    assert style.pair(shared, "b", "a").style.copied == found.copied


def test_without_text_the_copies_keep_their_lengths(shared):
    found = style.pair(shared, "a", "b", StyleOptions(text=False)).style.copied

    assert [copy.text for copy in found] == [None, None]
    assert found[0].characters > found[1].characters


def test_what_is_removed_before_counting_does_not_hide_a_copy(shared):
    assert len(style.pair(shared, "a", "b", StyleOptions(plain=True)).style.copied) == 2
