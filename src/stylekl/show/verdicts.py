"""One-word answers in a terminal, as JSON and as tables; the views of single verbs are in the modules beside this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import line, prose
from stylekl.show.json import plain
from stylekl.show.labels import named
from stylekl.show.numbers import count, plural
from stylekl.show.verdicts_cells import (
    TIMES,
    cost,
    followed,
    names_of,
    price_note,
    question_title,
    seconds,
    series_lines,
    tokens,
)
from stylekl.show.verdicts_focus import focus_data, focus_rows, focus_view
from stylekl.show.verdicts_pair import pair_data, pair_rows, pair_view
from stylekl.show.verdicts_rank import rank_data, rank_rows, rank_view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.verdicts.aggregate import Cell, Spread
    from stylekl.lenses.verdicts.editions import Edition
    from stylekl.lenses.verdicts.reports import VerdictsReport, WordsReport
    from stylekl.show.tables import Header, Rows, Value
    from stylekl.show.terminal import Terminal

__all__ = [
    "focus_data",
    "focus_rows",
    "focus_view",
    "pair_data",
    "pair_rows",
    "pair_view",
    "rank_data",
    "rank_rows",
    "rank_view",
    "verdicts_data",
    "verdicts_rows",
    "verdicts_view",
    "words_data",
    "words_rows",
    "words_view",
]
_PLACE = ("period", "model", "question", "condition")
_COUNTS = ("asked", "samples", "yes", "no", "other", "refused", "empty", "failed", "majority", "followed")
_SPREADS = (
    *("latency_ms", "first_content_ms", "input_tokens", "output_tokens", "total_tokens"),
    "tokens_per_second",
)


def verdicts_view(report: VerdictsReport, terminal: Terminal) -> list[Text]:
    """Return a table for each edition, question and condition, the series, and what the figures are."""
    asked = {cell.question for cell in report.cells}
    text = f"{plural(len(asked), 'question')}, {plural(len(report.editions), 'edition')}"
    samples = sum(cell.samples for cell in report.cells)
    lines = prose(
        line((plural(len(report.models), "model"), "bold"), f": {plural(samples, 'sample')}, {text}"),
        terminal.width,
    )
    names = names_of(report.models)
    for edition in report.editions:
        lines += _edition(report, edition, names, terminal)
    lines += series_lines(report.series, names, terminal)
    return [*lines, Text(), *notes(_notes(report, terminal), terminal)]


def _edition(
    report: VerdictsReport, edition: Edition, names: dict[str, str], terminal: Terminal
) -> list[Text]:
    """Return one table, its rows under a heading for each question and condition."""
    cells: list[Cell] = []
    headings: dict[int, list[Text]] = {}
    for question in report.questions:
        for condition in report.conditions:
            here = [
                cell
                for cell in report.cells
                if (cell.period, cell.question, cell.condition) == (edition.period, question.id, condition)
            ]
            if here:
                place = [] if edition.period is None else [edition.period]
                headings[len(cells)] = question_title(question, terminal, condition, *place)
                cells += here
    return [Text(), *_table(cells, names, terminal, headings)] if cells else []


def _table(
    cells: Sequence[Cell], names: dict[str, str], terminal: Terminal, headings: dict[int, list[Text]]
) -> list[Text]:
    def nothing(value: int) -> str:
        return count(value) if value else "-"

    return table(
        [names.get(cell.model, cell.model) for cell in cells],
        [
            Column("majority", [cell.majority or "none" for cell in cells]),
            Column("yes", [count(cell.yes) for cell in cells], 2),
            Column("no", [count(cell.no) for cell in cells], 2),
            Column("other", [count(cell.other) for cell in cells], 2),
            Column("one word", [followed(cell) for cell in cells], 1),
            Column("refused", [nothing(cell.refused) for cell in cells], 3),
            Column("empty", [nothing(cell.empty) for cell in cells], 3),
            Column("failed", [nothing(cell.failed) for cell in cells], 3),
            Column("total", [seconds(cell.latency_ms) for cell in cells], 4),
            Column("first", [seconds(cell.first_content_ms) for cell in cells], 5),
            Column("tokens", [tokens(cell.output_tokens) for cell in cells], 6),
            Column("tokens/s", [tokens(cell.tokens_per_second) for cell in cells], 8),
            Column("cost", [cost(cell) for cell in cells], 7),
        ],
        terminal,
        headings,
    )


def _notes(report: VerdictsReport, terminal: Terminal) -> list[str]:
    texts = [
        "Majority: the verdict of more samples than any other, a tie is other; none without an answer. Refused and "
        "empty replies count as other, failed ones do not count. One word: the instruction was followed, whatever the "
        "word.",
    ]
    if len(report.editions) > 1:
        texts.append(
            f"Editions are not pooled; {', '.join(report.not_comparable)} are not comparable between them, "
            "majorities are."
        )
    if any(edition.mock for edition in report.editions):
        texts.append("Made-up replies (mock): nothing here says anything about a model.")
    left_out: dict[str, int] = {}
    for model in report.models:
        for reason, n in model.left_out.items():
            left_out[reason] = left_out.get(reason, 0) + n
    if left_out:
        told = ", ".join(
            f"{named(reason, terminal.ascii)} {count(n)}" for reason, n in sorted(left_out.items())
        )
        texts.append(f"Left out: {told}.")
    if report.words.source != "shipped":
        texts.append(f"Word lists: {named(report.words.source, terminal.ascii)}.")
    if report.literal:
        texts.append("Classified by the words of the method (--literal).")
    return [*texts, *price_note(report.cells, terminal), TIMES]


def verdicts_data(report: VerdictsReport) -> dict[str, Any]:
    """Return the `data` of `stylekl verdicts --json`."""
    keys = (
        *("editions", "models", "questions", "conditions", "cells", "series", "words", "literal"),
        "not_comparable",
    )
    return {key: plain(getattr(report, key)) for key in keys}


def verdicts_rows(report: VerdictsReport) -> tuple[Header, Rows]:
    """Return one row for each cell: counts, then the median of each measurement, then the cost."""
    header = [*_PLACE, *_COUNTS, "followed_rate", *_SPREADS, "cost", "currency", "price_date"]
    return header, [_row(cell) for cell in report.cells]


def _row(cell: Cell) -> list[Value]:
    spreads: list[Spread | None] = [getattr(cell, name) for name in _SPREADS]
    return [
        *(getattr(cell, name) for name in _PLACE),
        *(getattr(cell, name) for name in _COUNTS),
        cell.followed_rate,
        *(None if spread is None else spread.median for spread in spreads),
        *(cell.cost, cell.currency, cell.price_date),
    ]


def words_view(report: WordsReport, terminal: Terminal) -> list[Text]:
    """Return the two lists and what becomes of all other words."""
    lines: list[Text] = []
    for name, words in (("yes", report.words.yes), ("no", report.words.no)):
        text = line((f"{name}: ", "bold"), ", ".join(named(word, terminal.ascii) for word in words))
        lines += prose(text, terminal.width, 0, 4)
    where = "shipped with stylekl"
    if report.words.source != "shipped":
        where = f"from {named(report.words.source, terminal.ascii)}"
    rule = "by the words of the method (--literal)" if report.literal else "by the published code"
    return lines + notes(
        [
            f"Lists {where}. Any other word, and anything longer than one word, is other. Replies are first normalised "
            f"{rule}."
        ],
        terminal,
    )


def words_data(report: WordsReport) -> dict[str, Any]:
    """Return the `data` of `stylekl verdicts --lists --json`."""
    return {"words": plain(report.words), "literal": report.literal}


def words_rows(report: WordsReport) -> tuple[Header, Rows]:
    """Return one row for each word."""
    both = (("yes", report.words.yes), ("no", report.words.no))
    return ["verdict", "word"], [[name, word] for name, words in both for word in words]
