"""A tree of models in a terminal: branches as long as the distances, support on them, names at the leaves."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from stylekl.show.flow import line, prose
from stylekl.show.labels import ink, shorten, shown
from stylekl.show.numbers import number
from stylekl.show.ramps import paint, tone
from stylekl.show.tree_axis import Axis, axis, decimals_of, steps
from stylekl.show.tree_forms import Branches, branches
from stylekl.show.tree_notes import Drawn, percent_down, support_level, tree_lines

if TYPE_CHECKING:
    from stylekl.lenses.style.tree import TreeReport
    from stylekl.show.terminal import Terminal

_LEAF = 4  # columns of a branch before a name: room for a number
_APART = 2  # columns between a join and the next, where there is room
_NAME = 16  # cells that a name may always take
_BROKEN, _SLASHES = 6, "//"  # columns of a broken branch, and the mark in it
_PLOT = 12  # an axis of fewer columns says nothing


class Marks(NamedTuple):
    """What branches are made of: joins by their arms (up, down, left, right), and lines from firm to loose."""

    arms: dict[str, str]
    lines: tuple[str, str, str]
    close: str
    leader: str


_ARMS = ("UD", "DR", "UR", "UDR", "UDL", "DLR", "ULR", "UDLR")
_UNICODE = Marks(dict(zip(_ARMS, "│┌└├┤┬┴┼", strict=True)), ("━", "─", "┄"), "≈", "·")
_ASCII = Marks(dict(zip(_ARMS, "|.'|++++", strict=True)), ("=", "-", "."), "~", " ")


def marks(terminal: Terminal) -> Marks:
    """Return the marks that the terminal can write."""
    return _ASCII if terminal.ascii else _UNICODE


def tree_view(report: TreeReport, terminal: Terminal, *, ramp: str = "lajolla") -> list[Text]:
    """Return the tree with one line a model, the axis, and below it what the file supports."""
    names = {model.id: model.name for model in report.models}
    longest = max(cell_len(shown(name, terminal.ascii)) for name in names.values())
    wide = max(4, min(longest, max(_NAME, 3 * terminal.width // 10), terminal.width // 2))
    shape, width = branches(report), terminal.width - wide - 1
    canvas = _Canvas(report, shape, axis(report, shape, width - 1, _BROKEN, _PLOT), terminal, width, ramp)
    labels = shorten([names[model] for model in report.order], wide, terminal.ascii)
    rows, hidden = _drawn(canvas)
    inks = [ink(names[model], terminal) for model in report.order]
    lines = [
        line(*_runs(cells), " ", (label, style))
        for cells, label, style in zip(rows, labels, inks, strict=True)
    ]
    lines += _ruler(canvas)
    look = marks(terminal)
    notes = tree_lines(
        report, terminal, Drawn(look.lines, look.close, hidden, _SLASHES if canvas.axis.broken else "")
    )
    return [*lines, Text(), *(part for note in notes for part in prose(note, terminal.width, 0, 2))]


@dataclass(frozen=True, slots=True)
class _Canvas:
    report: TreeReport
    branches: Branches
    axis: Axis
    terminal: Terminal
    width: int
    ramp: str

    def style(self, support: float | None) -> Style | str:
        """Return the style of a branch with this support: the firmer, the brighter."""
        if support is None:
            return "dim"
        if self.terminal.colour == "16":
            return tone(support_level(support))
        # Neither the palest nor the darkest part of a ramp can be seen on every background.
        return Style(color=paint(self.ramp, round(0.65 - 0.4 * support, 2), self.terminal.colour))


Cells = list[tuple[str, str | Style]]


def _runs(cells: Cells) -> Cells:
    """Return the cells put together where their style is the same, so that each run is one piece of text."""
    return [
        ("".join(mark for mark, _ in run), style) for style, run in groupby(cells, key=lambda cell: cell[1])
    ]


def _columns(canvas: _Canvas) -> list[int]:
    """Return the column of each node: by its height, but joins stay apart from each other and from the names."""
    shape, last = canvas.branches, canvas.width - 1
    right = max(last - _LEAF, 0)
    apart = next(gap for gap in range(_APART, -1, -1) if gap * (shape.below[0] - 1) <= right)
    columns = [0] * len(shape.row)
    for place, node in enumerate(canvas.report.nodes[1:], 1):
        before = columns[node.parent or 0]
        there = round(canvas.axis.of(place, canvas.report, shape))
        if node.model is not None:
            columns[place] = last if canvas.axis.rising else min(max(there, before + _APART), last)
        else:
            columns[place] = max(min(there, right - apart * (shape.below[place] - 1)), before + apart)
    return columns


def _break(canvas: _Canvas, columns: list[int], rows: list[Cells]) -> None:
    """Mark the branches that are longer than they are drawn."""
    for place in canvas.axis.broken:
        row, start = canvas.branches.row[place], columns[canvas.report.nodes[place].parent or 0] + 1
        if columns[place] - start >= len(_SLASHES):
            rows[row][start : start + len(_SLASHES)] = [(mark, "dim") for mark in _SLASHES]


def _drawn(canvas: _Canvas) -> tuple[list[Cells], int]:
    """Return the cells of each row, and how many numbers found no room in them."""
    shape, look = canvas.branches, marks(canvas.terminal)
    columns = _columns(canvas)
    rows: list[Cells] = [[(" ", "")] * canvas.width for _ in canvas.report.order]
    for place, node in enumerate(canvas.report.nodes):
        start = 0 if node.parent is None else columns[node.parent] + 1
        level = 1 if node.support is None else support_level(node.support)
        for x in range(start, columns[place] + (node.model is not None)):
            rows[shape.row[place]][x] = (look.lines[level], canvas.style(node.support))
        if node.model is not None:
            for x in range(columns[place] + 2, canvas.width, 2):
                rows[shape.row[place]][x] = (look.leader, "dim")
    for (row, x), arms in _joins(canvas, columns).items():
        rows[row][x] = (look.arms["".join(arm for arm in "UDLR" if arm in arms)], "dim")
    _break(canvas, columns, rows)
    hidden = sum(not _write_support(canvas, columns, rows, place) for place in shape.children)
    for place in shape.children:
        _mark_close(canvas, columns, rows, place)
    return rows, hidden


def _joins(canvas: _Canvas, columns: list[int]) -> dict[tuple[int, int], set[str]]:
    """Return which way the lines go from each place where a branch parts."""
    shape = canvas.branches
    found: dict[tuple[int, int], set[str]] = {}
    for place, (upper, lower) in shape.children.items():
        top, bottom, x = shape.row[upper], shape.row[lower], columns[place]
        for row in range(top, bottom + 1):
            arms = found.setdefault((row, x), set())
            arms |= {"D"} if row < bottom else set()
            arms |= {"U"} if row > top else set()
        found[top, x] |= {"R"}
        found[bottom, x] |= {"R"}
        parent = canvas.report.nodes[place].parent
        if parent is not None and columns[parent] < x:
            found[shape.row[place], x] |= {"L"}
    return found


def _write_support(canvas: _Canvas, columns: list[int], rows: list[Cells], place: int) -> bool:
    """Write the support of a join on its branch, else on the leaf's branch behind it; tell whether it found room."""
    node, shape = canvas.report.nodes[place], canvas.branches
    if node.support is None or node.parent is None:
        return True
    text = percent_down(node.support)
    row, x = shape.row[place], columns[place]
    start = x - len(text)
    if start <= columns[node.parent]:
        leaf = next((child for child in shape.children[place] if shape.row[child] == row), None)
        if leaf is None or leaf in shape.children or columns[leaf] - x <= len(text):
            return False
        start = x + 1
    style = canvas.style(node.support)
    bold = style if isinstance(style, str) else style + Style(bold=canvas.terminal.colour != "16" or None)
    rows[row][start : start + len(text)] = [(digit, bold) for digit in text]
    return True


