"""Editions: the periods of a file in order, and made-up replies kept apart from real ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stylekl.errors import UnknownChoiceError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stylekl.results import Reply, Results

NOT_COMPARABLE = ("efficiency", "composite", "region")
MADE_UP = "made-up replies (mock): nothing here says anything about a model"
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Edition:
    """One round of asking: its period (null where the file names none), and what is in it.

    `mock` says that its replies are made up. `samples` have an answer, `failed` replies have none.
    """

    period: str | None
    mock: bool
    models: int
    questions: int
    conditions: int
    samples: int
    failed: int

    @property
    def label(self) -> str:
        """The period, or a word for there being none."""
        return self.period if self.period is not None else "undated"


def in_order(periods: Iterable[str | None]) -> list[str | None]:
    """Return periods from the earliest to the latest: numbers in them count as numbers, none at all comes first."""
    return sorted(set(periods), key=_key)


def _key(period: str | None) -> tuple[Any, ...]:
    if period is None:
        return (0,)
    # split alternates text and digits, so that two keys differ in kind nowhere
    parts = _DIGITS.split(period)
    return (1, [int(part) if place % 2 else part for place, part in enumerate(parts)], period)


def chosen(periods: Sequence[str | None], wanted: str | None) -> str | None:
    """Return the period to look at: the one wanted, else the latest. Raises UnknownChoiceError for an unknown one."""
    if wanted is None:
        return periods[-1] if periods else None
    if wanted not in periods:
        raise UnknownChoiceError("period", wanted, [period for period in periods if period is not None])
    return wanted


class Mock:
    """Which replies are made up, as the file's collections say."""

    def __init__(self, results: Results) -> None:
        self._rows = results.other.get("collection", [])

    def of(self, reply: Reply, condition: str) -> bool:
        """Tell whether a reply is made up. Raises UsageError where collections that cover it disagree."""
        found = {row.get("mock") is True for row in self._rows if _covers(row, reply, condition)}
        if len(found) > 1:
            raise mixed(reply.period)
        return found == {True}


def _covers(row: dict[str, Any], reply: Reply, condition: str) -> bool:
    if row.get("period") != reply.period:
        return False
    tables = (("models", reply.model), ("prompts", reply.prompt), ("conditions", condition))
    return all(not isinstance(row.get(name), list) or value in row[name] for name, value in tables)


def mixed(period: str | None) -> UsageError:
    """Make the error for an edition with both made-up and real replies."""
    name = "replies without a period" if period is None else f"edition {period}"
    return UsageError(
        f"{name}: made-up (mock) and real replies together",
        "they never mix: read the files one by one, or collect each with a --period of its own",
    )


def kept(
    mock: dict[str | None, set[bool]], wanted: str | None
) -> tuple[list[str | None], list[str | None], list[str]]:
    """Return the periods that count, those left out, and the warnings, from whether each has made-up and real replies.

    Where there are real editions, made-up ones are left out, unless one of them is `wanted`: then all others are.
    Raises UsageError where one edition has both.
    """
    for period, kinds in mock.items():
        if len(kinds) > 1:
            raise mixed(period)
    periods = in_order(mock)
    made_up = [period for period in periods if mock[period] == {True}]
    if not made_up:
        return periods, [], []
    if len(made_up) == len(periods):
        return periods, [], [MADE_UP]
    if wanted in made_up:
        return [wanted], [period for period in periods if period != wanted], [MADE_UP]
    names = ", ".join("undated" if period is None else period for period in made_up)
    real = [period for period in periods if period not in made_up]
    return real, made_up, [f"made-up replies (mock) never mix with real ones; left out: edition {names}"]
