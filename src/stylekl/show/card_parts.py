"""What a card is drawn with: a sheet that fills from top to bottom, and how much room text takes in any font."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.cells import cell_len

from stylekl.show.export import safe
from stylekl.show.labels import fit, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDTH, PAD = 600, 28  # pixels: a card, and its margin
INNER = WIDTH - 2 * PAD
SMALL, PLAIN, TITLE, NAME = 12, 14, 15, 27  # sizes of letters
FONTS = "system-ui,'Segoe UI','DejaVu Sans',Helvetica,Arial,'Noto Sans',sans-serif"
# Widths in parts of the size, after DejaVu Sans, which is wider than the others: what fits in it fits in them.
_WIDE = {
    **dict.fromkeys(" .,:;'|/\\ijlI·", 0.35),
    **dict.fromkeys('!-()[]ftr`"', 0.47),
    **dict.fromkeys("sckz", 0.58),
    **dict.fromkeys("mwMW%@", 1.0),
    **dict.fromkeys("ABCDEGHKNOPQRSTUVXYZ&#+=<>~^−→×≤≥", 0.84),
    **dict.fromkeys("⏎…‖", 1.0),
}
_USUAL, _CELL, _BOLD = 0.64, 0.68, 1.15
_SPACES = re.compile(" +")


def wide(text: str, size: float, *, bold: bool = False) -> float:
    """Return about how many pixels a text takes at most; a wide character takes its size, a mark on another none."""
    return sum(_ems(character, bold) for character in text) * size


def _ems(character: str, bold: bool) -> float:
    cells = cell_len(character)
    if cells != 1:
        return 1.05 if cells else 0.0
    ems = _WIDE.get(character, _USUAL if character.isascii() else _CELL)
    return ems * _BOLD if bold else ems


def fitted(names: Sequence[str], room: float, size: float, most: int, *, bold: bool = False) -> list[str]:
    """Return a label for each name, no two alike, that takes at most `room` pixels and `most` cells."""
    for cells in range(most, 4, -1):
        labels = shorten(names, cells)
        if all(wide(label, size, bold=bold) <= room for label in labels):
            return labels
    return shorten(names, 4)


def wrapped(text: str, room: float, size: float, most: int) -> list[str]:
    """Return the text in at most `most` lines of `room` pixels; what has no place left ends in `…`."""
    lines = [""]
    for word in _SPACES.split(text.strip(" ")):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if wide(longer, size) <= room:
            lines[-1] = longer
            continue
        short = fit(word, int(room / size), False) if wide(word, size) > room else word
        lines = [*lines, short] if lines[-1] else [short]
    if len(lines) > most:
        last = lines[most - 1]
        while last and wide(last + " …", size) > room:
            last = last.rpartition(" ")[0]
        lines = [*lines[: most - 1], f"{last} …"]
    return lines


@dataclass
class Sheet:
    """A card in the making: `y` is where the next thing is drawn."""

    y: float = PAD
    elements: list[str] = field(default_factory=list)

    def text(
        self, x: float, text: str, *, kind: str = "", size: float = PLAIN, anchor: str = "", down: float = 0
    ) -> None:
        """Write a text whose line begins at `y`, `down` pixels below it where that is said."""
        if not text:
            return
        look = f' class="{kind}"' if kind else ""
        look += f' text-anchor="{anchor}"' if anchor else ""
        base = self.y + down + size
        self.elements.append(
            f'<text x="{x:.1f}" y="{base:.1f}" font-size="{size:g}"{look}>{safe(text)}</text>'
        )

    def shape(self, element: str) -> None:
        """Draw an element as it is: ours alone, never text from a file."""
        self.elements.append(element)

    def lines(self, text: str, *, kind: str = "note", size: float = SMALL, most: int = 3) -> None:
        """Write a text over as many lines as it needs, `most` at the most, and go below it."""
        for line in wrapped(text, INNER, size, most):
            self.text(PAD, line, kind=kind, size=size)
            self.y += round(size * 1.4)

    def title(self, text: str) -> None:
        """Write the title of a part, and go below it."""
        self.y += 18
        self.text(PAD, fitted([text], INNER, TITLE, 80, bold=True)[0], kind="title", size=TITLE)
        self.y += TITLE + 11


def placed(widths: Sequence[float], gap: float, rows: int) -> Iterator[tuple[int, float]]:
    """Yield the row and the left end of pieces of these widths, side by side in at most `rows` rows of the card.

    What has no place is not yielded.
    """
    row, x = 0, 0.0
    for width in widths:
        if x and x + width > INNER:
            row, x = row + 1, 0.0
        if row >= rows:
            return
        yield row, PAD + x
        x += width + gap
