"""The raw answer of a provider: chat completions, text completions, responses and messages, or the error instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from stylekl.results.readers.content import content_text

_STOPS = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "eos": "stop",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "content_filter": "filter",
    "safety": "filter",
    "refusal": "refusal",
    "tool_calls": "tool",
    "tool_use": "tool",
    "function_call": "tool",
}
_VERSIONS = ("model", "modelVersion")
_GEMINI = {"modelVersion", "usageMetadata", "promptFeedback"}
_TEXT = ("type", "text", "answer", "content", "value", "parts")  # where a part of a content has its text
_FLAGS = {"length": "truncated", "filter": "filtered", "refusal": "refusal"}
PLACEHOLDERS = (
    "SAFETY",
    "RECITATION",
    "PROHIBITED_CONTENT",
    "BLOCKLIST",
)  # what a router wrote for no content


@dataclass(frozen=True, slots=True)
class Said:
    """One reply: its text ("" where there is none), flags and end, and in `rest` all else that the answer says.

    `stop` is one of our words, `stop_raw` the provider's own; `model` is the name that the provider returned.
    """

    text: str
    flags: list[str] = field(default_factory=list)
    stop: str | None = None
    stop_raw: str | None = None
    model: str | None = None
    rest: dict[str, Any] = field(default_factory=dict)


def is_completion(value: Any) -> bool:
    """Whether a value is an answer of a provider, or the error that came in its place."""
    if not isinstance(value, dict):
        return False
    if _kind(value) is not None:
        return True
    return isinstance(value.get("error"), dict) and "output" not in value


def completions(value: Any) -> list[Said]:
    """Return the replies that an answer holds, one for each choice; one flagged "error" where it holds none."""
    if not isinstance(value, dict):
        return [Said("", ["error"], rest={} if value is None else {"body": value})]
    kind = _kind(value)
    version = next((value[key] for key in _VERSIONS if isinstance(value.get(key), str)), None)
    if kind == "choices":
        choices = [choice for choice in value["choices"] if isinstance(choice, dict)]
        body = {key: item for key, item in value.items() if key not in ("choices", "model")}
        if choices:
            return [_choice(choice, version, body) for choice in choices]
    if kind == "output":
        messages = [
            each for each in value["output"] if isinstance(each, dict) and each.get("type") == "message"
        ]
        others = [_beside(each) if each in messages else each for each in value["output"]]
        body = {key: item for key, item in value.items() if key not in ("output", "model")}
        if others := [each for each in others if each]:
            body["output"] = others
        text = content_text([each.get("content") for each in messages])
        if text is None and (refused := _refusal(messages)) is not None:
            return [Said(refused, ["refusal"], "refusal", None, version, body)]
        reason = value.get("incomplete_details")
        raw = reason.get("reason") if isinstance(reason, dict) else value.get("status")
        return [_said(text, raw, None, version, body, failed=bool(value.get("error")))]
    if kind == "message":
        body = {key: item for key, item in value.items() if key not in ("content", "model")}
        if silent := _silent(value["content"]):
            body["content"] = silent
        return [_said(content_text(value["content"]), value.get("stop_reason"), None, version, body)]
    if kind == "candidates":
        body = {key: item for key, item in value.items() if key not in ("candidates", "modelVersion")}
        if found := [
            _candidate(each, version, body) for each in value["candidates"] if isinstance(each, dict)
        ]:
            return found
    return [Said("", ["error"], model=version, rest={k: v for k, v in value.items() if k != "model"})]


def ending(
    text: str | None, raw: Any, native: Any = None, *, failed: bool = False
) -> tuple[str | None, list[str]]:
    """Return why a reply ended, in our words, and the flags that follow from that and from its text."""
    stop = _STOPS.get(raw.lower(), "other") if isinstance(raw, str) else None
    if failed or raw == "error":
        return stop, ["error"]
    if raw is None and native is None and text in PLACEHOLDERS:
        return None, ["placeholder"]
    if text is None and stop not in _FLAGS:
        return stop, ["empty"]
    return stop, [_FLAGS[stop]] if stop in _FLAGS else []


def _kind(value: dict[str, Any]) -> str | None:
    if isinstance(value.get("choices"), list):
        return "choices"
    if "choices" in value and value["choices"] is None:
        return "none"  # a router's answer without one
    if isinstance(value.get("candidates"), list) and not _GEMINI.isdisjoint(value):
        return "candidates"
    if isinstance(value.get("output"), list) and (value.get("object") == "response" or "status" in value):
        return "output"
    if value.get("type") == "message" and isinstance(value.get("content"), list):
        return "message"
    return None


def _beside(message: dict[str, Any]) -> dict[str, Any]:
    """Return what a message says beside its text."""
    own = {key: item for key, item in message.items() if key != "content"}
    content = message.get("content")
    silent = _silent(content if isinstance(content, list) else [content])
    return own | ({"content": silent} if silent else {})


def _silent(parts: list[Any]) -> list[Any]:
    """Return what the parts of a content say beside their text, other kinds of part whole."""
    found: list[Any] = []
    for part in parts:
        if isinstance(part, dict) and content_text(part) is not None:
            if rest := {key: item for key, item in part.items() if key not in _TEXT and item}:
                found.append(rest)
        elif part is not None and not isinstance(part, str):
            found.append(part)
    return found


def _refusal(messages: list[dict[str, Any]]) -> str | None:
    """Return the words of a refusal in the contents of messages."""
    parts = [part for each in messages if isinstance(each.get("content"), list) for part in each["content"]]
    found = [part.get("refusal") for part in parts if isinstance(part, dict)]
    return next((text for text in found if isinstance(text, str) and text), None)


def _candidate(candidate: dict[str, Any], version: str | None, body: dict[str, Any]) -> Said:
    content = candidate.get("content")
    given = content.get("parts") if isinstance(content, dict) else None
    parts = given if isinstance(given, list) else []
    thoughts = [part for part in parts if isinstance(part, dict) and part.get("thought")]
    own = {key: item for key, item in candidate.items() if key != "content"}
    own |= {"thoughts": thoughts} if thoughts else {}
    text = content_text([part for part in parts if part not in thoughts])
    return _said(text, candidate.get("finishReason"), None, version, body | {"candidate": own})


def _choice(choice: dict[str, Any], version: str | None, body: dict[str, Any]) -> Said:
    message = choice.get("message")
    own = {key: item for key, item in choice.items() if key not in ("message", "text")}
    if isinstance(message, dict):
        text = content_text(message.get("content"))
        kept = message if text is None else _beside(message)
        own |= {"message": kept} if kept else {}
        if text is None and isinstance(message.get("refusal"), str) and message["refusal"]:
            return Said(
                message["refusal"], ["refusal"], "refusal", _word(choice), version, body | {"choice": own}
            )
    else:
        text = content_text(choice.get("text"))
    native = choice.get("native_finish_reason")
    reason = choice.get("finish_reason")
    reason = choice.get("stop_reason") if reason is None else reason
    return _said(text, reason, native, version, body | {"choice": own}, failed=bool(choice.get("error")))


def _word(choice: dict[str, Any]) -> str | None:
    raw = choice.get("native_finish_reason") or choice.get("finish_reason") or choice.get("stop_reason")
    return raw if isinstance(raw, str) else None


def _said(
    text: str | None,
    raw: Any,
    native: Any,
    version: str | None,
    rest: dict[str, Any],
    *,
    failed: bool = False,
) -> Said:
    stop, flags = ending(text, raw, native, failed=failed)
    word = native if isinstance(native, str) else raw if isinstance(raw, str) else None
    return Said(text or "", flags, stop, word, version, rest)
