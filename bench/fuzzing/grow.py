"""Files of some megabytes made from small ones, to look for time and memory that grow faster than the file."""

from __future__ import annotations

import copy
import csv
import gzip
import io
from typing import TYPE_CHECKING, Any

from bench.fuzzing import hostile, trees

if TYPE_CHECKING:
    import random

    from bench.fuzzing.corpus import Content

SIZE = 10_000_000  # bytes
_TINY = ("[]", "{}", "0", '""', "[[]]", '{"":0}', '{"a":{}}', '"a"', "null", '[{"a":[]}]', "1.5")
_TEXTS = (
    "a",
    " ",
    "\n",
    "é",
    "😀",
    "a ",
    "\t",
    "* ",
    "# a\n",
    "<think>",
    "|a",
    "> ",
    "`",
    "1. a\n",
    "\u0301",
    "[",
    "$",
)


def grown(draw: random.Random, found: Content, size: int = SIZE) -> bytes:
    """Return content of about `size` bytes, made by repeating something in the file."""
    size = draw.choice((size, size, size // 4, size // 20))
    if found.kind in ("json", "lines"):
        return draw.choice(_JSON)(draw, found, size)
    if found.kind == "csv":
        return _rows(draw, found.data, size)
    if draw.random() < 0.5:
        return found.data + found.data[: 1 << 16] * (size // max(1, len(found.data[: 1 << 16])))
    return (draw.choice(_TEXTS) * size)[:size].encode()[:size]


def packed(data: bytes) -> bytes:
    """Return the data as gzip, cheaply."""
    return gzip.compress(data, 1, mtime=0)


def written(found: Content, value: Any) -> bytes:
    """Return JSON in the kind that the content came in."""
    if found.kind == "lines" and isinstance(value, list):
        return b"".join(hostile.dumped(row) + b"\n" for row in value)
    return hostile.dumped(value)


def _again(draw: random.Random, found: Content, size: int) -> bytes:
    """Repeat the records as they are."""
    rows = trees.records(draw, found.value)
    if not rows:
        return _text(draw, found, size)
    each = max(2, len(hostile.dumped(rows)))
    rows *= max(1, min(size // each, 400_000 // len(rows)))
    return written(found, found.value)


def _own(draw: random.Random, found: Content, size: int) -> bytes:
    """Repeat the first record, or all, with a value of their own in one field: many models, prompts, ids or votes."""
    rows = trees.records(draw, found.value)
    objects = [row for row in rows or [] if isinstance(row, dict) and row]
    if not objects or rows is None:
        return _text(draw, found, size)
    bases = objects[: draw.choice((1, 1, len(objects)))]
    keys = [draw.choice(list(objects[0])) for _ in range(draw.choice((1, 1, 2)))]
    short = draw.random() < 0.5
    if short:  # as many records as go into the size
        bases = [
            {key: (item if len(str(item)) < 60 else str(item)[:20]) for key, item in base.items()}
            for base in bases
        ]
    each = max(2, len(hostile.dumped(bases)) // len(bases))
    rows[:] = []
    for number in range(min(400_000, size // each)):
        row = dict(bases[number % len(bases)])
        for key in keys:
            row[key] = number if isinstance(row.get(key), int | float) else f"{number}"
        rows.append(row)
    return written(found, found.value)


def _text(draw: random.Random, found: Content, size: int) -> bytes:
    """Make one text very long."""
    for _ in range(20):
        at = trees.place(draw, found.value)
        if at is not None and isinstance(at[0][at[1]], str):
            piece = draw.choice((*_TEXTS, at[0][at[1]][:200] or "a"))
            at[0][at[1]] = (piece * (size // len(piece)))[:size]
            break
    return written(found, found.value)


def _key(draw: random.Random, found: Content, size: int) -> bytes:
    """Give one object very many keys, or one very long one."""
    at = trees.place(draw, found.value)
    if at is not None and isinstance(at[0], dict):
        if draw.random() < 0.2:
            at[0]["k" * size] = 1
        else:
            at[0].update({f"k{n}": draw.choice(("", 1, None)) for n in range(min(300_000, size // 12))})
    return written(found, found.value)


def _list(draw: random.Random, found: Content, size: int) -> bytes:
    """Put a very long list in the place of a value, of itself or of the smallest values there are."""
    at = trees.place(draw, found.value)
    if at is None:
        return written(found, found.value)
    if draw.random() < 0.5:
        old = at[0][at[1]]
        each = max(3, len(hostile.dumped(old)))
        at[0][at[1]] = (copy.deepcopy(old) if isinstance(old, list) and old else [old]) * min(
            300_000, size // each
        )
        return written(found, found.value)
    tiny = draw.choice(_TINY)
    at[0][at[1]] = "@@here@@"
    many = b"[" + b",".join([tiny.encode()] * (size // (len(tiny) + 1))) + b"]"
    return written(found, found.value).replace(b'"@@here@@"', many, 1)


def _tiny(draw: random.Random, _found: Content, size: int) -> bytes:
    """Make the file of nothing but the smallest values there are."""
    tiny = draw.choice(_TINY).encode()
    many = [tiny] * (size // (len(tiny) + 1))
    return draw.choice((b"[" + b",".join(many) + b"]", b"\n".join(many), b",".join(many)))


_JSON = (*(_again,) * 3, *(_own,) * 6, *(_text,) * 4, *(_key,) * 2, *(_list,) * 4, _tiny)


def _rows(draw: random.Random, data: bytes, size: int) -> bytes:
    text = data.decode("utf-8", "replace").replace("\0", "")
    rows = list(csv.reader(io.StringIO(text, newline="")))[:60]
    if len(rows) < 2 or not rows[0]:
        return data
    column, what = draw.randrange(len(rows[0])), draw.randrange(5)
    if what == 0:
        rows[-1][column : column + 1] = [draw.choice(_TEXTS) * size]
    elif what == 1:
        width = min(200_000, size // (8 * len(rows)))
        rows = [row + [f"c{n}" if place == 0 else "" for n in range(width)] for place, row in enumerate(rows)]
    elif what == 2:
        rows[0][column] = draw.choice(_TEXTS[:2]) * size
    else:
        first, many = rows[0], []
        each = max(2, len(",".join(rows[1])))
        for number in range(min(400_000, size // each)):
            row = list(rows[1 + number % (len(rows) - 1)])
            if what == 3 and column < len(row):
                row[column] = str(number)
            many.append(row)
        rows = [first, *many]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()
