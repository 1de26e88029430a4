"""The choices lens: which of two words a model takes, over many ways of asking and in both orders.

`matrix`, `pair`, `focus` and `drift` take results and options and return frozen reports; `inquire` says what could be
claimed. docs/choices.md has the method.
"""

from typing import get_args

from stylekl.lenses.choices.claims import KINDS
from stylekl.lenses.choices.drift import drift
from stylekl.lenses.choices.findings import inquire
from stylekl.lenses.choices.lacks import MISSING
from stylekl.lenses.choices.options import Measure, Options
from stylekl.lenses.choices.questions import focus, matrix, pair
from stylekl.lenses.choices.table import has_choices as has_data

NAME = "choices"
MEASURES = get_args(Measure)

__all__ = [
    "KINDS",
    "MEASURES",
    "MISSING",
    "NAME",
    "Options",
    "drift",
    "focus",
    "has_data",
    "inquire",
    "matrix",
    "pair",
]
