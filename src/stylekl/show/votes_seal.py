"""The sealed arena: how many battles there are of those that open it. It has nothing else to show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.votes.seal import progress_notes
from stylekl.show.columns import Column, table
from stylekl.show.flow import line, prose
from stylekl.show.json import plain
from stylekl.show.numbers import count

if TYPE_CHECKING:
    from rich.text import Text

    from stylekl.lenses.votes.reports import Sealed
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_KEYS = ("sealed", "source", "votes", "votes_needed", "battles_needed", "models", "others")


def sealed_view(report: Sealed, terminal: Terminal) -> list[Text]:
    """Return that the arena is sealed, how far it is, and each model's battles, by id."""
    first, *rest = progress_notes(report)
    head, _, tail = first.partition(":")
    lines = prose(line((f"{head}:", "bold"), tail), terminal.width, 0, 2)
    for note in rest:
        lines += prose(line((note, "dim")), terminal.width, 2)
    needed = count(report.battles_needed)
    battles = [f"{count(model.counts['battles'])} of {needed}" for model in report.models]
    return [*lines, *table([model.name for model in report.models], [Column("battles", battles)], terminal)]


def sealed_data(report: Sealed) -> dict[str, Any]:
    """Return the seal as JSON."""
    return {key: plain(getattr(report, key)) for key in _KEYS}


def sealed_rows(report: Sealed) -> tuple[Header, Rows]:
    """Return one row for each model, by id: its battles and how many it needs."""
    header = ["model", "name", "battles", "battles_needed", "votes", "votes_needed", "sealed"]
    return header, [
        [
            model.id,
            model.name,
            model.counts["battles"],
            report.battles_needed,
            report.votes,
            report.votes_needed,
            True,
        ]
        for model in report.models
    ]
