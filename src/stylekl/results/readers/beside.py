"""Files that belong to another: those given with it, and those that stand in its folder or above."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stylekl.errors import InputError
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
    return list(_rows(str(path), stat.st_mtime_ns, stat.st_size)) if path.is_file() else []


def existing(paths: Iterable[Path], document: Document) -> list[Path]:
    """Return the paths that are files other than the document's own, each once."""
    own = Path(document.path).absolute()
    return [path for path in dict.fromkeys(paths) if path != own and path.is_file()]


@lru_cache(maxsize=16)
def _rows(path: str, _changed: int, _size: int) -> tuple[dict[str, Any], ...]:
    from stylekl.results.document import read_document

    try:
        return tuple(row for _, row in read_document(path).rows if isinstance(row, dict))
    except InputError:
        return ()
