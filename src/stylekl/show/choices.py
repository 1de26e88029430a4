"""Choices in a terminal, as JSON and as tables; the views of single verbs are in the modules beside this."""

from __future__ import annotations

from stylekl.show.choices_drift import drift_data, drift_rows, drift_view
from stylekl.show.choices_focus import focus_data, focus_rows, focus_view
from stylekl.show.choices_matrix import sharpness_data, sharpness_rows, sharpness_view
from stylekl.show.choices_pair import pair_data, pair_rows, pair_view

__all__ = [
    "drift_data",
    "drift_rows",
    "drift_view",
    "focus_data",
    "focus_rows",
    "focus_view",
    "pair_data",
    "pair_rows",
    "pair_view",
    "sharpness_data",
    "sharpness_rows",
    "sharpness_view",
]
