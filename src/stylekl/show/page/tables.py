"""Tables and rows of whiskers as the templates draw them: every figure is text by then."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from stylekl.show.numbers import count, decimals, number, probability
from stylekl.show.page.safe import seen
from stylekl.show.whiskers import axis_end

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.show.columns import Column
    from stylekl.show.whiskers import Whisker

WIDE, EDGE, BEYOND = (
    260,
    6,
    10,
)  # units of a plot: its width, what is free at either end, and at the far one besides
_STEPS = (
    0.001,
    0.002,
    0.005,
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1.0,
    2.0,
    5.0,
    10.0,
    20.0,
    50.0,
    100.0,
    200.0,
    500.0,
)
_CHANCES = ("p", "q")


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its caption, the file that its CSV is called, the heads and the cells, and a note below.

    Where it is `grouped` a first cell that is that of the row above stands once for all of them.
    """

    caption: str
    file: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    grouped: bool = False

    def groups(self) -> list[tuple[str, list[Sequence[str]]]]:
        """Return the rows that follow each other under one first cell, which stands once before them."""
        return [(first, list(rows)) for first, rows in groupby(self.rows, key=lambda row: row[0])]


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the parts of a whisker stand; null where there are none."""

    dot: str | None
    line: str | None
    floor: str | None
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """Rows of whiskers on one axis: each with its mark, and the steps of the axis as (place, text).

    `more` are further columns as (head, cells).
    """

    rows: Sequence[tuple[Whisker, Mark]]
    ticks: Sequence[tuple[str, str]]
    floors: bool
    beyond: bool
    ranks: bool
    more: Sequence[tuple[str, Sequence[str]]] = ()


def plot(
    rows: Sequence[Whisker], *, start: float = 0.0, end: float | None = None, more: Sequence[Column] = ()
) -> Plot:
    """Return rows of whiskers on an axis from `start` to `end`, or to where the rows end, but for outliers.

    A row whose interval is not written has a dot alone. Columns of `more` that say nothing are left out.
    """
    top = end if end is not None else axis_end(rows) if start == 0.0 else max(row.high for row in rows)
    top = top if top > start else start + 1.0
    marks = [_mark(row, start, top) for row in rows]
    return Plot(
        rows=[
            (replace(row, name=seen(row.name), note=seen(row.note)), mark)
            for row, mark in zip(rows, marks, strict=True)
        ],
        ticks=_ticks(start, top),
        floors=any(mark.floor is not None for mark in marks),
        beyond=any(mark.beyond for mark in marks),
        ranks=any(row.rank for row in rows),
        more=told(more),
    )


def told(columns: Sequence[Column]) -> list[tuple[str, list[str]]]:
    """Return the columns that say anything as (head, cells)."""
    kept = [each for each in columns if any(cell.strip() not in ("", "-") for cell in each.cells)]
    return [(seen(each.head), [seen(cell.strip()) for cell in each.cells]) for each in kept]


def _x(value: float, start: float, top: float) -> float:
    part = min(max((value - start) / (top - start), 0.0), 1.0)
    return EDGE + part * (WIDE - 2 * EDGE - BEYOND)


def _mark(row: Whisker, start: float, top: float) -> Mark:
    if row.value is None:
        return Mark(None, None, None)
    if row.value > top:
        return Mark(None, None, None, beyond=True)
    low, high = _x(row.low, start, top), _x(row.high, start, top)
    floor = None if row.floor is None else f"{_x(row.floor, start, top):.1f}"
    drawn = f"M{low:.1f} 8H{high:.1f}M{low:.1f} 4v8M{high:.1f} 4v8" if row.interval else None
    return Mark(f"{_x(row.value, start, top):.1f}", drawn, floor)


def _ticks(start: float, top: float) -> list[tuple[str, str]]:
    span = top - start
    step = next((step for step in _STEPS if span / step <= 5), span)
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    first = math.ceil(start / step - 1e-9)
    last = math.floor(top / step + 1e-9)
    return [(f"{_x(n * step, start, top):.1f}", number(n * step, places)) for n in range(first, last + 1)]


def interval(low: float | None, high: float | None, value: float | None) -> str:
    """Write the interval of any number, `[.11 .15]`; nothing where it has none."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return ""
    places = places_of(value if value else high)
    return f"[{number(low, places)} {number(high, places)}]"


def places_of(value: float) -> int:
    """Return how many decimals a value and its interval get: two for a share, else as many as it deserves."""
    return 2 if 0.0995 <= abs(value) <= 1 else decimals(value)


def cell(name: str, value: Any) -> str:
    """Return a value of a table as it is shown, by the name of its column."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        if name in _CHANCES:
            return probability("", value).replace("=", "").strip()
        return number(value) if math.isfinite(value) else ""
    return seen(value)


def table_of(
    caption: str, file: str, header: Sequence[str], rows: Sequence[Sequence[Any]], note: str = ""
) -> Table:
    """Return rows of plain values as a table, without the columns that are empty in all of them."""
    kept = [i for i in range(len(header)) if any(row[i] is not None for row in rows)]
    head = [header[i].replace("_", " ") for i in kept]
    return Table(caption, file, head, [[cell(header[i], row[i]) for i in kept] for row in rows], note)
