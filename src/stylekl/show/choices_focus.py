"""One model's choices: its fingerprint, who chooses alike, and what is left of its preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.show.choices_parts import (
    COUNTS,
    REASONS,
    STAND,
    asked_note,
    kept_line,
    pair_values,
    preference,
    rates_table,
    share,
    stand_values,
    titled,
    word,
    words_of,
)
from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import line, prose
from stylekl.show.json import plain
from stylekl.show.labels import named
from stylekl.show.notes import left_out_line
from stylekl.show.numbers import count, number, percent, plural
from stylekl.show.parts import fields
from stylekl.show.whiskers import Whisker, whiskers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.choices.reports import ChoicesFocusReport, Neighbour, Stand
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_TRIPLES = 5
_KEYS = (
    *("fingerprint", "sharpest", "softest", "neighbours", "triples", "triples_possible"),
    *("total", "families", "envelopes", "asked"),
)


def focus_view(report: ChoicesFocusReport, terminal: Terminal) -> list[Text]:
    """Return what is left of a model's choices, its preferences, neighbours, circles and habits by envelope."""
    name = named(report.model.name, terminal.ascii)
    lines = kept_line(name, report.total, terminal)
    lines += fields(focus_fields(report), terminal.width)
    lines += left_out_line((report.model,), terminal)
    held = {stand.pair: stand for stand in report.fingerprint}
    sharp = [held[pair] for pair in report.sharpest]
    soft = [held[pair] for pair in report.softest if pair not in report.sharpest]
    lines += titled("Sharpest preferences", _stands(sharp, terminal), terminal.width)
    lines += titled("Softest preferences", _stands(soft, terminal), terminal.width)
    if report.neighbours:
        rows = [neighbour_row(each) for each in report.neighbours]
        lines += titled("Neighbours, nearest first", whiskers(rows, terminal), terminal.width)
    lines += titled("Circles", _triples(report, terminal), terminal.width)
    lines += titled("By family of envelopes", rates_table(report.families, terminal), terminal.width)
    lines += titled("By envelope", rates_table(report.envelopes, terminal), terminal.width)
    return [*lines, Text(), *notes(focus_notes(report), terminal)]


def focus_fields(report: ChoicesFocusReport) -> list[tuple[str, str]]:
    """Return labels with figures: how many preferences there are, and how much goes by position."""
    total = report.total
    chosen = [stand for stand in report.fingerprint if stand.pick in ("a", "b")]
    single = sum(stand.real == 1 for stand in chosen)
    every = sum(max(stand.a, stand.b) == stand.answered for stand in chosen)
    rows = [
        ("preferences", f"on {count(len(chosen))} of {plural(len(report.fingerprint), 'pair')} of words"),
        ("in every envelope", count(every)),
        ("in a single envelope", count(single)),
        ("replies that chose", f"{share(total.commit)} of {plural(total.commit.n, 'reply')}"),
        ("the first word", f"{share(total.first)} of {plural(total.first.n, 'choice')}"),
        ("by position", f"{share(total.order_bias)} of {plural(total.order_bias.n, 'question')}"),
    ]
    if report.triples_possible:
        circles = plural(report.triples_possible, "triple")
        rows.append(("circles", f"{count(len(report.triples))} of {circles} of words"))
    return rows


def _stands(stands: list[Stand], terminal: Terminal) -> list[Text]:
    if not stands:
        return []
    return table([words_of(each, terminal) for each in stands], stand_columns(stands, terminal), terminal)


def stand_columns(stands: Sequence[Stand], terminal: Terminal) -> list[Column]:
    """Return the columns of a table of preferences, whose rows are pairs of words."""
    return [
        Column("prefers", [preference(each, terminal) for each in stands]),
        Column("against", [count(each.b if each.pick == "a" else each.a) for each in stands], 2),
        Column("sharpness", [number(each.sharpness or 0.0, 2) for each in stands], 1),
        Column("else", [_else(each) for each in stands], 3),
    ]


def _else(stand: Stand) -> str:
    """Return the most frequent reason why envelopes gave no preference."""
    if not stand.reasons:
        return "-"
    name, n = max(stand.reasons.items(), key=lambda each: (each[1], each[0]))
    return f"{count(n)} {REASONS[name]}"


def neighbour_row(each: Neighbour) -> Whisker:
    """Return another model as a row of whiskers."""
    pair = each.pair
    if pair.value is None or pair.low is None or pair.high is None:
        return Whisker("", each.name, None, 0.0, 0.0, None, "", "", pair.undefined or "no value")
    spread = f"[{number(pair.low, 2)} {number(pair.high, 2)}]"
    return Whisker(
        str(each.rank), each.name, pair.value, pair.low, pair.high, None, number(pair.value, 2), spread
    )


def _triples(report: ChoicesFocusReport, terminal: Terminal) -> list[Text]:
    lines: list[Text] = []
    for triple in report.triples[:_TRIPLES]:
        x, y, z = (word(each, terminal) for each in triple.words)
        lines += prose(Text(f"{x} over {y}, {y} over {z}, {z} over {x}"), terminal.width, 2, 4)
    rest = len(report.triples) - _TRIPLES
    return [*lines, line((f"  and {count(rest)} more", "dim"))] if rest > 0 else lines


def focus_notes(report: ChoicesFocusReport) -> list[str]:
    """Return in sentences what the figures are."""
    told = [
        asked_note(report.asked),
        "14/29: the word of 14 envelopes out of 29 answered. Sharpness is by how many of the answered envelopes one "
        "word "
        "is ahead, as a share. A circle is three words of which each is preferred to the next.",
        "An interval takes the pair of words as unit; a distance is the share of pairs of words on which two differ.",
    ]
    flat = [each for each in report.families if each.commit.value == 0]
    if flat:
        names = percent(len(flat) / len(report.families))
        told.append(f"In {names} of the families of envelopes nothing was chosen.")
    return told


def focus_data(report: ChoicesFocusReport) -> dict[str, Any]:
    """Return what stands under `data.lenses.choices` of `stylekl focus --json`."""
    return {key: plain(getattr(report, key)) for key in _KEYS}


def focus_rows(report: ChoicesFocusReport) -> tuple[Header, Rows]:
    """Return one row for each pair of words: the fingerprint."""
    names = list(REASONS)
    return ["model", *STAND, *COUNTS, *names], [
        [
            report.model.id,
            *pair_values(each),
            *stand_values(each),
            *(each.reasons.get(name, 0) for name in names),
        ]
        for each in report.fingerprint
    ]
