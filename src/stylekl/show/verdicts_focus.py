"""One model's one-word answers: what it says, how the framing moves it, where it stands, who answers alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import line, prose
from stylekl.show.json import plain
from stylekl.show.labels import named
from stylekl.show.numbers import count, number, percent, plural
from stylekl.show.parts import fields
from stylekl.show.verdicts_cells import (
    TIMES,
    constructed,
    cost,
    edition_note,
    price_note,
    said,
    score,
    seconds,
    series_lines,
    share,
    tokens,
)
from stylekl.show.whiskers import Whisker, whiskers

if TYPE_CHECKING:
    from stylekl.lenses.verdicts.aggregate import Cell
    from stylekl.lenses.verdicts.reports import Near, VerdictsFocusReport
    from stylekl.show.tables import Header, Rows, Value
    from stylekl.show.terminal import Terminal

_NEIGHBOURS = 12
_CELL = ("majority", "asked", "samples", "yes", "no", "other", "refused", "empty", "failed", "followed")


def focus_view(report: VerdictsFocusReport, terminal: Terminal) -> list[Text]:
    """Return the answers by question and condition, the figures, and the neighbours."""
    name = named(report.model.name, terminal.ascii)
    text = line((name, "bold"), f": {standing_line(report, terminal)}")
    lines = [*prose(text, terminal.width, 0, 2), Text(), *_answers(report, terminal), Text()]
    lines += fields(focus_fields(report, terminal), terminal.width)
    lines += _neighbours(report, terminal)
    lines += series_lines(report.series, {report.model.id: report.model.name}, terminal)
    return [*lines, Text(), *notes(focus_notes(report, terminal), terminal)]


def standing_line(report: VerdictsFocusReport, terminal: Terminal) -> str:
    """Return where a model stands: its region and rank, or that it is unavailable and why."""
    standing = report.standing
    if not standing.samples:
        return f"unavailable ({named(standing.unavailable or 'no answers', terminal.ascii)})"
    place = f"rank {standing.rank} of {report.of}" if standing.rank is not None else "no rank"
    return f"{standing.region or 'no region'}, {place} by composite (constructed)"


def _answers(report: VerdictsFocusReport, terminal: Terminal) -> list[Text]:
    return table(*answer_columns(report, terminal), terminal)


def answer_columns(report: VerdictsFocusReport, terminal: Terminal) -> tuple[list[str], list[Column]]:
    """Return the questions that were asked, and what was said under each condition, with * where that moved."""
    cells = {(cell.question, cell.condition): cell for cell in report.cells}
    plain_one = {cell.question: cell.majority for cell in report.cells if cell.condition == report.control}
    asked = [each for each in report.questions if any(each.id == cell.question for cell in report.cells)]

    def written(question: str, condition: str) -> str:
        cell = cells.get((question, condition))
        before = plain_one.get(question)
        moved = (
            cell is not None
            and condition != report.control
            and None not in (before, cell.majority)
            and before != cell.majority
        )
        return said(cell) + ("*" if moved else " ")

    return [each.id for each in asked], [
        Column(named(each, terminal.ascii), [written(question.id, each) for question in asked])
        for each in report.conditions
    ]


def focus_fields(report: VerdictsFocusReport, terminal: Terminal) -> list[tuple[str, str]]:
    """Return labels with figures: compliance, what was said, what moved, times, tokens, constructed scores."""
    of = report.standing
    faults = [
        f"{count(n)} {what}"
        for what, n in (("refused", of.refused), ("empty", of.empty), ("failed", of.failed))
        if n
    ]
    rows = [
        ("one word", f"{percent(of.followed_rate)} of {plural(of.samples, 'sample')}" if of.samples else "-"),
        ("yes, no, other", f"{of.yes}, {of.no}, {of.other}" + (f"; {', '.join(faults)}" if faults else "")),
    ]
    given = _words_given(report, terminal)
    if given:
        rows.append(("words given", given))
    for condition, found in of.sensitivity.items():
        rows.append(
            (f"moved, {named(condition, terminal.ascii)}", share(found.value, found.moved, found.questions))
        )
    if len(of.sensitivity) > 1:
        rows.append(("moved, pooled", share(of.pooled.value, of.pooled.moved, of.pooled.questions)))
    if of.latency_ms:
        first = f", first {seconds(of.first_content_ms)}" if of.first_content_ms else ""
        rows.append(("total", f"{seconds(of.latency_ms)}{first}"))
    if of.output_tokens:
        rate = f", {tokens(of.tokens_per_second)} a second" if of.tokens_per_second else ""
        rows.append(("output tokens", f"{tokens(of.output_tokens)}{rate}"))
    if of.cost is not None:
        rows.append(("cost", cost(of)))
    return [
        *rows,
        ("decisiveness", score(of.decisiveness)),
        ("efficiency", score(of.efficiency)),
        ("composite", score(of.composite)),
    ]


def _words_given(report: VerdictsFocusReport, terminal: Terminal) -> str:
    """Return the words of cells whose majority takes no side, where text may be shown."""
    words: dict[str, int] = {}
    for cell in report.cells:
        if cell.majority == "other":
            for word, n in cell.said.items():
                words[word] = words.get(word, 0) + n
    ranked = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:5]
    return ", ".join(f"{named(word, terminal.ascii)} ({count(n)})" for word, n in ranked)


def _neighbours(report: VerdictsFocusReport, terminal: Terminal) -> list[Text]:
    if not report.neighbours:
        return []
    title = line(("Who answers alike", "bold"), ", share of questions on which the majorities differ")
    rows = [neighbour_row(each) for each in report.neighbours[:_NEIGHBOURS]]
    lines = [Text(), *prose(title, terminal.width), *whiskers(rows, terminal, top=1.0)]
    if len(report.neighbours) > _NEIGHBOURS:
        lines.append(line((f"  and {count(len(report.neighbours) - _NEIGHBOURS)} more", "dim")))
    return lines


def neighbour_row(each: Near) -> Whisker:
    """Return another model as a row of whiskers."""
    found = each.pair
    if found.value is None or found.low is None or found.high is None:
        return Whisker("", each.name, None, 0.0, 0.0, None, "", "", found.undefined or "no value")
    figure = f"{found.detail['differ']}/{found.n}"
    interval = f"[{number(found.low, 2)} {number(found.high, 2)}]"
    return Whisker("", each.name, found.value, found.low, found.high, None, figure, interval)


def focus_notes(report: VerdictsFocusReport, terminal: Terminal) -> list[str]:
    """Return in sentences what the figures are."""
    control, condition = (named(each, terminal.ascii) for each in (report.control, report.condition))
    texts = edition_note(report.edition, report.editions, terminal)
    if len(report.conditions) > 1:
        texts.append(
            f"* the majority differs from that under {control}; figures and neighbours are under {condition}. Neither "
            "a model that moves nor one that stays is better."
        )
    texts.append("Intervals are exact, over questions like these: as wide as so few of them make it.")
    calls = [each.pair.call for each in report.neighbours]
    told = [
        f"{call} {count(calls.count(call))}" for call in ("apart", "too close to call") if calls.count(call)
    ]
    if told:
        texts.append(
            f"By all samples, exact test over {plural(len(calls), 'model')}, q < .05: {', '.join(told)}."
        )
    if calls.count("cannot say"):
        texts.append(
            f"Cannot say of {count(calls.count('cannot say'))} of {count(len(calls))}: the samples are too few to show "
            "any difference."
        )
    texts += constructed(report.constructed, ("decisiveness", "efficiency", "composite", "region"), terminal)
    return [*texts, *price_note([report.standing], terminal), TIMES]


def focus_data(report: VerdictsFocusReport) -> dict[str, Any]:
    """Return what stands under `data.lenses.verdicts` of `stylekl focus --json`."""
    keys = (
        *(
            "edition",
            "editions",
            "condition",
            "control",
            "questions",
            "conditions",
            "cells",
            "standing",
            "of",
        ),
        *("cuts", "neighbours", "series", "constructed"),
    )
    return {key: plain(getattr(report, key)) for key in keys}


def focus_rows(report: VerdictsFocusReport) -> tuple[Header, Rows]:
    """Return one row for each question and condition."""
    header = ["model", "period", "question", "condition", *_CELL, "latency_ms", "output_tokens"]
    return header, [_row(cell) for cell in report.cells]


def _row(cell: Cell) -> list[Value]:
    spreads = (cell.latency_ms, cell.output_tokens)
    return [
        *(cell.model, cell.period, cell.question, cell.condition),
        *(getattr(cell, name) for name in _CELL),
        *(None if spread is None else spread.median for spread in spreads),
    ]
