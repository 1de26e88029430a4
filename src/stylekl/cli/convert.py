"""`stylekl convert`: files of any form as one results file."""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.exporting import put
from stylekl.cli.reading import ReadingOptions, with_reading
from stylekl.cli.settings import Files  # noqa: TC001 # typer reads it


@with_reading
def convert(
    files: Files = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write: .json or .jsonl, either with .gz; - is standard output, as .json.",
        ),
    ] = "results.json",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error happened.")] = False,
    *,
    how: ReadingOptions,
) -> None:
    """Write files of any form as one results file.

    Nothing that was read is dropped: what has no place of its own is kept in the field extra of a reply, or beside the
    fields of a model, a prompt or the file. The same files give the same bytes, and a results file gives itself. A file
    that is there is not replaced without --force, one that is read never.

    \b
    Examples:
      stylekl convert results.json -o results.jsonl.gz
      stylekl convert results.json -o - | jq '.models[].id'
    """
    from stylekl.cli.answer import note, read, tell
    from stylekl.cli.settings import Settings
    from stylekl.results.convert import check_target, converted
    from stylekl.results.convert import convert as write
    from stylekl.results.save import pieces
    from stylekl.show.convert import converted_lines

    settings = Settings(quiet=quiet, debug=debug)
    if output != "-":
        check_target(output, files or [], force=force)
    results = read(settings, files or [], how, compared=False)
    for warning in results.warnings:
        note(settings, f"warning: {warning}")
    if output == "-":
        for piece in pieces(results):
            put(piece)
        written = converted(results)
    else:
        written = write(results, output, force=force)
    for line in converted_lines(results, written, output):
        tell(settings, line)
