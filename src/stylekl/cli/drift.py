"""`stylekl drift`: has this model changed since?"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from stylekl.cli.by import Lenses, with_lenses
from stylekl.cli.gate import FailAbove, FailIfApart, GitHub, Junit, Size, leave, make_gate
from stylekl.cli.settings import Files, MoreFiles, Settings, with_settings

if TYPE_CHECKING:
    from stylekl.results import Results


class Axis(StrEnum):
    """What orders the siblings of a model."""

    date = "date"
    effort = "effort"
    period = "period"


@with_settings
@with_lenses
def drift(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A model, without its date or with one of them.", show_default=False
        ),
    ],
    files: Files = None,
    results: MoreFiles = None,
    axis: Annotated[
        Axis, typer.Option("--axis", help="Compare over dates, effort levels or periods of collection.")
    ] = Axis.date,
    last: Annotated[bool, typer.Option("--last", help="Compare the last one only.")] = False,
    fail_above: FailAbove = None,
    fail_if_apart: FailIfApart = False,
    size: Size = None,
    junit: Junit = None,
    github: GitHub = False,
    *,
    settings: Settings,
    lenses: Lenses,
) -> None:
    """Compare a model's dates with the first and the one before.

    Models are named MODEL@YYYY-MM-DD, MODEL-t0@YYYY-MM-DD or MODEL@NNlabel-YYYY-MM-DD; --axis effort takes the labels
    of one date in the order of NN. A gate, by style alone, leaves with 0 (passed), 1 (failed) or 4 (could not
    tell: too little text).

    \b
    Examples:
      stylekl drift smollm2 dated.json
      stylekl drift smollm2 dated.json --last --size .02
      stylekl drift smollm2 dated.json --csv
    """
    from stylekl.cli.answer import answer, busy, check_output, gather, read
    from stylekl.cli.by import only_style
    from stylekl.lenses import style
    from stylekl.results.nodes import siblings
    from stylekl.show.drift import change_rows, drift_data, drift_view

    check_output(settings)
    gate = make_gate(fail_above, fail_if_apart, size, junit=junit, github=github)
    found = read(settings, [*(files or []), *(results or [])])
    if lenses.by not in (None, "style"):
        only_style(lenses.by, **{"--fail-above or --fail-if-apart": gate.given, "--size": size is not None})
        _by(lenses.by, found, model, axis.value, settings, lenses, last=last)
        return
    chain = siblings(found, model, axis.value)
    evidence = gather(settings, chain.results)
    with busy(settings, "comparing …"):
        report = style.drift_along(chain, evidence, last=last, size=gate.size, gate=gate)
    answer(
        "drift",
        settings,
        found,
        report,
        data=drift_data,
        rows=change_rows,
        view=lambda found, shape: drift_view(found, shape, ramp=settings.ramp.value),
    )
    leave("drift", report, junit=junit, github=github)


def _by(
    name: str, found: Results, model: str, axis: str, settings: Settings, lenses: Lenses, *, last: bool
) -> None:
    from stylekl.cli.answer import answer
    from stylekl.cli.by import one, options_of
    from stylekl.lenses.registry import lens
    from stylekl.show.sections import shown

    one(found, lenses, "drift")
    report = lens(name).drift(found, model, options_of(name, settings, lenses), axis=axis, last=last)
    show = shown(name)
    answer("drift", settings, found, report, data=show.drift_data, rows=show.drift_rows, view=show.drift_view)
