"""What the views of votes share: what the figures rest on, in words, and how they are written."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from stylekl.show.columns import Column
from stylekl.show.labels import named
from stylekl.show.numbers import count, number, percent, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.lenses.votes.reports import Base, TopicRecord
    from stylekl.show.terminal import Terminal

_FEW = 20  # units: below, intervals over resamples are known to be too narrow
SOURCES = {"arena": "Arena", "panel": "Panel", "import": "Imported"}


def base_notes(base: Base, source: str, terminal: Terminal) -> list[str]:
    """Return how many votes count, which sessions do not and why, and what was left out."""
    notes = [
        f"{SOURCES[source]} votes: {count(base.decided)} decided of {plural(base.fights, 'fight')}, "
        f"{plural(base.votes, 'vote')} in the file."
    ]
    if base.sessions:
        notes.append(f"Sessions: {count(base.valid)} valid of {count(base.sessions)}.")
    if base.excluded:
        reasons = Counter(each.reason.removeprefix("session ") for each in base.excluded)
        listed = "; ".join(f"{named(reason)}: {count(n)}" for reason, n in sorted(reasons.items()))
        notes[-1] += f" Excluded: {listed}."
    if base.left_out:
        listed = "; ".join(f"{named(r, terminal.ascii)}: {count(n)}" for r, n in base.left_out.items())
        notes.append(f"Votes left out: {listed}.")
    if base.others:
        listed = ", ".join(f"--source {name} ({plural(n, 'vote')})" for name, n in base.others.items())
        notes.append(f"Other votes in the file: {listed}.")
    return notes


def resampled(base: Base, resamples: int) -> str:
    """Return in words where the intervals of scores come from, or why there are none."""
    if not resamples:
        return f"No interval: {plural(base.units, base.unit)}, too few to resample, or a resample without a score."
    few = " From so few they are somewhat too narrow: they hold the truth in about 9 of 10 cases."
    return (
        f"[ ] 95% interval: {plural(resamples, 'resample')} of {plural(base.units, base.unit)}, their 2.5th and 97.5th "
        f"percentiles.{few if base.units < _FEW else ''}"
    )


def shared(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """Write a share with its interval: `64% [51 75]`; a dash where there is none."""
    if value is None:
        return "-"
    return percent(value) + ("" if low is None or high is None else f" [{100 * low:.0f} {100 * high:.0f}]")


def points(value: float | None) -> str:
    """Write a score or a gap in whole points; a dash where there is none."""
    return "-" if value is None else f"{value:,.0f}"


def ends(low: float | None, high: float | None) -> str:
    """Write an interval of scores; a dash where there is none."""
    return "-" if low is None or high is None else f"[{low:,.0f} {high:,.0f}]"


def odds(value: float) -> str:
    """Write odds: 2.8 to 1 as `2.8`, small ones as `.36`."""
    return f"{value:,.0f}" if value >= 9.95 else number(value, 1 if value >= 0.995 else 2)


def topic_columns(topics: Sequence[TopicRecord]) -> list[Column]:
    """Return the columns of a table of topics."""
    return [
        Column("won", [count(each.wins) for each in topics]),
        Column("lost", [count(each.losses) for each in topics]),
        Column("undecided", [count(each.undecided) if each.undecided else "-" for each in topics], 3),
        Column("share", [shared(each.share, each.low, each.high) for each in topics], 1),
        Column("expected", [shared(each.expected) for each in topics], 2),
        Column("q", ["-" if each.q is None else _q(each.q) for each in topics]),
    ]


def _q(value: float) -> str:
    return "<.001" if value < 0.001 else number(value, 3 if value < 0.0095 or 0.045 <= value < 0.05 else 2)


def only(params: Mapping[str, Any], terminal: Terminal) -> list[str]:
    """Return to which topics and prompts the votes were narrowed."""
    asked = [
        f"{key[:-1]} {named(name, terminal.ascii)}"
        for key in ("topics", "prompts")
        for name in params.get(key) or ()
    ]
    return [f"Only votes on {', '.join(asked)}."] if asked else []
