"""The one door to `--json`: an envelope of plain values, the same bytes on any terminal."""

from __future__ import annotations

import json
import math
import operator
import re
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

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
    # Indenting in `dumps` is done in Python, and takes as long as all the rest.
    text = json.dumps(plain(document), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return msgspec.json.format(text, indent=2) + "\n"


def plain(value: Any) -> Any:
    """Return `value` as JSON can hold it, byte for byte the same on every platform.

    Floats keep 10 significant digits, without -0.0; NaN and infinities become null; a lone surrogate becomes
    U+FFFD; scalars of numpy become their Python kind, dataclasses objects in the order of their fields.
    """
    kind = type(value)
    if value is None or kind is bool or kind is int:
        return value
    if kind is float or isinstance(value, float):
        rounded = float(f"{value:.10g}") + 0.0
        if kind is float and rounded == value and rounded and math.isfinite(value):
            return value  # the same object: what is plain already is not made twice
        # The last of the finite floats round to infinity.
        return rounded if math.isfinite(rounded) else float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, int):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {said: plain(getattr(value, name)) for name, said in _names(type(value))}
    if kind is dict or kind is list:
        return _kept(value)
    if hasattr(value, "items"):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return plain(value.item())
    if hasattr(value, "__iter__"):
        return [plain(item) for item in value]
    return plain(str(value))


def _kept(value: Any) -> Any:
    """Return a dict or a list as `plain` does, itself where all that it holds is plain: a matrix may be large."""
    if type(value) is list:
        found: Any = [plain(item) for item in value]
        same = all(map(operator.is_, found, value))
    else:
        found = {plain(str(key)): plain(item) for key, item in value.items()}
        same = all(map(operator.is_, found, value)) and all(map(operator.is_, found.values(), value.values()))
    return value if same else found


@cache
def _names(kind: type) -> tuple[tuple[str, str], ...]:
    """Return the fields of a dataclass, each with what the JSON calls it."""
    return tuple((field.name, _RENAMED.get(field.name, field.name)) for field in fields(kind))


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
