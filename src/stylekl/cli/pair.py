"""`stylekl pair`: what separates these two?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stylekl.cli.by import Lenses, with_lenses
from stylekl.cli.settings import Classes, Examples, Files, MoreFiles, Settings, Tells, with_settings

if TYPE_CHECKING:
    from stylekl.lenses.reports import PairReport
    from stylekl.lenses.style.evidence import Evidence
    from stylekl.results import Results


@with_settings
@with_lenses
def pair(
    a: Annotated[
        str, typer.Argument(metavar="A", help="A model, by id, name or unique beginning.", show_default=False)
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="Another model.", show_default=False)],
    files: Files = None,
    results: MoreFiles = None,
    examples: Examples = False,
    tells: Tells = 12,
    classes: Classes = None,
    *,
    settings: Settings,
    lenses: Lenses,
) -> None:
    """Say what separates two models: numbers and tells.

    Every kind of evidence that the file holds is asked; --by asks one.

    \b
    Examples:
      stylekl pair smollm2-plain smollm2-lists
      stylekl pair smollm2-plain smollm2-plain-again --examples
      stylekl pair smollm2-plain smollm2-lists --class punctuation --tells 5
      stylekl pair "SmolLM2 plain" "SmolLM2 formal" --json
    """
    from stylekl.cli.answer import check_output
    from stylekl.cli.answers import question, sections_of
    from stylekl.cli.by import answer_by
    from stylekl.lenses.reports import PairReport
    from stylekl.show.style import pair_view

    check_output(settings)
    names = [*(files or []), *(results or [])]

    def by_style(found: Results, evidence: Evidence) -> PairReport:
        from stylekl.lenses import style

        return style.pair(found, a, b, evidence=evidence)

    chosen = {"tells": tells, "classes": tuple(classes or ())}
    asked = question("pair", settings, lenses, names, a=a, b=b, **chosen)
    found, report = sections_of(
        "pair", asked, PairReport, settings, lenses, names, (a, b), by_style, **chosen
    )
    answer_by(
        "pair",
        settings,
        found,
        report,
        lambda part, shape: pair_view(part, shape, show_examples=examples, most=tells),
    )
