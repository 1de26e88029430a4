"""The heat map of any square of values: near is bright, far is dark, and every colour has its figure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from stylekl.show.flow import columns, flow, line, prose
from stylekl.show.glyphs import Glyphs, glyphs
from stylekl.show.grid import Grid, Scale, digits, figures, scale
from stylekl.show.labels import ink, pad, shorten, shown
from stylekl.show.layout import CELL, Layout, choose, least_width
from stylekl.show.numbers import number
from stylekl.show.ramps import DIVERGING, colour, paint, tone

if TYPE_CHECKING:
    from stylekl.show.terminal import Terminal

MARK = "*"
_LEGEND_CELLS = 24
_LONGEST = 24  # a longer label gives way to the bracket
_LISTED = 15


@dataclass(frozen=True, slots=True)
class Canvas:
    """All that drawing needs: the grid, where it is drawn, and how."""

    grid: Grid
    terminal: Terminal
    scale: Scale
    ramp: str
    layout: Layout
    glyphs: Glyphs

    @property
    def n(self) -> int:
        """Return the number of rows."""
        return len(self.grid.labels)

    @property
    def k(self) -> int:
        """Return the number of digits of the last row's number."""
        return len(str(self.n))

    def value(self, row: int, column: int) -> float | None:
        """Return the value of a cell; null on the diagonal, outside, and where there is none."""
        if row == column or row >= self.n:
            return None
        value = self.grid.values[row][column]
        return value if value is not None and math.isfinite(value) else None

    @property
    def ends(self) -> tuple[str, str]:
        """Return what the two ends of the scale are called."""
        return ("loses", "wins") if self.grid.diverging else ("near", "far")

    def ink(self, row: int) -> Style:
        """Return the style of a row's name."""
        return ink(self.grid.labels[row], self.terminal)

    def style(self, value: float) -> Style:
        """Return the style of a cell with this value."""
        if self.terminal.colour == "16":
            return tone(self.scale.level(value))
        return colour(self.ramp, self.scale.fraction(value), self.terminal.colour)


def heatmap(
    grid: Grid,
    terminal: Terminal,
    *,
    ramp: str = "lajolla",
    vmax: float | None = None,
    layout: Layout | None = None,
) -> list[Text]:
    """Return the lines of the map and its legend, none wider than the terminal.

    The layout follows the size (see `choose`) unless one is given. The scale starts at 0 and ends at `vmax`,
    else at the greatest value rounded up.
    """
    longest = max((cell_len(shown(label, terminal.ascii)) for label in grid.labels), default=0)
    chosen = layout or choose(len(grid.labels), longest, terminal)
    chosen_ramp = DIVERGING if grid.diverging else ramp
    canvas = Canvas(grid, terminal, scale(grid, vmax), chosen_ramp, chosen, glyphs(terminal))
    if chosen == "pairs":
        return _pairs(canvas, least_width(canvas.n, longest, terminal))
    if chosen == "halves":
        body = _halves(canvas)
    elif chosen == "numbered":
        body = _numbered(canvas)
    else:
        body = _rows(canvas, longest)
    return [*body, Text(), *_legend(canvas)]


def _rows(canvas: Canvas, longest: int) -> list[Text]:
    """Return one line a model: bracket, label, number, cells."""
    cell = CELL[canvas.layout]
    room = canvas.terminal.width - canvas.k - 2 - cell * canvas.n
    marks = _brackets(canvas) if room - 2 >= min(longest, _LONGEST) else []
    wide = min(longest, room - 2 * bool(marks))
    labels = shorten(canvas.grid.labels, wide, canvas.terminal.ascii)
    margin = 2 * bool(marks) + wide + canvas.k + 2
    lines = _header(canvas, cell, margin)
    for i, label in enumerate(labels):
        row = line(
            (f"{marks[i]} " if marks else "", "dim"),
            (pad(label, wide), canvas.ink(i)),
            (f" {i + 1:>{canvas.k}} ", "dim"),
        )
        for j in range(canvas.n):
            row.append_text(_cell(canvas, i, j, cell))
        lines.append(row)
    return lines


def _header(canvas: Canvas, cell: int, margin: int) -> list[Text]:
    if cell >= 3 and canvas.k < cell:
        return [line((" " * margin + "".join(f"{j:>{cell}}" for j in range(1, canvas.n + 1)), "dim"))]
    return _ruler(canvas, cell, margin)


