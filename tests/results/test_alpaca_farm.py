"""AlpacaFarm's outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import RecordError
from stylekl.results import load

from .strategies import write_json

if TYPE_CHECKING:
    from pathlib import Path

ROW: dict[str, Any] = {"instruction": "P?", "input": ""}


@pytest.mark.parametrize(
    ("row", "model", "texts"),
    [
        (ROW | {"output": ["A.", "B."]}, "sft", ["A.", "B."]),
        (ROW | {"output_1": "A.", "output_2": "B."}, "sft", ["A.", "B."]),
        (ROW | {"output": "A."}, "sft", ["A."]),
        (ROW | {"output": ["A.", "B."], "generator": "g"}, "g", ["A.", "B."]),
    ],
)
def test_every_output_is_a_sample(row: dict[str, Any], model: str, texts: list[str], tmp_path: Path) -> None:
    """Of the model that the row names, or the file."""
    found = load(write_json(tmp_path, "sft.json", [row]))

    assert [each.id for each in found.models] == [model]
    assert [each.text for each in found.prompts] == ["P?"]
    assert [each.text for each in found.replies] == texts


def test_what_is_no_text_is_an_error_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="record 2: field output"):
        load(write_json(tmp_path, "sft.json", [ROW | {"output": ["A."]}, ROW | {"output": [3]}]))
