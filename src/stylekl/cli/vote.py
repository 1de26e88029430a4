"""`stylekl vote`: blind battles in the terminal, or one paced session of a panel."""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.reading import ReadingOptions, with_reading
from stylekl.cli.settings import Color


@with_reading
def vote(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="The results file that is voted on, and that keeps the votes.",
            show_default=False,
        ),
    ] = None,
    panel: Annotated[
        str | None,
        typer.Option(
            "--panel", metavar="PLAN", help="Run one paced session of this plan (stylekl plan sessions)."
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Keep the votes in this results file."),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option("--models", help="Only these models fight (repeat, or separate by commas)."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Seed of pairings and sides (default: drawn, and recorded)."),
    ] = None,
    consent: Annotated[
        str | None, typer.Option("--consent", metavar="FILE", help="Consent text, instead of the plan's own.")
    ] = None,
    session: Annotated[
        str | None,
        typer.Option("--session", metavar="ID", help="Run, or go on with, this session of the plan."),
    ] = None,
    participant: Annotated[
        str | None,
        typer.Option("--participant", metavar="ID", help="Who reads; only a salted hash is stored."),
    ] = None,
    status: Annotated[
        bool,
        typer.Option(
            "--status", help="Say how many votes there are, save what a killed run left, and leave."
        ),
    ] = False,
    width: Annotated[
        int | None, typer.Option("--width", min=20, help="Columns to draw for (default: the terminal's).")
    ] = None,
    color: Annotated[Color, typer.Option("--color", help="When to use colour.")] = Color.auto,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error happened.")] = False,
    *,
    how: ReadingOptions,
) -> None:
    """Vote blind: a prompt, two replies, and the names after the vote.

    Run it at a terminal, as stylekl vote results.json; the keys stand at the bottom. Models meet evenly, and only
    replies that count fight. Each vote is on the disk before the next battle. With --panel one reader's paced session:
    consent, reading speed, then pairs whose lines come one by one. --export writes what is said at the end, not the
    battles.

    \b
    Examples:
      stylekl vote results.json --status
    """
    from stylekl.cli.settings import Settings
    from stylekl.cli.voting import Ballots, run_battles, run_panel

    settings = Settings(width=width, color=color, quiet=quiet, debug=debug, models=models)
    wish = Ballots(how, file, output, seed, panel, consent, session, participant, status)
    code = run_battles(settings, wish) if panel is None else run_panel(settings, wish)
    if code:
        raise typer.Exit(code)
