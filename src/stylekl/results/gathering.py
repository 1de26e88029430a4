"""Folders of results files: which files in one are read, and what becomes of those that cannot be."""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from stylekl.errors import InputError, NoRepliesError, UnknownFormatError
from stylekl.results import readers
from stylekl.results.document import read_document
from stylekl.results.readers.folder import SUFFIXES, counted, entries_of, is_folder
from stylekl.results.records import Results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.results.document import Document
    from stylekl.results.reading import Reading
    from stylekl.results.records import Source

RESULTS = re.compile(r"\.((json|jsonl|ndjson|csv|tsv)(\.gz)?|parquet|eval|db|sqlite|sqlite3)$", re.IGNORECASE)
DEEPEST = 8  # folders within folders
ROWS = 50  # of a table, which tell whether it holds figures
LABEL = 100  # characters: a longer text may be a reply
_FIGURE = re.compile(r"\s*([-+]?[\d.,]+([eE][-+]?\d+)?%?|nan|)\s*", re.IGNORECASE)
MOST = 200_000  # entries that are looked at: more is a disk, not a folder of results


@dataclass(slots=True)
class Gathered:
    """The results files in a folder and those below it, in the order of their names, and what else is there."""

    path: str
    files: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def gather(path: str) -> Gathered:
    """Return the results files in the folder at `path`, by the endings of their names, and count the rest.

    Hidden files and folders are left out, and folders that a link leads back to. Raises InputError where a folder
    cannot be read, and where there is too much in it.
    """
    found = Gathered(path)
    seen: set[tuple[int, int]] = set()
    entries = 0

    def look(folder: str, depth: int) -> None:
        nonlocal entries
        inside = entries_of(folder)
        entries += len(inside)
        if entries > MOST:
            raise InputError(
                f"{path}: more than {MOST:,} files and folders in it",
                "name the folder that holds the results",
            )
        for entry in inside:
            if entry.name.startswith("."):
                found.left_out["hidden file"] += 1
            elif is_folder(entry.path):
                if (key := _identity(entry)) in seen:
                    continue
                seen.add(key)
                if depth == DEEPEST:
                    found.left_out["deeper folder"] += 1
                else:
                    look(entry.path, depth + 1)
            elif RESULTS.search(entry.name) and (
                os.path.isfile(entry.path) or not os.path.exists(entry.path)
            ):
                found.files.append(entry.path)
            else:
                text = os.path.splitext(entry.name)[1].lower() in SUFFIXES
                found.left_out["text" if text else "other file"] += 1

    with suppress(OSError):  # listing it says why
        seen.add(_key(os.stat(path)))
    look(path, 0)
    return found


def read_gathered(
    folder: Gathered, given: tuple[str, ...], reading: Reading, beside: list[Source]
) -> Iterator[Results]:
    """Yield the results of each file in a folder, and at the end a part that holds nothing but warnings.

    Files that hold no reply by their nature are left out and counted with the other things in it; so is, where
    `reading` says so, one that cannot be read, with a warning of its own. What another file was read with need not be
    readable alone. `given` are the files named one by one, `beside` takes what is read with others. Raises InputError,
    once all are read, for the first file that cannot be, and where none is left.
    """
    left_out = folder.left_out.copy()
    failed: list[tuple[str, InputError]] = []
    last: InputError | None = None
    some = False
    for path in folder.files:
        try:
            document = read_document(path, given, reading)
            part = _read(document)
        except NoRepliesError as error:
            left_out["file without replies"] += 1
            last = error
        except InputError as error:
            failed.append((path, error.with_traceback(None)))  # which would keep the file in memory
        else:
            beside += document.beside
            some = True
            yield part
    taken = {os.path.abspath(source.path) for source in beside}
    bad = [error for path, error in failed if os.path.abspath(path) not in taken]
    if bad and not reading.skip_bad:
        bad[0].hint += ("; " if bad[0].hint else "") + "--skip-bad reads the other files of the folder"
        raise bad[0]
    last = bad[-1] if bad else last
    if not some and last is not None:
        raise InputError(
            f"{folder.path}: of {len(folder.files)} results files none can be read, the last for this reason: "
            f"{last.message}",
            last.hint,
        )
    warnings = [f"left out: {error.message}" for error in bad]
    if rest := counted(left_out):
        warnings.append(f"{folder.path}: left out: {rest}")
    yield Results(warnings=warnings)


def _read(document: Document) -> Results:
    """Read a file of a folder; a table of figures, which is of no form that is known, is one without replies."""
    try:
        return readers.read(document)
    except UnknownFormatError as error:
        if not _is_figures(document):
            raise
        raise NoRepliesError(f"{document.path}: a table of figures, without replies", error.hint) from None


def _is_figures(document: Document) -> bool:
    """Whether a file is a table of numbers, but for a few columns that say what they are of."""
    if document.kind != "table":
        return False
    rows = [row for _, row in islice(document.rows, ROWS)]
    columns = list(rows[0]) if rows else []
    figures = [name for name in columns if all(_FIGURE.fullmatch(str(row[name])) for row in rows)]
    labels = [name for name in columns if name not in figures]
    short = all(len(str(row[name])) <= LABEL for name in labels for row in rows)
    return short and len(figures) >= 3 and len(figures) > len(labels)


def _identity(entry: os.DirEntry[str]) -> tuple[int, int]:
    return _key(entry.stat())


def _key(stat: os.stat_result) -> tuple[int, int]:
    return stat.st_dev, stat.st_ino
