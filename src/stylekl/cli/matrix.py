"""`stylekl matrix`: how far is every model from every other?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from stylekl.cli.settings import Files, Settings, above_zero, with_settings


class Order(StrEnum):
    """An order of rows."""

    cluster = "cluster"
    name = "name"
    file = "file"


@with_settings
def matrix(
    files: Files = None,
    floor: Annotated[
        bool, typer.Option("--floor", help="Compute the floor of every pair (--json, --csv).")
    ] = False,
    order: Annotated[Order, typer.Option("--order", help="Order of the rows.")] = Order.cluster,
    vmax: Annotated[
        float | None,
        typer.Option("--vmax", callback=above_zero, help="Top of the colour scale, to compare two files."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", metavar="FILE", help="Mark what moved since this earlier file."),
    ] = None,
    *,
    settings: Settings,
) -> None:
    """Draw how far every model is from every other, as a heat map.

    A cell is KL(row || column) in bits per token: bright is near, dark is far.

    \b
    Examples:
      stylekl matrix
      stylekl matrix results.json
      stylekl matrix results.json --json | jq '.data.pairs[0]'
    """
    from stylekl.cli.answer import answer, busy, check_output, gather, read
    from stylekl.lenses import style
    from stylekl.results import load
    from stylekl.show.json import matrix_data
    from stylekl.show.style import matrix_view
    from stylekl.show.tables import matrix_rows

    check_output(settings)
    results = read(settings, files or [])
    evidence = gather(settings, results, floor=floor, order=order.value)
    with busy(settings, "comparing …"):
        report = style.matrix(results, evidence=evidence)
        if baseline is not None:
            report = style.against(report, evidence, load(baseline))
    answer(
        "matrix",
        settings,
        results,
        report,
        data=matrix_data,
        rows=matrix_rows,
        view=lambda found, shape: matrix_view(
            found, shape, measure=settings.rank.value, ramp=settings.ramp.value, vmax=vmax
        ),
    )
