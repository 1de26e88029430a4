"""`stylekl focus`: who is nearest to this one, and what gives it away?"""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.by import Lenses, with_lenses
from stylekl.cli.settings import Classes, Examples, Files, MoreFiles, Settings, Tells, with_settings


@with_settings
@with_lenses
def focus(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="A model, by id, name or unique beginning.", show_default=False),
    ],
    files: Files = None,
    results: MoreFiles = None,
    examples: Examples = False,
    tells: Tells = 12,
    classes: Classes = None,
    recognise: Annotated[
        bool,
        typer.Option(
            "--recognise", help="Say how well single replies tell that this model wrote them (slower)."
        ),
    ] = False,
    *,
    settings: Settings,
    lenses: Lenses,
) -> None:
    """Rank one model's neighbours, and show what gives it away.

    Every kind of evidence that the file holds is asked; --by asks one.

    \b
    Examples:
      stylekl focus smollm2-plain
      stylekl focus "SmolLM2 lists" --examples
      stylekl focus smollm2-formal --csv
    """
    from stylekl.cli.answer import answer, busy, check_output, gather, note, read
    from stylekl.cli.by import ask
    from stylekl.lenses import style
    from stylekl.show.sections import focus_sections, section_rows, sections_view, shown
    from stylekl.show.style import focus_view

    check_output(settings)
    found = read(settings, [*(files or []), *(results or [])])

    def by_style() -> object:
        evidence = gather(settings, found, tells=tells, classes=tuple(classes or ()), recognise=recognise)
        return style.focus(found, model, evidence=evidence)

    with busy(settings, "comparing …"):
        report = ask("focus", found, settings, lenses, by_style, model)
    if len(report.parts) > 1 and (settings.csv or settings.markdown):
        note(
            settings,
            f"note: the table is that of --by {next(iter(report.parts))}; ask for the others one by one",
        )
    views = {name: shown(name).focus_view for name in report.parts if name != "style"}
    views["style"] = lambda part, shape: focus_view(
        part, shape, show_examples=examples, most=tells, ramp=settings.ramp.value
    )
    answer(
        "focus",
        settings,
        found,
        report,
        data=focus_sections,
        rows=lambda given: section_rows(given, "focus"),
        view=lambda given, shape: sections_view(given, shape, views),
    )
