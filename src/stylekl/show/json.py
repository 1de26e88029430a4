"""The one door to `--json`: an envelope of plain values, the same bytes on any terminal."""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stylekl.lenses.reports import FocusReport, MatrixReport, PairReport

# What a report calls by another word than the JSON does: `class` is a keyword of Python.
_RENAMED = {"kind": "class"}
_SURROGATE = re.compile("[\ud800-\udfff]")


def envelope(
    command: str,
    params: Mapping[str, Any],
    sources: Iterable[Mapping[str, str | None]],
    data: Mapping[str, Any],
    warnings: Iterable[str],
    *,
    version: str,
) -> str:
    """Return the whole document, ended by a newline; `sources` are {"path", "sha256", "form"} of each file read."""
    document = {
        "schema": f"stylekl/{command}/v1",
        "stylekl": version,
        "command": command,
        "params": params,
        "source": list(sources),
        "data": data,
        "warnings": list(warnings),
    }
    return json.dumps(plain(document), ensure_ascii=True, indent=2, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Return `value` as JSON can hold it, byte for byte the same on every platform.

    Floats keep 10 significant digits, without -0.0; NaN and infinities become null; a lone surrogate becomes
    U+FFFD; scalars of numpy become their Python kind, dataclasses objects in the order of their fields.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, float):
        rounded = float(f"{value:.10g}") + 0.0
        # The last of the finite floats round to infinity.
        return rounded if math.isfinite(rounded) else value if math.isfinite(value) else None
    if is_dataclass(value) and not isinstance(value, type):
        return {_RENAMED.get(f.name, f.name): plain(getattr(value, f.name)) for f in fields(value)}
    if hasattr(value, "items"):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return plain(value.item())
    if hasattr(value, "__iter__"):
        return [plain(item) for item in value]
    return plain(str(value))


def matrix_data(report: MatrixReport) -> dict[str, Any]:
    """Return the `data` of `stylekl matrix --json`."""
    keys = ("by", "measure", "unit", "models", "order", "pairs", "vocabulary", "clusters")
    baseline = {} if report.baseline is None else {"baseline": plain(report.baseline)}
    return {key: plain(getattr(report, key)) for key in keys} | baseline


def pair_data(report: PairReport) -> dict[str, Any]:
    """Return the `data` of `stylekl pair --json`."""
    style = report.style
    keys = ("tells", "classes", "facets", "copied", "candidates")
    lens = plain(style.pair) | {key: getattr(style, key) for key in keys} | {"vocabulary": report.vocabulary}
    return {"a": plain(report.a), "b": plain(report.b), "lenses": {"style": plain(lens)}}


def focus_data(report: FocusReport) -> dict[str, Any]:
    """Return the `data` of `stylekl focus --json`."""
    style = report.style
    keys = (
        "rank_by",
        "neighbours",
        "tells",
        "recognised",
        "classes",
        "facets",
        "against_others",
        "candidates",
    )
    lens = {key: getattr(style, key) for key in keys} | {"vocabulary": report.vocabulary}
    return {"model": plain(report.model), "lenses": {"style": plain(lens)}}
