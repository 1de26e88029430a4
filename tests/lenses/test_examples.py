"""A symbol in its sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.lenses.style.examples import REACH, sentence


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
