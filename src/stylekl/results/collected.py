"""When replies were collected, by the times that they carry."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.results.records import Reply


def days_collected(replies: Iterable[Reply]) -> tuple[str, str] | None:
    """Return the first and the last day on which these replies were collected, as YYYY-MM-DD.

    Null where one of them does not say when, or says it in another form than ISO 8601: what is known of some speaks for
    no others.
    """
    days = set()
    for reply in replies:
        try:
            days.add(date.fromisoformat((reply.collected or "")[:10]).isoformat())
        except ValueError:
            return None
    return (min(days), max(days)) if days else None
