"""The style lens: how models write, as divergences between their distributions of symbols.

`matrix`, `pair` and `focus` take results and options and return frozen reports. All three go through `Study`, so
that they give the same number for the same pair.
"""

from stylekl.lenses.style.options import StyleOptions
from stylekl.lenses.style.questions import focus, matrix, pair

__all__ = ["StyleOptions", "focus", "matrix", "pair"]
