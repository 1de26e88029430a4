"""Changes to parsed JSON: values, keys, records and the shape of the whole."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from bench.fuzzing import hostile

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

KEYS = (
    *(
        "model",
        "model_id",
        "prompt",
        "response",
        "choices",
        "messages",
        "content",
        "role",
        "question",
        "question_id",
    ),
    *(
        "id",
        "text",
        "output",
        "instruction",
        "generator",
        "turns",
        "winner",
        "model_a",
        "model_b",
        "sample",
        "error",
    ),
    *(
        "custom_id",
        "body",
        "input",
        "results",
        "samples",
        "record",
        "format",
        "condition",
        "period",
        "flags",
        "extra",
    ),
    *(
        "pick",
        "pair",
        "words",
        "order",
        "judge",
        "verdict",
        "scores",
        "totals",
        "usage",
        "completion",
        "uid",
        "answer",
    ),
    *(
        "conversations",
        "conversation",
        "eval",
        "version",
        "doc",
        "resps",
        "filter",
        "provider",
        "kind",
        "subject",
    ),
    *(
        "",
        "constructor",
        "\ud800",
        "\x1b[0m",
        "A",
        "B",
        "unknown",
        "tags",
        "retired",
        "node",
        "price",
        "envelope",
    ),
)
_DEEPEST = 12
Place = tuple[Any, Any]  # a list or an object, and where in it


def change(draw: random.Random, root: Any) -> Any:
    """Return `root` with one thing changed, itself or anew; nothing where there is nothing to change."""
    return draw.choice(_CHANGES)(draw, root)


def place(draw: random.Random, root: Any) -> Place | None:
    """Return a random place in a value, near the top as often as deep within."""
    here: Place | None = None
    at = root
    for _ in range(_DEEPEST):
        if not isinstance(at, list | dict) or not at:
            break
        key = _early(draw, len(at)) if isinstance(at, list) else draw.choice(list(at))
        here, at = (at, key), at[key]
        if draw.random() < 0.3:
            break
    return here


def _early(draw: random.Random, size: int) -> int:
    """Return a number below `size`, often 0: the first record tells what a file is."""
    return 0 if draw.random() < 0.12 else draw.randrange(size)


def records(draw: random.Random, root: Any) -> list[Any] | None:
    """Return a list of records in a value: itself, or one within."""
    if isinstance(root, list) and (not isinstance(root, dict)) and draw.random() < 0.8:
        return root
    at = root
    for _ in range(4):
        if isinstance(at, dict):
            inner = [item for item in at.values() if isinstance(item, list | dict) and item]
        else:
            inner = (
                [item for item in at if isinstance(item, list | dict) and item]
                if isinstance(at, list)
                else []
            )
        if not inner:
            break
        at = draw.choice(inner)
        if isinstance(at, list) and draw.random() < 0.6:
            return at
    return root if isinstance(root, list) else None


def _replace(draw: random.Random, root: Any) -> Any:
    found = place(draw, root)
    if found is None:
        return hostile.value(draw, root, KEYS)
    found[0][found[1]] = hostile.value(draw, found[0][found[1]], KEYS)
    return root


def _everywhere(draw: random.Random, root: Any) -> Any:
    """Give one field of every record, or of every other, a new value."""
    rows = [row for row in records(draw, root) or [] if isinstance(row, dict) and row]
    if rows:
        key = draw.choice(list(rows[0]))
        new = hostile.value(draw, rows[0][key], KEYS)
        for row in rows[:: draw.choice((1, 2))]:
            row[key] = new if draw.random() < 0.9 else hostile.value(draw, row.get(key), KEYS)
    return root


def _drop(draw: random.Random, root: Any) -> Any:
    found = place(draw, root)
    if found is not None:
        del found[0][found[1]]
    return root


def _drop_everywhere(draw: random.Random, root: Any) -> Any:
    rows = [row for row in records(draw, root) or [] if isinstance(row, dict) and row]
    if rows:
        key = draw.choice(list(rows[0]))
        for row in rows:
            row.pop(key, None)
    return root


def _rename(draw: random.Random, root: Any) -> Any:
    found = place(draw, root)
    if found is not None and isinstance(found[0], dict):
        name = draw.choice((draw.choice(KEYS), str(draw.randrange(10)), hostile.text(draw)[:100_000]))
        found[0][name] = found[0].pop(found[1])
    return root


def _rename_everywhere(draw: random.Random, root: Any) -> Any:
    rows = [row for row in records(draw, root) or [] if isinstance(row, dict) and row]
    if rows:
        key, name = draw.choice(list(rows[0])), draw.choice(KEYS)
        for row in rows:
            if key in row:
                row[name] = row.pop(key)
    return root


def _again(draw: random.Random, root: Any) -> Any:
    """Write one key twice, with two values."""
    found = place(draw, root)
    if found is not None and isinstance(found[0], dict):
        found[0][hostile.twice(found[1])] = hostile.value(draw, found[0][found[1]], KEYS)
    return root


def _add(draw: random.Random, root: Any) -> Any:
    found = place(draw, root)
    if found is not None:
        inside = found[0]
        new = hostile.value(draw, draw.choice(("a", 1, None)), KEYS)
        if isinstance(inside, dict):
            inside[draw.choice(KEYS)] = new
        else:
            inside.insert(draw.randrange(len(inside) + 1), new)
    return root


def _swap(draw: random.Random, root: Any) -> Any:
    one, other = place(draw, root), place(draw, root)
    if one is not None and other is not None:
        first, second = one[0][one[1]], other[0][other[1]]
        # copies, so that no value comes to hold itself
        one[0][one[1]] = copy.deepcopy(second)
        if other[1] in other[0] if isinstance(other[0], dict) else other[1] < len(other[0]):
            other[0][other[1]] = copy.deepcopy(first)
    return root


def _order(draw: random.Random, root: Any) -> Any:
    rows = records(draw, root)
    if rows:
        what = draw.randrange(5)
        if what == 0:
            draw.shuffle(rows)
        elif what == 1:
            rows += copy.deepcopy(rows[: draw.randrange(1, len(rows) + 1)])
        elif what == 2:
            del rows[draw.randrange(len(rows)) :]
        elif what == 3:
            rows.insert(0, rows.pop())
        else:
            rows.insert(draw.randrange(len(rows) + 1), copy.deepcopy(draw.choice(rows)))
    return root


def _strange_record(draw: random.Random, root: Any) -> Any:
    rows = records(draw, root)
    if rows is not None:
        new = draw.choice((None, 1, "a", [], {}, [[]], True, hostile.literal(draw)))
        rows.insert(draw.choice((0, len(rows) // 2, len(rows))), new)
    return root


def _mixed(draw: random.Random, root: Any) -> Any:
    """Give the values of one field several types: ids that are numbers here, texts there."""
    rows = [row for row in records(draw, root) or [] if isinstance(row, dict) and row]
    if rows:
        key = draw.choice(list(rows[0]))
        for number, row in enumerate(rows):
            row[key] = draw.choice(
                (number, str(number), float(number), None, [number], row.get(key), number % 2 == 0)
            )
    return root


def _same(draw: random.Random, root: Any) -> Any:
    """Give one field of every record the value of the first."""
    rows = [row for row in records(draw, root) or [] if isinstance(row, dict) and row]
    if rows:
        key = draw.choice(list(rows[0]))
        for row in rows:
            row[key] = copy.deepcopy(rows[0][key])
    return root


def _shape(draw: random.Random, root: Any) -> Any:
    what = draw.randrange(6)
    if what == 0:
        return [root]
    if what == 1:
        return {draw.choice(KEYS): root}
    if what == 2 and isinstance(root, dict):
        return list(root.values())
    if what == 3 and isinstance(root, list) and root:
        return root[0]
    if what == 4 and isinstance(root, list):
        return dict(zip(map(str, range(len(root))), root, strict=True))
    if what == 5 and isinstance(root, list):
        return {"results": root, "data": root[:1]}
    return root


_CHANGES: tuple[Callable[[random.Random, Any], Any], ...] = (
    *(_replace,) * 8,
    *(_everywhere,) * 4,
    *(_drop,) * 3,
    *(_drop_everywhere,) * 2,
    *(_rename,) * 2,
    *(_rename_everywhere,) * 2,
    *(_add,) * 3,
    *(_swap,) * 2,
    *(_order,) * 3,
    _again,
    _strange_record,
    *(_mixed,) * 2,
    *(_same,) * 2,
    _shape,
)
