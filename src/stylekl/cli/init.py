"""`stylekl init`: the files that a collection starts from."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from stylekl.cli.exporting import put


def init(
    folder: Annotated[
        str, typer.Argument(metavar="[FOLDER]", help="Where to write (default: here).", show_default=False)
    ] = ".",
    debug: Annotated[  # noqa: ARG001 - the program itself looks for it
        bool, typer.Option("--debug", help="Show where an error happened.")
    ] = False,
) -> None:
    """Write a battery and a models file to start from.

    battery.yaml, models.yaml, and .env.example for the keys, all with comments. Nothing is overwritten.

    \b
    Examples:
      stylekl init
      stylekl init my-study
    """
    from stylekl.gather.init import write_start
    from stylekl.text import visible

    written = write_start(folder)
    lines = ["Wrote:", *(f"  {path}" for path in written), "", "Put your models into models.yaml. Then:"]
    here = [] if folder in (".", "./") else [f"cd {shlex.quote(folder)}"]
    commands = [
        *here,
        "cp .env.example .env    # and put your keys there",
        "stylekl battery check battery.yaml",
        "stylekl collect battery.yaml --models models.yaml -o results.json --dry-run",
    ]
    put("".join(visible(line) + "\n" for line in [*lines, *(f"  {each}" for each in commands)]))
