"""Tells where they stand: the symbol in one column, no word cut that need not be, whose line is whose."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from stylekl.lenses.reports import Context
from stylekl.show.concordance import concordance
from stylekl.show.labels import shown
from stylekl.show.parts import Speaker
from stylekl.show.terminal import Terminal

from .factory import tell
from .output import MODES, acting

NAMES = {"m00": "Alder 3", "m01": "Birch 5"}
SPEAKER = Speaker("a", "m00", "Alder 3 says more", "Only Alder 3", "tokens")
JOINING = ["\u200d", "\ufe0f", "\u0301", "\u20e3", "❤", "👩", "🇩", "1"]
texts = st.text(
    st.sampled_from(["a", "b", " ", ",", "\n", "\t", "\x1b", "\u202e", "说", "한", "א", *JOINING])
    | st.characters(categories=["L", "P"]),
    max_size=99,
)
bare_texts = st.text(st.sampled_from("ab  ,.\n说"), max_size=99)


def place(before, found, after, model="m00"):
    return Context(model, "p1", before + found + after, len(before), len(before) + len(found))


def lines_of(contexts, terminal=None):
    """Return the lines of one tell below its figures."""
    told = replace(tell("x", "m00", 3.0), contexts=tuple(contexts))
    lines = concordance([told], SPEAKER, NAMES, terminal or Terminal(width=100), 5)
    after = next(i for i, text in enumerate(lines) if "q <" in text.plain)
    return lines[after + 1 :]


def test_a_line_is_the_label_the_text_before_the_symbol_and_the_text_after():
    """The label stands before the first of a model's lines; the space of a word is not marked."""
    contexts = [
        place("First.\nLet us", " delve", " into it"),
        place("we", " delve", ""),
        place("", "delve", ".", "m01"),
    ]

    assert [text.plain for text in lines_of(contexts, Terminal(width=60))] == [
        "  Alder 3       First.⏎Let us ›delve‹ into it",
        "                           we ›delve‹",
        "  Birch 5                     ›delve‹.",
    ]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [40, 80, 200])
@given(before=texts, found=texts.filter(str.strip), after=texts)
def test_the_symbol_begins_in_one_column_and_no_line_is_too_wide(width, mode, before, found, after):
    """Whatever stands around it: wide characters, line breaks, right-to-left script, what would act on a terminal."""
    terminal = replace(MODES[mode], width=width)
    start = (4 if width >= 70 else 2) + len("Alder 3") + 2
    column = start + (width - start) * 2 // 5

    for line in lines_of([place(before, found, after), place("", "delve", before)], terminal):
        assert line.cell_len <= width
        assert not acting(line.plain)
        assert mode != "ascii" or line.plain.isascii()
        if mode in ("none", "ascii"):
            begins = [at for at, character in enumerate(line.plain) if character in "›["]
        else:
            begins = [span.start for span in line.spans if "bold" in str(span.style)]
        assert column in [cell_len(line.plain[:at]) for at in begins]


@given(before=bare_texts, after=bare_texts, width=st.integers(40, 200))
def test_what_stands_around_the_symbol_is_the_text_itself(before, after, width):
    """An end of what is before, a beginning of what is after, and all of either where it fits."""
    (line,) = lines_of([place(before, "X", after)], Terminal(width=width))
    left, right = line.plain[13 if width >= 70 else 11 :].split("›X‹")

    assert shown(before).endswith(left.lstrip(" "))
    assert shown(after).startswith(right)
    room = width - (13 if width >= 70 else 11)
    if cell_len(shown(before)) <= room * 2 // 5:
        assert left.lstrip(" ") == shown(before).lstrip(" ")
    if cell_len(shown(after)) <= room - room * 2 // 5 - 3:
        assert right == shown(after).rstrip(" ")


def test_a_line_is_cut_between_words():
    (line,) = lines_of([place("seventeen " * 9, "X", " nineteen" * 9)], Terminal(width=81))
    before, after = line.plain[13:].split("›X‹")

    assert set(before.split()) == {"seventeen"}
    assert set(after.split()) == {"nineteen"}


def test_wide_characters_are_cut_anywhere():
    (line,) = lines_of([place("说" * 90, "X", "话" * 90)], Terminal(width=80))

    assert line.cell_len >= 79


def test_a_long_symbol_leaves_the_text_before_its_room():
    """A sentence that is the symbol fills the rest of the line and is cut there."""
    (line,) = lines_of([place("It said: ", "word " * 30, ".")], Terminal(width=80))

    assert "It said: ›word word" in line.plain
    assert line.plain.endswith("…‹")
    assert line.cell_len == 80


@pytest.mark.parametrize("start", [-5, 900])
def test_a_span_outside_its_text_marks_nothing(start):
    (line,) = lines_of([Context("m00", "p1", "a text", start, start + 3)], Terminal(width=80))

    assert "›‹" in line.plain


def test_models_with_like_names_have_labels_that_differ():
    """The other models of a focus, whose names may share a long beginning."""
    names = {"m00": "A writer of long names, plain", "m01": "A writer of long names, formal"}
    told = replace(tell("x", "m00", 3.0), contexts=(place("", "x", ""), place("", "x", "", "m01")))
    lines = [text.plain for text in concordance([told], SPEAKER, names, Terminal(width=80), 5)][-2:]

    assert len({line[:20] for line in lines}) == 2
    assert all(line[4] == "A" for line in lines)


def test_without_text_there_are_the_figures_alone():
    told = replace(tell(" delve", "m00", 3.0), contexts=(), example=None, span=None)
    lines = [text.plain for text in concordance([told], SPEAKER, NAMES, Terminal(width=200), 5)]

    assert lines[1] == "Alder 3 says more, one by one"
    assert len(lines) == 3
    assert lines[2].startswith("  delve ×3.0")


def test_a_phrase_is_no_share_of_the_divergence_of_tokens():
    """Its figures name the facet that they are of."""
    for facet, said in (
        ("tokens", "of the text, 4% of the divergence, q"),
        ("phrases", "of all phrases, 4% of the"),
    ):
        told = replace(tell(" delve", "m00", 3.0), facet=facet)
        lines = concordance([told], SPEAKER, NAMES, Terminal(width=200), 5)

        assert said in lines[2].plain
    assert "divergence in phrases" in lines[2].plain
