"""Requirements 9 to 13, 16 and 17: colours, width and glyphs are decided from stated facts alone."""

from __future__ import annotations

import io

import pytest
from rich.text import Text

from stylekl.show.terminal import Terminal, decide, make_console

from .output import printed

ROWS = [
    # --color, NO_COLOR, FORCE_COLOR, stdout is a TTY, coloured
    ("auto", None, None, False, False),
    ("auto", None, None, True, True),
    ("auto", None, "1", False, True),
    ("auto", None, "1", True, True),
    ("auto", "1", None, False, False),
    ("auto", "1", None, True, False),
    ("auto", "1", "1", False, False),
    ("auto", "1", "1", True, False),
    ("always", None, None, False, True),
    ("always", None, "0", True, True),
    ("always", "1", None, False, True),
    ("always", "1", "1", True, True),
    ("never", None, None, True, False),
    ("never", None, "1", False, False),
    ("never", "1", "1", True, False),
    ("never", "1", None, False, False),
]


def decided(option="auto", environ=None, tty=True, *, encoding="utf-8", size=(100, 30), width=None):
    return decide(
        width, option, environ or {}, stdout_isatty=tty, stdout_encoding=encoding, terminal_size=size
    )


@pytest.mark.parametrize("row", ROWS)
def test_the_option_beats_no_color_beats_force_color_beats_the_tty(row):
    """All 16 combinations come out by the stated order."""
    option, no, force, tty, coloured = row
    environ = {"TERM": "xterm-256color"}
    environ |= {"NO_COLOR": no} if no else {}
    environ |= {"FORCE_COLOR": force} if force else {}

    assert coloured == (decided(option, environ, tty).colour != "none")


@pytest.mark.parametrize("value", ["0", ""])
def test_force_color_0_and_empty_do_not_force(value):
    """FORCE_COLOR=0 and FORCE_COLOR="" leave a pipe without colour."""
    assert decided(environ={"FORCE_COLOR": value}, tty=False).colour == "none"


@pytest.mark.parametrize(
    ("environ", "colour"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "truecolor"),
        ({"TERM": "xterm", "COLORTERM": "24bit"}, "truecolor"),
        ({"TERM": "xterm-256color", "COLORTERM": "yes"}, "256"),
        ({"TERM": "screen-256color"}, "256"),
        ({"TERM": "xterm"}, "16"),
        ({"TERM": "linux"}, "16"),
        ({}, "256"),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, "none"),
    ],
)
def test_truecolor_only_where_colorterm_says_so(environ, colour):
    """The number of colours follows COLORTERM, then TERM; a dumb terminal has none."""
    assert colour == decided(environ=environ).colour


def test_width_is_the_option_then_columns_then_the_terminal_then_80():
    """--width beats COLUMNS beats the terminal of stdout beats 80."""
    assert decided(environ={"COLUMNS": "70"}, width=60).width == 60
    assert decided(environ={"COLUMNS": "70"}).width == 70
    assert decided(environ={"COLUMNS": "wide"}).width == 100
    assert decided(size=None).width == 80


def test_a_pipe_asks_no_terminal():
    """When stdout is not a TTY the size of another terminal is not used."""
    terminal = decided(tty=False, size=(61, 20))

    assert (terminal.width, terminal.rows) == (80, None)


@pytest.mark.parametrize(
    ("encoding", "plain"),
    [("utf-8", False), ("UTF-8", False), ("ascii", True), ("cp1252", True), (None, True), ("nonsense", True)],
)
def test_an_encoding_without_our_glyphs_gets_ascii(encoding, plain):
    """Latin and unknown encodings switch to ASCII."""
    assert plain == decided(encoding=encoding).ascii


def test_no_colour_means_no_escape_byte():
    """Bold and dim leave nothing in a console without colour."""
    assert "\x1b" not in printed([Text("bold", "bold dim red on blue")], Terminal(colour="none"))


def test_the_console_ignores_the_environment(monkeypatch):
    """Neither rich's variables nor markup, emoji codes or highlighting change what is printed."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "NO_COLOR"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("COLUMNS", "7")
    file = io.StringIO()
    make_console(Terminal(width=40, colour="none"), file).print("[b]x[/b] :smile: 12 'a' and some more words")

    assert file.getvalue() == "[b]x[/b] :smile: 12 'a' and some more \nwords\n"
