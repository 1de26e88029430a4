"""`stylekl check`: what a collection brought, and what of it will not count."""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.settings import Color, Files


def check(
    files: Files = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document, nothing else.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="The table as CSV.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The table as Markdown.")] = False,
    width: Annotated[
        int | None, typer.Option("--width", min=20, help="Columns to draw for (default: the terminal's).")
    ] = None,
    color: Annotated[Color, typer.Option("--color", help="When to use colour.")] = Color.auto,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error happened.")] = False,
) -> None:
    """Say what a collection brought and what will not count.

    By model: replies of those asked for, refused, over length, cut, empty, failed, median times, cost; models that were
    unavailable, versions that changed on the way, and what the comparisons will leave out.

    \b
    Examples:
      stylekl check results.json
      stylekl check results.json --json | jq '.data.models[0].faults'
    """
    from stylekl.cli.answer import answer, check_output, read
    from stylekl.cli.settings import Settings
    from stylekl.results.check import check as checked
    from stylekl.show.check import check_data, check_rows, check_view

    settings = Settings(
        json=json, csv=csv, markdown=markdown, width=width, color=color, quiet=quiet, debug=debug
    )
    check_output(settings)
    results = read(settings, files or [])
    answer("check", settings, results, checked(results), data=check_data, rows=check_rows, view=check_view)
