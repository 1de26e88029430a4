"""Requirement 21: each command says in one line what it does, and its examples run."""

from __future__ import annotations

import re
import shlex

import pytest

from stylekl.cli.commands import COMMANDS as LISTED
from stylekl.cli.commands import build

from . import made
from .run import call

BUILT = {name: build(name) for name in LISTED}
COMMANDS = [name for name, command in BUILT.items() if not hasattr(command, "commands")]
GROUPED = [  # battery check
    f"{name} {each}" for name, command in BUILT.items() for each in getattr(command, "commands", ())
]


def help_of(command: str) -> str:
    done = call(*command.split(), "--help")
    assert (done.code, done.err) == (0, "")
    return done.out


def examples(command: str) -> list[str]:
    found = re.search(r"^  Examples:\n((?:    .+\n)+)", help_of(command), re.MULTILINE)
    return [line.strip() for line in found[1].splitlines()] if found else []


def test_the_program_lists_every_command_with_its_line() -> None:
    """The first line of a command's help stands, whole, in the program's."""
    listed = call("--help").out

    for command in COMMANDS:
        summary = help_of(command).splitlines()[2].strip()

        assert summary.endswith(".")
        assert re.search(rf"^  {command} +{re.escape(summary)}$", listed, re.MULTILINE)


@pytest.mark.parametrize("command", [*COMMANDS, *GROUPED])
def test_every_example_runs(command: str) -> None:
    """In an empty folder, or one with the file that it names; what stands after a pipe is not ours."""
    lines = examples(command)

    assert lines
    for line in lines:
        program, *arguments = shlex.split(line.partition(" | ")[0])
        made.provide(arguments)
        done = call(*arguments)

        assert (program, 0) == ("stylekl", done.code), line
        assert done.out or done.err  # what writes a file says so


@pytest.mark.parametrize("command", [*COMMANDS, *GROUPED])
def test_every_option_is_explained(command: str) -> None:
    """No option or argument stands in the help without words, and all of it is ASCII."""
    text = help_of(command)
    for name in re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.MULTILINE):
        assert re.search(rf"{name}\b[^\n]*(  |\n {{20,}})[A-Z]", text), name
    assert text.isascii()


def test_help_is_no_wider_than_80_columns() -> None:
    """Whatever the terminal; and the same in a CI service, where rich would colour it."""
    env = {"COLUMNS": "300", "GITHUB_ACTIONS": "true", "FORCE_COLOR": "1"}
    for command in COMMANDS:
        out = call(command, "--help", env=env).out

        assert max(map(len, out.splitlines())) <= 80
        assert "\x1b" not in out
