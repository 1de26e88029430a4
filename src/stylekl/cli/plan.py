"""`stylekl plan`: which replies fight on each prompt of a panel, and which prompts make a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from stylekl.cli.exporting import Export  # noqa: TC001 # typer reads it
from stylekl.cli.reading import ReadingOptions, with_reading
from stylekl.cli.settings import Color

if TYPE_CHECKING:
    from collections.abc import Callable

    from stylekl.gather.panel_battery import PairingsWish

app = typer.Typer(
    help="Plan a panel: the pair of each prompt, and the sessions.",
    epilog="Example: stylekl plan sessions panel.yaml -n 40 --results results.json -o plan.json",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Battery = Annotated[
    str, typer.Argument(metavar="BATTERY", help="A battery in YAML, or the name of one that ships.")
]
Collected = Annotated[
    str | None,
    typer.Option("--results", metavar="FILE", help="The collected replies (default: results.json here)."),
]
Roster = Annotated[
    str | None,
    typer.Option("--models", metavar="FILE", help="The models file, before anything is collected."),
]
Names = Annotated[
    list[str] | None, typer.Option("--model", metavar="NAME", help="Only this model takes part (repeat).")
]
Each = Annotated[int, typer.Option("--each", min=1, help="Prompts of each pairing of models.")]
Pick = Annotated[
    bool, typer.Option("--pick", help="Draw the prompts where the battery has more than are needed.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of whatever is drawn at random.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document, nothing else.")]
Csv = Annotated[bool, typer.Option("--csv", help="The table as CSV.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="The table as Markdown.")]
Width = Annotated[
    int | None, typer.Option("--width", min=20, help="Columns to draw for (default: the terminal's).")
]
Colour = Annotated[Color, typer.Option("--color", help="When to use colour.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error happened.")]


@app.callback()
def plan() -> None:
    """Plan a panel: the pair of each prompt, and the sessions."""


@app.command("pairings")
@with_reading
def pairings(
    battery: Battery,
    results: Collected = None,
    models: Roster = None,
    model: Names = None,
    each: Each = 3,
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep", metavar="OLD", help="The pairings of an earlier version: they stay while in use."
        ),
    ] = None,
    pick: Pick = False,
    seed: Seed = 0,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the pairings here; those in it already are kept."
        ),
    ] = None,
    json: Json = False,
    csv: Csv = False,
    markdown: Markdown = False,
    export: Export = None,
    width: Width = None,
    color: Colour = Color.auto,
    quiet: Quiet = False,
    debug: Debug = False,
    *,
    how: ReadingOptions,
) -> None:
    """Give every prompt of a battery one fixed pair of replies.

    Every two models meet at as many prompts (--each). A pair stays from version to version while both replies are in
    use; new prompts take what restores the balance. Only replies that count are paired.

    \b
    Examples:
      stylekl plan pairings panel.yaml --pick --results results.json
    """
    from pathlib import Path

    from stylekl.gather.panel_battery import plan_pairings
    from stylekl.results.save import write_atomically
    from stylekl.show.vote_plan import pairings_data, pairings_rows, pairings_view

    if keep is None and output is not None and Path(output).exists():
        keep = output
    report = plan_pairings(_wish(battery, results, models, model, each, keep, pick, seed, how))
    if output is not None:
        write_atomically(output, report.document())
    shown: dict[str, Any] = {"json": json, "csv": csv, "markdown": markdown, "export": export}
    shown |= {"width": width, "color": color, "quiet": quiet}
    _answer("plan-pairings", report, shown, debug, pairings_data, pairings_rows, pairings_view, output)


@app.command("sessions")
@with_reading
def sessions(
    battery: Battery,
    number: Annotated[int, typer.Option("-n", "--number", min=1, max=100_000, help="How many sessions.")],
    results: Collected = None,
    models: Roster = None,
    model: Names = None,
    pairings: Annotated[
        str | None,
        typer.Option(
            "--pairings", metavar="FILE", help="The pairings (stylekl plan pairings -o); else made now."
        ),
    ] = None,
    each: Each = 3,
    pick: Pick = False,
    after: Annotated[
        list[str] | None,
        typer.Option("--after", metavar="PLAN", help="An earlier plan, whose sessions count (repeat)."),
    ] = None,
    fights: Annotated[int, typer.Option("--fights", min=1, help="Real fights of a session.")] = 8,
    plain: Annotated[int, typer.Option("--plain", min=0, help="Plain checks of a session.")] = 1,
    instructed: Annotated[
        int, typer.Option("--instructed", min=0, help="Instructed checks of a session.")
    ] = 1,
    least: Annotated[int, typer.Option("--least", min=0, help="Fights of each model, at least.")] = 3,
    most: Annotated[int, typer.Option("--most", min=1, help="Fights of each model, at most.")] = 5,
    per_pairing: Annotated[
        int, typer.Option("--per-pairing", min=1, help="Fights of the same two models, at most.")
    ] = 2,
    consent: Annotated[
        str | None,
        typer.Option("--consent", metavar="FILE", help="What a reader agrees to before a session."),
    ] = None,
    question: Annotated[str | None, typer.Option("--question", help="What a reader is asked.")] = None,
    code: Annotated[str | None, typer.Option("--code", help="Completion code (default: drawn).")] = None,
    batch: Annotated[
        str | None, typer.Option("--batch", help="Name of the batch, kept with every session.")
    ] = None,
    seed: Seed = 0,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the plan that stylekl vote runs."),
    ] = None,
    json: Json = False,
    csv: Csv = False,
    markdown: Markdown = False,
    export: Export = None,
    width: Width = None,
    color: Colour = Color.auto,
    quiet: Quiet = False,
    debug: Debug = False,
    *,
    how: ReadingOptions,
) -> None:
    """Plan paced sessions: fights and checks, under every rule.

    Every model comes --least to --most times, no two models meet more than --per-pairing times, and the prompts that
    have been fights least often come first. Rules that cannot be met are named.

    \b
    Examples:
      stylekl plan sessions panel.yaml -n 40 --fights 12 --pick --results results.json
    """
    from stylekl.gather.panel_plan import PlanWish, plan_sessions
    from stylekl.gather.planner import Rules
    from stylekl.results.save import write_atomically
    from stylekl.show.vote_plan import sessions_data, sessions_rows, sessions_view

    wish = PlanWish(
        _wish(battery, results, models, model, each, None, pick, seed, how),
        number,
        Rules(fights, plain, instructed, least, most, per_pairing),
        pairings,
        tuple(after or ()),
        output,
        consent,
        question,
        code,
        batch,
    )
    report = plan_sessions(wish)
    if output is not None and report.plan is not None:
        write_atomically(output, report.plan.document())
    shown: dict[str, Any] = {"json": json, "csv": csv, "markdown": markdown, "export": export}
    shown |= {"width": width, "color": color, "quiet": quiet}
    _answer("plan-sessions", report, shown, debug, sessions_data, sessions_rows, sessions_view, output)


def _wish(
    battery: str,
    results: str | None,
    models: str | None,
    names: list[str] | None,
    each: int,
    keep: str | None,
    pick: bool,
    seed: int,
    how: ReadingOptions,
) -> PairingsWish:
    """Return what is asked for; where neither replies nor models are named, the results that are at hand."""
    import os

    from stylekl.gather.panel_battery import PairingsWish
    from stylekl.results.default import find_results

    if results is None and models is None:
        paths, origin = find_results([], os.environ)
        results = None if origin == "sample" else paths[0]
    return PairingsWish(battery, results, models, tuple(names or ()), each, keep, pick, seed, how.reading())


def _answer(
    command: str,
    report: Any,
    shown: dict[str, Any],
    debug: bool,
    data: Callable[[Any], dict[str, Any]],
    rows: Callable[[Any], tuple[list[str], list[list[Any]]]],
    view: Callable[[Any, Any], list[Any]],
    output: str | None,
) -> None:
    from stylekl.cli.answer import answer, check_output, note
    from stylekl.cli.settings import Settings
    from stylekl.results.records import Results

    settings = Settings(**shown, debug=debug)
    check_output(settings)
    answer(command, settings, Results(sources=list(report.sources)), report, data=data, rows=rows, view=view)
    if output is not None:
        note(settings, f"wrote {output}")
