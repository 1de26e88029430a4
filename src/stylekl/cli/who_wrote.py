"""`stylekl who-wrote`: which of these models wrote this?"""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.settings import Files, Settings, with_settings


@with_settings
def who_wrote(
    files: Files = None,
    text: Annotated[
        str | None,
        typer.Option("--text", metavar="FILE", help="The text to attribute; - reads standard input."),
    ] = None,
    stranger: Annotated[
        float,
        typer.Option(
            "--stranger",
            min=0,
            max=0.5,
            help="How likely it is beforehand that none of the models wrote it; 0: it was one of them.",
        ),
    ] = 0.05,
    *,
    settings: Settings,
) -> None:
    """Say which model wrote a text, or how well replies tell.

    With --text the text is attributed, where it is long enough and the answer sure enough. Without it, replies to
    held-out prompts say how often that is right. --models names the models that come into question.

    \b
    Examples:
      stylekl who-wrote
      stylekl who-wrote results.json --text reply.txt
      stylekl who-wrote --json | jq '.data.recognition.accuracy'
    """
    from dataclasses import replace

    from stylekl.cli.answer import answer, busy, check_output, note, options, read
    from stylekl.lenses.style.material import gather_material
    from stylekl.lenses.style.who_wrote import who_wrote as who_wrote_of
    from stylekl.show.recognition import who_wrote_data, who_wrote_rows, who_wrote_view

    check_output(settings)
    given = None if text is None else _text_of(text, files or [])
    if settings.facet != "tokens":
        note(settings, "note: recognition looks at several facets together; --facet changes nothing")
    results = read(settings, files or [])
    with busy(settings, "reading replies …"):
        asked = options(settings)
        material = gather_material(results, asked)
    with busy(settings, "learning who writes how …"):
        report = who_wrote_of(material, asked, given, stranger=stranger)
    report = replace(report, params=report.params | {"text": text})
    answer(
        "who-wrote",
        settings,
        results,
        report,
        data=who_wrote_data,
        rows=who_wrote_rows,
        view=lambda found, shape: who_wrote_view(found, shape, ramp=settings.ramp.value),
    )


def _text_of(path: str, files: list[str]) -> str:
    """Return the text to attribute; raises UsageError and InputError."""
    import sys

    from stylekl.errors import EmptyFileError, UsageError
    from stylekl.results.source import STDIN, check_utf8, read_bytes

    if path == STDIN and STDIN in files:
        raise UsageError('"-" is given twice', "name a file for the results or for the text")
    if path == STDIN and (sys.stdin is None or sys.stdin.isatty()):
        raise UsageError(
            '"-" reads the text from standard input, and nothing is piped into it',
            "`cat reply.txt | stylekl who-wrote results.json --text -`",
        )
    try:
        data = read_bytes(path).data
    except EmptyFileError:
        raise UsageError("the text is empty", "give a text with words in it") from None
    check_utf8(path, data, whole=True)
    return data.decode()
