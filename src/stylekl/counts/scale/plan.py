"""Which files there are, and how they are split: looked up once, on the client, before anything is counted."""

from __future__ import annotations

import glob
import hashlib
import os
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from stylekl.counts.scale.documents import PARTED, Fragment
from stylekl.counts.scale.splits import LOCAL, Place, Split, filesystem, opened, ranges, unreadable
from stylekl.errors import InputError, StyleklError, UsageError
from stylekl.results import readers
from stylekl.results.document import PEEK
from stylekl.results.readers.folder import is_folder
from stylekl.results.source import CHUNK, STDIN, Content

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stylekl.results import Reading

_MAGIC = frozenset("*?[")
_BOM = b"\xef\xbb\xbf"
_LONGEST = 64 << 20  # bytes in which two records must begin for a file to be split


@dataclass(frozen=True)
class Plan:
    """The files to read, their splits in order, and what was left out after which file."""

    places: list[Place]
    splits: list[Split] = field(default_factory=list)
    warnings: dict[int, list[str]] = field(default_factory=dict)

    @property
    def given(self) -> tuple[str, ...]:
        """The paths of all files."""
        return tuple(place.path for place in self.places)


def planned(names: Sequence[str], size: int, reading: Reading) -> Plan:
    """Return the splits, of about `size` bytes each, of the files that these paths, URLs and patterns name.

    In a pattern ** stands for any folders; the files that match come in the order of their paths. A file that comes
    twice counts once, with a warning. Raises InputError for one that is not there or that cannot be read, UsageError
    for standard input and for a folder.
    """
    plan = Plan([])
    found = _distinct([each for name in names for each in _expanded(name)], plan.warnings)
    plan.places[:] = [
        Place(number=number, path=each.path, url=each.url, size=each.size, mark=each.mark)
        for number, each in enumerate(found)
    ]
    for place in plan.places:
        try:
            parts = _parts(place, size, plan.given, reading)
        except StyleklError:
            raise
        except Exception as error:  # of whatever library reads there
            raise unreadable(place.path, error) from None
        for part in parts:
            plan.splits.append(Split(number=len(plan.splits), place=place, **part))
    return plan


def _expanded(name: str) -> list[Place]:
    """Return the files that a path, a URL or a pattern names."""
    if name == STDIN:
        raise UsageError("standard input cannot be split", "name files, or leave --engine out")
    if "://" in name and not name.startswith("file://"):
        return _remote(name)
    path = name.removeprefix("file://")
    if is_folder(path):
        raise UsageError(
            f"{path}: a folder", f"name the files in it, in quotes: '{path.rstrip('/')}/**/*.jsonl'"
        )
    if _MAGIC.isdisjoint(path) or os.path.exists(path):
        return [_local(path)]
    matching = sorted(each for each in glob.glob(path, recursive=True) if not is_folder(each))
    if not matching:
        raise InputError(f"{name}: no file matches", "** stands for any folders, * for a part of a name")
    return [_local(each) for each in matching]


def _local(path: str) -> Place:
    try:
        size = os.stat(path).st_size
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    return Place(number=0, path=path, url=os.path.abspath(path), size=size)


def _remote(name: str) -> list[Place]:
    system, path = filesystem(name)
    protocol = name.partition("://")[0]
    try:
        if _MAGIC.isdisjoint(path):
            rows: Iterable[dict[str, Any]] = [system.info(path)]
        else:
            found = system.glob(path, detail=True)
            rows = [found[key] for key in sorted(found)]
    except Exception as error:  # of whatever library reads there
        raise unreadable(name, error) from None
    files = [row for row in rows if row["type"] == LOCAL]
    if not files:
        raise InputError(f"{name}: no file matches", "** stands for any folders, * for a part of a name")
    return [
        Place(
            number=0,
            path=f"{protocol}://{row['name']}",
            url=f"{protocol}://{row['name']}",
            size=int(row["size"] or 0),
            mark=str(row.get("ETag") or ""),
        )
        for row in files
    ]


