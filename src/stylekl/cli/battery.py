"""`stylekl battery check`: is a battery sound, and may it follow its earlier version?"""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.exporting import Export  # noqa: TC001 # typer reads it
from stylekl.cli.settings import Color

app = typer.Typer(
    help="Check what is asked: a battery of prompts and its rules.",
    epilog="Example: stylekl battery check everyday",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def battery() -> None:
    """Check what is asked: a battery of prompts and its rules."""


@app.command("check")
def check(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A battery in YAML, or the name of one that ships.")
    ],
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="OLD", help="An earlier state: a battery, or a results file made with it."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document, nothing else.")] = False,
    export: Export = None,
    width: Annotated[
        int | None, typer.Option("--width", min=20, help="Columns to draw for (default: the terminal's).")
    ] = None,
    color: Annotated[Color, typer.Option("--color", help="When to use colour.")] = Color.auto,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error happened.")] = False,
) -> None:
    """Say what a battery asks, under which rules, and in how many calls.

    With --against also what changed, and whether it may: exit code 1 where it may not. The batteries that ship are
    everyday and one-word.

    \b
    Examples:
      stylekl battery check everyday
      stylekl battery check one-word --json
    """
    from stylekl.cli.answer import answer
    from stylekl.cli.settings import Settings
    from stylekl.gather.check import check_battery
    from stylekl.results.records import Results
    from stylekl.show.battery import battery_data, battery_view

    settings = Settings(json=json, export=export, width=width, color=color, quiet=quiet, debug=debug)
    report = check_battery(file, against)
    answer(
        "battery",
        settings,
        Results(sources=list(report.sources)),
        report,
        data=battery_data,
        rows=lambda _: ([], []),
        view=battery_view,
    )
    if report.refused:
        raise typer.Exit(1)
