"""Tables of text: a comma, a tab or a semicolon between the cells, a header above, one record below the other."""

from __future__ import annotations

import codecs
import csv
import io
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from stylekl.errors import RecordError
from stylekl.results.source import CHUNK, check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 256 << 20  # characters of a cell, which is a reply
_DELIMITERS = ",\t;"
_JSON = (b"{", b"[")


class Table:
    """A table in an open file: the names of its columns, and its records one after the other.

    Every cell is text; an unnamed column is "", a name that comes again gets a number: "status (2)".
    """

    def __init__(self, path: str, file: IO[bytes], delimiter: str, names: list[str]) -> None:
        self.path = path
        self.names = names
        self.warnings: list[str] = []
        self._file, self._delimiter = file, delimiter

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the records with the line that each starts on.

        Raises RecordError for a record of another width, but for the last, which was cut short and is left out with a
        warning, and for a quoted cell that does not end; InputError where the file is not UTF-8.
        """
        short: tuple[int, int] | None = None
        for line, row in islice(_cells(self.path, self._file, self._delimiter), 1, None):
            if short is not None or len(row) > len(self.names):
                at, found = short or (line, len(row))
                raise RecordError(
                    self.path, f"line {at}", f"{found} cells where the header has {len(self.names)}"
                )
            if len(row) < len(self.names):
                short = (line, len(row))
            else:
                yield line, dict(zip(self.names, row, strict=True))
        if short is not None:
            self.warnings.append(f"{self.path}: line {short[0]}, the last, is cut short and left out")


def open_table(path: str, file: IO[bytes]) -> Table | None:
    """Return the table in a file of UTF-8, null where it is none: two columns or more, a first record as wide.

    Raises RecordError and InputError where the first two records cannot be read at all.
    """
    start = file.tell()
    if file.read(1 << 10).lstrip().startswith(_JSON):
        return None
    file.seek(start)
    found = {}
    for mark in _DELIMITERS:
        found[mark] = [row for _, row in islice(_cells(path, file, mark, lenient=True), 2)]
        file.seek(start)
    delimiter = max(_DELIMITERS, key=lambda mark: len(found[mark][0]) if found[mark] else 0)
    if len(found[delimiter]) < 2:
        return None
    header, first = found[delimiter]
    if len(header) < 2 or len(first) != len(header):
        return None
    strict = next(_cells(path, file, delimiter))[1]
    file.seek(start)
    return Table(path, file, delimiter, _distinct(strict))


def _cells(
    path: str, file: IO[bytes], delimiter: str, *, lenient: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each record that is not blank, with the line it starts on."""
    csv.field_size_limit(LONGEST)  # a reply may be longer than the module's 131,072 characters
    start = file.tell()
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
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
    except UnicodeDecodeError:
        file.seek(start)
        _check_utf8(path, file)
        raise
    finally:
        text.detach()  # or the file is closed with it


def _check_utf8(path: str, file: IO[bytes]) -> None:
    """Raise the error that says where a file is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, start = 1, 0
    while chunk := file.read(CHUNK):
        data = decoder.getstate()[0] + chunk
        check_utf8(path, data, line=line, start=start)
        decoder.decode(chunk)
        start += len(data) - len(decoder.getstate()[0])
        line += chunk.count(b"\n")
    check_utf8(path, decoder.getstate()[0], whole=True, line=line, start=start)


def _distinct(names: list[str]) -> list[str]:
    found: dict[str, None] = {}
    turns: dict[str, int] = {}
    for name in map(str.strip, names):
        unique = name
        while unique in found:
            turns[name] = turns.get(name, 1) + 1
            unique = f"{name} ({turns[name]})"
        found[unique] = None
    return list(found)
