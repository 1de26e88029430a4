"""Reports as arrays and data frames, for those who go on in Python: the figures of the report and of `--csv`."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from stylekl.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stylekl.lenses.frame import LensMatrix
    from stylekl.lenses.reports import MatrixReport

Measure = Literal["kl", "js", "kinship"]
Part = Literal["value", "raw", "low", "high", "se", "upper"]

# Where the rows of a report are that no lens's `pair`, `focus`, `rank` or `drift` returns.
_ROWS = {
    "DiffReport": "drift:change_rows",
    "DriftReport": "drift:change_rows",
    "FindingsReport": "findings:findings_rows",
    "FocusReport": "tables:focus_rows",
    "LensMatrix": "lens_matrix:matrix_rows",
    "MatrixReport": "tables:matrix_rows",
    "PairReport": "tables:pair_rows",
    "QualityReport": "check:check_rows",
    "Sealed": "votes:rank_rows",
    "SharpnessReport": "choices:sharpness_rows",
    "TreeReport": "tree_forms:tree_rows",
    "VerdictsReport": "verdicts:verdicts_rows",
    "WhoWroteReport": "recognition:who_wrote_rows",
}
_OF_A_LENS = re.compile(r"(Choices|Verdicts|Votes|Judgments)(Pair|Focus|Rank|Drift)Report")


def square(
    report: MatrixReport | LensMatrix, measure: Measure = "kl", part: Part = "value"
) -> NDArray[np.float64]:
    """Return a matrix as a square array: cell (i, j) is the row's model against the column's, in `report.order`.

    `part` is the estimate (`value`, signed and corrected for bias) or what belongs to it: `low` and `high`, the 95 %
    interval; `upper`, the one-sided limit; `raw`; `se`. The diagonal is 0 (of kinship, nan); nan stands where there is
    no value. `js` and `kinship` are symmetric. The matrix of another lens has one measure of its own, which `measure`
    does not change, a diagonal of nan, and an interval for the direction from a to b alone: the other cell is nan where
    the measure has a direction. Raises UsageError for a part or a measure that the report does not have.
    """
    import numpy as np

    place = {model: i for i, model in enumerate(report.order)}
    array = np.full((len(place), len(place)), np.nan)
    styled = hasattr(report, "vocabulary")
    if styled and measure not in ("kl", "js", "kinship"):
        raise UsageError(f"style has no measure {measure}", "it has kl, js, kinship")
    if part not in (("value", "raw", "low", "high", "se", "upper") if styled else ("value", "low", "high")):
        raise UsageError(f"this matrix has no {part}", "value, low and high are there for every lens")
    for pair in report.pairs:
        there, back = _style(pair, measure, part) if styled else _lens(pair, part)
        i, j = place[pair.a], place[pair.b]
        array[i, j] = np.nan if there is None else there
        array[j, i] = np.nan if back is None else back
    if styled and measure != "kinship":
        np.fill_diagonal(array, 0.0)
    return array


def _style(pair: Any, measure: Measure, part: Part) -> tuple[float | None, float | None]:
    two = (pair.kl_ab, pair.kl_ba) if measure == "kl" else (getattr(pair, measure),) * 2
    there, back = (None if estimate is None else getattr(estimate, part) for estimate in two)
    return there, back


def _lens(pair: Any, part: Part) -> tuple[float | None, float | None]:
    there = getattr(pair, part)
    if pair.back is None:
        return there, there
    return there, pair.back if part == "value" else None


def frame(report: Any, kind: Literal["pandas", "polars"] | None = None) -> Any:
    """Return a report as a data frame with the rows and columns of `--csv`, text as it is in the file.

    `kind` is the library; without it pandas where it is installed, else polars. Raises UsageError where neither (or not
    the one asked for) is, and for a report without a table.
    """
    if kind not in (None, "pandas", "polars"):
        raise UsageError(f"no data frames of {kind}", "kind is pandas or polars")
    installed = [name for name in ((kind,) if kind else ("pandas", "polars")) if find_spec(name)]
    if not installed:
        raise UsageError(f"{kind or 'pandas or polars'} is not installed", f"pip install {kind or 'pandas'}")
    header, rows = _rows(report)
    if installed[0] == "pandas":
        import pandas

        return pandas.DataFrame(rows, columns=header).infer_objects()
    import polars

    return polars.DataFrame(rows, schema=header, orient="row", infer_schema_length=None)


def _rows(report: Any) -> tuple[list[str], list[list[Any]]]:
    name = type(report).__name__
    where = _ROWS.get(name)
    if where is None and (found := _OF_A_LENS.fullmatch(name)):
        where = f"{found[1].lower()}:{found[2].lower()}_rows"
    if where is None:
        raise UsageError(
            f"{name} has no table", "reports of matrix, pair, focus, findings and the like have one"
        )
    module, function = where.split(":")
    header, rows = getattr(import_module(f"stylekl.show.{module}"), function)(report)
    return header, rows
