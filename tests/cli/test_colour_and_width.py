"""Requirements 9 to 17 through the command itself: colours, escapes, columns, encodings."""

from __future__ import annotations

import pytest
from wcwidth import wcswidth

from . import made
from .run import at_terminal, bare, call, run

PLAIN, AGAIN, LISTS = made.THREE
COMMANDS = (("matrix",), ("pair", PLAIN, LISTS, "--examples"), ("focus", PLAIN, "--examples"))
IN_A_PIPE = [
    # --color, environment, coloured
    ("auto", {}, False),
    ("auto", {"FORCE_COLOR": "1"}, True),
    ("auto", {"FORCE_COLOR": "0"}, False),
    ("auto", {"FORCE_COLOR": ""}, False),
    ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ("always", {"NO_COLOR": "1"}, True),
    ("always", {"FORCE_COLOR": "0"}, True),
    ("never", {"FORCE_COLOR": "1"}, False),
]
AT_A_TERMINAL = [
    ("auto", {}, True),
    ("auto", {"NO_COLOR": "1"}, False),
    ("auto", {"TERM": "dumb"}, False),
    ("always", {"NO_COLOR": "1"}, True),
    ("never", {"FORCE_COLOR": "1"}, False),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(("option", "env", "coloured"), IN_A_PIPE)
def test_colour_in_a_pipe(
    command: tuple[str, ...], option: str, env: dict[str, str], *, coloured: bool
) -> None:
    """--color beats NO_COLOR beats FORCE_COLOR; without colour there is no escape byte at all."""
    done = call(*command, "--color", option, env={"TERM": "xterm-256color", **env})

    assert coloured == ("\x1b[" in done.out)
    assert coloured == ("\x1b" in done.out)


@pytest.mark.parametrize(("option", "env", "coloured"), AT_A_TERMINAL)
def test_colour_at_a_terminal(option: str, env: dict[str, str], *, coloured: bool) -> None:
    """A terminal has colour unless an option, NO_COLOR or TERM=dumb says otherwise."""
    done = at_terminal("matrix", "--color", option, env=env)

    assert done.code == 0
    assert coloured == ("\x1b" in done.out)


def test_the_kind_of_colour_follows_the_terminal() -> None:
    """24 bits only where COLORTERM says so; 256 where TERM does; else bold and dim alone."""
    true = call("matrix", "--color", "always", env={"TERM": "xterm", "COLORTERM": "truecolor"}).out
    many = call("matrix", "--color", "always", env={"TERM": "screen-256color"}).out
    few = call("matrix", "--color", "always", env={"TERM": "xterm"}).out

    assert ["48;2;" in text for text in (true, many, few)] == [True, False, False]
    assert ["48;5;" in text for text in (true, many, few)] == [False, True, False]
    assert bare(many) == bare(true)
    assert "\x1b[1m" in few
    assert "\x1b[2m" in few


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_no_line_exceeds_the_width(command: tuple[str, ...], width: int) -> None:
    """On the sample, with and without colour, in ASCII."""
    for env, colour in (
        ({}, "never"),
        ({"COLORTERM": "truecolor"}, "always"),
        ({"PYTHONIOENCODING": "ascii"}, "auto"),
    ):
        done = call(*command, "--width", str(width), "--color", colour, env=env)

        assert done.code == 0
        assert max(map(wcswidth, bare(done.out))) <= width


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_no_line_of_45_models_exceeds_the_width(width: int) -> None:
    """Names of every length, one of them wide; each layout of the map, from a list of pairs to squares."""
    names = [f"model {'number ' * (i % 4)}{i}" for i in range(44)] + ["模型四十五号的很长的名字很长很长很长"]
    path = made.write(made.rows(names, words=80))
    matrix, colour = ("matrix", path), ("--color", "always")
    for command in (
        matrix,
        (*matrix, *colour),
        ("pair", names[3], names[44], path),
        ("focus", names[44], path, *colour),
    ):
        done = call(*command, "--width", str(width), env={"COLORTERM": "truecolor"})

        assert done.code == 0
        assert max(map(wcswidth, bare(done.out))) <= width


def test_width_is_the_option_then_columns_then_the_terminal() -> None:
    """And 80 in a pipe, whatever terminal stdin or stderr may be."""
    asked = {width: call("matrix", "-q", "--width", str(width)).out for width in (40, 50, 61, 80)}

    assert call("matrix", "-q", "--width", "40", env={"COLUMNS": "50"}).out == asked[40]
    assert at_terminal("matrix", "-q", "--color", "never", columns=61, env={"COLUMNS": "50"}).out == asked[50]
    assert at_terminal("matrix", "-q", "--color", "never", columns=61).out == asked[61]
    assert call("matrix", "-q").out == asked[80]
    assert len(set(asked.values())) == 4


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
@pytest.mark.parametrize("form", [(), ("--csv",), ("--markdown",), ("--json",), ("--help",)], ids=str)
def test_an_encoding_without_our_glyphs_is_no_error(encoding: str, form: tuple[str, ...]) -> None:
    """Pictures and help are ASCII; in a table what cannot be written becomes an escape."""
    path = made.write(made.rows(["Café 文😀", "b"], prompts=10))
    done = call("matrix", path, "-q", *form, env={"PYTHONIOENCODING": encoding})

    assert (done.code, done.err) == (0, "")
    assert "\\u6587" in done.out or form == ("--help",)


def test_the_posix_locale_is_no_error() -> None:
    """LC_ALL=C, as in many containers and cron jobs, without the UTF-8 that Python would put in its place."""
    env = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": ""}
    for command in COMMANDS:
        done = run(*command, "-q", env=env)

        assert (done.code, done.err) == (0, "")
        assert done.out.isascii()
