"""A square of values to draw, and the scale that its colours and figures follow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stylekl.show.numbers import decimals, number

if TYPE_CHECKING:
    from collections.abc import Sequence

EVEN = (0.4, 0.6)  # between these a diverging share leans to neither side


@dataclass(frozen=True, slots=True)
class Grid:
    """Values between things that have labels: cell (row, column), small means near; null is left blank.

    The diagonal is not read. `clusters` numbers the cluster of each row, where there are any; rows next to
    each other with one number get one bracket. Cells that are `marked` get a star where there is room. In a
    `diverging` grid values are shares of what the row wins, with one half in the middle.
    """

    labels: Sequence[str]
    values: Sequence[Sequence[float | None]]
    unit: str
    clusters: Sequence[int] = ()
    marked: frozenset[tuple[int, int]] = frozenset()
    diverging: bool = False

    def pairs(self) -> list[tuple[float, int, int]]:
        """Return (value, row, column) of every cell off the diagonal that has a finite value."""
        return [
            (value, i, j)
            for i, row in enumerate(self.values)
            for j, value in enumerate(row)
            if i != j and value is not None and math.isfinite(value)
        ]


@dataclass(frozen=True, slots=True)
class Scale:
    """From 0 to `top`; `peak` is the greatest value to be written, and `cuts` bound bold and plain.

    Where `diverging`, bold is what lies at the higher cut or above it, and dim what lies at the lower or below.
    """

    top: float
    peak: float
    cuts: tuple[float, float]
    diverging: bool = False

    def fraction(self, value: float) -> float:
        """Return where a value stands between 0 and the top, as a multiple of 1/256."""
        return round(256 * min(max(value / self.top, 0.0), 1.0)) / 256

    def level(self, value: float) -> int:
        """Return 0 for the nearest 20 % of the cells, 1 for those to 60 %, 2 beyond, judged as printed."""
        printed = round(value, decimals(self.top))
        if self.diverging:
            return 0 if printed >= self.cuts[1] else 1 if printed > self.cuts[0] else 2
        return 0 if printed <= self.cuts[0] else 1 if printed <= self.cuts[1] else 2

    def write(self, value: float) -> str:
        """Write a value of the scale with the decimals of its top."""
        places = decimals(self.top)
        return number(value, places) if round(value, places) else "0"

    @property
    def zero(self) -> str:
        """Return 0 with the decimals of the top: `.00`."""
        return f"{0:.{decimals(self.top)}f}"[1:] or "0"

    @property
    def figures(self) -> int:
        """Return the power of ten for cells of three figures: 0 from .1 upwards, else as in `4.9`."""
        return 0 if self.peak >= 0.0995 else -math.floor(math.log10(self.peak))

    @property
    def digits(self) -> int:
        """Return the power of ten that makes the peak a number of two digits."""
        return 1 - math.floor(math.log10(self.peak))


def round_up(value: float) -> float:
    """Return the least number with the decimals that `value` deserves and not below it."""
    factor = 10.0 ** decimals(value)
    return math.ceil(value * factor - 1e-9) / factor


def scale(grid: Grid, vmax: float | None = None) -> Scale:
    """Return the scale of a grid: up to `vmax`, else up to its greatest value rounded up."""
    if grid.diverging:
        return Scale(1.0, 1.0, EVEN, diverging=True)
    values = sorted(value for value, _, _ in grid.pairs())
    greatest = round_up(max(values[-1], 0.001)) if values else 0.01
    top = vmax or greatest
    places = decimals(top)

    def quantile(part: float) -> float:
        return round(values[max(0, math.ceil(part * len(values)) - 1)], places) if values else 0.0

    return Scale(top, max(top, greatest), (quantile(0.2), quantile(0.6)))


def figures(value: float, power: int) -> str:
    """Write a value in at most three figures: .49, 1.2, 12; with a power of ten, 4.9 for .049."""
    if value <= 0:
        return "0"
    if power:
        return f"{value * 10**power:.1f}"
    places = min(2, decimals(value))
    return number(value, places) if round(value, places) else ".00"


def digits(value: float, power: int) -> str:
    """Write a value in at most two digits, times a power of ten."""
    return f"{max(value, 0.0) * 10.0**power:.0f}"