def _ruler(canvas: Canvas, cell: int, margin: int) -> list[Text]:
    """Return the column numbers in two lines: tens above, fives below."""
    tens, units = [" "] * (margin + cell * canvas.n), [" "] * (margin + cell * canvas.n)
    for j in range(1, canvas.n + 1):
        place = margin + cell * j - 1
        units[place] = str(j % 10) if j == 1 or j % 5 == 0 else canvas.glyphs.dot
        if j % 10 == 0:
            ten = str(j // 10)
            tens[place - len(ten) + 1 : place + 1] = ten
    lines = [line(("".join(text).rstrip(), "dim")) for text in (tens, units)]
    return lines if canvas.n >= 10 else lines[1:]


def _brackets(canvas: Canvas) -> list[str]:
    """Return the mark before each row: where its cluster starts, goes on and ends."""
    of, g = canvas.grid.clusters, canvas.glyphs
    if not of:
        return []
    marks = []
    for i in range(canvas.n):
        before = i > 0 and of[i - 1] == of[i]
        after = i + 1 < canvas.n and of[i + 1] == of[i]
        marks.append(g.middle if before and after else g.last if before else g.first if after else g.alone)
    return marks


def _cell(canvas: Canvas, i: int, j: int, cell: int) -> Text:
    if i == j:
        return line((f"{_diagonal(canvas):>{cell}}", "dim"))
    value = canvas.value(i, j)
    if value is None:
        return Text(f"{'?' if canvas.layout == 'shades' else '':>{cell}}")
    if canvas.layout == "numbers":
        text = figures(value, canvas.scale.figures)
    elif canvas.layout == "digits":
        text = digits(value, canvas.scale.digits)
    else:
        text = canvas.glyphs.shades[_shade(canvas.scale, value)] * cell if canvas.layout == "shades" else ""
    if (i, j) in canvas.grid.marked and len(text) < cell and CELL[canvas.layout] >= 3:
        text = MARK + text.rjust(cell - 1)
    return line((f"{text:>{cell}}", canvas.style(value)))


def _diagonal(canvas: Canvas) -> str:
    if canvas.layout == "shades":
        return canvas.glyphs.slash
    return "" if canvas.layout == "squares" else canvas.glyphs.dot


def _shade(by: Scale, value: float) -> int:
    return min(4, int((1.0 - value if by.diverging else by.fraction(value)) * 5))


def _halves(canvas: Canvas) -> list[Text]:
    """Return two models a line: the odd one named on the left, the even one on the right."""
    widest = max(cell_len(shown(label)) for label in canvas.grid.labels)
    wide = min(widest, (canvas.terminal.width - canvas.n) // 2 - canvas.k - 2)
    labels = shorten(canvas.grid.labels, wide)
    left = max(cell_len(label) for label in labels[::2])
    lines = _ruler(canvas, 1, left + canvas.k + 2)
    for upper in range(0, canvas.n, 2):
        row = line((pad(labels[upper], left), canvas.ink(upper)), (f" {upper + 1:>{canvas.k}} ", "dim"))
        _half_cells(canvas, row, upper)
        if upper + 1 < canvas.n:
            row.append_text(
                line((f" {upper + 2:<{canvas.k}} ", "dim"), (labels[upper + 1], canvas.ink(upper + 1)))
            )
        lines.append(row)
    return lines


def _numbered(canvas: Canvas) -> list[Text]:
    """Return half blocks with row numbers only, and the names below as a numbered list."""
    lines = _ruler(canvas, 1, canvas.k + 1)
    for upper in range(0, canvas.n, 2):
        row = line((f"{upper + 1:>{canvas.k}} ", "dim"))
        _half_cells(canvas, row, upper)
        lines.append(row)
    width = canvas.terminal.width
    labels = shorten(canvas.grid.labels, min(_LONGEST, width - canvas.k - 1))
    entries = [
        line((f"{i:>{canvas.k}} ", "dim"), (label, canvas.ink(i - 1))) for i, label in enumerate(labels, 1)
    ]
    return [*lines, Text(), *columns(entries, width)]


def _half_cells(canvas: Canvas, row: Text, upper: int) -> None:
    """Append the cells of two rows, half a line each; where there is no value the background shows."""
    system = canvas.terminal.colour
    for j in range(canvas.n):
        values = canvas.value(upper, j), canvas.value(upper + 1, j)
        top, bottom = (
            None if value is None else paint(canvas.ramp, canvas.scale.fraction(value), system)
            for value in values
        )
        if top is not None:
            row.append("▀", Style(color=top, bgcolor=bottom))
        elif bottom is not None:
            row.append("▄", Style(color=bottom))
        else:
            row.append(" ")


def _legend(canvas: Canvas) -> list[Text]:
    """Return the scale in words, in the means that the map used."""
    by, terminal = canvas.scale, canvas.terminal
    power = {"numbers": by.figures, "digits": by.digits}.get(canvas.layout, 0)
    unit = canvas.grid.unit + (f", cells {canvas.glyphs.times}{10.0**power:g}" if power else "")
    if len(canvas.grid.pairs()) < canvas.n * (canvas.n - 1):
        unit += f"; {'?' if canvas.layout == 'shades' else 'blank'}: no value"
    if canvas.layout == "shades":
        keys = _shade_keys(canvas)
    elif terminal.colour in ("truecolor", "256"):
        keys = [_bar(canvas)]
    elif terminal.colour == "16":
        keys = _tone_keys(canvas)
    else:
        keys = [line(f"{canvas.ends[0]} {by.zero}  {canvas.ends[1]} {by.write(by.top)}")]
    return _filled(keys, unit, terminal.width)


def _filled(keys: list[Text], unit: str, width: int) -> list[Text]:
    """Return the keys with the unit behind them where it fits, else below."""
    lines = flow(keys, width, 2, gap=3)
    note = line((f"   {unit}", "dim"))
    if lines[-1].cell_len + note.cell_len <= width:
        return [*lines[:-1], lines[-1].append_text(note)]
    return [*lines, *prose(line((unit, "dim")), width, 2)]


def _bar(canvas: Canvas) -> Text:
    top = canvas.scale.write(canvas.scale.top)
    words = len(top) + len(canvas.scale.zero) + sum(map(len, canvas.ends)) + 9
    cells = min(_LEGEND_CELLS, canvas.terminal.width - words)
    bar = line(f"{canvas.ends[0]} {canvas.scale.zero} ")
    for i in range(cells):
        bar.append(" ", colour(canvas.ramp, i / (cells - 1), canvas.terminal.colour))
    return bar.append(f" {top} {canvas.ends[1]}")


def _tone_keys(canvas: Canvas) -> list[Text]:
    most = canvas.glyphs.most
    low, high = (canvas.scale.write(cut) for cut in canvas.scale.cuts)
    if canvas.grid.diverging:
        least = canvas.glyphs.least
        return [line((f"bold {least} {high}", tone(0))), line("plain"), line((f"dim {most} {low}", tone(2)))]
    keys = [(f"bold {most} {low}", tone(0)), (f"plain {most} {high}", tone(1)), (f"dim > {high}", tone(2))]
    return [line(key) for key in keys]


def _shade_keys(canvas: Canvas) -> list[Text]:
    """Return what each shade means: dense is near, and wins in a diverging map."""
    most, top = canvas.glyphs.most, canvas.scale.top
    if canvas.grid.diverging:
        return [line(f"{canvas.glyphs.shades[i] * 2} > {number(0.8 - i / 5, 1)}") for i in range(4)]
    cuts = [number(top * i / 5, 3 if top < 0.5 else 2) for i in range(1, 5)]
    keys = [line(f"{canvas.glyphs.shades[i] * 2} < {cuts[i]}") for i in range(4)]
    return [*keys, line(f"blank {most} {canvas.scale.write(top)}")]


def _pairs(canvas: Canvas, needed: int) -> list[Text]:
    """Return the nearest pairs as a list, or those won most clearly, for what no map has room for."""
    nearest: dict[frozenset[int], tuple[float, int, int]] = {}
    diverging = canvas.grid.diverging
    for value, i, j in sorted(
        canvas.grid.pairs(), key=lambda each: (-each[0] if diverging else each[0], *each[1:])
    ):
        nearest.setdefault(frozenset((i, j)), (value, i, j))
    width = canvas.terminal.width
    against = f" {canvas.glyphs.against} "
    labels = shorten(canvas.grid.labels, max(4, (width - 7 - len(against)) // 2), canvas.terminal.ascii)
    title = "Clearest pairs" if diverging else "Nearest pairs"
    lines = prose(line((title, "bold"), f", {canvas.grid.unit}"), width)
    for value, i, j in list(nearest.values())[:_LISTED]:
        lines.append(
            line(
                *("  ", (f"{figures(value, 0):>4}", canvas.style(value)), " "),
                *((labels[i], canvas.ink(i)), against, (labels[j], canvas.ink(j))),
            )
        )
    rest = len(nearest) - _LISTED
    hint = f"{f'and {rest:,} more pairs; ' if rest > 0 else ''}--width {needed} draws the map, --json has all"
    return [*lines, *prose(line((hint, "dim")), width, 2)]
