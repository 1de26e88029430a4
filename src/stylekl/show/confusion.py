"""Whose replies get whose name, as a square of percentages; as a list where no square has room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from stylekl.show.flow import line, prose
from stylekl.show.labels import pad, shorten, shown
from stylekl.show.numbers import percent
from stylekl.show.ramps import colour, tone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.show.terminal import Terminal

CELL = 4
_LEAST, _LONGEST = 10, 30  # cells of a label
_LISTED = 12
_OFTEN, _SELDOM = 0.5, 0.1  # shares that are bold, and dim, where there are 16 colours


def confusion_view(
    names: Sequence[str], counts: Sequence[Sequence[int]], terminal: Terminal, *, ramp: str = "lajolla"
) -> list[Text]:
    """Return the table of whose replies (row) get which name (column), in per cent of the row; never too wide.

    Often is bright. The diagonal is what is right.
    """
    if not counts:
        return []
    longest = max(cell_len(shown(name, terminal.ascii)) for name in names)
    digits = len(str(len(names)))
    room = terminal.width - digits - 2 - CELL * len(names)
    if room < min(longest, _LEAST):
        return _listed(names, counts, terminal)
    wide = min(longest, room, _LONGEST)
    labels = shorten(names, wide, terminal.ascii)
    head = " " * (wide + digits + 2) + "".join(f"{number:>{CELL}}" for number in range(1, len(names) + 1))
    title = "Who wrote it (row), the name it got (column), % of the row"
    lines = [*prose(line((title, "bold")), terminal.width), line((head, "dim"))]
    for place, (label, row) in enumerate(zip(labels, counts, strict=True)):
        drawn = line(pad(label, wide), (f" {place + 1:>{digits}} ", "dim"))
        total = sum(row)
        for column, count in enumerate(row):
            share = count / total if total else 0.0
            drawn.append_text(_cell(share, ramp, terminal, right=place == column))
        lines.append(drawn)
    return lines


def _cell(share: float, ramp: str, terminal: Terminal, *, right: bool) -> Text:
    text = f"{100 * share:.0f}" if share else ("" if terminal.colour in ("truecolor", "256") else ".")
    style = colour(ramp, round(256 * (1.0 - share)) / 256, terminal.colour)
    if terminal.colour == "16":
        style = tone(0 if share >= _OFTEN else 1 if share >= _SELDOM else 2)
    if right and terminal.colour not in ("none", "16"):
        style += Style(bold=True)
    return line((f"{text:>{CELL}}", style))


def _listed(names: Sequence[str], counts: Sequence[Sequence[int]], terminal: Terminal) -> list[Text]:
    """Return the most frequent confusions, for what no square has room for."""
    labels = shorten(names, max(_LEAST, (terminal.width - 22) // 2), terminal.ascii)
    found = sorted(
        (
            (-count / sum(row), labels[i], labels[j])
            for i, row in enumerate(counts)
            for j, count in enumerate(row)
            if i != j and count
        ),
    )
    longest = max(cell_len(shown(name, terminal.ascii)) for name in names)
    needed = min(_LEAST, longest) + len(str(len(names))) + 2 + CELL * len(names)
    lines = prose(line(("Most confused", "bold")), terminal.width)
    for share, writer, name in found[:_LISTED]:
        text = f"{percent(-share):>4} of {writer} taken for {name}"
        lines += prose(Text(text), terminal.width, 2, 7)
    rest = len(found) - _LISTED
    hint = f"{f'and {rest:,} more; ' if rest > 0 else ''}--width {needed} draws the table, --json has all"
    return [*lines, *prose(line((hint, "dim")), terminal.width, 2)]
