"""The ranking by judges: Bradley-Terry on their preferences, mean scores beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import line, prose
from stylekl.show.judgments_parts import agreement_table, ends, judges_table, points, rests_on
from stylekl.show.labels import named
from stylekl.show.numbers import count, number, plural

if TYPE_CHECKING:
    from stylekl.lenses.judgments.reports import JudgmentsRankReport, Standing
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal


def rank_view(report: JudgmentsRankReport, terminal: Terminal) -> list[Text]:
    """Return the ranking, the judges, how far they agree, and what the figures are."""
    how = "Bradley-Terry on verdicts" if report.ranked_by == "verdicts" else "mean total"
    text = line(("Ranking by judges", "bold"), f", {how}: {plural(len(report.standings), 'model')}")
    lines = [*prose(text, terminal.width, 0, 2), Text(), *_table(report, terminal)]
    lines += [Text(), *judges_table(report.judges, terminal)]
    lines += agreement_table(report.agreement, terminal)
    return [*lines, Text(), *notes(rank_notes(report, terminal), terminal)]


def _mark(terminal: Terminal) -> str:
    return "~" if terminal.ascii else "≈"


def _table(report: JudgmentsRankReport, terminal: Terminal) -> list[Text]:
    names = [f"{row.rank if row.rank is not None else '-'} {row.name}" for row in report.standings]
    return table(names, rank_columns(report, terminal), terminal)


def rank_columns(report: JudgmentsRankReport, terminal: Terminal) -> list[Column]:
    """Return the columns of the ranking: scores first where verdicts rank, else means."""
    rows = report.standings
    mark = _mark(terminal)

    def score(row: Standing) -> str:
        level = mark if row.level_with_next else " "
        return "none " if row.score is None else f"{number(row.score, 0)}{level}"

    def spread(row: Standing) -> str:
        return "-" if row.low is None or row.high is None else f"[{number(row.low, 0)} {number(row.high, 0)}]"

    def total(row: Standing) -> str:
        level = mark if row.level_with_next and report.ranked_by == "scores" else ""
        return points(row.total.value if row.total else None) + level

    score_column = Column("score", [score(row) for row in rows], 0 if report.ranked_by == "verdicts" else 9)
    columns = [
        score_column,
        Column("95 %", [spread(row) for row in rows], 2),
        Column("won:lost:none", [f"{row.wins}:{row.losses}:{row.undecided}" for row in rows], 3),
        Column("mean total", [total(row) for row in rows], 1 if report.ranked_by == "verdicts" else 0),
        Column("total 95 %", [ends(row.total.low, row.total.high) if row.total else "-" for row in rows], 4),
    ]
    dimensions = [each.name or "" for each in rows[0].dimensions] if rows else []
    for place, name in enumerate(dimensions):
        cells = [
            next((points(each.value) for each in row.dimensions if each.name == name), "-") for row in rows
        ]
        columns.append(Column(named(name, terminal.ascii), cells, 10 + place))
    return columns[3:] if report.ranked_by == "scores" else columns


def rank_notes(report: JudgmentsRankReport, terminal: Terminal) -> list[str]:
    """Return in sentences what the figures are."""
    texts = rests_on(report.base, terminal)
    if report.ranked_by == "verdicts":
        texts.insert(
            0,
            "Score: 1500 on average, 400 points are odds of ten to one; ties, and items whose two orders do not agree, "
            f"take no part. Intervals from {count(report.resamples)} resamples of prompts, "
            f"{number(report.pseudo_wins)} pseudo-wins each way.",
        )
    if any(row.level_with_next for row in report.standings):
        texts.insert(
            1, f"{_mark(terminal)} the interval overlaps that of the next: which is ahead is not sure."
        )
    for row in report.standings:
        if row.undefined and report.ranked_by == "verdicts":
            texts.append(f"{_name(row, terminal)}: no score, {row.undefined}.")
    return texts


def _name(row: Standing, terminal: Terminal) -> str:
    return named(row.name, terminal.ascii)


def rank_rows(report: JudgmentsRankReport) -> tuple[Header, Rows]:
    """Return one row for each model, in rank order."""
    dimensions = list(report.base.dimensions)
    header = [
        *("rank", "model", "name", "score", "low", "high", "level_with_next", "wins", "losses", "undecided"),
        *("mean_total", "mean_total_low", "mean_total_high", *dimensions, "undefined"),
    ]
    rows: Rows = []
    for row in report.standings:
        means = {each.name: each.value for each in row.dimensions}
        total = row.total
        rows.append(
            [
                *(row.rank, row.model, row.name, row.score, row.low, row.high, row.level_with_next),
                *(row.wins, row.losses, row.undecided),
                *((total.value, total.low, total.high) if total else (None,) * 3),
                *(means.get(name) for name in dimensions),
                row.undefined,
            ]
        )
    return header, rows
