"""Two models by votes: the record between them, the odds, the gap in score, and each topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.columns import notes, table
from stylekl.show.flow import line, prose
from stylekl.show.labels import NAME, shorten
from stylekl.show.numbers import count, plural, probability
from stylekl.show.parts import fields
from stylekl.show.votes_words import base_notes, odds, only, points, shared, topic_columns

if TYPE_CHECKING:
    from stylekl.lenses.votes.reports import Gap, VotesPairReport
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_RECORD = (
    *("wins_a", "wins_b", "direct_a", "direct_b", "neither", "both_weak", "both_good", "undecided", "share"),
    *("low", "high", "expected", "units", "p", "q", "call", "undefined"),
)
_AS_TOPIC = {"wins_a": "wins", "wins_b": "losses"}


def pair_view(report: VotesPairReport, terminal: Terminal) -> list[Text]:
    """Return the call, the figures and where each wins."""
    a, b = shorten((report.a.name, report.b.name), NAME, terminal.ascii)
    lines = prose(call_of(report, a, b), terminal.width, 0, 2)
    lines += fields(pair_fields(report, a), terminal.width)
    told = [*base_notes(report.base, report.source, terminal), *only(report.params, terminal)]
    if report.topics:
        title = line(("By topic", "bold"), f", {a} first")
        lines += [Text(), *prose(title, terminal.width)]
        lines += table([each.topic for each in report.topics], topic_columns(report.topics), terminal)
        told.insert(0, "q: over these topics, that neither is preferred on one. expected: by the scores.")
    return [*lines, Text(), *notes(told, terminal)]


def pair_rows(report: VotesPairReport) -> tuple[Header, Rows]:
    """Return the record in one row without a topic, then one row for each topic."""
    record = report.record
    undecided = record.neither + record.both_weak + record.both_good
    whole = [undecided if key == "undecided" else getattr(record, key, None) for key in _RECORD]
    topics = [
        [each.topic, *(getattr(each, _AS_TOPIC.get(key, key), None) for key in _RECORD)]
        for each in report.topics
    ]
    start = [report.a.id, report.b.id]
    return ["a", "b", "topic", *_RECORD], [[*start, *row] for row in ([None, *whole], *topics)]


def call_of(report: VotesPairReport, a: str, b: str) -> Text:
    """Return the record of two models and the call on it."""
    record = report.record
    if not record.decided:
        return line(f"{a} and {b}: ", (record.undefined or "no decided fight", "bold"), ".")
    won, lost = count(record.wins_a), count(record.wins_b)
    start = line(
        (a, "bold"), f" {won} : {lost} ", (b, "bold"), f", {plural(record.decided, 'decided fight')}: "
    )
    ahead = a if record.wins_a > record.wins_b else b
    says = {"ahead": f"{ahead} is preferred", "cannot say": "too few to say"}.get(record.call, record.call)
    start.append(says, "bold")
    q = probability("q", record.q)
    return start.append(f" ({q})." if q else ".")


def pair_fields(report: VotesPairReport, a: str) -> list[tuple[str, str]]:
    """Return labels with figures: share, odds, fights without a winner, the gap in score."""
    record = report.record
    rows = []
    if record.decided:
        rows.append((f"share of {a}", shared(record.share, record.low, record.high)))
        rows.append((f"odds of {a}", _odds(report)))
        if (record.direct_a, record.direct_b) != (record.wins_a, record.wins_b):
            rows.append(("first picks alone", f"{count(record.direct_a)} : {count(record.direct_b)}"))
    undecided = [
        f"{count(value)} {name}"
        for value, name in (
            (record.neither, "neither, no forced pick"),
            (record.both_weak, "both weak"),
            (record.both_good, "tied" if report.source == "import" else "both good"),
        )
        if value
    ]
    if undecided:
        rows.append(("no winner", ", ".join(undecided)))
    if report.gap is not None:
        rows.append(("gap in score", _gap(report.gap)))
    return rows


def _odds(report: VotesPairReport) -> str:
    if report.odds is None:
        bound = report.odds_low if report.odds_low is not None else report.odds_high
        way = "at least" if report.odds_low is not None else "at most"
        return "no number" if bound is None else f"one side won all; {way} {odds(bound)} to 1"
    low = "0" if report.odds_low is None else odds(report.odds_low)
    high = "no limit" if report.odds_high is None else odds(report.odds_high)
    return f"{odds(report.odds)} to 1 [{low} {high}]"


def _gap(gap: Gap) -> str:
    text = f"{points(gap.points)} points"
    if gap.low is not None and gap.high is not None:
        text += f" [{points(gap.low)} {points(gap.high)}]"
    p = probability("p", gap.p)
    return f"{text}, over all fights of the file: {odds(gap.odds)} to 1{f' ({p})' if p else ''}"
