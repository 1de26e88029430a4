"""Requirements 3, 4 and 5: one document, the same bytes, valid against its schema."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.lenses.reports import Estimate
from stylekl.show.json import envelope, focus_data, matrix_data, pair_data, plain

from .factory import HOSTILE, focus_report, matrix, pair_report

SOURCE = [{"path": "results.json", "sha256": "0" * 64}]
DATA = {
    "matrix": lambda: matrix_data(matrix(18, [f"{text}{i}" for i, text in enumerate(HOSTILE)])),
    "pair": lambda: pair_data(pair_report(*HOSTILE[10:12], copies=3)),
    "focus": lambda: focus_data(focus_report()),
}


def schema(command):
    return json.loads((files("stylekl") / "schemas" / f"{command}.json").read_text(encoding="utf-8"))


def document(command):
    return envelope(command, {"seed": 1}, SOURCE, DATA[command](), ["careful"], version="0.1.0")


@pytest.mark.parametrize("command", DATA)
def test_a_document_is_valid_against_the_packaged_schema(command):
    """And the schema itself is one of draft 2020-12."""
    jsonschema.Draft202012Validator.check_schema(schema(command))
    jsonschema.Draft202012Validator(schema(command)).validate(json.loads(document(command)))


@pytest.mark.parametrize("command", DATA)
def test_a_document_is_ascii_ends_in_a_newline_and_repeats(command):
    """The bytes are the same every time, with the keys of the envelope in their order."""
    text = document(command)

    assert text.isascii()
    assert text.endswith("}\n")
    assert text == document(command)
    assert list(json.loads(text)) == ["schema", "stylekl", "command", "params", "source", "data", "warnings"]


def test_a_schema_refuses_a_call_that_does_not_exist():
    """The schema says something."""
    broken = json.loads(document("pair"))
    broken["data"]["lenses"]["style"]["call"] = "perhaps"

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema("pair")).validate(broken)


def test_data_have_the_keys_of_the_contract():
    """The keys that scripts rely on, under their public names."""
    pair, focus, square = pair_data(pair_report()), focus_data(focus_report()), matrix_data(matrix(3))
    style = pair["lenses"]["style"]

    assert list(square)[:7] == ["by", "measure", "unit", "models", "order", "pairs", "vocabulary"]
    assert list(style["kl_ab"]) == ["value", "raw", "low", "high", "se", "upper"]
    assert "class" in style["tells"][0]
    assert "kind" not in style["tells"][0]
    assert {"tells", "classes", "facets", "copied", "vocabulary"} <= set(style)
    assert list(style["facets"][0])[:6] == ["facet", "unit", "symbols", "coverage", "kl_ab", "kl_ba"]
    assert list(style["tells"][0]["contexts"][0]) == ["model", "prompt", "text", "start", "end"]
    assert {"neighbours", "tells", "recognised", "facets"} <= set(focus["lenses"]["style"])


def test_json_keeps_the_signed_value():
    """Only the terminal prints a negative estimate as 0."""
    assert plain(Estimate(-0.001, 0.02, -0.01, 0.01, 0.005, 0.007))["value"] == -0.001


class Scalar:
    """A scalar of another library, such as numpy's."""

    ndim = 0

    def __init__(self, value):
        self.value = value

    def item(self):
        """Return the value as a Python scalar."""
        return self.value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (math.nan, None),
        (math.inf, None),
        (-0.0, 0.0),
        (1 / 3, 0.3333333333),
        (Scalar(7), 7),
        (Scalar(math.nan), None),
        (True, True),
        ("a\ud800b", "a\ufffdb"),
        ({"k\udfff": (1, 2)}, {"k\ufffd": [1, 2]}),
    ],
)
def test_every_value_has_one_plain_form(value, written):
    """NaN is null, -0.0 is 0.0, floats keep ten digits, surrogates are replaced."""
    assert json.dumps(plain(value)) == json.dumps(written)


def fail(constant):
    raise AssertionError(constant)


@given(st.recursive(st.one_of(st.floats(), st.text(), st.none(), st.integers()), st.lists, max_leaves=20))
def test_any_data_give_strict_json(data):
    """No NaN or Infinity reaches the document, and reading it and writing it again changes nothing."""
    text = envelope("x", {}, [], {"data": data}, [], version="1")

    assert plain(json.loads(text, parse_constant=fail)["data"]["data"]) == plain(data)
