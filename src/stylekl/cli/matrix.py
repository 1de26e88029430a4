"""`stylekl matrix`: how far is every model from every other?"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stylekl.cli.by import Lenses, with_lenses
from stylekl.cli.scaling import Scaling, with_scaling
from stylekl.cli.settings import Files, Settings, above_zero, with_settings

if TYPE_CHECKING:
    from stylekl.cli.ahead import Reader
    from stylekl.lenses.reports import MatrixReport
    from stylekl.lenses.style.evidence import Evidence
    from stylekl.results import Results


class Order(StrEnum):
    """An order of rows."""

    cluster = "cluster"
    name = "name"
    file = "file"


@with_settings
@with_lenses
@with_scaling
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
    counts: Annotated[
        bool,
        typer.Option("--counts", help="Show on how many votes, questions or pairs of words each cell rests."),
    ] = False,
    *,
    settings: Settings,
    lenses: Lenses,
    scaling: Scaling,
) -> None:
    """Draw how far every model is from every other, as a heat map.

    A cell is KL(row || column) in bits per token: bright is near, dark is far. --by draws other evidence than style.

    \b
    Examples:
      stylekl matrix
      stylekl matrix results.json
      stylekl matrix results.json --json | jq '.data.pairs[0]'
    """
    from functools import partial

    from stylekl.cli.ahead import counting_ahead
    from stylekl.cli.answer import answer, check_output, read, read_again
    from stylekl.cli.answers import question
    from stylekl.cli.by import one, only_style
    from stylekl.cli.scaling import is_scaled, refuse, scaled
    from stylekl.errors import UsageError
    from stylekl.lenses.reports import MatrixReport
    from stylekl.show.json import matrix_data
    from stylekl.show.style import matrix_view
    from stylekl.show.tables import matrix_rows

    def draw(results: Results, report: Any) -> None:
        view = partial(matrix_view, ramp=settings.ramp.value, vmax=vmax)
        answer("matrix", settings, results, report, data=matrix_data, rows=matrix_rows, view=view)

    check_output(settings)
    if is_scaled(scaling):
        refuse(settings, lenses, **{"--baseline": baseline is not None, "--counts": counts})
        draw(*scaled(settings, scaling, files or [], floor=floor, order=order.value))
        return
    asked = question("matrix", settings, lenses, files or [], floor=floor, order=order.value)
    plain = baseline is None and not counts
    if plain and (known := asked.answer(MatrixReport)) is not None:
        draw(read_again(settings, known.results), known.report)
        return
    with counting_ahead(settings, lenses) as reader:
        results = read(settings, files or [], reader=reader)
        name = one(results, lenses, "matrix")
        if name != "style":
            only_style(name, **{"--baseline": baseline is not None, "--floor": floor})
            rows = None if order is Order.cluster else order.value
            _by(name, results, settings, lenses, vmax=vmax, counts=counts, order=rows)
            return
        if counts:
            raise UsageError("--counts says nothing to --by style", "--json has the prompts of each pair")
        report, evidence = _by_style(results, settings, baseline, reader, floor=floor, order=order.value)
    if plain:
        asked.keep(results, report)
        asked.keep_work(evidence)
    draw(results, report)


def _by_style(
    results: Results,
    settings: Settings,
    baseline: str | None,
    reader: Reader | None,
    *,
    floor: bool,
    order: str,
) -> tuple[MatrixReport, Evidence]:
    from stylekl.cli.answer import busy, gather
    from stylekl.lenses import style
    from stylekl.results import load_apart

    evidence = gather(settings, results, reader, floor=floor, order=order)
    if baseline is None:
        evidence = evidence.by_prompt()
    with busy(settings, "comparing …"):
        report = style.matrix(results, evidence=evidence)
        if baseline is None:
            return report, evidence
        (earlier,) = load_apart(baseline, reading=settings.reading(), strict=False)
        return style.against(report, evidence, earlier), evidence


def _by(
    name: str,
    results: Results,
    settings: Settings,
    lenses: Lenses,
    *,
    vmax: float | None,
    counts: bool,
    order: str | None,
) -> None:
    from functools import partial

    from stylekl.cli.answer import answer, note
    from stylekl.cli.by import options_of
    from stylekl.lenses.frame import LensMatrix
    from stylekl.lenses.registry import lens
    from stylekl.show import lens_matrix
    from stylekl.show.sections import shown

    if lenses.by is None:
        note(settings, f"note: no replies to compare by style; this is --by {name}")
    report = lens(name).matrix(results, options_of(name, settings, lenses, order=order))
    if isinstance(report, LensMatrix):
        data, rows = lens_matrix.matrix_data, lens_matrix.matrix_rows
        view = partial(lens_matrix.matrix_view, vmax=vmax, ramp=settings.ramp.value, counts=counts)
    else:  # not models against models
        data, rows = (getattr(shown(name), f"{report.measure}_{form}") for form in ("data", "rows"))
        view = partial(getattr(shown(name), f"{report.measure}_view"), ramp=settings.ramp.value)
    answer("matrix", settings, results, report, data=data, rows=rows, view=view)
