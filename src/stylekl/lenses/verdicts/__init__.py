"""The verdicts lens: one-word answers, how the framing moves them, and how decided and quick they are."""

from __future__ import annotations

from stylekl.lenses.verdicts.claims import KINDS
from stylekl.lenses.verdicts.findings import inquire
from stylekl.lenses.verdicts.lacks import MISSING
from stylekl.lenses.verdicts.options import Options
from stylekl.lenses.verdicts.questions import focus, has_data, lists, matrix, pair, rank, verdicts

NAME = "verdicts"

__all__ = [
    "KINDS",
    "MISSING",
    "NAME",
    "Options",
    "focus",
    "has_data",
    "inquire",
    "lists",
    "matrix",
    "pair",
    "rank",
    "verdicts",
]
