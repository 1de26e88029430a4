"""Tables of text: a comma or a tab between the cells, a header above, one record below the other."""

from __future__ import annotations

import csv
import io
import sys
from typing import TYPE_CHECKING, Any

from stylekl.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator

_DELIMITERS = ",\t"
_JSON = (b"{", b"[")


def parse_table(path: str, data: bytes, warnings: list[str]) -> list[tuple[int, dict[str, Any]]] | None:
    """Return the records of a table in UTF-8 with the line that each starts on; null where it is none.

    A table has two columns or more and a first record as wide as its header. Every cell is text; an unnamed column is
    "", a name that comes again gets a number: "status (2)". Raises RecordError for a record of another width, but for
    the last, which was cut short and is left out with a warning, and for a quoted cell that does not end.
    """
    if data.lstrip().startswith(_JSON):
        return None
    delimiter = max(
        _DELIMITERS, key=lambda mark: len(next(_cells(path, data, mark, lenient=True), (0, []))[1])
    )
    cells = _cells(path, data, delimiter)
    lenient = _cells(path, data, delimiter, lenient=True)
    header, first = next(lenient, (0, []))[1], next(lenient, (0, []))[1]
    if len(header) < 2 or len(first) != len(header):
        return None
    names = _distinct(next(cells)[1])
    rows: list[tuple[int, dict[str, Any]]] = []
    short: tuple[int, int] | None = None
    for line, row in cells:
        if short is not None or len(row) > len(names):
            at, found = short or (line, len(row))
            raise RecordError(path, f"line {at}", f"{found} cells where the header has {len(names)}")
        if len(row) < len(names):
            short = (line, len(row))
        else:
            rows.append((line, dict(zip(names, row, strict=True))))
    if short is not None:
        warnings.append(f"{path}: line {short[0]}, the last, is cut short and left out")
    return rows


def _cells(
    path: str, data: bytes, delimiter: str, *, lenient: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each record that is not blank, with the line it starts on."""
    csv.field_size_limit(sys.maxsize)  # a reply may be longer than the module's 131,072 characters
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
    reader = csv.reader(text, delimiter=delimiter, strict=not lenient)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        what = "a quoted cell does not end" if "end of data" in str(error) else str(error)
        raise RecordError(path, f"line {line}", what) from None


def _distinct(names: list[str]) -> list[str]:
    found: list[str] = []
    for name in map(str.strip, names):
        unique, turn = name, 2
        while unique in found:
            unique, turn = f"{name} ({turn})", turn + 1
        found.append(unique)
    return found
