"""The votes lens: which reply readers preferred, in blind battles, in a paid panel, or as other tools recorded it.

The method is in docs/votes.md. Votes of source "arena" are sealed until there are enough: `seal.opened` is the only
way to their fights, and returns a report that cannot hold a score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.lenses.votes.inquiry import inquire
from stylekl.lenses.votes.options import Options
from stylekl.lenses.votes.questions import focus, matrix, pair, rank
from stylekl.lenses.votes.reports import Sealed
from stylekl.lenses.votes.sentences import KINDS, MISSING

if TYPE_CHECKING:
    from stylekl.results import Results

NAME = "votes"

__all__ = [
    "KINDS",
    "MISSING",
    "NAME",
    "Options",
    "Sealed",
    "focus",
    "has_data",
    "inquire",
    "matrix",
    "pair",
    "rank",
]


def has_data(results: Results) -> bool:
    """Tell whether the results hold votes."""
    return bool(results.other.get("votes"))
