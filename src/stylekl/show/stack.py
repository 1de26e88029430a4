"""What a divergence is made of: a stacked bar for each direction, a segment for each class, and their legend."""

from __future__ import annotations

import math
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from rich.text import Text

from stylekl.facets.classes import CLASSES
from stylekl.show.flow import line, prose
from stylekl.show.labels import fit, named, pad
from stylekl.show.numbers import decimals, number
from stylekl.show.ramps import on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.reports import ClassTotal
    from stylekl.show.terminal import Terminal

WIDEST = 72
WAYS = ("there", "back")

# Paul Tol's bright scheme (https://personal.sron.nl/~pault/), told apart with any kind of colour vision, then three of
# his muted one. The 256 colours are chosen by hand: the nearest of some would be confused.
_RGB = ("4477aa", "66ccee", "ccbb44", "ee6677", "228833", "aa3377", "bbbbbb", "999933", "882255", "ddcc77")
_INDEX = (25, 81, 185, 203, 28, 132, 250, 100, 89, 222)


@dataclass(frozen=True, slots=True)
class _Class:
    """One class as it is drawn."""

    name: str
    letter: str
    colour: int


@dataclass(frozen=True, slots=True)
class Way:
    """One direction: each class's share, its per cent and its bits as printed, and the sum of the bits.

    `percents` add up to 100 and are null where the direction has no shares.
    """

    name: str
    shares: list[float]
    percents: list[int] | None
    bits: list[str]
    total: str

    def figures(self, place: int) -> tuple[str, str]:
        """Return a class's per cent and bits."""
        return f"{self.percents[place]}%" if self.percents else "-", self.bits[place]

    def sum(self) -> str:
        """Return what the per cents add up to."""
        return f"{sum(self.percents)}%" if self.percents else "-"

    def adds(self, place: int) -> bool:
        """Tell whether a class adds anything that is printed."""
        return self.figures(place) not in (("0%", "0"), ("-", "0"))


def stack(totals: Sequence[ClassTotal], directions: tuple[str, str], terminal: Terminal) -> list[Text]:
    """Return a bar for each direction that has shares, and the legend of both; nothing where neither has.

    A segment is as wide as its class's part of the sum of the classes above 0; those below 0 stand in the legend.
    `directions` names the two, the first being that of `bits_ab`.
    """
    there = way_of(WAYS[0], [total.share_ab for total in totals], [total.bits_ab for total in totals])
    back = way_of(WAYS[1], [total.share_ba for total in totals], [total.bits_ba for total in totals])
    if there.percents is None and back.percents is None:
        return []
    names = [named(total.kind, terminal.ascii) for total in totals]
    kinds = colours([total.kind for total in totals])
    classes = [_Class(*found) for found in zip(names, letters(names), kinds, strict=True)]
    lines: list[Text] = []
    for way, direction in zip((there, back), directions, strict=True):
        if way.percents is not None:
            lines += prose(line(f"{direction} ", (f"({way.name})", "dim")), terminal.width, 2)
            lines.append(_bar(classes, way, terminal))
    lines += _legend(classes, (there, back), terminal)
    return lines + [
        part for text in _below(classes, (there, back)) for part in prose(text, terminal.width, 2, 4)
    ]


def whole(values: Sequence[float]) -> list[int]:
    """Return the values as whole numbers that add up to their rounded sum, by the largest remainder."""
    floors = [math.floor(value) for value in values]
    missing = round(math.fsum(values)) - sum(floors)
    by_remainder = sorted(range(len(values)), key=lambda place: (floors[place] - values[place], place))
    for place in by_remainder[:missing]:
        floors[place] += 1
    return floors


def letters(names: Sequence[str]) -> list[str]:
    """Return a letter or digit for each name, no two alike: the first of its own that is free, else any."""
    taken: list[str] = []
    for name in names:
        own = [character for character in name.lower() if character.isascii() and character.isalnum()]
        others = string.ascii_letters + string.digits
        taken.append(next((found for found in (*own, *others) if found not in taken), "?"))
    return taken


def colours(kinds: Sequence[str]) -> list[int]:
    """Return a place in the palette for each class: its own for those of tokens, else the next free, in turn."""
    held = {CLASSES.index(kind) for kind in kinds if kind in CLASSES}
    free = [place for place in range(len(_RGB)) if place not in held]
    strange = [kind for kind in kinds if kind not in CLASSES]
    return [
        CLASSES.index(kind) if kind in CLASSES else free[strange.index(kind) % len(free)] for kind in kinds
    ]


