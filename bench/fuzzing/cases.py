"""A case: files made from the seed and the number alone, and how they are to be read."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from bench.fuzzing import grow, hostile, raw, tables, trees
from bench.fuzzing.corpus import Content, Seed, content, cut

if TYPE_CHECKING:
    from collections.abc import Sequence

_COLUMNS = (
    "model",
    "prompt",
    "reply",
    "response",
    "text",
    "id",
    "topic",
    "sample",
    "system",
    "judge",
    "winner",
)
_LONG = 1 << 20  # bytes: what is larger is cut before it is changed, most times


@dataclass
class Case:
    """Files by path within a folder, which of them are given, the reading options, and a seed for what follows."""

    number: int
    form: str
    attack: str
    files: dict[str, bytes]
    given: list[str]
    reading: dict[str, Any] = field(default_factory=dict)
    after: int = 0

    def write(self, folder: Path) -> list[str]:
        """Write the files into a folder; return the paths of those given."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return [str(folder / name) for name in self.given]


def case(
    seeds: Sequence[Seed], seed: int, number: int, readers: Sequence[str], largest: int = grow.SIZE
) -> Case:
    """Return case `number` of a seed; the same for the same seeds, readers and `largest` size, on any machine."""
    draw = random.Random(f"{seed}:{number}")
    forms = sorted({each.form for each in seeds})
    form = draw.choice(forms)  # by form, so that one of many files is not varied more than others
    chosen = draw.choice([each for each in seeds if each.form == form])
    attack = draw.choices(
        ("structure", "bytes", "grow", "encode", "beside", "whole"), (58, 14, 12, 5, 6, 5), k=1
    )[0]
    files = dict(chosen.beside)
    given = [chosen.path]
    if attack == "beside" and files:
        name = draw.choice(sorted(files))
        files[name] = _changed(draw, Seed(name, files[name]))
        files[chosen.path] = chosen.data
        if draw.random() < 0.3:
            given.append(name)
    elif attack == "whole":
        files[chosen.path] = chosen.data
        other = draw.choice(seeds)
        files[other.path] = other.data if len(other.data) < _LONG else other.data[:_LONG]
        given.append(other.path)
    elif attack == "bytes":
        data = chosen.data if len(chosen.data) < _LONG or draw.random() < 0.3 else chosen.data[:_LONG]
        for _ in range(draw.choice((1, 1, 2, 4))):
            data = raw.damage(draw, data)
        files[chosen.path] = data
    elif attack == "encode":
        files[chosen.path] = raw.encode(draw, chosen.data[:_LONG])
    elif attack == "grow":
        found = content(chosen)
        found.value = cut(found.value, draw.choice((1, 3, 20)))
        data = grow.grown(draw, found, largest)[: largest + largest // 20]
        files[chosen.path] = grow.packed(data) if draw.random() < 0.15 else data
    else:
        files[chosen.path] = _changed(draw, chosen)
    if chosen.path.endswith((".txt", ".md")) and draw.random() < 0.7:
        given[0] = str(PurePosixPath(chosen.path).parent)
    return Case(number, form, attack, files, given, _reading(draw, readers), draw.randrange(1 << 30))


def _changed(draw: random.Random, seed: Seed) -> bytes:
    found = content(seed)
    if found.kind in ("json", "lines"):
        data = _changed_json(draw, found)
    elif found.kind in _TABLES:
        data = _TABLES[found.kind](draw, found.data)
    else:
        data = raw.damage(draw, found.data)
    if draw.random() < 0.06:
        data = raw.damage(draw, data)
    if draw.random() < 0.06:
        data = raw.encode(draw, data)
    return grow.packed(data) if found.packed and draw.random() < 0.5 else data


_TABLES = {
    "csv": tables.change_csv,
    "sqlite": tables.change_sqlite,
    "zip": tables.change_zip,
    "parquet": tables.change_parquet,
}


def _changed_json(draw: random.Random, found: Content) -> bytes:
    value = found.value
    if len(found.data) > 20_000 and draw.random() < 0.9:
        value = cut(value, draw.choice((1, 2, 5, 20, 60)))
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        value = trees.change(draw, value)
    ascii_only = draw.random() < 0.8
    if isinstance(value, list) and draw.random() < (0.9 if found.kind == "lines" else 0.1):
        end = draw.choice((b"\n", b"\n", b"\n", b"\r\n", b"\n\n"))
        return end.join(hostile.dumped(row, ascii_only=ascii_only) for row in value) + draw.choice((b"", end))
    return hostile.dumped(value, ascii_only=ascii_only, indent=draw.choice((None, None, 1)))


def _reading(draw: random.Random, readers: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if draw.random() < 0.12:
        found["format"] = draw.choice(readers)
    if draw.random() < 0.2:
        found["turn"] = draw.choice(("first", "last", "all"))
    if draw.random() < 0.15:
        names = (*trees.KEYS[:40], "Unnamed", "")
        found["columns"] = {draw.choice(_COLUMNS): draw.choice(names) for _ in range(draw.choice((1, 2, 3)))}
    if draw.random() < 0.2:
        found["skip_bad"] = True
    return found
