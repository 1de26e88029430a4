"""The style lens: how models write, as divergences between their distributions of symbols.

`matrix`, `pair` and `focus` take results and options and return frozen reports. All three go through `Study`, so
that they give the same number for the same pair. `drift` and `diff` compare a model with itself at another time, and
`findings` says in sentences what a file supports.
"""

from stylekl.lenses.style.baseline import against
from stylekl.lenses.style.claims import KINDS, MISSING
from stylekl.lenses.style.drift import diff, diff_between, drift, drift_along
from stylekl.lenses.style.findings import NAME, findings, inquire
from stylekl.lenses.style.material import has_data
from stylekl.lenses.style.options import StyleOptions
from stylekl.lenses.style.questions import focus, matrix, pair

__all__ = [
    "KINDS",
    "MISSING",
    "NAME",
    "StyleOptions",
    "against",
    "diff",
    "diff_between",
    "drift",
    "drift_along",
    "findings",
    "focus",
    "has_data",
    "inquire",
    "matrix",
    "pair",
]
