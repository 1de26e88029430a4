"""The shared extractors: a provider's answer, the content of a message, a conversation."""

from __future__ import annotations

from typing import Any

import pytest

from stylekl.results.readers.completion import completions, is_completion
from stylekl.results.readers.content import content_text
from stylekl.results.readers.conversation import Asked, asked, talk


def chat(content: Any, reason: str | None = "stop", **message: Any) -> dict[str, Any]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content} | message,
        "finish_reason": reason,
    }
    return {"model": "v/m-1", "choices": [choice], "usage": {"completion_tokens": 3}}


@pytest.mark.parametrize(
    ("answer", "text", "flags", "stop"),
    [
        (chat("Hi."), "Hi.", [], "stop"),
        (chat([{"type": "text", "text": "Hi"}, {"type": "text", "text": "."}]), "Hi.", [], "stop"),
        (chat("Cut", "length"), "Cut", ["truncated"], "length"),
        (chat("Cut", "content_filter"), "Cut", ["filtered"], "filter"),
        (chat(None), "", ["empty"], "stop"),
        (chat(None, refusal="No."), "No.", ["refusal"], "refusal"),
        (chat("SAFETY", None), "SAFETY", ["placeholder"], None),
        (chat("SAFETY"), "SAFETY", [], "stop"),
        (chat("Half a", "error"), "Half a", ["error"], "other"),
        (chat("Fine", None), "Fine", [], None),
        ({"choices": [{"text": "Old.", "finish_reason": "stop"}]}, "Old.", [], "stop"),
        ({"choices": []}, "", ["error"], None),
        ({"error": {"message": "no"}}, "", ["error"], None),
        (None, "", ["error"], None),
        (
            {
                "object": "response",
                "status": "completed",
                "output": [
                    {"type": "reasoning", "summary": []},
                    {"type": "message", "content": [{"type": "output_text", "text": "New."}]},
                ],
            },
            "New.",
            [],
            "stop",
        ),
        (
            {
                "type": "message",
                "stop_reason": "end_turn",
                "content": [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Ours."}],
            },
            "Ours.",
            [],
            "stop",
        ),
    ],
)
def test_an_answer_gives_its_text_its_flags_and_its_end(
    answer: Any, text: str, flags: list[str], stop: str | None
) -> None:
    """In each of the wire formats, and where a provider gave no text."""
    (said,) = completions(answer)

    assert (said.text, said.flags, said.stop) == (text, flags, stop)


def test_what_is_no_text_is_kept() -> None:
    """Reasoning, usage and the provider's own word for the end."""
    answer = chat("Hi.", reasoning="Hm")
    answer["choices"][0]["native_finish_reason"] = "end"
    (said,) = completions(answer)

    assert said.model == "v/m-1"
    assert said.stop_raw == "end"
    assert said.rest["usage"] == {"completion_tokens": 3}
    assert said.rest["choice"]["message"] == {"role": "assistant", "reasoning": "Hm"}


def test_each_choice_is_a_reply() -> None:
    """An answer with several choices holds several samples."""
    both = chat("One.")["choices"] + chat("Two.")["choices"]

    assert [said.text for said in completions({"choices": both})] == ["One.", "Two."]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"choices": []}, True),
        ({"error": {"code": 1}}, True),
        ({"output": "text"}, False),
        ("text", False),
        ({"error": "x", "output": "y"}, False),
    ],
)
def test_an_answer_is_told_from_other_objects(value: Any, expected: bool) -> None:
    assert is_completion(value) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", "a"),
        ({"answer": "a"}, "a"),
        ({"content": [{"text": "a"}]}, "a"),
        (["a", "b"], "ab"),
        ([{"type": "image", "image": "x"}, {"type": "text", "text": "a"}], "a"),
        ([{"type": "reasoning", "text": "a"}], None),
        ([], None),
        (None, None),
        (3, None),
        ([[[[["a"]]]]], None),
    ],
)
def test_a_content_gives_its_text(value: Any, expected: str | None) -> None:
    assert content_text(value) == expected


def test_one_question_is_the_prompt_and_several_messages_keep_their_speakers() -> None:
    """Few-shot examples are part of what was asked; a system prompt is not."""
    system, one, answer = (
        {"role": "system", "content": "S"},
        {"role": "user", "content": "U"},
        {"role": "assistant", "content": "A"},
    )

    assert asked("U") == Asked("U")
    assert asked([system, one]) == Asked("U", "S")
    assert asked('[{"role": "user", "content": "U"}]') == Asked("U")
    assert asked("[1, 2]") == Asked("[1, 2]")
    assert asked([one, answer, one]) == Asked("user: U\n\nassistant: A\n\nuser: U")
    assert asked([system]) is None
    assert asked(None) is None


def test_a_turn_of_a_conversation_can_be_chosen() -> None:
    """The first, the last, or all; what is not in them is kept."""
    messages = [
        {"from": "system", "value": "S"},
        {"from": "human", "value": "1"},
        {"from": "gpt", "value": "one"},
        {"from": "human", "value": "2"},
        {"from": "gpt", "value": "two"},
    ]
    found = {turn: talk(messages, turn) for turn in ("first", "last", "all")}
    seen = {
        turn: each and (each.prompt, each.reply, each.system, len(each.rest)) for turn, each in found.items()
    }

    assert seen == {
        "first": ("1", "one", "S", 2),
        "last": ("2", "two", "S", 2),
        "all": ("1\n\n2", "one\n\ntwo", "S", 0),
    }
    assert talk(messages[:1]) is None


PICTURE = {"type": "image_url", "image_url": {"url": "data:,x"}}


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        (chat([{"type": "text", "text": "Hi."}, PICTURE]), ("choice", "message", "content")),
        ({"type": "message", "content": [{"type": "text", "text": "Hi."}, PICTURE]}, ("content",)),
        (
            {"status": "completed", "output": [
                {"type": "message", "content": [{"type": "output_text", "text": "Hi."}, PICTURE]}]},
            ("output", 0, "content"),
        ),
    ],
    ids=["chat", "message", "output"],
)  # fmt: skip
def test_parts_that_are_no_text_are_kept(answer: dict[str, Any], path: tuple[Any, ...]) -> None:
    """What the reply has no place for stays in the rest of the answer."""
    (said,) = completions(answer)
    found: Any = said.rest
    for key in path:
        found = found[key]

    assert said.text == "Hi."
    assert found == [PICTURE]


def test_what_a_message_says_beside_its_text_is_kept() -> None:
    part = {"type": "output_text", "text": "Hi.", "annotations": [{"url": "u"}], "logprobs": []}
    (said,) = completions(
        {"status": "completed", "output": [{"type": "message", "id": "m1", "content": [part]}]}
    )

    assert said.rest["output"] == [
        {"type": "message", "id": "m1", "content": [{"annotations": [{"url": "u"}]}]}
    ]
