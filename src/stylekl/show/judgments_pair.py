"""Two models before the judges: the verdicts, every dimension, the judges, and how far they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import line, prose
from stylekl.show.judgments_parts import (
    agreement_table,
    called,
    chance,
    ends,
    judges_table,
    points,
    rests_on,
    share,
    signed,
    undecided,
)
from stylekl.show.labels import named, shorten
from stylekl.show.numbers import count, number, plural, probability
from stylekl.show.parts import fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.judgments.reports import Dimension, JudgmentsPairReport
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_LISTED = 8


def pair_view(report: JudgmentsPairReport, terminal: Terminal) -> list[Text]:
    """Return the headline, the dimensions, the judges, agreement, contradictions, and what the figures are."""
    lines = [*prose(headline(report, terminal), terminal.width, 0, 2), Text()]
    lines += fields(pair_fields(report), terminal.width)
    if report.total is not None and report.dimensions:
        lines += [Text(), *_dimensions(report, terminal)]
    lines += [Text(), *judges_table(report.judges, terminal)]
    lines += agreement_table(report.agreement, terminal)
    lines += _contradictions(report, terminal)
    return [*lines, Text(), *notes(pair_notes(report, terminal), terminal)]


def headline(report: JudgmentsPairReport, terminal: Terminal) -> Text:
    """Return the call on two models with its chances."""
    a, b = (named(model.name, terminal.ascii) for model in (report.a, report.b))
    said, whole = report.verdicts, report.total
    if said is not None:
        lead = said.wins_a - said.wins_b
        text = line((f"{a} and {b} by verdicts: {called(said, a, b, lead)}", "bold"), _tested(said.p, said.q))
        text.append(
            f"; {a} is preferred in {share(said)}." if said.decided else "; no verdict prefers either."
        )
    else:
        gap = None if whole is None else whole.difference
        told = "cannot say" if gap is None else called(gap, a, b, gap.value)
        text = line(
            (f"{a} and {b} by scores: {told}", "bold"),
            _tested(gap.p if gap else None, gap.q if gap else None),
            ".",
        )
    return text


def _tested(p: float | None, q: float | None) -> str:
    both = ", ".join(each for each in (probability("p", p), probability("q", q)) if each)
    return f" ({both})" if both else ""


def pair_fields(report: JudgmentsPairReport) -> list[tuple[str, str]]:
    """Return labels with the figures of both models: verdicts, mean totals, sums."""
    rows: list[tuple[str, str]] = []
    said, whole = report.verdicts, report.total
    if said is not None:
        rest = undecided(said)
        rows.append(
            ("verdicts", f"{count(said.wins_a)} : {count(said.wins_b)}" + (f"; {rest}" if rest else ""))
        )
    if whole is not None:
        gap = whole.difference
        told = f"{points(whole.mean_a)} : {points(whole.mean_b)}, difference {signed(gap.value)}"
        told += f" {ends(gap.low, gap.high)}" if gap.low is not None else ""
        rows.append(("mean total", f"{told}{_tested(gap.p, gap.q)}"))
    if report.totals is not None:
        one, two = (number(value, 0 if value == round(value) else 1) for value in report.totals)
        rows.append(("sum of totals", f"{one} : {two}"))
    return rows


def _dimensions(report: JudgmentsPairReport, terminal: Terminal) -> list[Text]:
    rows: Sequence[Dimension] = report.dimensions
    heads = shorten([report.a.name, report.b.name], max((terminal.width - 48) // 2, 6), terminal.ascii)
    return table(
        [row.name or "total" for row in rows],
        [
            Column(heads[0], [points(row.mean_a) for row in rows], 4),
            Column(heads[1], [points(row.mean_b) for row in rows], 5),
            Column("difference", [signed(row.difference.value) for row in rows]),
            Column("95 %", [ends(row.difference.low, row.difference.high) for row in rows], 1),
            Column("q", [chance("q", row.difference.q) for row in rows], 2),
            Column("by judgment", [signed(row.difference.over_calls) for row in rows], 6),
        ],
        terminal,
    )


def _contradictions(report: JudgmentsPairReport, terminal: Terminal) -> list[Text]:
    if not report.contradictions:
        return []
    names = {report.a.id: report.a.name, report.b.id: report.b.name}
    number_of = len(report.contradictions)
    what = plural(number_of, "verdict")
    title = line(("Against the scores", "bold"), f": {what} that the totals speak against; they stand")
    lines = [Text(), *prose(title, terminal.width)]
    for row in report.contradictions[:_LISTED]:
        said = names.get(row.verdict, row.verdict)
        text = (
            f"{named(row.judge, terminal.ascii)} on {named(row.prompt, terminal.ascii)}: "
            f"{named(said, terminal.ascii)}, totals {points(row.total_a, 0)} : {points(row.total_b, 0)}"
        )
        lines += prose(Text(text), terminal.width, 2, 4)
    if number_of > _LISTED:
        lines.append(line((f"  and {count(number_of - _LISTED)} more", "dim")))
    return lines


def pair_notes(report: JudgmentsPairReport, terminal: Terminal) -> list[str]:
    """Return in sentences what the figures are."""
    first = named(report.a.name, terminal.ascii)
    texts = [f"Of two figures the first is that of {first}, and a difference is that figure less the other."]
    texts += rests_on(report.base, terminal)
    said = report.verdicts
    if said is not None and (said.split or said.half):
        texts.append(
            "Asked in both orders, a judge prefers a reply where it does so both times; a verdict that follows the "
            "place is no preference."
        )
    least = report.total.difference.p if report.total else said.p if said else None
    if least is None and report.base.prompts < 6:
        texts.append("Fewer than six prompts cannot say which is ahead: a sign test gives no p below .05.")
    if len({row.judge for row in report.judges}) == 1:
        texts.append("One judge: whether another would say the same is not known.")
    return texts


def pair_rows(report: JudgmentsPairReport) -> tuple[Header, Rows]:
    """Return one row for the total and one for each dimension; one row without values where there are no scores."""
    said = report.verdicts
    wins = (said.wins_a, said.wins_b, said.ties, said.split, said.half) if said else (None,) * 5
    header = [
        *(
            "a",
            "b",
            "dimension",
            "mean_a",
            "mean_b",
            "difference",
            "low",
            "high",
            "prompts",
            "p",
            "q",
            "call",
        ),
        *("over_calls", "calls", "wins_a", "wins_b", "ties", "split", "half"),
    ]
    rows = [row for row in (report.total, *report.dimensions) if row is not None]
    start = [report.a.id, report.b.id]
    return header, [
        [
            *start,
            row.name or "total",
            row.mean_a,
            row.mean_b,
            row.difference.value,
            row.difference.low,
            row.difference.high,
            row.difference.prompts,
            row.difference.p,
            row.difference.q,
            row.difference.call,
            row.difference.over_calls,
            row.difference.calls,
            *wins,
        ]
        for row in rows
    ] or [[*start, None, *([None] * 11), *wins]]
