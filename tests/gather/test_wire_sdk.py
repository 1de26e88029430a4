"""The fixtures against the providers' own types: what we read out of a payload, their clients read out of it too.

The clients are tools of development and never used at run time. A fixture that is no payload of the provider whose
types these are says so under `not_the_sdk_type`.
"""

from __future__ import annotations

import json
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_type_hints

import pytest

from stylekl.gather.ask import Ask
from stylekl.gather.wire import WIRES
from tests.gather.wires import Case, cases, events, read, writer

if TYPE_CHECKING:
    from types import ModuleType

CLIENTS = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "anthropic": "anthropic",
    "gemini": "google.genai",
}
ASK = Ask("Name a soup.", system="Be brief.", examples=(("Hi.", "Hello."),), temperature=0.0, effort="low")


def client(wire: str, module: str = "types") -> ModuleType:
    name = CLIENTS[wire]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a client's own imports deprecate is not ours to mend
            return import_module(f"{name}.{module}")
    except ImportError:
        pytest.skip(f"{name} is not installed; the extra `dev` brings it")


def typical(suffix: str) -> list[Case]:
    return [
        case
        for case in cases(suffix)
        if "answer" in case.expected and "not_the_sdk_type" not in case.expected
    ]


def named(case: Case) -> str:
    return f"{case.wire}/{case.name}"


def parsed(kind: object, payload: dict[str, Any]) -> Any:
    adapter = import_module("pydantic").TypeAdapter(kind)
    return adapter.validate_python(payload)


@pytest.mark.parametrize("case", typical(".json"), ids=named)
def test_a_body_says_the_same_to_the_provider_s_client(case: Case) -> None:
    types = client(case.wire)
    body = json.loads(case.file(".json").read_text("utf-8"))
    answer = WIRES[case.wire].whole(body, case.writer)
    if case.wire == "openai-chat":
        theirs = parsed(import_module("openai.types.chat").ChatCompletion, body)
        choice = theirs.choices[0]
        said = (choice.message.content or "", choice.message.refusal)
        assert said == (answer.text, answer.refusal if answer.stop == "refusal" and said[1] else None)
        assert (answer.version or "").startswith(theirs.model)
    elif case.wire == "openai-responses":
        theirs = parsed(import_module("openai.types.responses").Response, body)
        assert (theirs.output_text, theirs.model) == (answer.text, answer.version)
    elif case.wire == "anthropic":
        theirs = parsed(types.Message, body)
        text = "".join(block.text for block in theirs.content if block.type == "text")
        assert (text, theirs.model, theirs.stop_reason) == (answer.text, answer.version, answer.stop_raw)
    else:
        theirs = parsed(types.GenerateContentResponse, body)
        assert (theirs.text or "", theirs.model_version) == (answer.text, answer.version)
        assert theirs.response_id == answer.request_id


@pytest.mark.parametrize("case", typical(".sse"), ids=named)
def test_a_stream_says_the_same_to_the_provider_s_client(case: Case) -> None:
    types = client(case.wire)
    raw = case.file(".sse").read_bytes()
    answer, _ = read(case, [raw])
    payloads = [json.loads(event.data) for event in events([raw]) if event.data not in ("", "[DONE]")]
    if case.wire == "openai-chat":
        kind = import_module("openai.types.chat").ChatCompletionChunk
        choices = [choice for payload in payloads for choice in parsed(kind, payload).choices]
        text = "".join(choice.delta.content or "" for choice in choices)
    elif case.wire == "openai-responses":
        kind = import_module("openai.types.responses").ResponseStreamEvent
        theirs = [parsed(kind, payload) for payload in payloads]
        last = theirs[-1]
        text = last.response.output_text if hasattr(last, "response") else ""
        text = text or "".join(event.delta for event in theirs if event.type == "response.output_text.delta")
    elif case.wire == "anthropic":
        told = [parsed(types.RawMessageStreamEvent, item) for item in payloads if item["type"] != "ping"]
        pieces = [getattr(event, "content_block", None) or getattr(event, "delta", None) for event in told]
        text = "".join(piece.text for piece in pieces if getattr(piece, "type", "") in ("text", "text_delta"))
    else:
        text = "".join(parsed(types.GenerateContentResponse, payload).text or "" for payload in payloads)
    assert text == answer.text


PARAMETERS = {
    "openai-chat": ("openai.types.chat.completion_create_params", "CompletionCreateParamsStreaming"),
    "openai-responses": ("openai.types.responses.response_create_params", "ResponseCreateParamsStreaming"),
    "anthropic": ("anthropic.types.message_create_params", "MessageCreateParamsStreaming"),
}
# Newer models reject it and the client has dropped it; older models take it, and it is sent only where declared.
LEFT_OUT = {"anthropic": {"temperature"}}


@pytest.mark.parametrize("wire", PARAMETERS)
@pytest.mark.parametrize("provider", ["example", "openai"])
def test_every_field_that_is_sent_is_one_that_the_provider_s_client_sends(wire: str, provider: str) -> None:
    client(wire)
    module, name = PARAMETERS[wire]
    known = get_type_hints(getattr(import_module(module), name))
    body = WIRES[wire].request(writer(wire, provider=provider), ASK, None).body

    assert set(body) - LEFT_OUT.get(wire, set()) <= set(known)
    if "output_config" in body:
        assert set(body["output_config"]) <= set(get_type_hints(client(wire).OutputConfigParam))


def test_gemini_s_fields_are_those_of_its_client() -> None:
    types = client("gemini")
    body = WIRES["gemini"].request(writer("gemini"), ASK, None).body
    config = parsed(types.GenerationConfig, body["generationConfig"])
    contents = [parsed(types.Content, content) for content in [*body["contents"], body["systemInstruction"]]]

    assert (config.max_output_tokens, config.temperature) == (2000, 0.0)
    assert config.thinking_config.thinking_level.value == "LOW"
    assert [content.role for content in contents] == ["user", "model", "user", None]
