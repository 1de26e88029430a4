"""A plot of two scores, cut in four at their medians, each model a number; from 38 columns on, and in ASCII."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stylekl.show.flow import columns, line
from stylekl.show.glyphs import glyphs
from stylekl.show.labels import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from stylekl.show.terminal import Terminal

LEAST = 38  # columns; the names of two regions stand in one line
_MOST = 76
_LABEL = 24
_STEP = 0.1  # ends of the axes are multiples of it


@dataclass(frozen=True, slots=True)
class Dot:
    """A model: its number in the plot and in the list, its name, and where it stands, each from 0 to 1."""

    number: int
    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Frame:
    """What is round the dots: where the plot is cut, the words at the ends of the axes, the regions.

    `low` and `high` are the words at the ends, first of x, then of y. `regions` are those of high y (low x, high x),
    then those of low y.
    """

    cut_x: float
    cut_y: float
    low: tuple[str, str]
    high: tuple[str, str]
    regions: tuple[str, str, str, str]


def quadrant(dots: Sequence[Dot], frame: Frame, terminal: Terminal) -> list[Text]:
    """Return the plot and the list of its numbers; the list alone where the terminal is too narrow.

    A dot that would cover another stands in the nearest free place of its own region, at most two away; where there is
    none, a + stands for both.
    """
    listed = _list(dots, terminal)
    if not dots or terminal.width < LEAST:
        return listed
    wide = min(terminal.width, _MOST)
    digits = max(len(str(dot.number)) for dot in dots)
    # Rows without a difference to show are left out: with one height of all dots a few are enough.
    heights = 2 * len({dot.y for dot in dots}) + 3
    grid = _Grid(dots, frame, (wide - 1) // (digits + 1), min(9 if wide < 60 else 13, heights))
    marks = glyphs(terminal)
    edge, rule, cut = marks.middle, "-" if terminal.ascii else marks.leader, marks.floor
    body = []
    for row in range(grid.rows):
        text = line((edge, "dim"))
        for column in range(grid.columns):
            found = grid.taken.get((column, row))
            if found is not None:
                text.append(f"{found:>{digits}}", "bold")
            elif row == grid.cut[1]:
                text.append(marks.dot * digits, "dim")
            else:
                text.append((cut if column == grid.cut[0] else " ").rjust(digits), "dim")
            text.append(" ")
        text.rstrip()
        body.append(text)
    top, bottom = (_ends(*pair, wide - 1) for pair in (frame.regions[:2], frame.regions[2:]))
    return [
        line((f"{frame.high[1]} {_value(grid.y[1])}", "dim")),
        line((edge, "dim"), (top, "italic")),
        *body,
        line((edge, "dim"), (bottom, "italic")),
        line((f"{frame.low[1]} {_value(grid.y[0])} ".ljust(wide, rule), "dim")),
        line(
            (
                _ends(f"{_value(grid.x[0])} {frame.low[0]}", f"{frame.high[0]} {_value(grid.x[1])}", wide),
                "dim",
            )
        ),
        *listed,
    ]


class _Grid:
    """Places of a plot, row 0 at the top, and the numbers that stand in them."""

    def __init__(self, dots: Sequence[Dot], frame: Frame, wide: int, rows: int) -> None:
        self.columns, self.rows = wide, rows
        self.x = _range([frame.cut_x, *(dot.x for dot in dots)])
        self.y = _range([frame.cut_y, *(dot.y for dot in dots)])
        self.cut = self._at(frame.cut_x, frame.cut_y)
        self.taken: dict[tuple[int, int], str] = {}
        for dot in dots:
            self._put(dot, frame)

    def _at(self, x: float, y: float) -> tuple[int, int]:
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return round(across * (self.columns - 1)), round((1 - up) * (self.rows - 1))

    def _put(self, dot: Dot, frame: Frame) -> None:
        column, row = self._at(dot.x, dot.y)
        right, high = dot.x >= frame.cut_x, dot.y >= frame.cut_y
        # The lines of the cut belong to the high side.
        column = max(column, self.cut[0]) if right else min(column, self.cut[0] - 1)
        row = min(row, self.cut[1]) if high else max(row, self.cut[1] + 1)
        column, row = min(max(column, 0), self.columns - 1), min(max(row, 0), self.rows - 1)
        near = sorted(
            (abs(a) + abs(b), b, a) for a in range(-2, 3) for b in range(-2, 3) if abs(a) + abs(b) <= 2
        )
        for _, down, over in near:
            place = column + over, row + down
            if place not in self.taken and self._inside(place, right, high):
                self.taken[place] = str(dot.number)
                return
        self.taken[column, row] = "+"

    def _inside(self, place: tuple[int, int], right: bool, high: bool) -> bool:
        column, row = place
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            return False
        return (column >= self.cut[0]) == right and (row <= self.cut[1]) == high


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis: the least and greatest value outwards to a tenth, two tenths apart at least."""
    low = int(min(values) / _STEP + 1e-9) * _STEP
    high = -int(-max(values) / _STEP + 1e-9) * _STEP
    if high < max(values) - 1e-9:
        high += _STEP
    while high - low < 2 * _STEP - 1e-9:
        low, high = (low - _STEP, high) if high >= 1 - 1e-9 else (low, high + _STEP)
    return round(max(low, 0.0), 2), round(min(high, 1.0), 2)


def _value(value: float) -> str:
    return f"{value:.1f}"


def _ends(left: str, right: str, width: int) -> str:
    return left + " " * max(width - len(left) - len(right), 1) + right


def _list(dots: Sequence[Dot], terminal: Terminal) -> list[Text]:
    digits = max((len(str(dot.number)) for dot in dots), default=1)
    room = min(_LABEL, terminal.width - digits - 1)
    names = shorten([dot.name for dot in dots], max(room, 4), terminal.ascii)
    entries = [
        line((f"{dot.number:>{digits}} ", "bold"), name) for dot, name in zip(dots, names, strict=True)
    ]
    return columns(entries, terminal.width)