def _mark_close(canvas: _Canvas, columns: list[int], rows: list[Cells], place: int) -> None:
    """Mark the branches of a join whose two sides cannot be told apart."""
    if canvas.report.nodes[place].call != "too close to call":
        return
    close = marks(canvas.terminal).close
    for child in canvas.branches.children[place]:
        row, end = canvas.branches.row[child], columns[child]
        free = (x for x in range(columns[place] + 1, end) if not rows[row][x][0].isdigit())
        if (x := next(free, None)) is not None:
            rows[row][x] = (close, Style(bold=True) if canvas.terminal.colour != "none" else "")


def _ruler(canvas: _Canvas) -> list[Text]:
    """Return the line of figures below: heights, 0 at the names; or the way from a root that was moved."""
    scale = canvas.axis
    if scale.top <= 0:
        return []
    ticks = steps(scale.top, max(3, int(scale.last - scale.first) // 8))
    cells = [" "] * canvas.width
    taken: set[int] = set()
    for tick in ticks:
        text = number(tick, decimals_of(ticks))
        start = min(max(round(scale.place(tick)) - len(text) // 2, 0), canvas.width - len(text))
        room = set(range(start - 1, start + len(text) + 1))
        if not room & taken:
            cells[start : start + len(text)] = text
            taken |= room
    return [line(("".join(cells).rstrip(), "dim"))]
