"""Makes larger and smaller inputs from the given files: fewer prompts, more samples, more models, other forms.

    python -m bench.speeding.made KIND FOLDER NUMBER FILE...

Variations are made: the sentences of a reply change their places and one in ten is dropped, by a fixed seed, so that no
two texts are equal and each is about as long as a real one. It runs as a process of its own, since whoever measures
memory has to stay small. Every kind writes plain JSON, so that what is compared differs in size alone.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Rows = list[dict[str, Any]]
_SENTENCES = re.compile(r"[^.!?\n]*(?:[.!?]+|\n+|$)\s*")


def varied(text: str, seed: str) -> str:
    """Return a text of the same sentences in another order, one in ten dropped; at least one stays."""
    draw = random.Random(seed)
    sentences = [found for found in _SENTENCES.findall(text) if found]
    kept = [sentence for sentence in sentences if draw.random() > 0.1] or sentences
    draw.shuffle(kept)
    return "".join(kept)


def variant(rows: Rows, number: int) -> Rows:
    """Return the rows of a model that is not: every reply varied, and `~number` behind the model's name."""
    if not number:
        return rows
    return [
        row
        | {
            "output": varied(row["output"] or "", f"{row['generator']} {place} {number}"),
            "generator": f"{row['generator']}~{number}",
        }
        for place, row in enumerate(rows)
    ]


def sampled(rows: Rows, times: int) -> Rows:
    """Return every reply `times` times: as it is, and varied."""
    return [
        row
        if not number
        else row | {"output": varied(row["output"] or "", f"{row['generator']} {place} {number}")}
        for place, row in enumerate(rows)
        for number in range(times)
    ]


def half(rows: Rows) -> Rows:
    """Return the replies to every second prompt, by the place in the file."""
    return rows[::2]


def small(rows: Rows, characters: int) -> Rows:
    """Return the first replies of a model, as many as have `characters` characters with their prompts."""
    kept: Rows = []
    for row in rows:
        characters -= len(row["output"] or "") + len(row["instruction"])
        if characters < 0:
            break
        kept.append(row)
    return kept


def read(path: Path) -> Rows:
    """Return the rows of an array, plain or gzipped, under the file's name: two files may hold one `generator`."""
    data = path.read_bytes()
    rows = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    name = path.name.removesuffix(".gz").removesuffix(".json")
    return [row | {"generator": name} for row in rows]


def write(folder: Path, kind: str, number: int, paths: list[Path]) -> list[Path]:
    """Write the files of one kind into a folder; return them.

    `prompts`: every `number`-th (1 or 2). `samples`: `number` of each reply. `models`: `number` models. `small`:
    `number` characters over all the files. `lines`: one JSON Lines file of all replies, whatever `number` is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "lines":
        return [_lines(folder / "replies.jsonl", paths)]
    return [_one(folder, rows) for rows in _made(kind, number, paths)]


def _made(kind: str, number: int, paths: list[Path]) -> Iterator[Rows]:
    """Yield the rows of each file to be written."""
    if kind == "models":
        for place in range(number):
            yield variant(read(paths[place % len(paths)]), place // len(paths))
        return
    for path in paths:
        rows = read(path)
        if kind == "prompts":
            yield half(rows) if number == 2 else rows
        elif kind == "samples":
            yield sampled(rows, number)
        elif kind == "small":
            yield small(rows, number // len(paths))
        else:
            raise ValueError(kind)


def _one(folder: Path, rows: Rows) -> Path:
    path = folder / f"{rows[0]['generator']}.json"
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return path


def _lines(path: Path, paths: list[Path]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for rows in map(read, paths):
            for row in rows:
                record = {"model": row["generator"], "prompt": row["instruction"], "response": row["output"]}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return path


if __name__ == "__main__":
    for written in write(
        Path(sys.argv[2]), sys.argv[1], int(sys.argv[3]), [Path(name) for name in sys.argv[4:]]
    ):
        print(written)
