"""What each file was taken for: its form, and how its bytes are written."""

from __future__ import annotations

import codecs
import os
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stylekl.results import readers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.results.records import Source

_GZIP = b"\x1f\x8b"
_BINARY = {b"PK\x03\x04": "zip", b"SQLite format 3\0": "SQLite", b"PAR1": "Parquet"}
_MARKS = {
    codecs.BOM_UTF8: "UTF-8 with a byte order mark",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
FOLDER = "folder"
BESIDE = "beside"  # what is no results file itself: questions, names, the input of a batch


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file: `form` is the name of its reader, "folder" or "beside", `described` what that reads.

    "beside" is a file that another one leads to, such as the questions of answers. `encoding` is how its text is
    written, or "zip", "SQLite" or "Parquet"; null for standard input, whose bytes are gone. `gzip` says whether it is
    compressed.
    """

    path: str
    sha256: str
    form: str
    described: str
    encoding: str | None
    gzip: bool


def files_read(sources: Iterable[Source]) -> tuple[FileRead, ...]:
    """Return what each source was taken for."""
    phrases = {reader.name: reader.describe for reader in readers.READERS}
    phrases |= {FOLDER: "a folder of texts", BESIDE: "read for what the others leave out"}
    found = []
    for source in sources:
        folder = os.path.isdir(source.path)
        form = source.form or (FOLDER if folder else BESIDE)
        head, gzip = (b"", False) if folder else _head(source.path)
        found.append(
            FileRead(source.path, source.sha256, form, phrases.get(form, form), _encoding(head), gzip)
        )
    return tuple(found)


def forms_read(files: Iterable[FileRead]) -> list[tuple[str, str, int]]:
    """Return each form that files were taken for, in their order: its name, what it reads, how many files."""
    forms = [(file.form, file.described) for file in files]
    return [(*form, forms.count(form)) for form in dict.fromkeys(forms)]


def _head(path: str) -> tuple[bytes, bool]:
    """Return the first bytes of a file, without compression, and whether it is compressed; none where it is gone."""
    try:
        with open(path, "rb") as file:
            raw = file.read(1024)
    except (OSError, ValueError):
        return b"", False
    if not raw.startswith(_GZIP):
        return raw, False
    try:
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(raw, 64), True
    except zlib.error:
        return b"", True


def _encoding(head: bytes) -> str | None:
    if not head:
        return None
    for magic, name in (*_BINARY.items(), *_MARKS.items()):
        if head.startswith(magic):
            return name
    return "UTF-8"
