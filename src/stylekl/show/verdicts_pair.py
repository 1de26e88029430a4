"""Two models' one-word answers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import line, prose
from stylekl.show.json import plain
from stylekl.show.labels import named, shorten
from stylekl.show.numbers import count, number, percent, plural, probability
from stylekl.show.parts import fields
from stylekl.show.verdicts_cells import (
    TIMES,
    constructed,
    cost,
    edition_note,
    price_note,
    question_title,
    said,
    score,
    seconds,
    share,
    tokens,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.frame import LensPair
    from stylekl.lenses.verdicts.aggregate import Cell
    from stylekl.lenses.verdicts.reports import SideBySide, Standing, VerdictsPairReport
    from stylekl.show.tables import Header, Rows, Value
    from stylekl.show.terminal import Terminal

_CELL = ("majority", "yes", "no", "other", "followed", "samples", "failed")


def disagreement(pair: LensPair) -> str:
    """Write a share of questions with its interval: `2 of 3 questions, .67 [.09 .99]`."""
    if pair.value is None or pair.low is None or pair.high is None:
        return pair.undefined or "no value"
    low, high = number(pair.low, 2), number(pair.high, 2)
    return f"{count(pair.detail['differ'])} of {plural(pair.n, 'question')}, {number(pair.value, 2)} [{low} {high}]"


def pair_view(report: VerdictsPairReport, terminal: Terminal) -> list[Text]:
    """Return the headline, the answers side by side, and what else separates the two."""
    lines = prose(headline(report, terminal), terminal.width, 0, 2)
    lines += [Text(), *_side_by_side(report, terminal), Text()]
    lines += [*fields(pair_fields(report, terminal), terminal.width), Text()]
    return lines + notes(pair_notes(report, terminal), terminal)


def headline(report: VerdictsPairReport, terminal: Terminal) -> Text:
    """Return the call on two models with its chances, and on how much they differ."""
    a, b = (named(model.name, terminal.ascii) for model in (report.a, report.b))
    found = report.disagreement
    if found.value is None:
        return line((f"{a} and {b}", "bold"), f" cannot be compared: {found.undefined or 'no value'}.")
    verb = ": cannot say whether they answer alike"
    if found.call != "cannot say":
        verb = " answer differently" if found.call == "apart" else f": {found.call or 'no call'}"
    chances = ", ".join(each for each in (probability("p", found.p), probability("q", found.q)) if each)
    text = line((f"{a} and {b}{verb}", "bold"), f" ({chances})" if chances else "")
    return text.append(f"; the majorities differ on {disagreement(found)}.")


def _side_by_side(report: VerdictsPairReport, terminal: Terminal) -> list[Text]:
    rows = report.rows
    texts = {question.id: question for question in report.questions}
    starts = {row.question: place for place, row in reversed(list(enumerate(rows)))}
    heads = shorten([report.a.name, report.b.name], max((terminal.width - 36) // 2, 8), terminal.ascii)
    return table(
        [row.condition for row in rows],
        side_columns(rows, heads),
        terminal,
        {place: question_title(texts[question], terminal) for question, place in starts.items()},
    )


def side_columns(rows: Sequence[SideBySide], heads: Sequence[str]) -> list[Column]:
    """Return the columns of two models' answers side by side, with * where a framing moved one."""
    return [
        Column(heads[0], [said(row.a) + ("*" if row.moved_a else " ") for row in rows]),
        Column(heads[1], [said(row.b) + ("*" if row.moved_b else " ") for row in rows]),
        Column("differ", [{None: "-", True: "yes", False: "no"}[row.differ] for row in rows], 1),
        Column(
            "p", [probability("p", row.p).removeprefix("p ").removeprefix("= ") or "-" for row in rows], 2
        ),
    ]


def pair_fields(report: VerdictsPairReport, terminal: Terminal) -> list[tuple[str, str]]:
    """Return labels with the figures of both models."""
    one, other = report.standing_a, report.standing_b

    def both(write: Any) -> str:
        return f"{write(one)} : {write(other)}"

    rows = [
        ("one word", both(_one_word)),
        ("yes, no, other", both(lambda of: f"{of.yes}, {of.no}, {of.other}")),
    ]
    if one.refused or other.refused:
        rows.append(("refused", both(lambda of: count(of.refused))))
    if one.failed or other.failed:
        rows.append(("failed", both(lambda of: count(of.failed))))
    for condition in one.sensitivity:
        name = named(condition, terminal.ascii)
        rows.append((f"moved, {name}", both(lambda of, which=condition: _moved(of, which))))
    for label, write in (("total", "latency_ms"), ("first", "first_content_ms")):
        if getattr(one, write) or getattr(other, write):
            rows.append((label, both(lambda of, which=write: seconds(getattr(of, which)))))
    if one.output_tokens or other.output_tokens:
        rows.append(("output tokens", both(lambda of: tokens(of.output_tokens))))
    if one.cost is not None or other.cost is not None:
        rows.append(("cost", both(cost)))
    rows += [
        ("decisiveness", both(lambda of: score(of.decisiveness))),
        ("efficiency", both(lambda of: score(of.efficiency))),
        ("composite", both(lambda of: score(of.composite))),
        ("region", both(lambda of: of.region or "none")),
    ]
    return rows


def _one_word(of: Standing) -> str:
    return f"{percent(of.followed_rate)} of {count(of.samples)}" if of.samples else "-"


def _moved(of: Standing, condition: str) -> str:
    found = of.sensitivity[condition]
    return share(found.value, found.moved, found.questions)


def pair_notes(report: VerdictsPairReport, terminal: Terminal) -> list[str]:
    """Return in sentences what the figures are."""
    condition = named(report.condition, terminal.ascii)
    control = named(report.control, terminal.ascii)
    texts = edition_note(report.edition, report.editions, terminal)
    first = named(report.a.name, terminal.ascii)
    texts += [
        f"Of two figures the first is that of {first}. Headline and figures are under {condition}; p is exact, from "
        f"all samples. * the majority differs from that under {control}."
    ]
    least = report.disagreement.detail.get("least")
    if report.disagreement.call == "cannot say" and least is not None:
        texts.append(
            f"Cannot say: so few samples to so few questions give no p below {number(least)}, even where every answer "
            "differs."
        )
    texts += constructed(report.constructed, ("decisiveness", "efficiency", "composite", "region"), terminal)
    return [*texts, *price_note([report.standing_a, report.standing_b], terminal), TIMES]


def pair_data(report: VerdictsPairReport) -> dict[str, Any]:
    """Return what stands under `data.lenses.verdicts` of `stylekl pair --json`."""
    keys = (
        "edition",
        "editions",
        "condition",
        "control",
        "disagreement",
        "questions",
        "rows",
        "standing_a",
        "standing_b",
        "constructed",
    )
    return {key: plain(getattr(report, key)) for key in keys}


def pair_rows(report: VerdictsPairReport) -> tuple[Header, Rows]:
    """Return one row for each question and condition."""
    header = ["a", "b", "period", "question", "condition"]
    header += [f"{name}_{side}" for side in "ab" for name in _CELL]
    header += ["differ", "moved_a", "moved_b", "p", "least"]
    return header, [_row(report, row) for row in report.rows]


def _row(report: VerdictsPairReport, row: SideBySide) -> list[Value]:
    start: list[Value] = [report.a.id, report.b.id, report.edition.period, row.question, row.condition]
    return [*start, *_cell(row.a), *_cell(row.b), row.differ, row.moved_a, row.moved_b, row.p, row.least]


def _cell(cell: Cell | None) -> list[Value]:
    return [None if cell is None else getattr(cell, name) for name in _CELL]
