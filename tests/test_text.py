"""Nothing that acts on a terminal passes `visible`."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.text import visible

EVERYTHING = [chr(code) for code in range(0x110000)]


def test_no_character_that_acts_is_left():
    """All code points: no control, surrogate or line separator, and of the format characters only the joiners."""
    left = {
        c for c in visible("".join(EVERYTHING)) if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }

    assert left == {"\u200c", "\u200d"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\nb\tc\r", "a⏎b→c␍"),
        ("\x9b31m", "\ufffd31m"),
        ("\u202eevil", "⟨U+202E⟩evil"),
        ("\ud800", "\ufffd"),
        ("👩\u200d👩", "👩\u200d👩"),
        ("plain [/] text", "plain [/] text"),
    ],
)
def test_known_strings(text, expected):
    assert visible(text) == expected


@given(st.text(st.characters(codec=None)))
def test_it_is_idempotent_and_encodable_and_hides_nothing(text):
    shown = visible(text)

    assert visible(shown) == shown
    assert shown.encode("utf-8").decode() == shown
    assert len(shown) >= len(text)
