"""Requirements 15, 19 and 20 for labels: cut, distinct, safe, aligned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from stylekl.show.labels import cut, pad, shorten, shown, symbol

from .factory import HOSTILE
from .output import acting

ANY = st.text(st.characters(codec=None), max_size=40)
SIMILAR = st.text("ab-\u4e00", min_size=1, max_size=14)


@given(st.lists(st.one_of(ANY, SIMILAR), max_size=30), st.integers(4, 24), st.booleans())
def test_no_two_labels_are_alike_or_too_wide(names, width, ascii_only):
    """Whatever the names, equal ones included, labels differ and fit."""
    labels = shorten(names, width, ascii_only)

    assert len(set(labels)) == len(names)
    assert all(cell_len(label) <= width for label in labels)
    assert not acting("".join(labels))


def test_a_cut_name_ends_in_an_ellipsis_and_keeps_its_beginning():
    """A name that fits stays as it is."""
    assert shorten(["Llama 4 Maverick", "GLM-5"], 10) == ["Llama 4 M…", "GLM-5"]


def test_names_alike_up_to_the_cut_show_where_they_differ():
    """The part behind the common stem is kept."""
    assert shorten(["Qwen2.5-72B-Instruct", "Qwen2.5-7B-Instruct"], 10) == ["Qw~72B-In…", "Qw~7B-Ins…"]

    labels = shorten(["vicuna-13b-v1.5", "vicuna-13b-v1.5-togetherai"], 12)

    assert labels[0] == "vicuna-13b-…"
    assert labels[1].endswith("…")
    assert "-to" in labels[1]


def test_ascii_labels_are_ascii():
    """Names that ASCII cannot write show as escapes, and stay distinct."""
    labels = shorten(["文心一言", "说实话", "café"], 12, ascii_only=True)

    assert all(label.isascii() for label in labels)
    assert labels[2] == "caf\\xe9"


@given(ANY, st.integers(0, 20))
def test_cut_and_pad_count_cells(text, width):
    """A cut never exceeds the width; a padded cut fills it."""
    part = cut(shown(text), width)

    assert cell_len(part) <= width
    assert cell_len(pad("x" * min(width, 3), width)) == width


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_acts_is_shown(text):
    """Controls, surrogates and format characters only show."""
    assert not acting(shown(text))
    assert not acting(symbol(text))
    assert symbol(text, ascii_only=True).isascii()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (" delve", "delve"),
        (" kind of", "kind of"),
        ("ing ", "ing␠"),
        ("  x", "␠␠x"),
        (" ", "␠"),
        ("\n\n###", "⏎⏎###"),
        (" **", "␠**"),
        ("\t", "→"),
        (" \n", "␠⏎"),
        ("—", "—"),
    ],
)
def test_white_space_shows_where_the_symbol_is_about_it(raw, text):
    """Only the one space before a word is dropped."""
    assert text == symbol(raw)


def test_thousands_of_names_with_one_beginning_stay_apart():
    """Each shows what no other has behind the beginning, and the work does not grow with the pairs of them."""
    names = [f"a-very-long-beginning-{n:05}" for n in range(20_000)]

    assert len(set(shorten(names, 14))) == len(names)
