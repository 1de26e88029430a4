"""`stylekl focus`: who is nearest to this one, and what gives it away?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stylekl.cli.by import Lenses, with_lenses
from stylekl.cli.settings import Classes, Examples, Files, MoreFiles, Settings, Tells, with_settings

if TYPE_CHECKING:
    from stylekl.lenses.reports import FocusReport
    from stylekl.lenses.style.evidence import Evidence
    from stylekl.results import Results


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
    from stylekl.cli.answer import check_output
    from stylekl.cli.answers import Question, question, sections_of
    from stylekl.cli.by import answer_by
    from stylekl.lenses.reports import FocusReport
    from stylekl.show.style import focus_view

    check_output(settings)
    names = [*(files or []), *(results or [])]

    def by_style(found: Results, evidence: Evidence) -> FocusReport:
        from stylekl.lenses import style

        return style.focus(found, model, evidence=evidence)

    chosen = {"tells": tells, "classes": tuple(classes or ())}
    # how well replies are recognised looks at all texts
    asked = Question() if recognise else question("focus", settings, lenses, names, model=model, **chosen)
    found, report = sections_of(
        "focus",
        asked,
        FocusReport,
        settings,
        lenses,
        names,
        (model,),
        by_style,
        recognise=recognise,
        **chosen,
    )
    answer_by(
        "focus",
        settings,
        found,
        report,
        lambda part, shape: focus_view(
            part, shape, show_examples=examples, most=tells, ramp=settings.ramp.value
        ),
    )