def _distinct(places: list[Place], warnings: dict[int, list[str]]) -> list[Place]:
    """Return the files, each once: two are one where they have one URL, or one size and the same content."""
    sizes: dict[int, int] = {}
    for place in places:
        sizes[place.size] = sizes.get(place.size, 0) + 1
    seen: set[tuple[str, ...]] = set()
    found = []
    for place in places:
        keys: list[tuple[str, ...]] = [("url", place.url)]
        if sizes[place.size] > 1 and (mark := place.mark or _digest(place)):
            keys.append(("content", str(place.size), mark))
        if seen.isdisjoint(keys):
            found.append(place)
        else:
            said = f"{place.path}: the same file as one before, counted once"
            warnings.setdefault(len(found) - 1, []).append(said)
        seen.update(keys)
    return found


def _digest(place: Place) -> str:
    """Return the SHA-256 of a local file; nothing for another, which is not read twice for that."""
    if not place.is_local:
        return ""
    found = hashlib.sha256()
    with opened(place) as file:
        while chunk := file.read(CHUNK):
            found.update(chunk)
    return found.hexdigest()


def _parts(place: Place, size: int, given: tuple[str, ...], reading: Reading) -> list[dict[str, Any]]:
    """Return what the splits of a file differ in."""
    whole: list[dict[str, Any]] = [{"kind": "file"}]
    if place.size <= size:
        return whole
    with ranges(place) as read:
        head = read(0, PEEK)
        if head.startswith(b"PAR1"):
            return _groups(place, size, given, reading) or whole
        origin = len(_BOM) if head.startswith(_BOM) else 0
        if not head[origin:].lstrip().startswith(b"{"):
            return whole
        first = _two_lines(read, origin, place.size)
    split = Split(number=0, place=place, kind="lines", origin=origin)
    form, record = _recognised(split, first, given, reading)
    if form is None:
        return whole
    common = {"kind": "lines", "form": form, "first": record, "origin": origin}
    bounds = [*range(origin, place.size, size), place.size]
    return [
        {**common, "low": low, "high": high, "before": 0 if low == origin else None}
        for low, high in pairwise(bounds)
    ]


def _two_lines(read: Any, origin: int, size: int) -> bytes:
    """Return the beginning of a content with two lines that are not blank; nothing where there are none soon."""
    length = 1 << 20
    while True:
        data = read(origin, min(origin + length, size))
        whole = data[: data.rfind(b"\n") + 1]
        if sum(not line.isspace() for line in whole.splitlines(keepends=True)) >= 2:
            return bytes(whole)
        if origin + length >= size or length >= _LONGEST:
            return b""
        length *= 4


def _recognised(
    split: Split, data: bytes, given: tuple[str, ...], reading: Reading
) -> tuple[str | None, Any]:
    """Return the name of a file's reader and its first record, null where it is not read in parts."""
    document = Fragment(
        split.place.path, Content("", len(data), data), given=given, reading=reading, split=split
    )
    try:
        record = next((row for _, row in document.rows), None)
        vars(document).update(first=record, kind="parquet" if split.kind == "groups" else "lines")
        form = readers.recognised(document) if isinstance(record, dict) else None
    except InputError:  # reading it whole says what is wrong
        return None, None
    return (form, record) if form in PARTED else (None, None)


def _groups(place: Place, size: int, given: tuple[str, ...], reading: Reading) -> list[dict[str, Any]]:
    """Return the splits of a Parquet file, none where it has one row group or is damaged."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        return []
    try:
        with opened(place) as file:
            metadata = ParquetFile(file).metadata
            groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
            rows, sizes = [each.num_rows for each in groups], [each.total_byte_size for each in groups]
    except (ArrowException, OSError, ValueError):
        return []
    if len(groups) < 2:
        return []
    form, record = _recognised(Split(number=0, place=place, kind="groups", high=1), b"", given, reading)
    if form is None:
        return []
    unpacked = max(1, sum(sizes)) / place.size
    bounds, held = [0], 0.0
    for number, each in enumerate(sizes, 1):
        held += each / unpacked
        if held >= size or number == len(groups):
            bounds.append(number)
            held = 0.0
    return [
        {
            "kind": "groups",
            "form": form,
            "first": record,
            "low": low,
            "high": high,
            "before": sum(rows[:low]),
        }
        for low, high in pairwise(bounds)
    ]
