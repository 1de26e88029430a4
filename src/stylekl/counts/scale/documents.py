"""A split as a document, which the ordinary readers read: so every form and every error is that of a whole file."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import msgspec

from stylekl.counts.scale.splits import digest_of, fetched, lines_before, lines_of, opened
from stylekl.errors import InputError
from stylekl.results import readers
from stylekl.results.document import Document
from stylekl.results.json_text import JsonText
from stylekl.results.readers import native
from stylekl.results.source import Content, read_content

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.counts.scale.splits import Split
    from stylekl.results import Reading, Results

# Readers that read record by record and take nothing from another: their lines and rows may be parted anywhere.
# Our own form has records that others name; they are handed to every split (`heads_of`).
PARTED = ("native", "alpaca_eval", "plain_lines", "conversations", "raw_completions")


@dataclass
class Fragment(Document):
    """Some lines or row groups of a file, read as a document of its own kind by the reader of the whole file."""

    split: Split = field(kw_only=True)
    ends: bool = True  # the file ends with it
    torn: bool = False

    @property
    def rows(self) -> Iterator[tuple[int, Any]]:
        """The records with their line or row in the file; those that every split is given come first."""
        noted = list[str]()
        if self.split.kind == "groups":
            from stylekl.results.parquet import parquet_rows

            with opened(self.split.place) as file:
                groups = range(self.split.low, self.split.high)
                yield from parquet_rows(self.path, file, noted, groups, self.split.before or 0)
            self._warn(noted)
            return
        text = JsonText(self.path)
        shared = self.split.head
        for number, line in shared or ():
            yield number, text.parse(line.rstrip(b"\r\n"), number)
        with self.open() as file:
            found = text.records(file, noted, before=self.split.before or 0, ends=self.ends)
            for number, row in found:
                if shared is None or not _is_shared(row):
                    yield number, row
        self.torn = bool(noted)
        self._warn(noted + text.warnings)

    def as_kind(self) -> Fragment:
        """Say what the whole file is, of which a part looks otherwise; return the fragment."""
        vars(self)["kind"] = "parquet" if self.split.kind == "groups" else "lines"
        vars(self)["first"] = self.split.first
        return self


def read_split(split: Split, given: tuple[str, ...], reading: Reading) -> tuple[Results, Document]:
    """Return what a split holds, with its document; the errors are those of reading the whole file.

    Lines are counted from the beginning of the file where an error or a warning names one.
    """
    if split.kind == "file":
        return _whole(split, given, reading)
    reading = replace(reading, format=split.form)
    fragment = _fragment(split, given, reading)
    try:
        results = readers.read(fragment)
        if not fragment.torn or split.before is not None:
            return results, fragment
    except InputError:
        if split.before is not None or split.kind == "groups":
            raise
    fragment = _fragment(replace(split, before=lines_before(split)), given, reading)
    return readers.read(fragment), fragment


def _whole(split: Split, given: tuple[str, ...], reading: Reading) -> tuple[Results, Document]:
    path = split.place.path
    with fetched(split.place) as there:
        try:
            document = Document(path, read_content(there), given=given, reading=reading)
            return readers.read(document), document
        except InputError as error:
            error.message = error.message.replace(there, path)
            raise


def _fragment(split: Split, given: tuple[str, ...], reading: Reading) -> Fragment:
    data, ends = lines_of(split) if split.kind == "lines" else (b"", True)
    content = Content(digest_of(data) if split.kind == "lines" else _named(split), len(data), data)
    return Fragment(split.place.path, content, given=given, reading=reading, split=split, ends=ends).as_kind()


def _named(split: Split) -> str:
    """Return a digest of which row groups of which file a split has: their bytes are read by columns."""
    place = split.place
    told = f"{place.url}\0{place.size}\0{place.mark}\0{split.low}\0{split.high}"
    return "split-" + hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


def _is_shared(row: Any) -> bool:
    """Whether a row is a record of our own form that every split is given."""
    return isinstance(row, dict) and row.get("record") not in (native.REPLY_RECORD, None)


class _Kind(msgspec.Struct):
    record: str


@dataclass(frozen=True, slots=True)
class Heads:
    """The records of a split of our own form that are no replies, with their lines in it, and how many lines it has."""

    lines: int
    records: tuple[tuple[int, bytes], ...]


def heads_of(split: Split) -> Heads:
    """Return the records of a split that are no replies; lines that are no records of ours are left to the readers."""
    data, _ = lines_of(split)
    decode = msgspec.json.Decoder(_Kind).decode
    found = []
    for number, line in JsonText(split.place.path).lines(io.BytesIO(data)):
        try:
            if decode(line).record != native.REPLY_RECORD:
                found.append((number, line))
        except (msgspec.DecodeError, RecursionError):
            continue  # reading it says what is wrong with it
    return Heads(data.count(b"\n") + (not data.endswith(b"\n") and bool(data)), tuple(found))
