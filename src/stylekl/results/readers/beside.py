"""Files that belong to another: those given with it, and those that stand in its folder or above."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stylekl.errors import InputError
from stylekl.results.records import Source
from stylekl.results.source import STDIN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.results.document import Document


def folders(document: Document, levels: int) -> list[Path]:
    """Return the folder of a document and those above it, `levels` in all; none for standard input."""
    if document.path == STDIN:
        return []
    own = Path(document.path).absolute().parent
    return [own, *own.parents][:levels]


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the objects in the file at `path`, none where it is no such file; read once while it stays the same."""
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return []
    return list(_rows(str(path), stat.st_mtime_ns, stat.st_size)[1]) if path.is_file() else []


def take(document: Document, path: Path) -> None:
    """Say that a document was read with the file at `path`, whose rows were asked for before: a source of its own.

    Its path is written from where the document's starts.
    """
    stat = path.stat()
    sha256 = _rows(str(path), stat.st_mtime_ns, stat.st_size)[0]
    named = next((each for each in document.given if Path(each).absolute() == path), None)
    if named is None:
        folder = os.path.dirname(document.path)
        own = os.path.relpath(path, os.path.abspath(folder))
        named = os.path.normpath(os.path.join(folder, own))
    document.beside.append(Source(named, sha256))


def existing(paths: Iterable[Path], document: Document) -> list[Path]:
    """Return the paths that are files other than the document's own, each once."""
    own = Path(document.path).absolute()
    return [path for path in dict.fromkeys(paths) if path != own and path.is_file()]


@lru_cache(maxsize=16)
def _rows(path: str, _changed: int, _size: int) -> tuple[str, tuple[dict[str, Any], ...]]:
    """Return the sha256 of a file and its objects."""
    from stylekl.results.document import read_document

    try:
        document = read_document(path)
        return document.sha256, tuple(row for _, row in document.rows if isinstance(row, dict))
    except InputError:
        return "", ()
