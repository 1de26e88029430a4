"""Votes in a terminal, as JSON and as tables: the ranking, two models, one among the others, and the seal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.votes.reports import Sealed
from stylekl.show import votes_focus, votes_pair, votes_rank
from stylekl.show.json import plain
from stylekl.show.votes_seal import sealed_data, sealed_rows, sealed_view

if TYPE_CHECKING:
    from rich.text import Text

    from stylekl.lenses.votes.reports import VotesFocusReport, VotesPairReport, VotesRankReport
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_BESIDE = ("a", "b", "model", "params", "warnings")  # what stands elsewhere in the document


def rank_view(report: VotesRankReport | Sealed, terminal: Terminal) -> list[Text]:
    """Return the ranking with what it rests on, or how far the seal is."""
    return (
        sealed_view(report, terminal)
        if isinstance(report, Sealed)
        else votes_rank.rank_view(report, terminal)
    )


def rank_data(report: VotesRankReport | Sealed) -> dict[str, Any]:
    """Return the `data` of `stylekl rank --by votes --json`."""
    if isinstance(report, Sealed):
        return {"by": "votes"} | sealed_data(report)
    data = _fields(report)
    return {"by": data.pop("by")} | data


def rank_rows(report: VotesRankReport | Sealed) -> tuple[Header, Rows]:
    """Return one row for each model, in rank order."""
    return sealed_rows(report) if isinstance(report, Sealed) else votes_rank.rank_rows(report)


def pair_view(report: VotesPairReport | Sealed, terminal: Terminal) -> list[Text]:
    """Return how two models fared against each other, or how far the seal is."""
    return (
        sealed_view(report, terminal)
        if isinstance(report, Sealed)
        else votes_pair.pair_view(report, terminal)
    )


def pair_data(report: VotesPairReport | Sealed) -> dict[str, Any]:
    """Return what stands under `data.lenses.votes` of `stylekl pair --json`."""
    return sealed_data(report) if isinstance(report, Sealed) else _fields(report)


def pair_rows(report: VotesPairReport | Sealed) -> tuple[Header, Rows]:
    """Return one row for the record on everything and one for each topic."""
    return sealed_rows(report) if isinstance(report, Sealed) else votes_pair.pair_rows(report)


def focus_view(report: VotesFocusReport | Sealed, terminal: Terminal) -> list[Text]:
    """Return the standing of one model and its record against each other, or how far the seal is."""
    return (
        sealed_view(report, terminal)
        if isinstance(report, Sealed)
        else votes_focus.focus_view(report, terminal)
    )


def focus_data(report: VotesFocusReport | Sealed) -> dict[str, Any]:
    """Return what stands under `data.lenses.votes` of `stylekl focus --json`."""
    return sealed_data(report) if isinstance(report, Sealed) else _fields(report)


def focus_rows(report: VotesFocusReport | Sealed) -> tuple[Header, Rows]:
    """Return one row for each rival."""
    return sealed_rows(report) if isinstance(report, Sealed) else votes_focus.focus_rows(report)


def _fields(report: Any) -> dict[str, Any]:
    """Return a report as JSON, `sealed` first, without what stands elsewhere in the document."""
    data = {key: value for key, value in plain(report).items() if key not in _BESIDE}
    return {"sealed": data.pop("sealed")} | data
