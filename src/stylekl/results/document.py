"""A file as records, told apart by content: JSON, lines of JSON, a table, Parquet, or a container of its own kind."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from stylekl.errors import InputError, RecordError, UnknownFormatError
from stylekl.results.json_text import JsonText
from stylekl.results.reading import AS_FOUND, Reading
from stylekl.results.records import Results, Source
from stylekl.results.source import Content, read_content, refuse_unmarked_utf16
from stylekl.results.table import open_table

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["object", "array", "lines", "table", "parquet", "sqlite", "zip"]
T = TypeVar("T")
PEEK = 1 << 16  # bytes that show the first record of an array without parsing the rest
_MAGIC: dict[bytes, Kind] = {b"PK\x03\x04": "zip", b"SQLite format 3\0": "sqlite", b"PAR1": "parquet"}
_OPENING = re.compile(rb"\s*(\[)?\s*")
_SUFFIXES = re.compile(
    r"(\.(json|jsonl|ndjson|csv|tsv|parquet|eval|db|sqlite|sqlite3))?(\.gz)?$", re.IGNORECASE
)


@dataclass
class Document:
    """One file, read as it is asked for its records. `warnings` grow while it is read.

    `given` are the paths of all files that are read with it: what one leaves out another may hold. Lines, tables and
    Parquet are read record by record, however large, and anew each time; an object or an array is parsed whole.

    JSON that other tools write is taken as meant (`JsonText`). What is not JSON raises SyntaxFault with line and
    column, what is nested too deep or not UTF-8 an InputError.
    """

    path: str
    content: Content
    warnings: list[str] = field(default_factory=list)
    given: tuple[str, ...] = ()
    reading: Reading = AS_FOUND
    beside: list[Source] = field(default_factory=list)  # other files that a reader took something from

    @property
    def sha256(self) -> str:
        """The sha256 of the file as it is on the disk."""
        return self.content.sha256

    @cached_property
    def kind(self) -> Kind:
        """What the file is: one object, one array, lines, a table, or a container."""
        head = self.content.read(PEEK)
        for magic, kind in _MAGIC.items():
            if head.startswith(magic):
                return kind
        refuse_unmarked_utf16(self.path, head)
        opening = _OPENING.match(head)
        if opening and opening[1]:
            return "array"
        if head[opening.end() if opening else 0 :].startswith(b"{"):
            return "lines" if self._is_lines() else "object"
        with self.open() as file:
            if open_table(self.path, file) is not None:
                return "table"
        return "array" if isinstance(self.value, list) else "object"

    def open(self) -> IO[bytes]:
        """Return the content as a file that can be read from any place."""
        return self.content.open()

    @cached_property
    def value(self) -> Any:
        """The parsed object or array."""
        if self.content.held is None and self.content.read(PEEK).lstrip()[:1] not in (b"{", b"["):
            raise UnknownFormatError(self.path, "text", "JSON, tables and Parquet")
        text = JsonText(self.path)
        value = text.parse(self.content.read())
        self._warn(text.warnings)
        if not isinstance(value, dict | list):
            raise UnknownFormatError(self.path, describe(value), "objects, alone, in an array or one a line")
        return value

    @property
    def rows(self) -> Iterator[tuple[int, Any]]:
        """The records with their line (lines, table) or place from 1; an object alone is its one record."""
        if self.kind == "lines":
            text, warnings = JsonText(self.path), list[str]()
            with self.open() as file:
                yield from text.records(file, warnings)
            self._warn(warnings + text.warnings)
        elif self.kind == "table":
            with self.open() as file:
                table = open_table(self.path, file)
                if table is not None:
                    yield from table.records()
                    self._warn(table.warnings)
        elif self.kind == "parquet":
            from stylekl.results.parquet import parquet_rows

            noted = list[str]()
            with self.open() as file:
                yield from parquet_rows(self.path, file, noted)
            self._warn(noted)
        elif self.kind in ("object", "array"):
            yield from enumerate(self.value if self.kind == "array" else [self.value], 1)

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows; raises RecordError where one is not an object."""
        for number, row in self.rows:
            if not isinstance(row, dict):
                raise self.fault(number, f"expected an object, found {describe(row)}")
            yield number, row

    @cached_property
    def first(self) -> Any:
        """The first record, null where there is none or the file is a container. Cheap, however large the file."""
        if self.kind == "array":
            head = self.content.read(PEEK)
            opening = _OPENING.match(head)
            try:
                return json.JSONDecoder().raw_decode(
                    head[opening.end() if opening else 0 :].decode("utf-8", "ignore")
                )[0]
            except (ValueError, RecursionError):
                pass  # longer than the head, or not JSON: the full parse tells
        rows = self.rows
        return next((row for _, row in rows), None)

    @property
    def unit(self) -> str:
        """What the number of a row counts: "line", "row" or "record"."""
        return {"lines": "line", "table": "line", "parquet": "row"}.get(self.kind, "record")

    @property
    def stem(self) -> str:
        """The file's name without folder and suffixes, "stdin" for standard input."""
        name = re.split(r"[/\\]", self.path)[-1]
        return "stdin" if self.path == "-" else _SUFFIXES.sub("", name) or name

    def typed(self, kind: type[T]) -> T | None:
        """Return the whole file as `kind`, straight from its bytes; null where it does not fit."""
        try:
            return msgspec.json.decode(self.content.read(), type=kind)
        except (msgspec.DecodeError, RecursionError):
            return None

    def fault(self, number: int, reason: str) -> RecordError:
        """Make the error for row `number`."""
        return RecordError(self.path, f"{self.unit} {number}", reason)

    def results(self) -> Results:
        """Return empty results that name this file as their source and carry its warnings."""
        return Results(sources=[Source(self.path, self.sha256)], warnings=self.warnings)

    def _is_lines(self) -> bool:
        """Whether a content that begins with an object is an object a line: the first is, and another line follows."""
        text = JsonText(self.path)
        with self.open() as file:
            try:
                lines = text.lines(file)
                _, first = next(lines)
                if next(lines, None) is None:
                    return False
            except RecordError:  # one long line
                return False
        try:
            return isinstance(text.parse(first), dict)
        except InputError:
            return False

    def _warn(self, warnings: list[str]) -> None:
        """Say what is new: a file that is read twice is warned of once."""
        self.warnings.extend(each for each in warnings if each not in self.warnings)


def read_document(path: str, given: tuple[str, ...] = (), reading: Reading = AS_FOUND) -> Document:
    """Read the file at `path` ("-" for standard input) of those `given`; the errors are those of `read_content`."""
    return Document(path, read_content(path), given=given, reading=reading)


def describe(value: Any) -> str:
    """Name a JSON value by its type, an object by its keys too: for messages."""
    if isinstance(value, dict):
        keys = ", ".join(list(value)[:8]) + (", …" if len(value) > 8 else "")
        return f"an object with the keys {keys}" if value else "an object without keys"
    names = {str: "text", bool: "true or false", list: "an array", type(None): "null"}
    return names.get(type(value), "a number")
