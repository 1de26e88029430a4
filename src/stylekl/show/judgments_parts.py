"""What the views of judgments share: points and shares as written, the judges' table, agreement, notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.columns import Column, table
from stylekl.show.flow import line, prose
from stylekl.show.labels import named
from stylekl.show.numbers import count, number, percent, plural, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.judgments.reports import Agreement, Base, Difference, JudgeRow, Mean, Verdicts
    from stylekl.show.terminal import Terminal

_LISTED = 6


def points(value: float | None, places: int = 2) -> str:
    """Write a score or a mean; a dash where there is none."""
    return "-" if value is None else number(value, places)


def signed(value: float | None) -> str:
    """Write a difference with its sign: +.42, -.37, 0."""
    if value is None:
        return "-"
    text = number(value, 2)
    return text if text == "0" or value < 0 else f"+{text}"


def ends(low: float | None, high: float | None) -> str:
    """Write an interval of points: `[-1.2 3.4]`; a dash where there is none."""
    return "-" if low is None or high is None else f"[{number(low, 2)} {number(high, 2)}]"


def chance(name: str, value: float | None) -> str:
    """Write p or q without its name, for a column; a dash where there is none."""
    return probability(name, value).removeprefix(f"{name} ").removeprefix("= ") or "-"


def mean(of: Mean | None) -> str:
    """Write a mean with its interval."""
    if of is None:
        return "-"
    between = f" {ends(of.low, of.high)}" if of.low is not None else ""
    return f"{points(of.value)}{between}"


def share(of: Verdicts) -> str:
    """Write a's share of the decided verdicts with its interval: 7 of 12, 58% [22% 87%]."""
    if of.share is None or of.low is None or of.high is None:
        return "none decided"
    span = f"[{percent(of.low)} {percent(of.high)}]"
    return f"{count(of.wins_a)} of {count(of.decided)}, {percent(of.share)} {span}"


def undecided(of: Verdicts) -> str:
    """Write the items without a preference: `7 ties, 2 by position`."""
    parts = [
        plural(of.ties, "tie") if of.ties else "",
        f"{count(of.split)} by position" if of.split else "",
        f"{count(of.half)} half a tie" if of.half else "",
        f"{count(of.incomplete)} with one order invalid" if of.incomplete else "",
    ]
    return ", ".join(part for part in parts if part)


def called(of: Difference | Verdicts, first: str, second: str, lead: float | None) -> str:
    """Return the call of a comparison in words."""
    if of.call == "ahead" and lead:
        return f"{first if lead > 0 else second} is ahead"
    return of.call if of.call != "ahead" else "too close to call"


def judges_table(rows: Sequence[JudgeRow], terminal: Terminal) -> list[Text]:
    """Return a table of the judges: valid and invalid replies, repairs, contradictions, position."""
    lines = prose(line(("Judges", "bold")), terminal.width)
    lines += table([row.judge for row in rows], judge_columns(rows), terminal)
    for text in judge_notes(rows, terminal):
        lines += prose(Text(text), terminal.width, 2, 4)
    return lines


def judge_columns(rows: Sequence[JudgeRow]) -> list[Column]:
    """Return the columns of a table of judges."""

    def some(value: int) -> str:
        return count(value) if value else "-"

    return [
        Column("valid", [count(row.judgments) for row in rows]),
        Column("invalid", [some(sum(row.invalid.values())) for row in rows], 1),
        Column("A:B:tie", [_places(row) for row in rows], 3),
        Column("mended", [some(sum(row.repairs.values())) for row in rows], 5),
        Column("against scores", [some(row.contradictions) for row in rows], 4),
        Column("difference", [signed(row.total_difference) for row in rows], 2),
    ]


def judge_notes(rows: Sequence[JudgeRow], terminal: Terminal) -> list[str]:
    """Return in sentences whether the judges follow the position, and what they said that is invalid."""
    texts = [position(row, terminal) for row in rows if row.position.basis is not None]
    texts += _fixed(rows, terminal)
    for row in rows:
        if row.invalid:
            told = ", ".join(f"{named(name, terminal.ascii)} {count(n)}" for name, n in row.invalid.items())
            texts.append(f"{named(row.judge, terminal.ascii)}: invalid, neither tie nor loss: {told}")
    return texts


def _places(row: JudgeRow) -> str:
    where = row.position
    return f"{where.first}:{where.second}:{where.tie}"


def _fixed(rows: Sequence[JudgeRow], terminal: Terminal) -> list[str]:
    """Return that position cannot be judged of those whose order was not drawn, where they gave verdicts."""
    some = [
        row for row in rows if row.position.basis is None and row.position.first + row.position.second > 0
    ]
    if not some:
        return []
    who = (
        "all judges"
        if len(some) == len(rows) > 1
        else ", ".join(named(r.judge, terminal.ascii) for r in some)
    )
    return [f"{who}: cannot say whether position matters: the order was neither drawn nor asked both ways"]


def position(row: JudgeRow, terminal: Terminal) -> str:
    """Return in a sentence whether a judge follows the position of a reply."""
    where, name = row.position, named(row.judge, terminal.ascii)
    said = (
        f"{percent(where.share)} of decided verdicts for the reply shown first"
        if where.share is not None
        else ""
    )
    twice = ""
    if where.asked_twice:
        twice = (
            f"; of {count(where.asked_twice)} asked in both orders {count(where.follows)} followed the place"
        )
    tested = f" ({probability('p', where.p)})" if where.p is not None else ""
    if where.call == "follows the position":
        lead = "position bias"
    else:
        lead = "no sign of position bias" if where.call == "no sign of it" else "position: cannot say"
    return f"{name}: {lead}: {said or 'none decided'}{tested}{twice}"


def agreement_table(rows: Sequence[Agreement], terminal: Terminal) -> list[Text]:
    """Return a table of alpha by what was judged."""
    if not rows:
        return []
    lines = [
        Text(),
        *prose(line(("Agreement between judges", "bold"), ", Krippendorff's alpha"), terminal.width),
    ]
    return lines + table([row.what for row in rows], agreement_columns(rows), terminal)


def agreement_columns(rows: Sequence[Agreement]) -> list[Column]:
    """Return the columns of a table of alpha."""
    return [
        Column("alpha", [points(row.value) for row in rows]),
        Column("95 %", [ends(row.low, row.high) for row in rows], 1),
        Column("level", [row.level for row in rows], 3),
        Column("units", [count(row.units) for row in rows], 2),
    ]


def rests_on(base: Base, terminal: Terminal) -> list[str]:
    """Return what the figures rest on, and what was left out."""
    texts = [
        f"{plural(base.judgments, 'judgment')} of {plural(base.judges, 'judge')} on {plural(base.prompts, 'prompt')}; "
        "intervals are over prompts, and a prompt counts once, however many judge it."
    ]
    if base.rubric is not None and base.scale is not None:
        low, high = base.scale
        texts.append(
            f"Rubric {named(base.rubric, terminal.ascii)}: {plural(len(base.dimensions), 'dimension')}, {low} to "
            f"{high} points each."
        )
    if base.left_out:
        told = [f"{named(reason, terminal.ascii)} {count(n)}" for reason, n in base.left_out.items()]
        more = f" and {count(len(told) - _LISTED)} more reasons" if len(told) > _LISTED else ""
        texts.append(f"Left out: {', '.join(told[:_LISTED])}{more}.")
    return texts
