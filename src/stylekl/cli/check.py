"""`stylekl check`: what is in the files, what a collection brought, and what is odd."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from stylekl.cli.exporting import Export  # noqa: TC001 # typer reads it
from stylekl.cli.reading import ReadingOptions, with_reading
from stylekl.cli.settings import Color, Files


@with_reading
def check(
    files: Files = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Leave with exit code 1 where any trouble is found.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON document, nothing else.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="The models as CSV.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The models as Markdown.")] = False,
    export: Export = None,
    width: Annotated[
        int | None, typer.Option("--width", min=20, help="Columns to draw for (default: the terminal's).")
    ] = None,
    color: Annotated[Color, typer.Option("--color", help="When to use colour.")] = Color.auto,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error happened.")] = False,
    *,
    how: ReadingOptions,
) -> None:
    """Say what is in the files, what is odd, and what will not count.

    What each file was taken for, models, prompts, samples, conditions and languages; by model what a collection brought
    and what the comparisons leave out; then trouble, such as models with one text for all prompts, leaked tokens,
    errors or copies, each with a place to look at, and notes. docs/checking.md says what counts as which, and from
    where on.

    \b
    Examples:
      stylekl check results.json
      stylekl check results.json old.json --width 100
      stylekl check results.json --json | jq -r '.data.findings[].text'
    """
    from stylekl.cli.answer import answer, check_output, read
    from stylekl.cli.settings import Settings
    from stylekl.lenses.quality import examine
    from stylekl.results.check_conflicts import load_all
    from stylekl.show.check import check_data, check_rows, check_view

    settings = Settings(
        json=json,
        csv=csv,
        markdown=markdown,
        export=export,
        width=width,
        color=color,
        quiet=quiet,
        debug=debug,
    )
    check_output(settings)
    conflicts: list[str] = []
    results = read(settings, files or [], how, partial(load_all, conflicts), compared=False)
    report = examine(results, conflicts, strict=strict)
    if not (csv or markdown):  # the report tells the warnings itself
        settings = replace(settings, quiet=True)
    answer("check", settings, results, report, data=check_data, rows=check_rows, view=check_view)
    if strict and report.trouble:
        raise typer.Exit(1)
