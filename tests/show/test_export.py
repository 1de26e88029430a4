"""What a terminal shows, as a picture, a page and plain text: the same words in the same columns, none that acts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from stylekl.errors import UsageError
from stylekl.show.export import FORMS, THEME, exported, form_of, runs
from stylekl.show.export_svg import CELL, LINE, PAD
from stylekl.show.style import focus_view, matrix_view, pair_view
from stylekl.show.terminal import Terminal
from stylekl.text import visible

from .factory import HOSTILE, focus_report, matrix, pair_report
from .output import acting, bare, printed

if TYPE_CHECKING:
    from collections.abc import Iterable

SVG = "{http://www.w3.org/2000/svg}"
TRUE = Terminal(colour="truecolor")
VIEWS = {
    "matrix": lambda terminal: matrix_view(matrix(12), terminal),
    "large": lambda terminal: matrix_view(matrix(40), terminal),
    "pair": lambda terminal: pair_view(pair_report(), terminal, show_examples=True),
    "focus": lambda terminal: focus_view(focus_report(), terminal),
}
DRAWN = set("─│╭╮╰╯├┤┬┴┼┌┐└┘╶╴╵╷━╸┊┄█▓▒░▀▄▌▐")


def letters(lines: Iterable[str]) -> str:
    """Return the characters of lines, without space and without what a picture draws as shapes."""
    return "".join(c for line in lines for c in line if not c.isspace() and c not in DRAWN)


def texts(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{SVG}text"))


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("view", VIEWS)
def test_a_page_holds_the_lines_of_the_terminal(view: str, width: int) -> None:
    """Character for character, in their order."""
    shape = replace(TRUE, width=width)
    lines = VIEWS[view](shape)
    page = ElementTree.fromstring(exported(lines, "html", width, "t"))
    pre = page.find(".//pre")

    assert pre is not None
    assert "".join(pre.itertext()).splitlines() == bare(printed(lines, shape))


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("view", VIEWS)
def test_a_picture_holds_every_letter_of_the_terminal_in_its_place(view: str, width: int) -> None:
    """Each on its row; none begins before its column or leaves the picture."""
    shape = replace(TRUE, width=width)
    lines = VIEWS[view](shape)
    svg = exported(lines, "svg", width, "t")
    found = texts(svg)

    assert letters(element.text or "" for element in found) == letters(bare(printed(lines, shape)))
    rows = [line.plain for line in lines]
    for element in found:
        row = rows[(int(element.get("y", "")) - PAD) // LINE]
        column = (int(element.get("x", "")) - PAD) // CELL
        start = next(i for i in range(len(row) + 1) if cell_len(row[:i]) == column)
        assert row[start:].startswith(element.text or "")
        assert int(element.get("textLength", "")) == CELL * cell_len(element.text or "")
    assert int(ElementTree.fromstring(svg).get("width", "")) == width * CELL + 2 * PAD


@pytest.mark.parametrize("view", VIEWS)
def test_plain_text_is_what_a_terminal_without_colour_shows(view: str) -> None:
    shape = Terminal(colour="none")
    lines = VIEWS[view](shape)

    assert exported(lines, "txt", 80, "t") == printed(lines, shape)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_fetched_and_nothing_runs(view: str, form: str) -> None:
    """No address but the name of the format, no script, no handler, no rule that loads."""
    text = exported(VIEWS[view](TRUE), form, 80, "t").replace("http://www.w3.org/2000/svg", "")

    assert not re.search(r"https?:|//|<script|\bon\w+=|@import|url\(|src=|href=", text)
    assert "default-src 'none'" in text or form != "html"


@pytest.mark.parametrize("form", FORMS)
def test_hostile_text_only_shows(form: str) -> None:
    """Names that are markup, escapes or half characters: well-formed, and no character acts."""
    names = [*HOSTILE, "<script>alert(1)</script>", "]]>&amp;\"'", "\ufffe\uffff", "{{7*7}}"]
    lines = matrix_view(matrix(len(names), names), TRUE)
    lines += [Text("\x1b]52;c;aGk=\x07 \ud800 <b onclick=x> \u202e")]
    text = exported(lines, form, 80, "\x1b<title>")

    assert text.encode()
    assert not acting(text)
    if form != "txt":
        root = ElementTree.fromstring(text)
        kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert kinds <= {"svg", "title", "rect", "text", "path", "html", "head", "meta", "style", "body"} | {
            "pre",
            "span",
        }


@pytest.mark.parametrize(
    ("glyph", "shape"),
    [
        ("█", (0, 0, 8, 18)),
        ("▀", (0, 0, 8, 9)),
        ("▄", (0, 9, 8, 9)),
        ("▐", (4, 0, 4, 18)),
        ("███", (0, 0, 24, 18)),
    ],
)
def test_blocks_fill_their_cells(glyph: str, shape: tuple[int, ...]) -> None:
    """Drawn, not written: no font leaves a gap between them."""
    root = ElementTree.fromstring(exported([Text(f"ab{glyph}")], "svg", 20, "t"))
    block = list(root.iter(f"{SVG}rect"))[-1]
    x, y, wide, high = (float(block.get(name, "")) for name in ("x", "y", "width", "height"))

    assert (x - PAD - 2 * CELL, y - PAD, wide, high) == shape


@pytest.mark.parametrize(
    ("glyph", "ground"),
    [
        ("█", "#010203"),
        ("▀", "linear-gradient(#010203 50%,#040506 50%)"),
        ("▄", "linear-gradient(#040506 50%,#010203 50%)"),
    ],
)
def test_blocks_of_a_page_are_grounds(glyph: str, ground: str) -> None:
    """Their letters stay, unseen, to be copied."""
    page = exported([Text(glyph * 3, style="rgb(1,2,3) on rgb(4,5,6)")], "html", 20, "t")

    assert f".l0{{background:{ground};color:transparent}}" in page
    assert f'<span class="g l0"><span class="n n3">{glyph * 3}</span></span>' in page


def test_two_wide_characters_keep_their_columns_in_a_page() -> None:
    """What is beyond ASCII has a box as wide as its columns."""
    page = exported([Text("a文字─b")], "html", 20, "t")

    assert '>a<span class="n n5">文字─</span>b' in page
    assert ".n5{width:5ch}" in page


def test_colours_are_those_of_the_terminal() -> None:
    """Ink, ground, bold; dim is between ink and ground; reverse changes them."""
    line = Text()
    for style in ("bold rgb(1,2,3) on rgb(4,5,6)", "dim", "reverse"):
        line.append("x", style)
    ((one, faint, turned),) = runs([line])

    assert (one.ink, one.ground, one.bold) == ("#010203", "#040506", True)
    assert (turned.ink, turned.ground) == (THEME.background_color.hex, THEME.foreground_color.hex)
    assert THEME.background_color.hex < (faint.ink or "") < THEME.foreground_color.hex
    svg = exported([line], "svg", 20, "t")
    assert 'fill="#040506"' in svg
    assert 'fill="#010203" font-weight="bold">x<' in svg


def test_the_style_of_a_whole_line_is_below_those_of_its_parts() -> None:
    line = Text("ab", style="bold rgb(1,2,3)")
    line.stylize("rgb(4,5,6)", 1)
    ((one, other),) = runs([line])

    assert (one.ink, one.bold, other.ink, other.bold) == ("#010203", True, "#040506", True)
    assert line.spans[0].start == 1


@given(st.lists(st.text().map(visible), max_size=4))
def test_any_visible_text_is_kept(lines: list[str]) -> None:
    """In all three forms; what XML cannot hold is a replacement character."""
    given_lines = [Text(line) for line in lines]
    kept = [line.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd") for line in lines]
    page = ElementTree.fromstring(exported(given_lines, "html", 20, "t")).find(".//pre")

    assert page is not None
    assert "".join(page.itertext()) == "\n".join(kept) + "\n"
    assert exported(given_lines, "txt", 20, "t") == "".join(f"{line}\n" for line in lines)
    svg = exported(given_lines, "svg", 20, "t")
    assert letters(element.text or "" for element in texts(svg)) == letters(kept)


@pytest.mark.parametrize(("path", "form"), [("a.svg", "svg"), ("b/c.HTML", "html"), ("d.e.txt", "txt")])
def test_the_ending_says_the_form(path: str, form: str) -> None:
    assert form_of(path) == form


@pytest.mark.parametrize("path", ["a.png", "a", ".svg", "a.json", "a.htm", ""])
def test_another_ending_is_refused_by_the_three_that_are_written(path: str) -> None:
    with pytest.raises(UsageError) as error:
        form_of(path)

    assert all(form in error.value.hint for form in (".svg", ".html", ".txt"))
