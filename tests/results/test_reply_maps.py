"""Replies of several models in one record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import RecordError, UnknownFormatError
from stylekl.results import load

from .strategies import write_json, write_lines

if TYPE_CHECKING:
    from pathlib import Path

FORMS = [
    {"m": "Yes", "n": None},
    [{"model": "m", "response": "Yes"}, {"model": "n", "response": None}],
    {"m": {"text": "Yes"}, "n": {"output": None}},
]


@pytest.mark.parametrize("replies", FORMS)
@pytest.mark.parametrize("field", ["responses", "Outputs", "answers"])
def test_replies_are_those_of_the_models_that_name_them(replies: Any, field: str, tmp_path: Path) -> None:
    """A null is a reply without text; the other fields stay beside."""
    row = {"id": "q1", "category": "sky", "prompt": "Rain?", field: replies, "note": 1}
    for path in (write_lines(tmp_path, "a.jsonl", row, row), write_json(tmp_path, "a.json", [row, row])):
        found = load(path)
        assert [(each.model, each.text, each.flags, each.sample) for each in found.replies] == [
            ("m", "Yes", [], 1),
            ("n", "", ["empty"], 1),
            ("m", "Yes", [], 2),
            ("n", "", ["empty"], 2),
        ]
        assert [(each.id, each.text, each.topic) for each in found.prompts] == [("q1", "Rain?", "sky")]
        assert found.replies[0].extra == {"note": 1}


def test_errors_and_what_stands_beside_a_reply_are_kept(tmp_path: Path) -> None:
    raw = {"choices": [{"message": {"content": "Raw"}, "finish_reason": "length"}]}
    row = {"prompt": "Rain?", "results": {"m": {"response": "Yes", "ms": 3}, "n": {"error": "no"}, "o": raw}}
    found = load(write_lines(tmp_path, "a.jsonl", row))

    assert [(each.text, each.flags) for each in found.replies] == [
        ("Yes", []),
        ("", ["error"]),
        ("Raw", ["truncated"]),
    ]
    assert [each.extra for each in found.replies][:2] == [{"ms": 3}, {"error": "no"}]


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "P", "results": []},
        {"prompt": "P", "responses": ["A", "B"]},
        {"prompt": "P", "models": ["m", "n"]},
        {"question": "P", "answers": {}},
        {"responses": {"m": "A"}},
    ],
)
def test_lists_of_other_things_are_not_read_as_replies(row: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError):
        load(write_lines(tmp_path, "a.jsonl", row, row))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"prompt": "P", "responses": {"m": 3}}, "field responses.m: expected text, found a number"),
        ({"prompt": 3, "responses": {"m": "A"}}, "field prompt: expected text, found a number"),
        ({"prompt": "P"}, "no replies by model: expected one of responses"),
    ],
)
def test_what_is_not_of_this_form_is_named(row: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=f"line 2: {message}"):
        load(write_lines(tmp_path, "a.jsonl", {"prompt": "P", "responses": {"m": "A"}}, row))
