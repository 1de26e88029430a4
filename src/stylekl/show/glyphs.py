"""The marks that the pictures are made of, and what stands for each where only ASCII can be written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stylekl.show.terminal import Terminal


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of marks."""

    dot: str = "·"
    times: str = "×"
    dash: str = "–"
    against: str = "‖"
    most: str = "≤"
    least: str = "≥"
    alpha: str = "α"
    first: str = "╭"
    middle: str = "│"
    last: str = "╰"
    alone: str = "╶"
    slash: str = "╲"
    shades: str = "█▓▒░ "
    bar: str = "━"
    half_bar: str = "╸"
    leader: str = "─"
    floor: str = "┊"
    whisker: str = "├─┤●"
    opening: str = "›"
    closing: str = "‹"
    ellipsis: str = "…"
    to: str = "→"
    level: str = "≈"


UNICODE = Glyphs()
ASCII = Glyphs(
    dot="-",
    times="x",
    dash="-",
    against="||",
    most="<=",
    least=">=",
    alpha="alpha",
    first=".",
    middle="|",
    last="'",
    alone="-",
    slash="\\",
    shades="#*:. ",
    bar="=",
    half_bar=" ",
    leader=".",
    floor=":",
    whisker="|-|o",
    opening="[",
    closing="]",
    ellipsis="...",
    to="->",
    level="~",
)


def glyphs(terminal: Terminal) -> Glyphs:
    """Return the marks that the terminal can write."""
    return ASCII if terminal.ascii else UNICODE
