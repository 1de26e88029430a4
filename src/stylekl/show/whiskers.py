"""Ranked rows of a dot and its interval on one axis, with the floor of each row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style

from stylekl.show.flow import line
from stylekl.show.glyphs import Glyphs, glyphs
from stylekl.show.labels import ink, pad, shorten, shown
from stylekl.show.numbers import number
from stylekl.show.ramps import paint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from stylekl.show.terminal import Terminal

_LONGEST = 24
_PLOT = 16  # a plot narrower than this says nothing; the intervals in figures give way first
_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


@dataclass(frozen=True, slots=True)
class Whisker:
    """One row: a name with its rank, a value with its interval, and the two in figures as they are printed.

    A row without a value shows `note` in place of the plot.
    """

    rank: str
    name: str
    value: float | None
    low: float
    high: float
    floor: float | None
    figure: str
    interval: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Plot:
    rank: int
    name: int
    width: int
    figure: int
    interval: int
    top: float

    def x(self, value: float) -> int:
        return min(max(round(value / self.top * (self.width - 1)), 0), self.width - 1)


def whiskers(
    rows: Sequence[Whisker], terminal: Terminal, *, ramp: str = "lajolla", top: float | None = None
) -> list[Text]:
    """Return one line a row and the axis below: rank, name, whisker, value, interval.

    The axis ends at `top`, else where the rows do, but for outliers.
    """
    plot = _measure(rows, terminal, top)
    labels = shorten([row.name for row in rows], plot.name, terminal.ascii)
    lines = []
    for row, label in zip(rows, labels, strict=True):
        text = line(
            (f"{row.rank:>{plot.rank}} ", "dim"), (pad(label, plot.name), ink(row.name, terminal)), " "
        )
        if row.value is None:
            room = terminal.width - text.cell_len
            note = shown(row.note, terminal.ascii)
            text.append(note if len(note) <= room else note[: room - 1] + glyphs(terminal).ellipsis[0], "dim")
        else:
            text.append_text(_track(row, plot, terminal, ramp))
            text.append_text(line(" ", (f"{row.figure:>{plot.figure}}", "bold")))
            if plot.interval:
                text.append(f"  {row.interval}", "dim")
        lines.append(text)
    if any(row.value is not None for row in rows):
        lines.append(_axis(plot))
    if any(row.value is not None and row.value > plot.top for row in rows):
        mark = _beyond(terminal)
        lines.append(line((" " * (plot.rank + plot.name + 2) + f"{mark} lies beyond the axis", "dim")))
    return lines


def _beyond(terminal: Terminal) -> str:
    return ">" if terminal.ascii else "→"


def axis_end(rows: Sequence[Whisker]) -> float:
    """Return the end of the axis: the greatest end of an interval, but for outliers.

    One that lies over three times as far as three quarters of the rows would leave the others no room.
    """
    ends = sorted(max(row.high, row.value, row.floor or 0) for row in rows if row.value is not None)
    if not ends:
        return 0.001
    usual = 3 * ends[int(0.75 * (len(ends) - 1))]
    return max([0.001, *(end for end in ends if end <= max(usual, ends[0]))])


def _measure(rows: Sequence[Whisker], terminal: Terminal, top: float | None) -> _Plot:
    rank = max((len(row.rank) for row in rows), default=1)
    name = min(max((cell_len(shown(row.name, terminal.ascii)) for row in rows), default=4), _LONGEST)
    figure = max((len(row.figure) for row in rows), default=1)
    interval = max((len(row.interval) for row in rows), default=0)
    left = terminal.width - rank - figure - 3
    if left - name - interval - 2 < _PLOT:
        name = min(name, max(10, left - interval - 2 - _PLOT))
    if left - name - interval - 2 < _PLOT:
        interval = 0
        name = min(name, max(4, left - _PLOT))
    width = left - name - (interval + 2 if interval else 0)
    return _Plot(rank, name, max(width, 2), figure, interval, top or axis_end(rows))


def _track(row: Whisker, plot: _Plot, terminal: Terminal, ramp: str) -> Text:
    """Return the plot of one row. What is drawn later wins: leader, floor, line, caps, dot."""
    marks: Glyphs = glyphs(terminal)
    value = max(row.value or 0.0, 0.0)
    low, dot, high = plot.x(max(row.low, 0.0)), plot.x(value), plot.x(max(row.high, 0.0))
    cells: list[tuple[str, str | Style]] = [(" ", "")] * plot.width
    plain = terminal.ascii or terminal.colour == "none"
    leader = "." if terminal.ascii else marks.dot if plain else marks.leader
    for x in range(0, low, 2 if plain else 1):
        cells[x] = (leader, "dim")
    if value > plot.top:
        cells[-1] = (_beyond(terminal), "dim")
        return line(*cells)
    if row.floor is not None:
        cells[plot.x(row.floor)] = (marks.floor, "dim")
    # Neither the palest nor the darkest part of a ramp can be seen on every background.
    place = min(max(value / plot.top, 0.25), 0.65)
    ink = Style(color=paint(ramp, round(place, 2), terminal.colour))
    for x in range(low, high + 1):
        cells[x] = (marks.whisker[1], ink)
    cells[low], cells[high] = (marks.whisker[0], ink), (marks.whisker[2], ink)
    cells[dot] = (marks.whisker[3], ink)
    return line(*cells)


def _axis(plot: _Plot) -> Text:
    """Return the axis: 0 and round steps, the last digit of each below its value."""
    least = plot.top * 7 / max(plot.width, 7)
    step = next((step for step in _STEPS if step >= least), 10 ** math.ceil(math.log10(least)))
    marks = [" "] * plot.width
    free = 0
    for turn in range(int(plot.top / step + 1e-9) + 1):
        text = number(turn * step, max(0, -math.floor(math.log10(step) + 1e-9)))
        start = min(max(plot.x(turn * step) - len(text) // 2, 0), plot.width - len(text))
        if start >= free:
            marks[start : start + len(text)] = text
            free = start + len(text) + 1
    return line((" " * (plot.rank + plot.name + 2) + "".join(marks).rstrip(), "dim"))
