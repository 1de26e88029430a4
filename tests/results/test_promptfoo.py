"""Results of promptfoo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import RecordError
from stylekl.results import load

from .strategies import write_json, write_lines

if TYPE_CHECKING:
    from pathlib import Path


def result(response: Any, place: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "provider": {"id": "custom:m", "label": "v/m"},
        "prompt": {"raw": "Q?", "label": "{{q}}"},
        "vars": {"q": "Q?"},
        "testIdx": place,
        "response": response,
    } | changes


RESULTS = [
    result({"output": "A.", "finishReason": "stop", "cost": 1}),
    result({"output": "B."}, 1, success=False, failureReason=1),
    result({"output": {"k": "é"}}, 2),
    result({"error": "blocked"}, 3, success=False, failureReason=2),
    result({"output": "Echo."}, provider="echo"),
    result({"output": "I cannot.", "isRefusal": True}, 4),
    result(None, 5, success=False, failureReason=2),
]


def test_an_object_and_its_lines_are_the_same_replies(tmp_path: Path) -> None:
    """Repeats are samples, a failed assertion is no error, an output that is an object is its JSON."""
    whole = {"evalId": "e", "results": {"version": 3, "results": RESULTS}, "config": {"x": 1}}
    found = load(write_json(tmp_path, "a.json", whole))
    from_lines = load(write_lines(tmp_path, "a.jsonl", *RESULTS))

    assert found.replies == from_lines.replies
    assert [(each.id, each.requested) for each in found.models] == [("v/m", "custom:m"), ("echo", None)]
    assert [(each.text, each.flags) for each in found.replies] == [
        ("A.", []),
        ("B.", []),
        ('{"k": "é"}', []),
        ("", ["error"]),
        ("Echo.", []),
        ("I cannot.", ["refusal"]),
        ("", ["error"]),
    ]
    assert [each.sample for each in found.replies] == [1, 2, 3, 4, None, 5, 6]
    assert found.replies[0].extra["response"] == {"finishReason": "stop", "cost": 1}
    assert found.unknown["promptfoo e"] == {"evalId": "e", "results": {"version": 3}, "config": {"x": 1}}


def test_a_chat_is_read_as_what_it_asks(tmp_path: Path) -> None:
    raw = '[{"role": "system", "content": "S"}, {"role": "user", "content": "Q?"}]'
    rows = result({"output": "A."}), result({"output": "B."}, prompt={"raw": raw})
    found = load(write_lines(tmp_path, "a.jsonl", *rows))

    assert [each.text for each in found.prompts] == ["Q?"]
    assert [each.system for each in found.conditions] == [None, "S"]


@pytest.mark.parametrize(
    ("change", "field"), [({"provider": {}}, "provider"), ({"prompt": {"raw": None}}, "prompt")]
)
def test_what_is_missing_is_named(change: dict[str, Any], field: str, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=f"line 2: field {field}"):
        load(write_lines(tmp_path, "a.jsonl", RESULTS[0], RESULTS[0] | change))
