"""Batches: what came back, joined with what was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import InputError
from stylekl.results import load

from .strategies import write_lines

if TYPE_CHECKING:
    from pathlib import Path


def request(name: str, text: str, model: str = "m-1", system: str | None = None) -> dict[str, Any]:
    messages = [{"role": "system", "content": system}] if system else []
    messages.append({"role": "user", "content": text})
    return {
        "custom_id": name,
        "method": "POST",
        "body": {"model": model, "messages": messages, "max_tokens": 9},
    }


def result(name: str, text: str, model: str = "m-1-0101") -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    body = {"model": model, "choices": [choice]}
    return {"id": "x", "custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}


def test_results_are_joined_by_their_id_and_not_by_their_order(tmp_path: Path) -> None:
    """With the input in the same folder, whatever its name."""
    write_lines(tmp_path, "sent.jsonl", request("a", "One?"), request("b", "Two?"))
    found = load(write_lines(tmp_path, "got.jsonl", result("b", "Two."), result("a", "One.")))
    texts = {each.id: each.text for each in found.prompts}

    assert [(texts[each.prompt], each.text) for each in found.replies] == [("Two?", "Two."), ("One?", "One.")]
    assert [(each.id, each.returned) for each in found.models] == [("m-1", "m-1-0101")]
    assert found.replies[0].extra["request"] == {"max_tokens": 9}


def test_the_input_may_be_given_from_elsewhere(tmp_path: Path) -> None:
    sent = write_lines(tmp_path, "in/sent.jsonl", request("a", "One?"), request("b", "Two?"))
    got = write_lines(tmp_path, "out/got.jsonl", result("b", "Two."), result("a", "One."))

    for files in ((sent, got), (got, sent)):
        found = load(*files)
        assert (len(found.models), len(found.prompts), len(found.replies)) == (1, 2, 2)


def test_of_two_inputs_the_one_of_the_model_counts(tmp_path: Path) -> None:
    """Batches call their requests the same."""
    write_lines(tmp_path, "1.jsonl", request("a", "Wrong?", "other"), request("b", "Wrong?", "other"))
    write_lines(tmp_path, "2.jsonl", request("a", "One?"), request("b", "Two?"))
    found = load(write_lines(tmp_path, "got.jsonl", result("a", "One."), result("b", "Two.")))

    assert [each.text for each in found.prompts] == ["One?", "Two?"]


def test_system_prompts_are_conditions_and_failures_are_flagged(tmp_path: Path) -> None:
    """One prompt under two system prompts is one prompt."""
    write_lines(tmp_path, "sent.jsonl", *[request(name, "Hi", system=name) for name in "abc"])
    failed = {"custom_id": "b", "response": None, "error": {"code": "expired"}}
    refused = {"custom_id": "c", "response": {"status_code": 400, "body": {"error": {"message": "no"}}}}
    found = load(write_lines(tmp_path, "got.jsonl", result("a", "Yes."), failed, refused))

    assert len(found.prompts) == 1
    assert [each.system for each in found.conditions] == [None, "a", "b", "c"]
    assert [each.flags for each in found.replies] == [[], ["error"], ["error"]]
    assert found.replies[1].extra["error"] == {"code": "expired"}


def test_without_the_input_it_is_said_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='line 1: no request with the custom_id "a"') as caught:
        load(write_lines(tmp_path, "got.jsonl", result("a", "One."), result("b", "Two.")))

    assert "input file" in caught.value.hint
