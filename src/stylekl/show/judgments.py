"""Judgments in a terminal, as JSON and as tables: two models, one among the others, the ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.show.json import plain
from stylekl.show.judgments_changes import changes_data, changes_rows
from stylekl.show.judgments_focus import focus_rows, focus_view
from stylekl.show.judgments_pair import pair_rows, pair_view
from stylekl.show.judgments_rank import rank_rows, rank_view

if TYPE_CHECKING:
    from stylekl.lenses.judgments.reports import (
        JudgmentsFocusReport,
        JudgmentsPairReport,
        JudgmentsRankReport,
    )

__all__ = [
    "changes_data",
    "changes_rows",
    "focus_data",
    "focus_rows",
    "focus_view",
    "pair_data",
    "pair_rows",
    "pair_view",
    "rank_data",
    "rank_rows",
    "rank_view",
]
_BESIDE = ("a", "b", "model", "params", "warnings")  # what stands elsewhere in the document


def pair_data(report: JudgmentsPairReport) -> dict[str, Any]:
    """Return what stands under `data.lenses.judgments` of `stylekl pair --json`."""
    return _fields(report)


def focus_data(report: JudgmentsFocusReport) -> dict[str, Any]:
    """Return what stands under `data.lenses.judgments` of `stylekl focus --json`."""
    return _fields(report)


def rank_data(report: JudgmentsRankReport) -> dict[str, Any]:
    """Return the `data` of `stylekl rank --by judgments --json`."""
    data = _fields(report)
    return {"by": data.pop("by")} | data


def _fields(report: Any) -> dict[str, Any]:
    return {key: value for key, value in plain(report).items() if key not in _BESIDE}
