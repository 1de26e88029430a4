"""Tells as chips: the symbol and its lift on a coloured ground, the stronger the brighter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.color import Color
from rich.style import Style
from rich.text import Text

from stylekl.show.flow import flow, line
from stylekl.show.labels import fit
from stylekl.show.ramps import mix, on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.show.terminal import Terminal

Side = Literal["a", "b"]

# Orange and blue: told apart with any kind of colour vision.
_HUE = {"a": (240, 160, 60), "b": (90, 170, 235)}
_STEPS = {"a": (94, 130, 172, 215), "b": (24, 67, 74, 75)}
_GROUND = (17, 17, 19)
_FULL = 25.0  # the lift at which a chip is as bright as it gets


@dataclass(frozen=True, slots=True)
class Chip:
    """A symbol as it is shown and what is said of it (`×14`, `812:0`); a null lift is the strongest."""

    text: str
    note: str
    lift: float | None = None


def chips(items: Sequence[Chip], side: Side, terminal: Terminal, *, limit: int = 12) -> list[Text]:
    """Return lines of at most `limit` chips, wrapped, and how many more there are."""
    pieces = [_chip(item, side, terminal) for item in items[:limit]]
    if len(items) > limit:
        pieces.append(Text(f"and {len(items) - limit} more", "dim"))
    return flow(pieces, terminal.width, 2)


def _chip(item: Chip, side: Side, terminal: Terminal) -> Text:
    text = fit(item.text, max(4, terminal.width - len(item.note) - 5), terminal.ascii)
    if terminal.colour == "none":
        return line(f"[{text} {item.note}]")
    style = ground(side, item.lift, terminal)
    return line((" ", style), (text, style + Style(bold=True)), (f" {item.note} ", style))


def ground(side: Side, lift: float | None, terminal: Terminal) -> Style:
    """Return the style of a chip of this side and strength."""
    if terminal.colour == "none":
        return Style()
    if terminal.colour == "16":
        return Style(reverse=True)
    strength = 1.0 if lift is None else 0.35 + 0.65 * math.log(min(max(lift, 1.0), _FULL)) / math.log(_FULL)
    if terminal.colour == "256":
        steps = _STEPS[side]
        return on(Color.from_ansi(steps[min(int((strength - 0.35) / 0.65 * len(steps)), len(steps) - 1)]))
    return on(Color.from_rgb(*mix(_GROUND, _HUE[side], strength)))
