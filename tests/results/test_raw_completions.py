"""Rows with a provider's raw answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import RecordError
from stylekl.results import load

from .strategies import write_lines

if TYPE_CHECKING:
    from pathlib import Path


def row(text: str | None = "Hi.", **changes: Any) -> dict[str, Any]:
    choice = {"message": {"content": text, "reasoning": "Hm"}, "finish_reason": "stop"}
    return {
        "question_id": "q1",
        "question": "Say hi",
        "category": "greetings",
        "model": "v/m",
        "api_model": "v/m-api",
        "response": {"model": "v/m-0101", "choices": [choice], "usage": {"total_tokens": 3}},
    } | changes


def test_all_three_names_and_the_rest_of_the_answer_are_kept(tmp_path: Path) -> None:
    """The row's model is the identity."""
    found = load(write_lines(tmp_path, "a.jsonl", row(), row("Hello.")))
    (model,) = found.models
    first = found.replies[0]

    assert (model.id, model.requested, model.returned) == ("v/m", "v/m-api", "v/m-0101")
    assert (found.prompts[0].id, found.prompts[0].topic) == ("q1", "greetings")
    assert [(each.text, each.sample) for each in found.replies] == [("Hi.", 1), ("Hello.", 2)]
    assert first.extra["response"]["usage"] == {"total_tokens": 3}
    assert first.extra["response"]["choice"]["message"] == {"reasoning": "Hm"}
    assert first.version == "v/m-0101"


def test_errors_and_placeholders_are_flagged(tmp_path: Path) -> None:
    """An error in place of the answer, no answer at all, and a provider's word for none."""
    placeholder = {"choices": [{"message": {"content": "SAFETY"}}]}
    rows = [row(), row(response={"error": {"code": 1}}), row(response=None), row(response=placeholder)]
    found = load(write_lines(tmp_path, "a.jsonl", *rows))

    assert [each.flags for each in found.replies] == [[], ["error"], ["error"], ["placeholder"]]
    assert found.replies[1].extra["response"] == {"error": {"code": 1}}


def test_one_id_with_two_texts_is_two_prompts(tmp_path: Path) -> None:
    """Within a file and between files."""
    one = write_lines(tmp_path, "a.jsonl", row(), row(question="Di ciao"))
    two = write_lines(tmp_path, "b.jsonl", row(question="Dis salut"), row())

    assert sorted(each.text for each in load(one, two).prompts) == ["Di ciao", "Dis salut", "Say hi"]


def test_the_answer_may_be_the_row_itself(tmp_path: Path) -> None:
    """With what was asked beside it, or in the request that was kept."""
    answer = row()["response"]
    bare = load(
        write_lines(tmp_path, "a.jsonl", answer | {"prompt": "Say hi"}, answer | {"prompt": "Say hi"})
    )
    asked = {"request": {"messages": [{"role": "user", "content": "Say hi"}]}, "response": answer}
    sent = load(write_lines(tmp_path, "b.jsonl", asked, asked))

    assert [(each.prompts[0].text, each.models[0].id) for each in (bare, sent)] == [
        ("Say hi", "v/m-0101")
    ] * 2
    assert bare.replies[0].extra["usage"] == {"total_tokens": 3}


def test_a_row_without_an_answer_names_its_line(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="line 2: field response: expected a provider's answer"):
        load(write_lines(tmp_path, "a.jsonl", row(), {"question": "Say hi", "model": "m"}))


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"message": "no", "code": 502}, "user_id": "u"},
        {"id": "x", "choices": None, "error": {"code": 1}},
        {"id": "x", "choices": None},
        {"id": "x", "choices": []},
        {"choices": [{"error": {"code": 502}, "message": {"content": ""}, "finish_reason": "error"}]},
    ],
)
def test_what_a_router_sends_in_place_of_a_reply_is_an_error(answer: dict[str, Any], tmp_path: Path) -> None:
    """In the first row too."""
    good = {"model": "m", "choices": [{"message": {"content": "A."}, "finish_reason": "stop"}]}
    rows = [{"model": "m", "question": "Q?", "response": each} for each in (answer, good)]
    found = load(write_lines(tmp_path, "a.jsonl", *rows))

    assert [each.form for each in found.sources] == ["raw_completions"]
    assert [(each.text, each.flags) for each in found.replies] == [("", ["error"]), ("A.", [])]
