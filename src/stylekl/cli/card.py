"""`stylekl card`: one model on a picture to pass on."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from stylekl.cli.exporting import put
from stylekl.cli.groups import with_group
from stylekl.cli.settings import Files, MoreFiles, Settings
from stylekl.errors import UsageError

if TYPE_CHECKING:
    from stylekl.lenses.reports import FocusReport

with_selection = with_group(
    Settings, "settings", without=("json", "csv", "markdown", "export", "width", "color", "ramp", "no_text")
)


@with_selection
def card(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="A model, by id, name or unique beginning.", show_default=False),
    ],
    files: Files = None,
    results: MoreFiles = None,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="The picture: .svg or .png; - is standard output, as SVG."
        ),
    ] = "card.svg",
    *,
    settings: Settings,
) -> None:
    """Draw one model on a card: nearest five, tells, classes.

    A picture of 600 pixels with the figures of `stylekl focus` and their intervals, how many prompts and replies they
    rest on and, where the file says, when those were collected. No reply is quoted. A file that is there is replaced,
    one that is read never.

    \b
    Examples:
      stylekl card smollm2-plain
      stylekl card "SmolLM2 lists" results.json -o lists.svg
      stylekl card smollm2-formal --facet words -o - | head -1
    """
    from stylekl.cli.answer import busy, gather, note, read
    from stylekl.cli.exporting import keep_inputs
    from stylekl.lenses import style
    from stylekl.results.collected import days_collected
    from stylekl.show.card import card_svg

    form = PurePath(output).suffix.lower()
    if output != "-" and form not in (".svg", ".png"):
        raise UsageError(f"-o {output}: not a form that is written", "end the name in .svg or .png")
    if form == ".png":  # before the work, not after
        from stylekl.show.png import ready

        ready()
    found = read(settings, [*(files or []), *(results or [])])
    keep_inputs(output, found, settings.names, settings.vocabulary)
    evidence = gather(settings, found)
    with busy(settings, "comparing …"):
        report: FocusReport = style.focus(found, model, evidence=evidence)
    own = (reply for reply in evidence.replies if reply.model == report.model.id)
    for warning in report.warnings:
        note(settings, f"warning: {warning}")
    _write(settings, card_svg(report, days_collected(own)), report, output, png=form == ".png")


def _write(settings: Settings, svg: str, report: FocusReport, output: str, *, png: bool) -> None:
    from stylekl.cli.answer import note
    from stylekl.results.save import write_atomically
    from stylekl.show.numbers import plural
    from stylekl.text import visible

    if output == "-":
        put(svg)
        return
    data = svg.encode()
    if png:
        from stylekl.show.png import png as as_png

        data, missing = as_png(svg)
        if missing:
            note(
                settings,
                f"warning: {output}: no font on this machine has {missing[:20]}; .svg keeps the text",
            )
    write_atomically(output, data)
    model = f"{report.model.name}, {plural(report.model.prompts, 'prompt')}"
    others = plural(len(report.style.neighbours), "model")
    put(visible(f"Wrote {output}: {model}, compared with {others}.") + "\n")
