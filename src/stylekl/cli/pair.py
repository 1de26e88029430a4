"""`stylekl pair`: what separates these two?"""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.settings import Classes, Examples, Files, MoreFiles, Settings, Tells, with_settings


@with_settings
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
) -> None:
    """Say what separates two models: numbers and tells.

    \b
    Examples:
      stylekl pair smollm2-plain smollm2-lists
      stylekl pair smollm2-plain smollm2-plain-again --examples
      stylekl pair smollm2-plain smollm2-lists --class punctuation --tells 5
      stylekl pair "SmolLM2 plain" "SmolLM2 formal" --json
    """
    from stylekl.cli.answer import answer, busy, check_output, gather, read
    from stylekl.lenses import style
    from stylekl.show.json import pair_data
    from stylekl.show.style import pair_view
    from stylekl.show.tables import pair_rows

    check_output(settings)
    found = read(settings, [*(files or []), *(results or [])])
    evidence = gather(settings, found, tells=tells, classes=tuple(classes or ()))
    with busy(settings, "comparing …"):
        report = style.pair(found, a, b, evidence=evidence)
    answer(
        "pair",
        settings,
        found,
        report,
        data=pair_data,
        rows=pair_rows,
        view=lambda found, shape: pair_view(found, shape, show_examples=examples, most=tells),
    )
