"""`stylekl focus`: who is nearest to this one, and what gives it away?"""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.settings import Classes, Examples, Files, MoreFiles, Settings, Tells, with_settings


@with_settings
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
) -> None:
    """Rank one model's neighbours, and show what gives it away.

    \b
    Examples:
      stylekl focus smollm2-plain
      stylekl focus "SmolLM2 lists" --examples
      stylekl focus smollm2-formal --csv
    """
    from stylekl.cli.answer import answer, busy, check_output, gather, read
    from stylekl.lenses import style
    from stylekl.show.json import focus_data
    from stylekl.show.style import focus_view
    from stylekl.show.tables import focus_rows

    check_output(settings)
    found = read(settings, [*(files or []), *(results or [])])
    evidence = gather(settings, found, tells=tells, classes=tuple(classes or ()), recognise=recognise)
    with busy(settings, "comparing …"):
        report = style.focus(found, model, evidence=evidence)
    answer(
        "focus",
        settings,
        found,
        report,
        data=focus_data,
        rows=focus_rows,
        view=lambda found, shape: focus_view(
            found, shape, show_examples=examples, most=tells, ramp=settings.ramp.value
        ),
    )
