"""The judgments lens: what a blind evaluator says of two replies to one prompt.

The method is in docs/judging.md. `reply` reads what a judge wrote; the unit of every interval is the prompt.
"""

from __future__ import annotations

from typing import get_args

from stylekl.lenses.judgments.inquiry import inquire
from stylekl.lenses.judgments.material import has_data
from stylekl.lenses.judgments.options import Measure, Options
from stylekl.lenses.judgments.questions import focus, matrix, pair, rank
from stylekl.lenses.judgments.sentences import KINDS, MISSING

NAME = "judgments"
MEASURES = get_args(Measure)

__all__ = [
    "KINDS",
    "MEASURES",
    "MISSING",
    "NAME",
    "Options",
    "focus",
    "has_data",
    "inquire",
    "matrix",
    "pair",
    "rank",
]
