"""Which picture of a square fits: by the number of models, the columns, the rows and the colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from stylekl.show.terminal import Terminal

Layout = Literal["numbers", "digits", "squares", "shades", "halves", "numbered", "pairs"]

CELL = {"numbers": 4, "digits": 3, "squares": 2, "shades": 2}
_LEAST = 10  # a label shorter than this is cut only to save a column
_AROUND = 5  # header of two lines, a blank line, the legend, the prompt


def choose(n: int, label: int, terminal: Terminal) -> Layout:
    """Return the layout for `n` models whose longest label has `label` cells.

    Numbers where they fit; then digits; then, with backgrounds, squares while the rows fit the screen and
    half blocks beyond; without them, shades. What fits nowhere becomes a list of the nearest pairs.
    """
    width = terminal.width
    margin = min(label, _LEAST) + len(str(n)) + 2
    if width >= margin + CELL["numbers"] * n:
        return "numbers"
    if width >= margin + CELL["digits"] * n:
        return "digits"
    squares = width >= margin + CELL["squares"] * n
    if terminal.colour not in ("truecolor", "256"):
        return "shades" if squares else "pairs"
    if squares and (terminal.ascii or terminal.rows is None or n + _AROUND <= terminal.rows):
        return "squares"
    if not terminal.ascii and width >= n + 2 * (len(str(n)) + 2 + 4):
        return "halves"
    if not terminal.ascii and width >= n + len(str(n)) + 1:
        return "numbered"
    return "pairs"


def least_width(n: int, label: int, terminal: Terminal) -> int:
    """Return the least width at which `n` models get a map instead of a list."""
    k = len(str(n))
    if terminal.colour in ("truecolor", "256") and not terminal.ascii:
        return n + k + 1
    return min(label, _LEAST) + k + 2 + 2 * n
