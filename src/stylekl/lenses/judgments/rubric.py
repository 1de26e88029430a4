"""What a judge is asked to score: the dimensions and the whole numbers that a score may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SIDES = ("A", "B")
TIE = "tie"
VERDICTS = (*SIDES, TIE)
LABELS = ("response", "reply")  # words before A and B that name the same sides


@dataclass(frozen=True, slots=True)
class Scale:
    """The names of the dimensions, and the least and the greatest score of each."""

    dimensions: tuple[str, ...]
    low: int = 1
    high: int = 5

    @property
    def key(self) -> str:
        """What two judgments have in common where their scores can be compared: dimensions and bounds."""
        return f"{', '.join(sorted(self.dimensions))} ({self.low} to {self.high})"


def scale_of(row: Mapping[str, Any]) -> Scale | None:
    """Return the scale of a judgment's record: that of its `rubric`, else the dimensions it has scores of, 1 to 5.

    Null where it has no scores and names no rubric.
    """
    given = row.get("rubric")
    scores = row.get("scores")
    own = scores.get("A") if isinstance(scores, dict) else None
    names = tuple(str(name) for name in own) if isinstance(own, dict) else ()
    if isinstance(given, dict):
        listed = given.get("dimensions")
        if isinstance(listed, list) and listed:
            names = tuple(str(name) for name in listed)
        low, high = given.get("low", 1), given.get("high", 5)
        if names and type(low) is int and type(high) is int:
            return Scale(names, low, high)
    return Scale(names) if names else None
