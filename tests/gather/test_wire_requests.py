"""What is sent: the same conditions for every provider, no nulls, and the key in a header alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.gather.ask import Ask, Request
from stylekl.gather.wire import WIRES
from stylekl.gather.wire.building import endpoint
from tests.gather.wires import writer

KEY = "sk-planted-0123456789abcdef"
PLAIN = Ask("Name a soup.\n\nReply in 30 words or fewer.", max_output_tokens=1024)
FULL = Ask(
    "Name a soup.",
    system="Soup is a drink.",
    examples=(("Name a bread.", "Rye."), ("Name a tea.", "")),
    max_output_tokens=2000,
    temperature=0.0,
    effort="low",
)
ASKS = st.builds(
    Ask,
    user=st.text(),
    system=st.none() | st.text(),
    examples=st.lists(st.tuples(st.text(), st.text()), max_size=2).map(tuple),
    max_output_tokens=st.integers(1, 9999),
    temperature=st.none() | st.floats(0, 2),
    effort=st.none() | st.sampled_from(["low", "high"]),
)


def request(wire: str, ask: Ask, key: str | None = KEY, **fields: object) -> Request:
    return WIRES[wire].request(writer(wire, **fields), ask, key)


def test_openai_chat_sends_the_prompt_the_cap_and_nothing_else() -> None:
    assert {
        "model": "smollm2-plain",
        "messages": [{"role": "user", "content": PLAIN.user}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 1024,
    } == request("openai-chat", PLAIN).body


def test_openai_chat_sends_a_declared_protocol_and_the_turns_in_order() -> None:
    body = request("openai-chat", FULL).body

    assert body["messages"] == [
        {"role": "system", "content": "Soup is a drink."},
        {"role": "user", "content": "Name a bread."},
        {"role": "assistant", "content": "Rye."},
        {"role": "user", "content": "Name a tea."},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "Name a soup."},
    ]
    assert (body["temperature"], body["reasoning_effort"]) == (0.0, "low")


def test_openai_responses_sends_the_prompt_the_cap_and_nothing_else() -> None:
    assert {
        "model": "smollm2-plain",
        "input": [{"type": "message", "role": "user", "content": PLAIN.user}],
        "max_output_tokens": 1024,
        "stream": True,
    } == request("openai-responses", PLAIN).body


def test_openai_responses_sends_system_as_instructions_and_effort_in_an_object() -> None:
    body = request("openai-responses", FULL).body

    assert (
        body["instructions"],
        body["temperature"],
        body["reasoning"],
    ) == ("Soup is a drink.", 0.0, {"effort": "low"})
    assert [turn["role"] for turn in body["input"]] == ["user", "assistant", "user", "assistant", "user"]


def test_anthropic_sends_the_prompt_the_cap_it_requires_and_nothing_else() -> None:
    sent = request("anthropic", PLAIN)

    assert {
        "model": "smollm2-plain",
        "messages": [{"role": "user", "content": PLAIN.user}],
        "max_tokens": 1024,
        "stream": True,
    } == sent.body
    assert sent.headers["anthropic-version"] == "2023-06-01"


def test_anthropic_sends_system_beside_the_turns_and_effort_in_an_object() -> None:
    body = request("anthropic", FULL).body

    assert (body["system"], body["output_config"]) == ("Soup is a drink.", {"effort": "low"})
    assert {"user", "assistant"} == {turn["role"] for turn in body["messages"]}


def test_gemini_sends_the_prompt_the_cap_and_nothing_else() -> None:
    assert {
        "contents": [{"role": "user", "parts": [{"text": PLAIN.user}]}],
        "generationConfig": {"maxOutputTokens": 1024},
    } == request("gemini", PLAIN).body


def test_gemini_calls_the_assistant_model_and_effort_a_level() -> None:
    body = request("gemini", FULL).body

    assert [turn["role"] for turn in body["contents"]] == ["user", "model", "user", "model", "user"]
    assert body["systemInstruction"] == {"parts": [{"text": "Soup is a drink."}]}
    assert body["generationConfig"] == {
        "maxOutputTokens": 2000,
        "temperature": 0.0,
        "thinkingConfig": {"thinkingLevel": "LOW"},
    }


@pytest.mark.parametrize(
    ("wire", "url"),
    [
        ("openai-chat", "https://api.example.com/v1/chat/completions"),
        ("openai-responses", "https://api.example.com/v1/responses"),
        ("anthropic", "https://api.example.com/v1/messages"),
        ("gemini", "https://api.example.com/v1/models/smollm2-plain:streamGenerateContent?alt=sse"),
    ],
)
def test_the_path_follows_the_base_address(wire: str, url: str) -> None:
    assert url == request(wire, PLAIN).url
    assert url == request(wire, PLAIN, base_url="https://api.example.com/v1/").url


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("http://127.0.0.1:8080", "messages", "http://127.0.0.1:8080/v1/messages"),
        ("http://127.0.0.1:8080/", "messages", "http://127.0.0.1:8080/v1/messages"),
        ("http://[::1]:8080/api/", "messages", "http://[::1]:8080/api/messages"),
        ("https://h/d?api-version=3", "chat", "https://h/d/chat?api-version=3"),
        ("https://h/d?api-version=3#x", "go?alt=sse", "https://h/d/go?api-version=3&alt=sse"),
    ],
)
def test_a_version_is_added_only_where_the_base_address_has_no_path(base: str, path: str, url: str) -> None:
    assert url == endpoint(base, "v1", path)


def test_gemini_has_a_version_of_its_own_and_takes_a_full_name_of_a_model() -> None:
    sent = request("gemini", PLAIN, base_url="https://g.example.com", requested="tunedModels/a b")

    assert sent.url == "https://g.example.com/v1beta/tunedModels/a%20b:streamGenerateContent?alt=sse"


@pytest.mark.parametrize("wire", WIRES)
def test_the_key_stands_in_the_headers_and_nowhere_else(wire: str) -> None:
    sent = request(wire, FULL)

    assert [value.removeprefix("Bearer ") for value in sent.headers.values()].count(KEY) == 1
    assert KEY not in sent.url + json.dumps(sent.body)
    assert KEY not in repr(sent)


@pytest.mark.parametrize("wire", WIRES)
def test_a_server_without_a_key_gets_no_header_for_one(wire: str) -> None:
    sent = request(wire, PLAIN, key=None)

    assert not {"authorization", "x-api-key", "x-goog-api-key"} & set(sent.headers)


@pytest.mark.parametrize("wire", WIRES)
def test_headers_of_the_quirks_are_sent_and_replace_ours_but_never_the_key(wire: str) -> None:
    quirks = {
        "headers": {
            "X-Title": "stylekl",
            "Accept": "a/b",
            "Authorization": "x",
            "x-api-key": "x",
            "x-goog-api-key": "x",
        }
    }
    sent = request(wire, PLAIN, quirks=quirks)

    assert (sent.headers["x-title"], sent.headers["accept"]) == ("stylekl", "a/b")
    assert any(KEY in value for value in sent.headers.values())


@pytest.mark.parametrize("wire", WIRES)
@given(ask=ASKS)
def test_nothing_is_ever_sent_as_null_and_every_text_arrives_as_it_is(wire: str, ask: Ask) -> None:
    body = request(wire, ask).body
    texts: list[object] = []

    def walk(value: object) -> None:
        assert value is not None
        if isinstance(value, dict):
            for item in value.values():
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)
        else:
            texts.append(value)

    walk(dict(body))
    for text in (ask.user, ask.system, *(part for turn in ask.examples for part in turn)):
        assert text is None or text in texts


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_asked_comes_from_the_ask_and_not_from_the_writer(wire: str) -> None:
    own = {"system": "Own.", "examples": (("a", "b"),), "temperature": 1.0, "effort": "high"}

    assert request(wire, PLAIN).body == request(wire, PLAIN, **own).body


@pytest.mark.parametrize(
    ("provider", "quirks", "field"),
    [
        ("example", {}, "max_tokens"),
        ("openai", {}, "max_completion_tokens"),
        ("OpenAI", {}, "max_completion_tokens"),
        ("openai", {"max_tokens_field": "max_tokens"}, "max_tokens"),
        ("example", {"max_tokens_field": "max_completion_tokens"}, "max_completion_tokens"),
    ],
)
def test_the_cap_has_the_name_that_the_provider_takes(
    provider: str, quirks: dict[str, str], field: str
) -> None:
    body = request("openai-chat", PLAIN, provider=provider, quirks=quirks).body

    assert {field: 1024} == {name: value for name, value in body.items() if name.startswith("max_")}


@pytest.mark.parametrize(
    ("provider", "quirks"), [("mistral", {}), ("example", {"stream_usage": False})], ids=["known", "own"]
)
def test_stream_options_are_left_out_where_they_are_rejected(provider: str, quirks: dict[str, bool]) -> None:
    assert "stream_options" not in request("openai-chat", PLAIN, provider=provider, quirks=quirks).body
