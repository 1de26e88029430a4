"""The ranking by votes: a row for each model, the records of the pairs, and what the figures are in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import columns, line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.labels import shorten
from stylekl.show.numbers import count, number, percent
from stylekl.show.votes_words import SOURCES, base_notes, ends, only, points, resampled

if TYPE_CHECKING:
    from stylekl.lenses.votes.reports import VotesRankReport
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_PAIRS = 15  # records that are listed: those of six models
_NAME = 16
_STANDING = (
    *("model", "name", "rank", "elo", "score", "low", "high", "level_with_next", "fights", "decided", "wins"),
    *("win_share", "direct_win_share", "neither", "both_weak", "both_good", "shown", "mark_rate", "onset_ms"),
    *("onsets", "replies", "refused", "refusal_rate", "undefined"),
)


def rank_view(report: VotesRankReport, terminal: Terminal) -> list[Text]:
    """Return the table, the records of up to six models, and the legend."""
    how = "Elo" if report.source == "arena" else "Bradley-Terry"
    title = line((f"{SOURCES[report.source]} ranking", "bold"), f" by {how}")
    lines = prose(title, terminal.width)
    rows = report.standings
    lines += table([row.name for row in rows], rank_columns(report, terminal), terminal)
    lines += _records(report, terminal)
    return [*lines, Text(), *notes(rank_notes(report, terminal), terminal)]


def rank_rows(report: VotesRankReport) -> tuple[Header, Rows]:
    """Return one row for each model, in rank order."""
    return [*_STANDING], [[getattr(row, key) for key in _STANDING] for row in report.standings]


def rank_columns(report: VotesRankReport, terminal: Terminal) -> list[Column]:
    """Return the columns of the ranking."""
    rows, level = report.standings, glyphs(terminal).level
    arena = report.source == "arena"
    any_level = any(row.level_with_next for row in rows)
    return [
        Column("rank", ["-" if row.rank is None else str(row.rank) for row in rows]),
        *([Column(level, [level if row.level_with_next else "" for row in rows])] if any_level else []),
        *([Column("Elo", [points(row.elo) for row in rows])] if arena else []),
        Column("score", [points(row.score) for row in rows], 3 if arena else 0),
        Column("interval", [ends(row.low, row.high) for row in rows], 3 if arena else 0),
        Column("win", [_share(row.win_share) for row in rows], 2),
        *([Column("direct", [_share(row.direct_win_share) for row in rows], 6)] if _forced(report) else []),
        Column("decided", [count(row.decided) for row in rows], 4),
        Column("marked", [_share(row.mark_rate) for row in rows], 5),
        Column("onset", ["-" if row.onset_ms is None else f"{row.onset_ms:,.0f} ms" for row in rows], 7),
        Column("neither", [_some(row.neither) for row in rows], 8),
        Column("weak", [_some(row.both_weak) for row in rows], 9),
        Column("ties" if report.source == "import" else "good", [_some(row.both_good) for row in rows], 9),
        Column("refused", [_share(row.refusal_rate) for row in rows], 10),
    ]


def _forced(report: VotesRankReport) -> bool:
    """Whether any fight was decided by a forced pick."""
    return any(row.direct_win_share != row.win_share for row in report.standings)


def _share(value: float | None) -> str:
    return percent(value)


def _some(value: int) -> str:
    return count(value) if value else "-"


def _records(report: VotesRankReport, terminal: Terminal) -> list[Text]:
    """Return who won how often against whom."""
    if not report.records:
        return []
    lines = [Text(), *prose(line(("Head to head", "bold"), ", decided fights"), terminal.width)]
    if len(report.records) > _PAIRS:
        text = f"{count(len(report.records))} pairs met: stylekl matrix --by votes draws them."
        return [*lines, *prose(line((text, "dim")), terminal.width, 2)]
    ids = [row.model for row in report.standings]
    width = max(4, min(_NAME, (terminal.width - 16) // 2))
    labels = dict(
        zip(ids, shorten([row.name for row in report.standings], width, terminal.ascii), strict=True)
    )
    place = {model: number for number, model in enumerate(ids)}
    entries = []
    for each in sorted(report.records, key=lambda r: sorted((place[r.a], place[r.b]))):
        turned = place[each.a] > place[each.b]
        first, second = (each.b, each.a) if turned else (each.a, each.b)
        won, lost = (each.wins_b, each.wins_a) if turned else (each.wins_a, each.wins_b)
        entries.append(
            line(f"{labels[first]} ", (f"{count(won)} : {count(lost)}", "bold"), f" {labels[second]}")
        )
    return [*lines, *(line("  ", "").append_text(text) for text in columns(entries, terminal.width - 2))]


def rank_notes(report: VotesRankReport, terminal: Terminal) -> list[str]:
    """Return in sentences what the figures are."""
    marks, rows = glyphs(terminal), report.standings
    pseudo = number(report.pseudo_wins) if report.pseudo_wins else "no"
    times = "*" if terminal.ascii else "·"
    pairings = "every pairing" if report.params["pairings"] == "all" else "pairings that met"
    draws = "draws left out" if report.params["draws"] == "out" else "a draw is half a win each way"
    found = [*base_notes(report.base, report.source, terminal), *only(report.params, terminal)]
    if report.source == "arena":
        found.append(
            f"Elo: K {number(report.params['k'])}, start {report.params['start']:.0f}, votes in the order in which "
            "they were cast, every draw half a win. It has no interval."
        )
    found.append(
        f"Score: Bradley-Terry, 1500 + 400{times}log10(strength), mean 1500; 100 points are about 64% wins. {draws}; "
        f"{pseudo} pseudo-wins each way for {pairings}.".replace(". draws", ". Draws")
    )
    found.append(resampled(report.base, report.resamples))
    if any(row.level_with_next for row in rows):
        found.append(
            f"{marks.level} The interval overlaps that of the next in rank: their order is not settled."
        )
    if _forced(report):
        found.append("win: direct and forced picks over decided fights; direct: first picks alone.")
    else:
        found.append("win: wins over decided fights.")
    if any(row.mark_rate is not None for row in rows):
        found.append(
            "marked: replies with a marked line over replies shown; onset: median time of a mark after the expected "
            "reading of its line, marks made before the pick could be."
        )
    if any(row.neither for row in rows):
        found.append("neither: picked neither, and no forced pick.")
    if any(row.refusal_rate is not None for row in rows):
        found.append("refused: refused replies over replies asked for, no part of the ranking.")
    unscored = sorted({row.undefined for row in rows if row.undefined})
    return found + [f"Without a score: {reason}." for reason in unscored]
