"""Two models' choices side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.show.choices_parts import (
    COUNTS,
    STAND,
    asked_note,
    chances,
    distance,
    kept_line,
    pair_values,
    preference,
    share,
    stand_values,
    titled,
    words_of,
)
from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import line, prose
from stylekl.show.json import plain
from stylekl.show.labels import named, shorten
from stylekl.show.notes import left_out_line
from stylekl.show.numbers import count
from stylekl.show.parts import fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.choices.reports import Both, ChoicesPairReport, Theme
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_LISTED = 12
_KEYS = ("pair", "violent", "themes", "stands", "rates", "asked")
_CALLS = {
    "apart": " choose differently",
    "too close to call": ": too close to call",
    "cannot say": ": cannot say whether they choose alike",
}


def pair_view(report: ChoicesPairReport, terminal: Terminal) -> list[Text]:
    """Return the call on two models, themes, and the pairs of words on which they are opposed or one chose."""
    a, b = (named(model.name, terminal.ascii) for model in (report.a, report.b))
    lines = prose(headline(report, terminal), terminal.width, 0, 2)
    lines += fields(pair_fields(report), terminal.width)
    for name, rates in zip((a, b), report.rates, strict=True):
        lines += kept_line(name, rates, terminal)
    lines += left_out_line((report.a, report.b), terminal)
    lines += titled("By theme", _themes(report, terminal), terminal.width)
    for title, kind in (
        ("Opposite words", "opposite"),
        ("The same word", "agree"),
        ("One of them chose", "one chose"),
    ):
        chosen = [each for each in report.stands if each.verdict == kind]
        lines += titled(title, _stands(chosen, (a, b), terminal), terminal.width)
    neither = sum(each.verdict == "neither chose" for each in report.stands)
    told = [f"On {count(neither)} further pairs of words neither has a preference."] if neither > 1 else []
    return [*lines, Text(), *notes([*told, *pair_notes(report)], terminal)]


def headline(report: ChoicesPairReport, terminal: Terminal) -> Text:
    """Return the call on two models with its chances, and on how much they differ."""
    a, b = (named(model.name, terminal.ascii) for model in (report.a, report.b))
    pair = report.pair
    text = line((f"{a} and {b}{_CALLS.get(pair.call or '', '')}", "bold"), chances(pair))
    return text.append(f"; they differ on {distance(pair)}.")


def pair_fields(report: ChoicesPairReport) -> list[tuple[str, str]]:
    """Return labels with figures: opposite words, and the same word."""
    pair = report.pair
    return [
        ("opposite words", share(report.violent)),
        ("the same word", f"{count(pair.detail['same_word'])} of {count(pair.n)}"),
    ]


def pair_notes(report: ChoicesPairReport) -> list[str]:
    """Return in sentences what the figures are."""
    return [
        asked_note(report.asked),
        "14/29: the word of 14 envelopes out of 29 answered. Firm: both in at least half of theirs. The intervals take "
        "the pair of words as unit; p asks whether one responder could have given both.",
    ]


def _themes(report: ChoicesPairReport, terminal: Terminal) -> list[Text]:
    rows = report.themes
    if len(rows) < 2:
        return []
    names = [named(each.theme or "no theme", terminal.ascii) for each in rows]
    return table(names, theme_columns(rows), terminal)


def theme_columns(rows: Sequence[Theme]) -> list[Column]:
    """Return the columns of a table of themes."""
    return [
        Column("pairs", [count(each.pairs) for each in rows], 2),
        Column("same", [count(each.agree) for each in rows]),
        Column("opposite", [count(each.opposite) for each in rows]),
        Column("one chose", [count(each.one_chose) for each in rows], 1),
        Column("neither", [count(each.neither_chose) for each in rows], 1),
        Column("both firm", [count(each.firm) for each in rows], 3),
        Column("differ", [share(each.differ) for each in rows], 4),
    ]


def _stands(rows: list[Both], names: tuple[str, str], terminal: Terminal) -> list[Text]:
    """Return a line for each pair of words, the firmest first."""
    ranked = sorted(rows, key=lambda each: (-weight(each), each.pair))
    told = ranked[:_LISTED]
    if not told:
        return []
    heads = shorten(names, 20, terminal.ascii)
    lines = table(
        [words_of(each.a, terminal) for each in told],
        [
            Column(heads[0], [preference(each.a, terminal) for each in told]),
            Column(heads[1], [preference(each.b, terminal) for each in told]),
        ],
        terminal,
    )
    rest = len(ranked) - len(told)
    return [*lines, line((f"  and {count(rest)} more", "dim"))] if rest else lines


def weight(each: Both) -> float:
    """Return how sharp two stands are together: the duller of both, or the only preference of the two."""
    sharp = [stand.sharpness or 0.0 for stand in (each.a, each.b)]
    return max(sharp) if each.verdict == "one chose" else min(sharp)


def pair_data(report: ChoicesPairReport) -> dict[str, Any]:
    """Return what stands under `data.lenses.choices` of `stylekl pair --json`."""
    return {key: plain(getattr(report, key)) for key in _KEYS}


def pair_rows(report: ChoicesPairReport) -> tuple[Header, Rows]:
    """Return one row for each pair of words."""
    header = ["a", "b", *STAND, "verdict", *(f"{side}_{name}" for side in "ab" for name in COUNTS)]
    return header, [
        [
            report.a.id,
            report.b.id,
            *pair_values(each.a),
            each.verdict,
            *stand_values(each.a),
            *stand_values(each.b),
        ]
        for each in report.stands
    ]
