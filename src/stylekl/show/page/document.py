"""The JSON of a report page: what `--json` of every command gives, with long lists of objects written as tables.

A table says the names of its columns once. `compact` and `expand` are each other's inverse, so nothing is lost by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.show import json, lens_matrix
from stylekl.show.findings import findings_data
from stylekl.show.page.density import MANY, density
from stylekl.show.sections import shown
from stylekl.show.tree_forms import tree_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.everything import Everything, LensAnswers
    from stylekl.lenses.frame import LensMatrix
    from stylekl.lenses.reports import FocusReport

LEAST = 2  # objects that make a table
TABLE = ("columns", "same", "rows")
_REPEATED = 3  # rows from which a column of one value is said once
_SEPARATOR = "."
# Of a neighbour by style: the rest is in the matrix, under the pair.
_NEIGHBOUR = ("rank", "rank_low", "rank_high", "floor")
_BOUNDED = ("value", "low", "high")
_TEXTS = ("example", "span", "example_other", "span_other", "contexts")


def report_data(report: Everything, *, title: str | None, left: Sequence[str]) -> dict[str, Any]:
    """Return the `data` of `stylekl report --json`; `left` says what is not in the page."""
    found = None if report.findings is None else findings_data(report.findings)
    data = {
        "title": title,
        "lenses": {name: _lens(answers) for name, answers in report.lenses.items()},
        "findings": found,
        "not_in_page": list(left),
    }
    return {key: compact(json.plain(value)) for key, value in data.items()}


def compact(value: Any) -> Any:
    """Return plain values of JSON with every list of alike objects as {"columns", "same", "rows"}.

    An object in an object is parted into columns: `kl_ab.value`. Objects are alike where they have the same keys in the
    same order, at every depth; an object that is missing (null) in some row and present in another has a null in each
    of its columns. A column that has one value in all of many rows stands in `same`, by its name, and not in the rows.
    """
    if isinstance(value, dict):
        return {key: compact(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    shape = _shape(value) if len(value) >= LEAST else None
    if shape is None:
        return [compact(item) for item in value]
    columns = _columns(shape)
    names = [_SEPARATOR.join(path) for path in columns]
    rows = [[_at(item, path) for path in columns] for item in value]
    same = {}
    if len(rows) >= _REPEATED:
        same = {
            name: rows[0][i]
            for i, name in enumerate(names)
            if all(_equal(row[i], rows[0][i]) for row in rows)
        }
    kept = [i for i, name in enumerate(names) if name not in same]
    return {
        "columns": names,
        "same": {name: compact(held) for name, held in same.items()},
        "rows": [[compact(row[i]) for i in kept] for row in rows],
    }


def _equal(one: Any, other: Any) -> bool:
    """Tell whether two values are one and the same in JSON: 1 is not true there, nor 1.0, and 0.0 not -0.0."""
    alike = type(one) is type(other) and not isinstance(one, dict | list) and one == other
    return alike and (bool(one) or repr(one) == repr(other))


def expand(value: Any) -> Any:
    """Return what `compact` was given."""
    if isinstance(value, dict) and tuple(value) == TABLE and isinstance(value["rows"], list):
        names, same = value["columns"], value["same"]
        paths = [name.split(_SEPARATOR) for name in names]
        found = []
        for row in value["rows"]:
            cells = iter(row)
            whole = [same[name] if name in same else next(cells) for name in names]
            found.append(_object(paths, [expand(cell) for cell in whole]))
        return found
    if isinstance(value, dict):
        return {key: expand(item) for key, item in value.items()}
    return [expand(item) for item in value] if isinstance(value, list) else value


def _shape(items: Sequence[Any]) -> dict[str, Any] | None:
    """Return the keys that all objects have, with the shape of those that hold objects; None where they differ."""
    if not all(isinstance(item, dict) and item for item in items):
        return None
    keys = list(items[0])
    if any(list(item) != keys for item in items) or any(not key or _SEPARATOR in key for key in keys):
        return None
    shape: dict[str, Any] = {}
    for key in keys:
        held = [item[key] for item in items if item[key] is not None]
        objects = bool(held) and all(isinstance(each, dict) for each in held)
        inner = _shape(held) if objects else None
        # An object whose values may all be null could not be told from one that is missing.
        whole = inner and all(any(v is not None for v in each.values()) for each in held)
        shape[key] = inner if whole and not any(map(_is_table, held)) else None
    return shape


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and tuple(value) == TABLE


def _columns(shape: dict[str, Any], above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for key, inner in shape.items():
        path = (*above, key)
        found += _columns(inner, path) if inner else [path]
    return found


def _at(item: Any, path: Sequence[str]) -> Any:
    for key in path:
        item = None if item is None else item[key]
    return item


def _object(paths: Sequence[Sequence[str]], cells: Sequence[Any]) -> dict[str, Any]:
    """Return the object of a row; an inner one whose cells are all null is null."""
    groups: dict[str, list[tuple[Sequence[str], Any]]] = {}
    for path, cell in zip(paths, cells, strict=True):
        groups.setdefault(path[0], []).append((path[1:], cell))
    found: dict[str, Any] = {}
    for key, group in groups.items():
        if not group[0][0]:
            found[key] = group[0][1]
        elif all(cell is None for _, cell in group):
            found[key] = None
        else:
            found[key] = _object([path for path, _ in group], [cell for _, cell in group])
    return found


def _lens(answers: LensAnswers) -> dict[str, Any]:
    if answers.name == "style":
        return _style(answers)
    from stylekl.lenses.frame import LensMatrix

    show = shown(answers.name)
    whole = answers.matrix if isinstance(answers.matrix, LensMatrix) else None
    return {
        "matrix": None if whole is None else _lens_matrix(whole),
        "focus": {key: show.focus_data(found) for key, found in answers.focus.items()},
        "pairs": [{"a": key[0], "b": key[1]} | show.pair_data(found) for key, found in answers.pairs.items()],
        "rank": None if answers.rank is None else show.rank_data(answers.rank),
    }


def _lens_matrix(whole: LensMatrix) -> dict[str, Any]:
    return lens_matrix.matrix_data(whole)


def _style(answers: LensAnswers) -> dict[str, Any]:
    """Return what style says: of a neighbour what the matrix does not hold, of the tree what it alone knows."""
    pairs = []
    for found in answers.pairs.values():
        lens = json.pair_data(found)["lenses"]["style"]
        pairs.append({key: value for key, value in lens.items() if key != "vocabulary"})
    tree = None
    if answers.tree is not None:
        tree = {
            key: value for key, value in tree_data(answers.tree).items() if key not in ("pairs", "models")
        }
    whole = None if answers.matrix is None else json.matrix_data(answers.matrix)
    if whole is not None and len(whole["models"]) > MANY:
        whole["pairs"] = [{key: _bounded(value) for key, value in pair.items()} for pair in whole["pairs"]]
    focused = {key: _focused(answers, found) for key, found in answers.focus.items()}
    return {"matrix": whole, "focus": focused, "pairs": pairs, "tree": tree}


def _bounded(value: Any) -> Any:
    """Return an estimate with its interval alone; anything else as it is."""
    return {key: value[key] for key in _BOUNDED} if isinstance(value, dict) and "raw" in value else value


def _focused(answers: LensAnswers, report: FocusReport) -> dict[str, Any]:
    """Return one model: its neighbours in the order of the models of the matrix, and its tells.

    Where not every pair is in the page, its tells are those that are drawn, without their examples, and there are no
    facets.
    """
    lens: dict[str, Any] = json.focus_data(report)["lenses"]["style"]
    place = (
        {model.id: i for i, model in enumerate(answers.matrix.models)} if answers.matrix is not None else {}
    )
    neighbours = sorted(lens["neighbours"], key=lambda each: place.get(each["model"], 0))
    lens["neighbours"] = [{name: each[name] for name in _NEIGHBOUR} for each in neighbours]
    del lens["vocabulary"]
    if answers.paired:
        return lens
    most = density(len(place), paired=False).tells
    sides = [
        [tell for tell in lens["tells"] if (tell["more"] == report.model.id) == own] for own in (True, False)
    ]
    drawn = [tell for side in sides for tell in side[:most]]
    return lens | {
        "tells": [{k: v for k, v in tell.items() if k not in _TEXTS} for tell in drawn],
        "facets": [],
    }
