"""A file as JSON (one object, one array, or lines of objects) or as a table, told apart by content."""

from __future__ import annotations

import io
import json
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO, Any, Literal, TypeVar

import msgspec

from stylekl.errors import InputError, RecordError, SyntaxFault, UnknownFormatError
from stylekl.results.reading import AS_FOUND, Reading
from stylekl.results.records import Results, Source
from stylekl.results.source import check_utf8, read_bytes
from stylekl.results.table import parse_table

Kind = Literal["object", "array", "lines", "table", "parquet", "sqlite", "zip"]
_ROWS = ("lines", "table", "parquet")  # kinds that are read record by record
_MAGIC: dict[bytes, Kind] = {b"PK\x03\x04": "zip", b"SQLite format 3\0": "sqlite", b"PAR1": "parquet"}
T = TypeVar("T")
PEEK = 1 << 16  # bytes that show the first record of an array without parsing the rest
_OPENING = re.compile(rb"\s*(\[)?\s*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SUFFIXES = re.compile(r"(\.(json|jsonl|ndjson|csv|tsv))?(\.gz)?$", re.IGNORECASE)


@dataclass
class Document:
    """One file, parsed when first asked. `data` is its content as UTF-8; `warnings` grow while it is read.

    `given` are the paths of all files that are read with it: what one leaves out another may hold.

    JSON that other tools write is taken as meant: NaN and Infinity as null, lone surrogates as U+FFFD, each
    with one warning; a last line that does not parse is a torn write, a warning too. What is not JSON raises
    SyntaxFault with line and column, what is nested too deep or not UTF-8 an InputError.
    """

    path: str
    sha256: str
    data: bytes
    warnings: list[str] = field(default_factory=list)
    given: tuple[str, ...] = ()
    reading: Reading = AS_FOUND
    _repairs: Counter[str] = field(default_factory=Counter)

    @cached_property
    def kind(self) -> Kind:
        """What the file is: one object, one array, lines, or a table."""
        for magic, kind in _MAGIC.items():
            if self.data.startswith(magic):
                return kind
        opening = _OPENING.match(self.data)
        return "array" if opening and opening[1] else self._content[0]

    def open(self) -> IO[bytes]:
        """Return the content as a file that can be read from any place."""
        return io.BytesIO(self.data)

    @property
    def value(self) -> Any:
        """The parsed object or array; for lines and tables, the list of their values."""
        kind, content = self._content
        return [value for _, value in content] if kind in _ROWS else content

    @cached_property
    def rows(self) -> list[tuple[int, Any]]:
        """The records with their line (lines, table) or place from 1 (array); an object alone is its one record."""
        kind, content = self._content
        if kind in _ROWS:
            return list(content)
        return list(enumerate(content, 1)) if kind == "array" else [(1, content)]

    def objects(self) -> list[tuple[int, dict[str, Any]]]:
        """Return the rows; raises RecordError where one is not an object."""
        for number, row in self.rows:
            if not isinstance(row, dict):
                raise self.fault(number, f"expected an object, found {describe(row)}")
        return self.rows

    @cached_property
    def first(self) -> Any:
        """The first record, null where there is none. Cheap for an array, however large."""
        opening = _OPENING.match(self.data)
        if opening and opening[1]:
            head = self.data[opening.end() : opening.end() + PEEK].decode("utf-8", "ignore")
            try:
                return json.JSONDecoder().raw_decode(head)[0]
            except (ValueError, RecursionError):
                pass  # longer than the head, or not JSON: the full parse tells
        return self.rows[0][1] if self.rows else None

    @property
    def unit(self) -> str:
        """What the number of a row counts: "line" or "record"."""
        return "line" if self.kind in ("lines", "table") else "record"

    @property
    def stem(self) -> str:
        """The file's name without folder and suffixes, "stdin" for standard input."""
        name = re.split(r"[/\\]", self.path)[-1]
        return "stdin" if self.path == "-" else _SUFFIXES.sub("", name) or name

    def typed(self, kind: type[T]) -> T | None:
        """Return the whole file as `kind`, straight from its bytes; null where it does not fit."""
        try:
            return msgspec.json.decode(self.data, type=kind)
        except (msgspec.DecodeError, RecursionError):
            return None

    def fault(self, number: int, reason: str) -> RecordError:
        """Make the error for row `number`."""
        return RecordError(self.path, f"{self.unit} {number}", reason)

    def results(self) -> Results:
        """Return empty results that name this file as their source and carry its warnings."""
        return Results(sources=[Source(self.path, self.sha256)], warnings=self.warnings)

    @cached_property
    def _content(self) -> tuple[Kind, Any]:
        if self.data.startswith(b"PAR1"):
            from stylekl.results.parquet import parquet_rows

            return "parquet", list(parquet_rows(self.path, self.open()))
        try:
            value = msgspec.json.decode(self.data)
        except RecursionError:
            raise self._too_deep() from None
        except msgspec.DecodeError:
            check_utf8(self.path, self.data)
            lines = self._lines()
            table = parse_table(self.path, self.data, self.warnings) if lines is None else None
            if table is not None:
                return "table", table
            value = self._tolerant(self.data, 1) if lines is None else lines
            self._report()
            if lines is not None:
                return "lines", lines
        if isinstance(value, dict):
            return "object", value
        if isinstance(value, list):
            return "array", value
        raise UnknownFormatError(self.path, describe(value), "objects, alone, in an array or one a line")

    def _lines(self) -> list[tuple[int, Any]] | None:
        """Parse the file line by line; null where its first line is no object, or its only one."""
        # "\n" only: U+2028 and its like may stand unescaped inside a string
        lines = [(n, line) for n, line in enumerate(self.data.split(b"\n"), 1) if line and not line.isspace()]
        if len(lines) < 2:
            return None
        rows: list[tuple[int, Any]] = []
        for number, line in lines:
            try:
                rows.append((number, self._line(line, number)))
            except SyntaxFault:
                if not rows:
                    return None
                if number != lines[-1][0]:
                    raise
                self.warnings.append(f"{self.path}: line {number}, the last, is cut short and left out")
            if not isinstance(rows[0][1], dict):
                return None
        return rows

    def _line(self, line: bytes, number: int) -> Any:
        try:
            return msgspec.json.decode(line)
        except msgspec.DecodeError:
            return self._tolerant(line, number)
        except RecursionError:
            raise self._too_deep() from None

    def _tolerant(self, data: bytes, line: int) -> Any:
        """Parse as the standard library does, which takes more and says line and column."""
        try:
            return repaired(json.loads(data.decode("utf-8", "replace")), self._repairs)
        except json.JSONDecodeError as error:
            raise SyntaxFault(self.path, line + error.lineno - 1, error.colno, error.msg) from None
        except RecursionError:
            raise self._too_deep() from None
        except ValueError:  # an integer of more digits than Python converts
            raise InputError(f"{self.path}: a number with too many digits", "write it as a string") from None

    def _report(self) -> None:
        self.warnings.extend(f"{self.path}: {what}: {n}" for what, n in self._repairs.items() if n)

    def _too_deep(self) -> InputError:
        return InputError(f"{self.path}: JSON nested too deep", "a results file is a few levels deep")


def read_document(path: str, given: tuple[str, ...] = (), reading: Reading = AS_FOUND) -> Document:
    """Read the file at `path` ("-" for standard input) of those `given`; the errors are those of `read_bytes`."""
    data, sha256 = read_bytes(path)
    return Document(path, sha256, data, given=given, reading=reading)


def describe(value: Any) -> str:
    """Name a JSON value by its type, an object by its keys too: for messages."""
    if isinstance(value, dict):
        keys = ", ".join(list(value)[:8]) + (", …" if len(value) > 8 else "")
        return f"an object with the keys {keys}" if value else "an object without keys"
    names = {str: "text", bool: "true or false", list: "an array", type(None): "null"}
    return names.get(type(value), "a number")


def repaired(value: Any, counts: Counter[str]) -> Any:
    """Return `value` as JSON that can be written, counting in `counts` what had to change."""
    if isinstance(value, str):
        text, count = _SURROGATE.subn("\ufffd", value)
        counts["lone surrogates read as U+FFFD"] += count
        return text
    if isinstance(value, float) and not math.isfinite(value):
        counts["NaN or infinite numbers read as null"] += 1
        return None
    if isinstance(value, list):
        return [repaired(item, counts) for item in value]
    if isinstance(value, dict):
        return {repaired(key, counts): repaired(item, counts) for key, item in value.items()}
    return value
