"""The commands: where each is, and its line in the program's help. A module is loaded when its command is asked for.

Building a command's options costs more than all the rest of a start, so only one is built; the help needs none.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

import typer
import typer.main
from typer.core import TyperGroup

from stylekl.cli.exporting import with_export

COMMANDS = {
    "matrix": ("matrix:matrix", "Draw how far every model is from every other, as a heat map."),
    "pair": ("pair:pair", "Say what separates two models: numbers and tells."),
    "focus": ("focus:focus", "Rank one model's neighbours, and show what gives it away."),
    "card": ("card:card", "Draw one model on a card: nearest five, tells, classes."),
    "findings": ("findings:findings", "Say what the file supports, and what it does not."),
    "drift": ("drift:drift", "Compare a model's dates with the first and the one before."),
    "diff": ("diff:diff", "Compare each model of one file with itself in another."),
    "tree": ("tree:tree", "Draw which models group together, and how surely."),
    "rank": ("rank:rank", "Rank the models by verdicts, votes or judgments."),
    "who-wrote": ("who_wrote:who_wrote", "Say which model wrote a text, or how well replies tell."),
    "verdicts": ("verdicts:verdicts", "Say what one-word answers come to, by model and question."),
    "report": ("report:report", "Write everything that the file says as one page of HTML."),
    "init": ("init:init", "Write a battery and a models file to start from."),
    "battery": ("battery:app", "Check what is asked: a battery of prompts and its rules."),
    "collect": ("collect:collect", "Ask every model every prompt of a battery and write the replies."),
    "probe": ("probe:probe", "Ask every model which of two words it takes, in many ways."),
    "plan": ("plan:app", "Plan a panel: the pair of each prompt, and the sessions."),
    "vote": ("vote:vote", "Vote blind: a prompt, two replies, and the names after the vote."),
    "judge": ("judge:judge", "Ask a judge, blind, which of two replies is better."),
    "check": ("check:check", "Say what is in the files, what is odd, and what will not count."),
    "convert": ("convert:convert", "Write files of any form as one results file."),
    "cache": ("cache:app", "Show or delete the counts and answers kept on disk."),
    "schema": ("schema:schema", "Print the JSON Schema of what a command prints with --json."),
    "config": ("config:config", "Show the settings in force and where each comes from."),
}


def build(name: str) -> Any:
    """Return the command of this name, or the group of commands."""
    module, attribute = COMMANDS[name][0].split(":")
    found = getattr(import_module(f"stylekl.cli.{module}"), attribute)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        alone.command(name)(with_export(found, name))
        found = alone
    else:
        for each in found.registered_commands:
            if each.callback is not None:
                each.callback = with_export(each.callback, f"{name} {each.name}")
    command = typer.main.get_command(found)
    command.name = name
    return command


class Commands(MutableMapping[str, Any]):
    """The commands by name, each built when it is looked up."""

    def __init__(self) -> None:
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        if name not in self._built:
            self._built[name] = build(name)
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Program(TyperGroup):
    """The program: knows the names and lines of its commands without building them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": Commands()})

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 # typer's signature
        """Return the names of all commands, in the order of the help."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 # typer's signature
        """Write the line of each command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])
