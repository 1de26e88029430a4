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


def test_failures_in_a_file_of_their_own_are_joined_too(tmp_path: Path) -> None:
    """Each file by itself, or both as one."""
    sent = write_lines(tmp_path, "sent.jsonl", request("a", "One?"), request("b", "Two?"))
    got = write_lines(tmp_path, "got.jsonl", result("a", "One."))
    broken = {"id": "x", "custom_id": "b", "response": {"status_code": 429, "body": {"error": {"code": "x"}}}}
    failed = write_lines(tmp_path, "failed.jsonl", broken)
    found = load(got, failed, sent)
    texts = {each.id: each.text for each in found.prompts}

    assert [(texts[each.prompt], each.text, each.flags) for each in found.replies] == [
        ("One?", "One.", []),
        ("Two?", "", ["error"]),
    ]
    assert [each.flags for each in load(failed).replies] == [["error"]]


def test_a_response_in_the_newer_form_is_read(tmp_path: Path) -> None:
    """With instructions as the system prompt, and a refusal in place of the text."""
    sent = [
        {"custom_id": name, "body": {"model": "m-1", "input": text, "instructions": "S"}}
        for name, text in (("a", "One?"), ("b", "Two?"))
    ]

    def answer(name: str, part: dict[str, str]) -> dict[str, Any]:
        output = [
            {"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": [part]},
        ]
        body = {"object": "response", "status": "completed", "model": "m-1-0101", "output": output}
        return {"custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}

    write_lines(tmp_path, "sent.jsonl", *sent)
    parts = {"type": "output_text", "text": "One."}, {"type": "refusal", "refusal": "No."}
    found = load(write_lines(tmp_path, "got.jsonl", answer("a", parts[0]), answer("b", parts[1])))

    assert [(each.text, each.flags, each.stop) for each in found.replies] == [
        ("One.", [], "stop"),
        ("No.", ["refusal"], "refusal"),
    ]
    assert {each.system for each in found.conditions if each.system} == {"S"}
    assert found.models[0].returned == "m-1-0101"


def test_messages_of_anthropic_are_read(tmp_path: Path) -> None:
    """A result that did not succeed is an error; a system prompt may be a list of blocks."""
    params = {"model": "m-1", "max_tokens": 9, "system": [{"type": "text", "text": "S"}]}
    sent = [
        {"custom_id": name, "params": params | {"messages": [{"role": "user", "content": f"{name}?"}]}}
        for name in "abc"
    ]
    message = {
        "type": "message",
        "model": "m-1-0101",
        "content": [{"type": "text", "text": "A."}],
        "stop_reason": "max_tokens",
        "usage": {"input_tokens": 1},
    }
    came = [
        {"custom_id": "b", "result": {"type": "errored", "error": {"type": "invalid"}}},
        {"custom_id": "a", "result": {"type": "succeeded", "message": message}},
        {"custom_id": "c", "result": {"type": "expired"}},
    ]
    write_lines(tmp_path, "sent.jsonl", *sent)
    found = load(write_lines(tmp_path, "got.jsonl", *came))

    assert [(each.id, each.returned) for each in found.models] == [("m-1", "m-1-0101")]
    assert [(each.text, each.flags) for each in found.replies] == [
        ("", ["error"]),
        ("A.", ["truncated"]),
        ("", ["error"]),
    ]
    assert found.replies[0].extra["result"] == {"type": "errored", "error": {"type": "invalid"}}
    assert {each.system for each in found.conditions if each.system} == {"S"}


def test_responses_of_gemini_are_read(tmp_path: Path) -> None:
    """By their key, or beside their request; thoughts are no text, and who is named answered what failed too."""
    sent = [{"key": name, "request": {"contents": [{"parts": [{"text": f"{name}?"}]}]}} for name in "abc"]
    parts = [{"text": "Hm.", "thought": True}, {"text": "A."}]
    whole = {
        "candidates": [{"content": {"parts": parts}, "finishReason": "MAX_TOKENS"}],
        "modelVersion": "m-1",
    }
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "m-1"}
    came = [
        {"key": "a", "response": whole},
        {"key": "b", "error": {"code": 3}},
        {"key": "c", "response": blocked},
    ]
    write_lines(tmp_path, "sent.jsonl", *sent)
    found = load(write_lines(tmp_path, "got.jsonl", *came))
    both = load(
        write_lines(tmp_path, "other/x.jsonl", *[each | came[0] | {"key": "z"} for each in sent[:1] * 2])
    )

    assert [each.text for each in found.prompts] == ["a?", "b?", "c?"]
    assert [(each.model, each.text, each.flags) for each in found.replies] == [
        ("m-1", "A.", ["truncated"]),
        ("m-1", "", ["error"]),
        ("m-1", "", ["error"]),
    ]
    assert found.replies[0].extra["body"]["candidate"]["thoughts"] == parts[:1]
    assert [(each.text, each.sample) for each in both.replies] == [("A.", 1), ("A.", 2)]


def test_requests_alone_are_prompts(tmp_path: Path) -> None:
    """Of each provider's form."""
    gemini = {"key": "a", "request": {"contents": [{"role": "user", "parts": [{"text": "One?"}]}]}}
    anthropic = {
        "custom_id": "a",
        "params": {"model": "m", "messages": [{"role": "user", "content": "One?"}]},
    }
    for row in (request("a", "One?"), gemini, anthropic):
        found = load(write_lines(tmp_path, "sent.jsonl", row))
        assert ([each.text for each in found.prompts], len(found.replies)) == (["One?"], 0)


def test_what_a_request_says_beside_its_prompt_is_kept(tmp_path: Path) -> None:
    """Under the prompt, which several may ask; read with its output nothing is said twice or warned about."""
    sent = write_lines(tmp_path, "sent.jsonl", request("a", "Hi"), request("b", "Hi", system="S"))
    got = write_lines(tmp_path, "got.jsonl", result("a", "Yes."), result("b", "No."))
    (prompt,) = load(sent).prompts

    assert [each["custom_id"] for each in prompt.unknown["requests"]] == ["a", "b"]
    assert prompt.unknown["requests"][1]["system"] == "S"
    assert prompt.unknown["requests"][0]["body"] == {"model": "m-1", "max_tokens": 9}
    assert load(sent, got).warnings == load(got).warnings
