"""Tells, classes and facets as the templates draw them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stylekl.show.numbers import count, lift, number, probability
from stylekl.show.page.safe import seen, seen_symbol
from stylekl.show.page.tables import Table
from stylekl.show.parts import Speaker, figures
from stylekl.show.stack import WAYS, colours, way_of
from stylekl.show.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.lenses.reports import ClassTotal, Context, FacetLine, Tell

PAGE = Terminal(width=400)  # sentences are made for a line that is never full, without colour
BAR = 1000  # units of a bar's width
_LABELLED = 70  # units of a segment that has room for its per cent


@dataclass(frozen=True, slots=True)
class Place:
    """One place where a symbol stands: whose reply to what, and the text around it."""

    model: str
    prompt: str
    before: str
    symbol: str
    after: str


@dataclass(frozen=True, slots=True)
class Said:
    """One tell: its chip (symbol, note, strength from 1 to 4), its figures in words, and where it stands."""

    symbol: str
    note: str
    strength: int
    figures: str
    places: Sequence[Place]


@dataclass(frozen=True, slots=True)
class Voice:
    """What one side says more: its title, its tells, and how many more there are than are shown."""

    side: str
    title: str
    tells: Sequence[Said]
    more: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A class in a bar: its place and width, the number of its colour, and its per cent where there is room."""

    x: str
    width: str
    colour: int
    label: str


@dataclass(frozen=True, slots=True)
class Bar:
    """The classes of one direction as a bar."""

    title: str
    segments: Sequence[Segment]


def voices(
    tells: Sequence[Tell],
    speakers: Sequence[Speaker],
    names: Mapping[str, str],
    *,
    most: int,
    places: int,
) -> list[Voice]:
    """Return what each side says more: at most `most` tells, each with at most `places` places of its own side."""
    found = []
    for speaker in speakers:
        own = [tell for tell in tells if tell.more == speaker.id]
        if own:
            said = [_said(tell, speaker, names, places) for tell in own[:most]]
            found.append(Voice(speaker.side, seen(speaker.more), said, len(own) - len(said)))
    return found


def _said(tell: Tell, speaker: Speaker, names: Mapping[str, str], places: int) -> Said:
    ours, theirs = (tell.count_a, tell.count_b) if speaker.side == "a" else (tell.count_b, tell.count_a)
    note = f"{count(ours)}:{count(theirs)}" if tell.lift is None else lift(tell.lift)
    contexts = [*tell.contexts] if places > 1 else [*tell.contexts[:places]]
    return Said(
        symbol=seen_symbol(tell.symbol),
        note=note,
        strength=_strength(tell.lift),
        figures=figures(tell, speaker, PAGE).plain.removeprefix(seen_symbol(tell.symbol)).strip(),
        places=[_place(context, names) for context in contexts],
    )


def _strength(ratio: float | None) -> int:
    """Return how deep a chip's ground is, from 1 to 4: by its lift, and deepest where the other side never says it."""
    return 4 if ratio is None or ratio >= 10 else 3 if ratio >= 5 else 2 if ratio >= 2.5 else 1


def _place(context: Context, names: Mapping[str, str]) -> Place:
    length = len(context.text)
    start = max(0, min(context.start, length))
    end = max(start, min(context.end, length))
    held = context.text[start:end]
    gap = " " if held[:1] == " " and held[1:2].isalnum() else ""
    return Place(
        model=seen(names.get(context.model, context.model)),
        prompt=seen(context.prompt),
        before=seen(context.text[:start]) + gap,
        symbol=seen_symbol(held),
        after=seen(context.text[end:]),
    )


def bars(classes: Sequence[ClassTotal], titles: tuple[str, str]) -> tuple[list[Bar], Table | None]:
    """Return a bar for each direction that has shares, and the table of both; nothing where neither has.

    A segment is as wide as its class's part of the sum of those above 0, which alone can stand in a bar.
    """
    there = way_of(WAYS[0], [each.share_ab for each in classes], [each.bits_ab for each in classes])
    back = way_of(WAYS[1], [each.share_ba for each in classes], [each.bits_ba for each in classes])
    ways = [
        (way, title) for way, title in zip((there, back), titles, strict=True) if way.percents is not None
    ]
    if not ways:
        return [], None
    names = [seen(each.kind) for each in classes]
    kinds = colours([each.kind for each in classes])
    drawn = []
    for way, title in ways:
        above = [max(share, 0.0) for share in way.shares]
        total, at, segments = sum(above) or 1.0, 0.0, []
        for place, share in enumerate(above):
            width = BAR * share / total
            if width > 0:
                label = way.figures(place)[0] if width >= _LABELLED else ""
                segments.append(Segment(f"{at:.1f}", f"{width:.1f}", kinds[place], label))
            at += width
        drawn.append(Bar(seen(title), segments))
    head = ["class", *(part for _, title in ways for part in (f"{seen(title)}, share", "bits"))]
    rows = [
        [names[place], *(part for way, _ in ways for part in way.figures(place))]
        for place in range(len(classes))
        if any(way.adds(place) for way, _ in ways)
    ]
    rows.append(["together", *(part for way, _ in ways for part in (way.sum(), way.total))])
    taken = [
        f"{title}: {', '.join(lost)}"
        for way, title in ways
        if (lost := [f"{name} {n}%" for name, n in zip(names, way.percents or (), strict=True) if n < 0])
    ]
    note = f"Below 0, so not in the bar. {'; '.join(map(seen, taken))}." if taken else ""
    return drawn, Table("What it is made of, by class", "classes", head, rows, note)


def class_colours(classes: Sequence[ClassTotal]) -> dict[str, int]:
    """Return the number of the colour of each class, by its name as shown."""
    return dict(
        zip([seen(each.kind) for each in classes], colours([each.kind for each in classes]), strict=True)
    )


def facets(lines: Sequence[FacetLine], titles: tuple[str, str]) -> Table | None:
    """Return the line of each facet as a table; nothing where there are no facets."""
    if not lines:
        return None
    from stylekl.show.style import measured

    both = any(line.kl_ba is not None for line in lines)
    head = ["facet", seen(titles[0]), *([seen(titles[1])] if both else []), "floor", "q", "call", "unit"]
    rows = []
    for line in lines:
        back = [measured(line.kl_ba, "").strip()] if both else []
        floor = "" if line.floor is None else number(line.floor)
        chance = probability("", line.q).replace("=", "").strip()
        call = line.call if line.undefined is None else f"{line.call}, {seen(line.undefined)}"
        rows.append(
            [seen(line.facet), measured(line.kl_ab, "").strip(), *back, floor, chance, call, seen(line.unit)]
        )
    kept = [i for i in range(len(head)) if any(row[i] for row in rows)]
    head, rows = [head[i] for i in kept], [[row[i] for i in kept] for row in rows]
    note = "Each facet counts symbols of its own: compare the calls, not the bits."
    return Table("Where they differ", "facets", head, rows, note)
