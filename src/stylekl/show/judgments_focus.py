"""One model before the judges: its means, and how it fares against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import line, prose
from stylekl.show.judgments_parts import chance, ends, judges_table, mean, rests_on, signed
from stylekl.show.labels import named
from stylekl.show.numbers import count, percent, plural
from stylekl.show.parts import fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.judgments.reports import JudgmentsFocusReport, Rival
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_RIVALS = 20


def focus_view(report: JudgmentsFocusReport, terminal: Terminal) -> list[Text]:
    """Return the means by dimension, the rivals, the judges, and what the figures are."""
    text = line((named(report.model.name, terminal.ascii), "bold"), f": {standing_line(report)}")
    lines = [*prose(text, terminal.width, 0, 2), Text()]
    lines += fields(
        [(named(each.name or "mean total", terminal.ascii), mean(each)) for each in report.means],
        terminal.width,
    )
    if report.rivals:
        lines += [Text(), *_rivals(report, terminal)]
    lines += [Text(), *judges_table(report.judges, terminal)] if report.judges else []
    return [*lines, Text(), *notes(focus_notes(report, terminal), terminal)]


def standing_line(report: JudgmentsFocusReport) -> str:
    """Return how often a model was preferred, and how often not."""
    counts = report.model.counts
    return (
        f"preferred {count(counts['wins'])} times, the other {count(counts['losses'])}, neither "
        f"{count(counts['undecided'])}; {plural(counts['judgments'], 'judgment')}"
    )


def _rivals(report: JudgmentsFocusReport, terminal: Terminal) -> list[Text]:
    rows = report.rivals[:_RIVALS]
    lines = table([row.name for row in rows], rival_columns(rows), terminal)
    if len(report.rivals) > _RIVALS:
        lines.append(line((f"  and {count(len(report.rivals) - _RIVALS)} more", "dim")))
    return lines


def rival_columns(rows: Sequence[Rival]) -> list[Column]:
    """Return the columns of a table of rivals."""
    return [
        Column("preferred", [_wins(row) for row in rows]),
        Column("95 %", [_ends(row) for row in rows], 3),
        Column("call", [_call(row) for row in rows], 1),
        Column("points", [signed(row.difference.value if row.difference else None) for row in rows], 2),
        Column(
            "points 95 %",
            [ends(row.difference.low, row.difference.high) if row.difference else "-" for row in rows],
            4,
        ),
        Column("q", [chance("q", row.verdicts.q if row.verdicts else None) for row in rows], 5),
    ]


def _wins(row: Rival) -> str:
    said = row.verdicts
    return "-" if said is None else f"{count(said.wins_a)} of {count(said.decided)}"


def _ends(row: Rival) -> str:
    said = row.verdicts
    if said is None or said.low is None or said.high is None:
        return "-"
    return f"[{percent(said.low)} {percent(said.high)}]"


def _call(row: Rival) -> str:
    of = row.verdicts or row.difference
    if of is None:
        return "-"
    if of.call != "ahead":
        return of.call
    said, gap = row.verdicts, row.difference
    lead = said.wins_a - said.wins_b if said else (gap.value or 0.0) if gap else 0.0
    return "ahead" if lead > 0 else "behind"


def focus_notes(report: JudgmentsFocusReport, terminal: Terminal) -> list[str]:
    """Return in sentences what the figures are."""
    texts = rests_on(report.base, terminal)
    if report.rivals:
        name = named(report.model.name, terminal.ascii)
        texts.insert(
            0,
            f"preferred: decided verdicts for {name} against the model of the row; points: its mean total less",
        )
        texts[0] += " that one's."
    return texts


def focus_rows(report: JudgmentsFocusReport) -> tuple[Header, Rows]:
    """Return one row for each rival, the one it is furthest ahead of first."""
    header = [
        *(
            "focus",
            "model",
            "name",
            "wins",
            "losses",
            "ties",
            "split",
            "half",
            "share",
            "low",
            "high",
            "p",
            "q",
            "call",
        ),
        *("difference", "difference_low", "difference_high", "prompts"),
    ]
    rows: Rows = []
    for row in report.rivals:
        said, gap = row.verdicts, row.difference
        rows.append(
            [
                report.model.id,
                row.model,
                row.name,
                *(
                    (said.wins_a, said.wins_b, said.ties, said.split, said.half, said.share)
                    if said
                    else (None,) * 6
                ),
                *((said.low, said.high, said.p, said.q, said.call) if said else (None,) * 5),
                *((gap.value, gap.low, gap.high, gap.prompts) if gap else (None,) * 4),
            ]
        )
    return header, rows
