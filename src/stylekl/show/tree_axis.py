"""The axis of a drawn tree: from heights, or from ways along the branches, to places between root and names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.style.tree import TreeReport
    from stylekl.show.tree_forms import Branches

_OUTLIERS, _FAR = 3, 2.5  # so many, so many times as far as the others, are drawn with a broken branch


@dataclass(frozen=True, slots=True)
class Axis:
    """From values to places between `first` and `last`; the axis ends at `top`.

    `rising` says that it has its 0 at the names: of heights it has, of ways from a root that was moved not. `beyond`
    are the nodes beyond the axis with the place of each; `broken` those whose branch is longer than drawn.
    """

    top: float
    first: float
    last: float
    rising: bool
    beyond: dict[int, float]
    broken: frozenset[int]

    def place(self, value: float) -> float:
        """Return the place of a height or a way."""
        part = min(value / self.top, 1.0) if self.top > 0 else 0.0
        return self.first + (1.0 - part if self.rising else part) * (self.last - self.first)

    def of(self, node: int, report: TreeReport, shape: Branches) -> float:
        """Return the place of a node of the report."""
        height = report.nodes[node].height
        return self.beyond.get(node, self.place(shape.depth[node] if height is None else height))


def axis(report: TreeReport, shape: Branches, last: float, gap: float, least: float) -> Axis:
    """Return the axis of a tree drawn from 0 to `last`.

    A broken branch takes `gap`; none is broken where that leaves less than `least` for the axis.
    """
    nodes = report.nodes
    if nodes[0].height is None:
        top = usual([way for way, node in zip(shape.depth, nodes, strict=True) if node.model is not None])
        over = {place for place, way in enumerate(shape.depth) if way > top}
        broken = {place for place in over if nodes[place].parent not in over}
        return Axis(top, 0.0, last, False, dict.fromkeys(over, last), frozenset(broken))
    heights = {place: node.height or 0.0 for place, node in enumerate(nodes) if node.model is None}
    top = usual(list(heights.values()))
    beyond: dict[int, float] = {}
    for place, height in heights.items():
        if height > top:
            beyond[place] = beyond.get(nodes[place].parent or 0, -gap) + gap
    first = max(beyond.values(), default=-gap) + gap
    if last - first < least:
        return Axis(max(heights.values()), 0.0, last, True, {}, frozenset())
    broken = {place for place, node in enumerate(nodes) if node.parent in beyond}
    return Axis(top, first, last, True, beyond, frozenset(broken))


def usual(values: Sequence[float]) -> float:
    """Return where an axis ends: at the greatest value, unless up to three are far beyond all others.

    Far is two and a half times as much; and no more than a quarter of the values are left out.
    """
    ranked = sorted(values, reverse=True)
    for first in range(min(_OUTLIERS, len(ranked) // 4), 0, -1):
        if ranked[first - 1] >= _FAR * ranked[first] > 0:
            return ranked[first]
    return ranked[0]


def steps(top: float, most: int) -> list[float]:
    """Return 0 and the multiples of a round step (1, 2 or 5 times a power of ten) up to `top`: `most` at the most."""
    if top <= 0 or most < 2:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(top / most))
    step = next(part * power for part in (1, 2, 5, 10, 20) if int(top / (part * power) + 1e-9) < most)
    return [turn * step for turn in range(int(top / step + 1e-9) + 1)]


def decimals_of(ticks: Sequence[float]) -> int:
    """Return the decimals that tell the ticks apart."""
    return max(0, -math.floor(math.log10(ticks[1]) + 1e-9)) if len(ticks) > 1 else 0
