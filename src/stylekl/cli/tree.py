"""`stylekl tree`: which models group together, and how surely?"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from stylekl.cli.settings import Files, Measure, Settings, with_defaults, with_settings


@with_defaults(rank=Measure.js)
@with_settings
def tree(
    files: Files = None,
    outgroup: Annotated[
        str | None,
        typer.Option("--outgroup", metavar="MODEL", help="Root the tree so that this model stands alone."),
    ] = None,
    newick: Annotated[
        bool, typer.Option("--newick", help="The tree in the Newick format, with lengths and support.")
    ] = False,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Write the tree as an SVG picture too.")
    ] = None,
    *,
    settings: Settings,
) -> None:
    """Draw which models group together, and how surely.

    Average linkage on the Jensen-Shannon divergence. The number at a join is its support in per cent.

    \b
    Examples:
      stylekl tree
      stylekl tree results.json --svg tree.svg
      stylekl tree --outgroup smollm2-lists --newick
    """
    from stylekl.cli.ahead import counting_ahead
    from stylekl.cli.answer import answer, busy, check_output, gather, note, read
    from stylekl.errors import UsageError
    from stylekl.lenses.style.tree import tree as tree_of
    from stylekl.show.tree import tree_view
    from stylekl.show.tree_forms import newick as as_newick
    from stylekl.show.tree_forms import tree_data, tree_rows

    check_output(settings)
    if newick and (settings.json or settings.csv or settings.markdown):
        raise UsageError("--newick is a form of its own", "ask for one form; --json has the Newick text too")
    if newick and settings.export:
        raise UsageError("--newick draws nothing to export", "leave one of the two out, or use --svg FILE")
    with counting_ahead(settings) as reader:
        results = read(settings, files or [], reader=reader)
        evidence = gather(settings, results, reader)
    with busy(settings, "comparing …"):
        report = tree_of(results, outgroup=outgroup, evidence=evidence)
    if svg is not None:
        from stylekl.results.save import write_atomically
        from stylekl.show.tree_svg import tree_svg

        write_atomically(svg, tree_svg(report).encode())
        note(settings, f"note: {svg} written")
    if newick:
        for warning in report.warnings:
            note(settings, f"warning: {warning}")
        sys.stdout.write(as_newick(report) + "\n")
        return
    answer(
        "tree",
        settings,
        results,
        report,
        data=tree_data,
        rows=tree_rows,
        view=lambda found, shape: tree_view(found, shape, ramp=settings.ramp.value),
    )