def palette() -> tuple[str, ...]:
    """Return the colours of all classes by their places, as six hexadecimal digits."""
    return _RGB


def ground(colour: int, terminal: Terminal) -> Style:
    """Return the style of a segment; plain where the terminal has no backgrounds of its own."""
    if terminal.colour == "truecolor":
        rgb = _RGB[colour]
        return on(Color.from_rgb(*(int(rgb[i : i + 2], 16) for i in (0, 2, 4))))
    return on(Color.from_ansi(_INDEX[colour])) if terminal.colour == "256" else Style()


def way_of(name: str, shares: Sequence[float | None], bits: Sequence[float]) -> Way:
    """Return one direction with its figures as printed; `name` is what it is called."""
    known = [share or 0.0 for share in shares]
    percents = whole([100 * share for share in known]) if any(share is not None for share in shares) else None
    total = math.fsum(bits)
    if not all(map(math.isfinite, bits)):
        return Way(name, known, percents, ["-"] * len(bits), "-")
    places = decimals(max(map(abs, (*bits, total)), default=0.0)) + 1
    scaled = whole([value * 10**places for value in bits])
    return Way(
        name,
        known,
        percents,
        [number(value / 10**places, places) for value in scaled],
        number(sum(scaled) / 10**places, places),
    )


def _bar(classes: Sequence[_Class], way: Way, terminal: Terminal) -> Text:
    """Return the bar: on a ground of its own, a segment's letter and per cent; without, its letter all over."""
    room = min(WIDEST, max(terminal.width - 2, 1))
    above = [max(share, 0.0) for share in way.shares]  # nothing below 0 can be stacked
    widths = whole([room * share / (math.fsum(above) or 1.0) for share in above])
    text, other = Text("  " if terminal.width > room else ""), False
    for place, (kind, wide) in enumerate(zip(classes, widths, strict=True)):
        if wide and terminal.colour in ("truecolor", "256"):
            label = f"{kind.letter} {way.figures(place)[0]}"
            shown = label if len(label) + 2 <= wide else kind.letter
            text.append(shown.center(wide), ground(kind.colour, terminal))
        elif wide:
            text.append(kind.letter * wide, Style(reverse=other and terminal.colour == "16"))
            other = not other
    return text


def _legend(classes: Sequence[_Class], ways: tuple[Way, Way], terminal: Terminal) -> list[Text]:
    """Return the head of the columns, a row for each class that adds anything, and the sums."""
    rows = [("", "", [(way.name, "") for way in ways], Style(dim=True))]
    for place, kind in enumerate(classes):
        if any(way.adds(place) for way in ways):
            rows.append(
                (kind.letter, kind.name, [way.figures(place) for way in ways], ground(kind.colour, terminal))
            )
    rows.append(("", "together", [(way.sum(), way.total) for way in ways], Style()))
    wide = [[max(len(row[2][way][i]) for row in rows[1:]) for i in (0, 1)] for way in (0, 1)]
    figures = sum(map(sum, wide)) + 6
    swatch = 3 if terminal.colour in ("truecolor", "256") else 1
    name = min(max(cell_len(row[1]) for row in rows), terminal.width - figures - swatch - 1)
    indent = " " * min(2, terminal.width - figures - swatch - 1 - name)
    lines = []
    for letter, label, cells, style in rows:
        text = line(indent, (letter.center(swatch), style if letter else ""), " ")
        text.append(pad(fit(label, max(name, 4), terminal.ascii), name))
        for (share, bits), (left, right) in zip(cells, wide, strict=True):
            head = not bits
            column = share.rjust(left + 1 + right) if head else f"{share.rjust(left)} {bits.rjust(right)}"
            text.append(f"  {column}", "dim" if head else "")
        lines.append(text)
    return lines


def _below(classes: Sequence[_Class], ways: tuple[Way, Way]) -> list[Text]:
    """Return what the classes below 0 take off, which no bar can show."""
    found = []
    for way in ways:
        taken = [
            f"{kind.name} {'take' if kind.name.endswith('s') else 'takes'} {-percent}% off"
            for kind, percent in zip(classes, way.percents or (), strict=False)
            if percent < 0
        ]
        if taken:
            found.append(f"{way.name}, {', '.join(taken)}")
    return [line((f"Below 0, so not in the bar: {'; '.join(found)}.", "dim"))] if found else []
