"""One model by votes: its standing, the share it won against each other, and each topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.columns import notes, table
from stylekl.show.flow import line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.labels import named
from stylekl.show.numbers import count, plural, probability
from stylekl.show.votes_words import base_notes, ends, only, points, shared, topic_columns
from stylekl.show.whiskers import Whisker, whiskers

if TYPE_CHECKING:
    from stylekl.lenses.votes.reports import Record, VotesFocusReport
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_RIVAL = (
    *(
        "wins_a",
        "wins_b",
        "direct_a",
        "direct_b",
        "neither",
        "both_weak",
        "both_good",
        "share",
        "low",
        "high",
    ),
    *("units", "p", "q", "call", "undefined"),
)


def focus_view(report: VotesFocusReport, terminal: Terminal) -> list[Text]:
    """Return the standing, the rivals as whiskers of the share won, and the topics."""
    name = named(report.model.name, terminal.ascii)
    lines = prose(line((name, "bold"), f": {standing_line(report)}"), terminal.width, 0, 2)
    marks = glyphs(terminal)
    told = []
    if report.rivals:
        lines += [
            Text(),
            *prose(line(("Share won", "bold"), " against each, most won first"), terminal.width),
        ]
        lines += whiskers([rival_row(report, each) for each in report.rivals], terminal, top=1.0)
        whisker = "".join(marks.whisker[i] for i in (0, 1, 3, 1, 2))
        told.append(f"{whisker} 95% interval of the share of decided fights won. {marks.floor} even.")
        called = [each for each in report.rivals if each.call == "ahead"]
        told.append(f"{count(len(called))} of {plural(len(report.rivals), 'pair')} settled at q < .05.")
    if report.topics:
        lines += [Text(), *prose(line(("By topic", "bold")), terminal.width)]
        lines += table([each.topic for each in report.topics], topic_columns(report.topics), terminal)
        told.append("expected: by the scores over all topics; q: that the topic adds nothing to them.")
    told += [*base_notes(report.base, report.source, terminal), *only(report.params, terminal)]
    return [*lines, Text(), *notes(told, terminal)]


def focus_rows(report: VotesFocusReport) -> tuple[Header, Rows]:
    """Return one row for each rival, most won first."""
    header = ["model", "rival", "rival_name", *_RIVAL]
    return header, [
        [each.a, each.b, report.names.get(each.b, each.b), *(getattr(each, key) for key in _RIVAL)]
        for each in report.rivals
    ]


def standing_line(report: VotesFocusReport) -> str:
    """Return where a model stands: its rank and score, and the share of fights won."""
    own = report.standing
    won = f"won {count(own.wins)} of {plural(own.decided, 'decided fight')} ({shared(own.win_share)})"
    if own.rank is None:
        return f"no rank ({own.undefined or 'no score'}); {won}."
    value = f"Elo {points(own.elo)}" if own.elo is not None else f"score {points(own.score)}"
    interval = ends(own.low, own.high)
    if own.elo is None and interval != "-":
        value += f" {interval}"
    return f"rank {count(own.rank)} of {count(report.ranked)}, {value}; {won}."


def rival_row(report: VotesFocusReport, each: Record) -> Whisker:
    """Return the share won against another model as a row of whiskers, even in place of the floor."""
    name = report.names.get(each.b, each.b)
    if each.share is None or each.low is None or each.high is None:
        return Whisker("", name, None, 0.0, 0.0, None, "", "", each.undefined or "no decided fight")
    figure = shared(each.share)
    interval = f"[{100 * each.low:.0f} {100 * each.high:.0f}] {count(each.wins_a)} : {count(each.wins_b)}"
    q = probability("q", each.q)
    return Whisker("", name, each.share, each.low, each.high, 0.5, figure, interval + (f" {q}" if q else ""))
