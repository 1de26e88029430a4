"""A symbol in its sentence, and where it stands in several replies."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.lenses.style import StyleOptions
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.lenses.style.examples import REACH, context, find_contexts, find_example, sentence

from .make import APART, make_results


@pytest.mark.parametrize(
    ("text", "symbol", "expected"),
    [
        ("First one. Then delve here! Last.", " delve", "Then delve here!"),
        ("No end here delve", "delve", "No end here delve"),
        ("One line\nwith delve\nand more", "delve", "with delve"),
        ("说实话。我觉得很好。", "觉得", "我觉得很好。"),
        ("Version 1.2 of delve.", "delve", "Version 1.2 of delve."),
    ],
)
def test_the_sentence_that_holds_the_symbol(text, symbol, expected):
    start = text.index(symbol)
    assert sentence(text, start, start + len(symbol))[0] == expected


def test_a_long_sentence_is_cut_between_words():
    text = "word " * 60 + "delve" + " word" * 60
    found, (start, end) = sentence(text, 300, 305)

    assert found[start:end] == "delve"
    assert found.startswith("…word")
    assert found.endswith("word…")


@given(st.text(st.sampled_from("ab .!?\n说。"), min_size=1, max_size=400), st.data())
def test_the_span_is_where_the_symbol_stands(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found, (low, high) = sentence(text, start, end)

    assert found[low:high] == text[start:end]
    assert len(found) <= end - start + 2 * REACH + 2


def evidence_of(results):
    return gather_evidence(results, StyleOptions(threshold=0.01))


def rows_with(evidence, word):
    """Return the id of a word and the rows whose text holds it."""
    identifier = next(i for i in evidence.vocabulary.tolist() if evidence.facet.symbol(i) == f" {word}")
    counts = evidence.counts
    entries = np.flatnonzero(counts.symbols == identifier)
    return identifier, np.unique(np.searchsorted(counts.starts, entries, side="right") - 1)


def test_contexts_are_places_of_the_symbol_in_replies_to_different_prompts():
    evidence = evidence_of(make_results(APART, samples=2))
    identifier, rows = rows_with(evidence, "delve")
    found = find_contexts(evidence, rows, identifier, 5)

    assert len({context.prompt for context in found}) == len(found) == 5
    given_texts = {(reply.model, reply.prompt): [] for reply in evidence.replies}
    for reply in evidence.replies:
        given_texts[reply.model, reply.prompt].append(reply.text)
    for place in found:
        assert place.text[place.start : place.end] == " delve"
        assert any(place.text in text for text in given_texts[place.model, place.prompt])
        assert place.start <= REACH
        assert len(place.text) - place.end <= REACH


def test_contexts_are_nobodys_choice():
    """The order of the rows does not show, the first is where the example is, and models take turns."""
    evidence = evidence_of(
        make_results({"one": ("delve", 0.2), "two": ("delve", 0.2), "three": ("delve", 0.2)})
    )
    identifier, rows = rows_with(evidence, "delve")
    found = find_contexts(evidence, rows, identifier, 6)
    sentence_of_first, _ = find_example(evidence, rows, identifier)

    assert found == find_contexts(evidence, rows[::-1].copy(), identifier, 6)
    assert (
        found[0].text.strip() in sentence_of_first.replace("…", "")
        or sentence_of_first.strip("….") in found[0].text
    )
    assert sorted(Counter(context.model for context in found).values()) == [2, 2, 2]


def test_the_example_is_from_the_first_prompt_by_its_hash_however_many_hold_the_symbol():
    evidence = evidence_of(make_results(APART, prompts=60, samples=2))
    identifier, rows = rows_with(evidence, "delve")
    ranks = evidence.ranks[evidence.counts.prompt[rows]]
    first = min(zip(ranks.tolist(), rows.tolist(), strict=True))[1]

    assert len(set(ranks.tolist())) > 24
    assert find_example(evidence, rows, identifier) == sentence(
        evidence.texts[first], *evidence.facet.locate(evidence.texts[first], identifier)
    )
    found = [context.prompt for context in find_contexts(evidence, rows, identifier, 2)]
    hashed = sorted({(rank, evidence.replies[row].prompt) for rank, row in zip(ranks, rows, strict=True)})
    assert found == [prompt for _, prompt in hashed[:2]]


@pytest.mark.parametrize("most", [0, 1, 3])
def test_at_most_as_many_contexts_as_asked_for(most):
    evidence = evidence_of(make_results(APART))
    identifier, rows = rows_with(evidence, "delve")

    assert len(find_contexts(evidence, rows, identifier, most)) == most
    assert find_contexts(evidence, rows[:0], identifier, most) == []
    assert len(find_contexts(evidence, rows[:1], identifier, most)) == min(most, 1)


@given(st.text(st.sampled_from("ab .!?\n说。"), min_size=1, max_size=400), st.data())
def test_a_context_is_part_of_the_text_and_cut_between_words(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found, (low, high) = context(text, start, end)

    assert found[low:high] == text[start:end]
    assert text[start - low :].startswith(found)
    assert len(found) <= end - start + 2 * REACH
