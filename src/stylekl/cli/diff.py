"""`stylekl diff`: which models of these two files have changed?"""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.gate import FailAbove, FailIfApart, GitHub, Junit, Size, leave, make_gate
from stylekl.cli.settings import Settings, with_settings


@with_settings
def diff(
    old: Annotated[
        str, typer.Argument(metavar="OLD", help="A results file; - is standard input.", show_default=False)
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="A newer one.", show_default=False)],
    fail_above: FailAbove = None,
    fail_if_apart: FailIfApart = False,
    size: Size = None,
    junit: Junit = None,
    github: GitHub = False,
    *,
    settings: Settings,
) -> None:
    """Compare each model of one file with itself in another.

    Models are matched by id, else by name; prompts by their text. A gate leaves with 0 (passed), 1 (failed) or 4 (could
    not tell: too little text).

    \b
    Examples:
      stylekl diff old.json new.json
      stylekl diff old.json new.json --models smollm2-plain --json
    """
    from stylekl.cli.answer import answer, busy, check_output, gather
    from stylekl.lenses import style
    from stylekl.lenses.style.sides_by_side import both
    from stylekl.results import load_apart
    from stylekl.show.drift import change_rows, diff_data, diff_view

    check_output(settings)
    gate = make_gate(fail_above, fail_if_apart, size, junit=junit, github=github)
    reading = settings.reading()
    with busy(settings, "reading …"):
        sides = both(*load_apart(old, new, reading=reading))
    evidence = gather(settings, sides.results)
    with busy(settings, "comparing …"):
        report = style.diff_between(sides, evidence, size=gate.size, gate=gate)
    answer(
        "diff",
        settings,
        sides.results,
        report,
        data=diff_data,
        rows=change_rows,
        view=lambda found, shape: diff_view(found, shape, ramp=settings.ramp.value),
    )
    leave("diff", report, junit=junit, github=github)
