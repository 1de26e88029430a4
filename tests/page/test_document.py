from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.show import json as show_json
from stylekl.show.findings import findings_data
from stylekl.show.json import plain
from stylekl.show.page.document import compact, expand
from stylekl.show.page.render import is_page
from stylekl.show.sections import shown

from .made import LENSES, asked, document_of, lens_report, loaded, many, sample_page, sample_report

if TYPE_CHECKING:
    from pathlib import Path

_KEYS = st.sampled_from(["a", "b", "value", "low", "rows", "columns", "same", "a.b", ""])
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, width=16)
    | st.text(max_size=3)
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=30,
)
_ROWS = st.lists(
    st.fixed_dictionaries(
        {"a": _LEAVES, "b": st.none() | st.fixed_dictionaries({"value": _LEAVES, "low": _LEAVES})}
    ),
    max_size=6,
)


def _typed(value: Any) -> str:
    """Return JSON that tells 1 from true and from 1.0."""
    return json.dumps(value, sort_keys=False)


def _embedded(page: str) -> Any:
    (found,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


@given(_VALUES | _ROWS)
def test_nothing_is_lost_by_writing_lists_of_objects_as_tables(value: Any) -> None:
    assert _typed(expand(json.loads(json.dumps(compact(value))))) == _typed(value)


def test_an_object_in_an_object_becomes_columns_and_what_is_the_same_in_all_rows_is_said_once() -> None:
    rows = [{"a": i, "kl": {"value": i / 2, "low": None}, "unit": "prompt"} for i in range(3)]
    assert compact(rows) == {
        "columns": ["a", "kl.value", "kl.low", "unit"],
        "same": {"kl.low": None, "unit": "prompt"},
        "rows": [[0, 0.0], [1, 0.5], [2, 1.0]],
    }


def test_the_page_embeds_what_the_command_prints() -> None:
    assert _embedded(sample_page()) == json.loads(document_of(sample_report()))


def test_the_matrix_and_the_findings_are_those_of_json() -> None:
    data = json.loads(document_of(sample_report()))["data"]
    style = sample_report().lenses["style"]
    assert expand(data["lenses"]["style"]["matrix"]) == show_json.matrix_data(style.matrix)
    assert expand(data["findings"]) == plain(findings_data(sample_report().findings))


def test_models_and_pairs_are_those_of_json_but_for_what_the_matrix_holds() -> None:
    data = json.loads(document_of(sample_report()))["data"]["lenses"]["style"]
    style = sample_report().lenses["style"]
    order = [model.id for model in style.matrix.models]
    for key, report in style.focus.items():
        lens = show_json.focus_data(report)["lenses"]["style"]
        found = expand(data["focus"][key])
        near = {each["model"]: each for each in lens["neighbours"]}
        wanted = [
            {name: near[each][name] for name in ("rank", "rank_low", "rank_high", "floor")}
            for each in order
            if each != key
        ]
        assert found.pop("neighbours") == wanted
        assert found == {
            name: value for name, value in lens.items() if name not in ("neighbours", "vocabulary")
        }
    for found, report in zip(expand(data["pairs"]), style.pairs.values(), strict=True):
        lens = show_json.pair_data(report)["lenses"]["style"]
        assert found == {name: value for name, value in lens.items() if name != "vocabulary"}


@pytest.mark.parametrize("name", LENSES)
def test_the_other_lenses_say_what_they_say_in_json(name: str) -> None:
    data = json.loads(document_of(lens_report(name)))["data"]["lenses"][name]
    answers, show = lens_report(name).lenses[name], shown(name)
    assert answers.focus
    assert {key: expand(found) for key, found in data["focus"].items()} == {
        key: plain(show.focus_data(report)) for key, report in answers.focus.items()
    }
    assert expand(data["rank"]) == (None if answers.rank is None else plain(show.rank_data(answers.rank)))


@pytest.mark.parametrize("name", [*LENSES, "sample"])
def test_the_document_is_what_the_schema_says(name: str) -> None:
    schema = json.loads((files("stylekl") / "schemas" / "report.json").read_text(encoding="utf-8"))
    found = sample_report() if name == "sample" else lens_report(name)
    jsonschema.Draft202012Validator(schema).validate(json.loads(document_of(found)))


def test_many_models_leave_examples_out_and_say_so(tmp_path: Path) -> None:
    """Above twelve models the numbers of all pairs stay, and what tells a pair apart is there for the nearest alone."""
    found = asked(loaded(many(14), tmp_path))
    data = json.loads(document_of(found))["data"]
    style = data["lenses"]["style"]
    assert len(style["matrix"]["pairs"]["rows"]) == 14 * 13 // 2
    assert len(style["pairs"]["rows"] if isinstance(style["pairs"], dict) else style["pairs"]) == 12
    assert len(style["focus"]) == 14
    assert any("--pair" in text for text in data["not_in_page"])
    assert "contexts" not in json.dumps(style["focus"])


def test_only_pages_of_ours_are_known_as_such() -> None:
    assert is_page(sample_page()[:4096])
    assert not is_page("<!doctype html><title>mine</title>")
    assert not is_page('{"format": "stylekl/1"}')
