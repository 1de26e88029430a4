"""The reports as tables: rows of plain values, written as CSV or Markdown."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from stylekl.text import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.reports import (
        Estimate,
        FocusReport,
        MatrixReport,
        Neighbour,
        PairReport,
        StylePair,
        Tell,
    )

Value = str | int | float | bool | None
Header = list[str]
Rows = list[list[Value]]

_FORMULA = ("=", "+", "-", "@")
_ESTIMATE = ("", "_raw", "_low", "_high", "_se")
_PAIR = ["prompts", "unit", "units", "groups"]
_TESTED = ["floor", "p", "q", "call", "copies", "undefined"]
_TELL = ["symbol", "facet", "class", "more", "lift", "low", "high", "bits", "share", "rate_a", "rate_b"]
_COUNTED = ["count_a", "count_b", "prompts_a", "prompts_b", "tell_q", "example"]


def matrix_rows(report: MatrixReport) -> tuple[Header, Rows]:
    """Return one row for each pair of models."""
    names = {model.id: model.name for model in report.models}
    header = ["a", "b", "name_a", "name_b", *_PAIR, *_estimates("kl_ab", "kl_ba", "js", "kinship"), *_TESTED]
    rows = [[p.a, p.b, names.get(p.a, p.a), names.get(p.b, p.b), *_measured(p)] for p in report.pairs]
    return header, rows


def pair_rows(report: PairReport) -> tuple[Header, Rows]:
    """Return one row for each tell, the pair's figures repeated in each; one row where there is none."""
    header = ["a", "b", *_PAIR, *_estimates("kl_ab", "kl_ba", "js", "kinship"), *_TESTED, *_TELL, *_COUNTED]
    start: list[Value] = [report.a.id, report.b.id, *_measured(report.style.pair)]
    empty: list[Value] = [None] * (len(_TELL) + len(_COUNTED))
    return header, [[*start, *_told(tell)] for tell in report.style.tells] or [[*start, *empty]]


def focus_rows(report: FocusReport) -> tuple[Header, Rows]:
    """Return one row for each neighbour, nearest first."""
    ranks = ["focus", "model", "name", "rank", "rank_low", "rank_high", "prompts"]
    header = [*ranks, *_estimates("kl", "js", "kinship"), *_TESTED]
    return header, [[report.model.id, *_neighbour(n)] for n in report.style.neighbours]


def to_csv(header: Sequence[str], rows: Sequence[Sequence[Value]]) -> str:
    """Return CSV with a header; text that a spreadsheet would run as a formula gets an apostrophe before."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_guarded(value) for value in row] for row in rows)
    return out.getvalue()


def to_markdown(header: Sequence[str], rows: Sequence[Sequence[Value]]) -> str:
    """Return a Markdown table; nothing in a cell can end it, start code or become HTML."""
    lines = [[_escaped(name) for name in header], ["---"] * len(header)]
    lines += [[_escaped(_text(value)) for value in row] for row in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _estimates(*names: str) -> list[str]:
    return [name + part for name in names for part in _ESTIMATE]


def _estimate(value: Estimate | None) -> list[Value]:
    return [None] * 5 if value is None else [value.value, value.raw, value.low, value.high, value.se]


def _measured(pair: StylePair) -> list[Value]:
    estimates = [part for e in (pair.kl_ab, pair.kl_ba, pair.js, pair.kinship) for part in _estimate(e)]
    return [pair.prompts, pair.unit, pair.units, pair.groups, *estimates, *_tested(pair)]


def _tested(of: StylePair | Neighbour) -> list[Value]:
    return [of.floor, of.p, of.q, of.call, of.copies, of.undefined]


def _told(t: Tell) -> list[Value]:
    symbol: list[Value] = [t.symbol, t.facet, t.kind, t.more, t.lift, t.low, t.high, t.bits, t.share]
    return [*symbol, t.rate_a, t.rate_b, t.count_a, t.count_b, t.prompts_a, t.prompts_b, t.q, t.example]


def _neighbour(n: Neighbour) -> list[Value]:
    estimates = [part for e in (n.kl, n.js, n.kinship) for part in _estimate(e)]
    return [n.model, n.name, n.rank, n.rank_low, n.rank_high, n.prompts, *estimates, *_tested(n)]


def _text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value + 0.0:.10g}"
    return visible(value) if isinstance(value, str) else str(value)


def _guarded(value: Value) -> str:
    text = _text(value)
    return f"'{text}" if isinstance(value, str) and text.lstrip().startswith(_FORMULA) else text


def _escaped(text: str) -> str:
    for mark in "\\`|*_[]":
        text = text.replace(mark, "\\" + mark)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
