"""What `stylekl convert` says of the file that it wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.results.check_files import files_read, forms_read
from stylekl.show.labels import named
from stylekl.show.numbers import count, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.results import Results
    from stylekl.results.convert import Converted

_LISTED = 12  # fields that are named


def converted_lines(results: Results, written: Converted, output: str) -> Iterator[str]:
    """Yield what the files were read as, what was written, and which fields have no place of their own."""
    for _, described, number in forms_read(files_read(results.sources)):
        yield f"read {plural(number, 'file')}: {described}"
    counted = [
        plural(written.models, "model"),
        plural(written.prompts, "prompt"),
        plural(written.replies, "reply"),
        *(f"{count(number)} {named(array)}" for array, number in written.others.items()),
    ]
    yield f"wrote {'standard output' if output == '-' else output}: {', '.join(counted)}"
    if written.extra:
        yield f"kept in extra: {_listed([f'{named(key)} ({count(n)})' for key, n in written.extra.items()])}"
    if written.kept:
        yield f"kept beside our fields: {_listed([named(key) for key in written.kept])}"


def _listed(fields: list[str]) -> str:
    more = len(fields) - _LISTED
    return ", ".join(fields[:_LISTED]) + (f" and {count(more)} more" if more > 0 else "")
