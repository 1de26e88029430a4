"""The files that are varied: real ones where there are some, and a small made-up one of every form."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from bench.fuzzing.made import made

if TYPE_CHECKING:
    from pathlib import Path

_LARGEST = 6 << 20  # bytes: a larger file is no better to start from
_BESIDE = 1 << 20  # bytes
_LEVELS = 3


@dataclass(frozen=True)
class Seed:
    """A file to vary: its path within the set, its bytes, and the files that belong to it, by path."""

    path: str
    data: bytes
    beside: dict[str, bytes] = field(default_factory=dict)

    @property
    def form(self) -> str:
        """What the summary calls it: the first folder of its path."""
        return self.path.partition("/")[0]


@cache
def corpus(folder: Path | None) -> tuple[Seed, ...]:
    """Return every file to start from, sorted by path; those in `folder` too, where it is given."""
    seeds = [Seed(f"made-{form}/{name}", data, beside) for form, name, data, beside in made()]
    if folder is not None:
        seeds += [
            Seed(path.relative_to(folder).as_posix(), path.read_bytes(), _beside(path, folder))
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.parent != folder and path.stat().st_size <= _LARGEST
        ]
    return tuple(seeds)


def _beside(path: Path, folder: Path) -> dict[str, bytes]:
    """Return the questions, requests and results that belong to a file, as its readers look for them."""
    found: dict[str, bytes] = {}
    for place in list(path.parents)[:_LEVELS]:
        if not place.is_relative_to(folder):
            break
        for other in sorted(place.glob("*")):
            name = other.name
            wanted = "question" in name or "_input" in name or name.startswith("results_")
            if wanted and other != path and other.is_file() and other.stat().st_size <= _BESIDE:
                found[other.relative_to(folder).as_posix()] = other.read_bytes()
    return found


@dataclass
class Content:
    """What a file holds. `kind` is json, lines, csv, sqlite, zip, parquet or text; `packed` says that it was gzip.

    `value` is the parsed JSON, or the list of the records of lines.
    """

    kind: str
    data: bytes
    packed: bool = False
    value: Any = None


def content(seed: Seed) -> Content:
    """Return the content of a seed, parsed anew each time, so that it may be changed."""
    data, packed = seed.data, False
    if data.startswith(b"\x1f\x8b"):
        data, packed = gzip.decompress(data), True
    for magic, kind in ((b"PK", "zip"), (b"SQLite format 3", "sqlite"), (b"PAR1", "parquet")):
        if data.startswith(magic):
            return Content(kind, data, packed)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Content("text", data, packed)
    if text.lstrip()[:1] in ("{", "["):
        try:
            return Content("json", data, packed, json.loads(text))
        except ValueError:
            pass
        try:
            return Content(
                "lines", data, packed, [json.loads(line) for line in text.split("\n") if line.strip()]
            )
        except ValueError:
            return Content("text", data, packed)
    name = seed.path.lower()
    return Content("csv" if name.endswith((".csv", ".tsv")) else "text", data, packed)


def cut(value: Any, most: int) -> Any:
    """Return a value whose longest list, at the top or in the first levels, holds at most so many items."""
    if isinstance(value, list):
        return value[:most]
    if not isinstance(value, dict):
        return value
    lists = [(len(item), key) for key, item in value.items() if isinstance(item, list)]
    inner = [(len(item), key) for key, item in value.items() if isinstance(item, dict)]
    if lists:
        value = dict(value)
        key = max(lists)[1]
        value[key] = value[key][:most]
    elif inner:
        value = {key: cut(item, most) for key, item in value.items()}
    return value
