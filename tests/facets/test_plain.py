"""What `--plain` leaves of a reply."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.facets.plain import plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "## A heading\n\nSome **bold** and *italic* and `code`.",
            "A heading Some bold and italic and code.",
        ),
        ("- one\n- two\n  1. nested", "one two nested"),
        ("> quoted\n> twice", "quoted twice"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a b 1 2"),
        ("```python\nx = 1\n```", "x = 1"),
        ("See [the page](http://example.org) and ![a picture](x.png).", "See the page and a picture."),
        ("before\n\n---\n\nafter", "before after"),
        ("snake_case stays, _so_ goes", "snake_case stays, so goes"),
        ("2 * 3 is 6 - or 7", "2 3 is 6 - or 7"),
        ("它**很**好\n- 一", "它很好 一"),
    ],
)
def test_markers_go_and_words_stay(text, expected):
    assert plain(text) == expected


@given(st.text(st.sampled_from("ab 12.,!'\n"), max_size=60))
def test_words_of_text_without_markers_stay(text):
    letters = [c for c in text if c in "ab"]
    assert [c for c in plain(text) if c in "ab"] == letters


@given(st.text(max_size=80))
def test_the_result_is_one_line_without_double_spaces(text):
    assert plain(text) == " ".join(plain(text).split())
