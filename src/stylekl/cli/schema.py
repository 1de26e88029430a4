"""`stylekl schema`: what the JSON of a command looks like."""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.exporting import put

COMMANDS = (
    "battery",
    "check",
    "diff",
    "drift",
    "findings",
    "focus",
    "matrix",
    "pair",
    "plan-pairings",
    "plan-sessions",
    "rank",
    "report",
    "tree",
    "verdicts",
    "who-wrote",
)


def schema(
    command: Annotated[
        str, typer.Argument(metavar="COMMAND", help=f"One of: {', '.join(COMMANDS)}.", show_default=False)
    ],
) -> None:
    """Print the JSON Schema of what a command prints with --json.

    \b
    Examples:
      stylekl schema matrix
    """
    from importlib.resources import files

    from stylekl.errors import UsageError

    if command not in COMMANDS:
        raise UsageError(f'no schema for "{command}"', f"one of: {', '.join(COMMANDS)}")
    put((files("stylekl") / "schemas" / f"{command}.json").read_text(encoding="utf-8"))
