"""Heat maps of a page: where each cell stands and how deep its colour is, and the views that a reader may choose."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from stylekl.show.grid import Grid, Scale, figures, round_up, scale
from stylekl.show.numbers import number
from stylekl.show.page.safe import seen
from stylekl.show.ramps import BLACK, DIVERGING, RAMPS, ink, ramp_rgb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEVELS = 64
FEW = 14  # models up to which the cells hold figures
_LARGEST, _SMALLEST, _ROOM = 54, 9, 840  # pixels: a cell at most and at least, and the map where both fit


@dataclass(frozen=True, slots=True)
class View:
    """One way to fill the map: the columns of the pairs that its two triangles read, and the scale's words.

    `back` is the column read where the row is the second of a pair. With `inverted` what is drawn is 1 less that.
    `figures` are those of the cells, row by row, as JSON; empty where there is no room for any. `usual` is where most
    values end and how that is written, null where the scale has no long empty end.
    """

    key: str
    label: str
    there: str
    back: str
    unit: str
    top: float
    ends: tuple[str, str]
    near: str = "near"
    far: str = "far"
    inverted: bool = False
    figures: str = ""
    usual: tuple[float, str] | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its place in pixels, the level of its colour (null: no value), and its figure where there is room."""

    x: int
    level: int | None
    figure: str
    own: bool


@dataclass(frozen=True, slots=True)
class Heat:
    """A heat map: its rows of cells in order, and where clusters end."""

    name: str
    labels: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    cell: int
    font: int
    numbers: Sequence[tuple[int, str]]
    breaks: Sequence[int]
    views: Sequence[View]
    diverging: bool
    figures: bool
    missing: bool

    @property
    def size(self) -> int:
        """How many pixels the cells take in each direction."""
        return self.cell * len(self.labels)


def view(key: str, label: str, columns: tuple[str, str], grid: Grid, *, inverted: bool = False) -> View:
    """Return a view of a grid with the words of its scale."""
    by = scale(grid)
    near, far = ("loses", "wins") if grid.diverging else ("near", "far")
    ends = (by.zero, by.write(by.top))
    written = json.dumps(_figures(grid, by)) if len(grid.labels) <= FEW else ""
    usual = None if grid.diverging else _usual(grid, by)
    return View(key, label, *columns, grid.unit, by.top, ends, near, far, inverted, written, usual)


def _usual(grid: Grid, by: Scale) -> tuple[float, str] | None:
    """Return where 95 % of the values end, where the rest take up more than half of the scale."""
    values = sorted(value for value, _, _ in grid.pairs())
    end = round_up(max(values[int(0.95 * (len(values) - 1))], 0.001)) if values else by.top
    return (end, f"{number(end)} or more") if end < by.top / 2 else None


def _figures(grid: Grid, by: Scale) -> list[list[str]]:
    """Return what each cell says; nothing where it has no value."""
    return [
        ["" if i == j or value is None else figures(value, by.figures) for j, value in enumerate(row)]
        for i, row in enumerate(grid.values)
    ]


def heat(name: str, grid: Grid, views: Sequence[View]) -> Heat:
    """Return the map of a grid, which the first of its views describes."""
    n, by = len(grid.labels), scale(grid)
    size = min(max(_ROOM // max(n, 1), _SMALLEST), _LARGEST)
    written = n <= FEW
    rows = [[_cell(grid, by, i, j, size, written=written) for j in range(n)] for i in range(n)]
    step = 1 if size >= 18 else 5
    numbers = [
        (j * size + size // 2, str(j + 1)) for j in range(n) if step == 1 or j == 0 or (j + 1) % step == 0
    ]
    return Heat(
        name=name,
        labels=[seen(label) for label in grid.labels],
        rows=rows,
        cell=size,
        font=13 if size >= 20 else max(8, size - 2),
        numbers=numbers,
        breaks=[j * size for j in _breaks(grid.clusters)],
        views=views,
        diverging=grid.diverging,
        figures=written,
        missing=len(grid.pairs()) < n * (n - 1),
    )


def _cell(grid: Grid, by: Scale, i: int, j: int, size: int, *, written: bool) -> Cell:
    value = None if i == j else grid.values[i][j]
    if value is None:
        return Cell(j * size, None, "", i == j)
    figure = figures(value, by.figures) if written else ""
    return Cell(j * size, level(by.fraction(value)), figure, own=False)


def level(fraction: float) -> int:
    """Return the colour's level for a place on the scale from 0 to 1."""
    return min(LEVELS - 1, int(fraction * LEVELS))


def _breaks(clusters: Sequence[int]) -> Iterator[int]:
    """Yield the rows at which a cluster ends and another begins, where either holds more than one."""
    for i in range(1, len(clusters)):
        if clusters[i] != clusters[i - 1]:
            yield i


@cache
def ramp_style() -> str:
    """Return the rules that colour the levels in each ramp, and the figures on them."""
    rules = []
    for ramp in (*RAMPS, DIVERGING):
        dark: list[str] = []
        pale: list[str] = []
        for place in range(LEVELS):
            rgb = ramp_rgb(ramp, place / (LEVELS - 1))
            rules.append(f".{ramp} .l{place}{{fill:#{rgb[0]:02x}{rgb[1]:02x}{rgb[2]:02x}}}")
            (dark if ink(rgb) == BLACK else pale).append(f".{ramp} .t{place}")
        rules += [f"{','.join(dark)}{{fill:#000}}"] if dark else []
        rules += [f"{','.join(pale)}{{fill:#fff}}"] if pale else []
    return "\n".join(rules)


def size_style(found: Heat) -> str:
    """Return the rules that give the cells and rows of a map their size."""
    return f".map-{found.name}{{--cell:{found.cell}px;--font:{found.font}px}}"
