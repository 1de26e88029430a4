"""`stylekl findings`: what does the file support, and what not?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stylekl.cli.by import Lenses, with_lenses
from stylekl.cli.settings import Files, Settings, with_settings

if TYPE_CHECKING:
    from stylekl.lenses.claims import Inquiry


@with_settings
@with_lenses
def findings(
    files: Files = None,
    most: Annotated[
        int, typer.Option("--most", min=1, help="How many sentences to show of either sort.")
    ] = 12,
    *,
    settings: Settings,
    lenses: Lenses,
) -> None:
    """Say what the file supports, and what it does not.

    Strongest first, each sentence with its numbers and a q that counts all that was looked at, by every kind of
    evidence that the file holds; --json has what each sentence is made from.

    \b
    Examples:
      stylekl findings
      stylekl findings results.json --most 30
      stylekl findings --json | jq -r '.data.findings[] | [.q, .text] | @tsv'
    """
    from stylekl.cli.ahead import counting_ahead
    from stylekl.cli.answer import answer, busy, check_output, gather, read
    from stylekl.cli.by import inquiries
    from stylekl.lenses.findings import conclude
    from stylekl.lenses.style import inquire
    from stylekl.show.findings import findings_data, findings_rows, findings_view

    check_output(settings)
    with counting_ahead(settings, lenses) as reader:
        results = read(settings, files or [], reader=reader)

        def by_style() -> Inquiry:
            return inquire(results, evidence=gather(settings, results, reader))

        with busy(settings, "looking …"):
            report = conclude(inquiries(results, settings, lenses, by_style))
    answer(
        "findings",
        settings,
        results,
        report,
        data=findings_data,
        rows=findings_rows,
        view=lambda found, shape: findings_view(found, shape, most=most),
    )
