"""Which class a symbol belongs to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.facets.classes import CLASSES, class_of


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        (" the", "function words"),
        ("It's", "function words"),
        ("’s", "function words"),
        (" delve", "content words"),
        ("Certainly", "content words"),
        (" 说", "content words"),
        ("的", "function words"),
        (" und", "function words"),
        (" się", "function words"),
        ("は", "function words"),
        (" 그리고", "function words"),
        (".", "punctuation"),
        (" —", "punctuation"),
        ("!", "punctuation"),
        ("。", "punctuation"),
        (".\n\n", "layout"),
        ("\n", "layout"),
        (" **", "layout"),
        ("###", "layout"),
        (" |", "layout"),
        ("  ", "layout"),
        (" 12", "numbers"),
        ("½", "numbers"),
        (" 😀", "emoji"),
        ("✨", "emoji"),
        ("©", "other"),
        ("\\xe2\\x80", "other"),
    ],
)
def test_known_symbols(symbol, expected):
    assert class_of(symbol) == expected


@given(st.text(max_size=8))
def test_every_symbol_has_one_of_the_classes(symbol):
    assert class_of(symbol) in CLASSES
