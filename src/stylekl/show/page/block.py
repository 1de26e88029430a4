"""What a page says of one model or of one pair: the parts that the templates draw, whatever lens they come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stylekl.show.numbers import count, percent
from stylekl.show.page.safe import seen
from stylekl.show.page.tables import Table, told
from stylekl.show.page.tells import BAR, Bar, Segment
from stylekl.show.stack import palette

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.show.columns import Column
    from stylekl.show.page.tables import Plot
    from stylekl.show.page.tells import Voice

NEAREST = "Neighbours, nearest first", "estimate"
INTERVAL = "95% interval"


@dataclass(frozen=True, slots=True)
class Part:
    """One picture with its table: bars and their table, whiskers (which are rows of a table), or a table alone.

    `title` stands above and may be empty, `notes` below. `caption`, `file` and `heads` are those of whiskers: the heads
    are what a row is, its value and its interval. `colours` give a kind of the bars its colour by its name. Where
    `fold` has words, everything stands behind them.
    """

    title: str = ""
    bars: Sequence[Bar] = ()
    table: Table | None = None
    colours: Mapping[str, int] = field(default_factory=dict)
    plot: Plot | None = None
    caption: str = ""
    file: str = ""
    heads: tuple[str, str, str] = ("model", "share", INTERVAL)
    notes: Sequence[str] = ()
    fold: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """One model among the others, or one pair: what its line says, its parts, and the ids of the models.

    `fields` are labels with figures. `neighbours` has the nearest first, or what `nearest` says, with the head of its
    values; `parts` are the pictures that a lens has of its own, and `table` has every figure that the lens has here.
    """

    ids: Sequence[str]
    title: str
    line: str
    fields: Sequence[tuple[str, str]] = ()
    neighbours: Plot | None = None
    nearest: tuple[str, str] = NEAREST
    dashed: str = "the floor: what no difference would look like"
    more: int = 0
    notes: Sequence[str] = ()
    bars: Sequence[Bar] = ()
    classes: Table | None = None
    colours: Mapping[str, int] | None = None
    facets: Table | None = None
    voices: Sequence[Voice] = ()
    candidates: str = ""
    parts: Sequence[Part] = ()
    table: Table | None = None


def columns_table(
    caption: str, file: str, first: str, names: Sequence[str], columns: Sequence[Column], note: str = ""
) -> Table:
    """Return the columns of a terminal's table as a table of the page, without those that say nothing."""
    kept = told(columns)
    rows = [[seen(name), *(cells[place] for _, cells in kept)] for place, name in enumerate(names)]
    return Table(caption, file, [first, *(head for head, _ in kept)], rows, note)


def counted(caption: str, file: str, ways: Mapping[str, Mapping[str, int]]) -> Part | None:
    """Return a bar for each way that has any, of how often it has each kind, with the table of all; else nothing.

    All ways have the same kinds in the same order. Those that none has are left out; the others keep their colours.
    """
    ways = {seen(way): counts for way, counts in ways.items() if sum(counts.values())}
    if not ways:
        return None
    colours = {
        kind: place % len(palette())
        for place, kind in enumerate(next(iter(ways.values())))
        if any(counts[kind] for counts in ways.values())
    }
    rows = [[seen(kind), *(_share(counts, kind) for counts in ways.values())] for kind in colours]
    return Part(
        caption,
        bars=[_bar(way, counts, colours) for way, counts in ways.items()],
        table=Table(caption, file, ["what", *ways], rows),
        colours={seen(kind): colour for kind, colour in colours.items()},
    )


def _share(counts: Mapping[str, int], kind: str) -> str:
    return f"{count(counts[kind])} ({percent(counts[kind] / sum(counts.values()))})"


def _bar(title: str, counts: Mapping[str, int], colours: Mapping[str, int]) -> Bar:
    whole, at, segments = sum(counts.values()), 0.0, []
    for kind, colour in colours.items():
        width = BAR * counts[kind] / whole
        if width:
            segments.append(Segment(f"{at:.1f}", f"{width:.1f}", colour, ""))
        at += width
    return Bar(title, segments)
