"""The scenario state of a HELM run: every request with its completions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.completion import Said, ending
from stylekl.results.readers.content import content_text
from stylekl.results.readers.conversation import Asked, asked
from stylekl.results.readers.recording import Recording, first_text, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "helm"
describe = "HELM scenario states (adapter_spec, request_states)"


def recognise(document: Document) -> bool:
    """Whether the file is one object with the states of requests."""
    first = document.first
    return (
        document.kind == "object"
        and isinstance(first, dict)
        and isinstance(first.get("adapter_spec"), dict)
        and isinstance(first.get("request_states"), list)
    )


def read(document: Document) -> Results:
    """Return the completions of every request; one that failed is a reply flagged "error".

    The prompt is what was sent, with its examples; where that differs from the instance's own text in white space
    alone, it is the instance's. Raises RecordError for a state without a request or a model.
    """
    recording = Recording(document)
    spec = document.value["adapter_spec"]
    for number, state in enumerate(document.value["request_states"], 1):
        if not isinstance(state, dict):
            raise document.fault(1, f"request state {number}: expected an object")
        _state(recording, number, state, spec)
    recording.results.unknown[f"helm {document.value.get('run') or document.stem}"] = kept(
        document.value, "request_states"
    )
    return recording.done()


def _state(recording: Recording, number: int, state: dict[str, Any], spec: dict[str, Any]) -> None:
    request = _object(state, "request")
    found = _asked(state, request)
    named = first_text(request, "model") or first_text(spec, "model")
    if found is None or named is None:
        raise recording.document.fault(
            1, f"request state {number}: expected a request with a prompt and a model"
        )
    model = recording.asked(recording.model(named), request.get("model_deployment"))
    result = _object(state, "result")
    replies = result.get("completions")
    failed = result.get("success") is False or not isinstance(replies, list) or not replies
    extra = kept(state, "request", "result")
    extra |= {"request": kept(request, "prompt", "messages", "model")}
    extra |= {"result": kept(result, "completions")}
    for each in replies if isinstance(replies, list) and replies else [{}]:
        own = each if isinstance(each, dict) else {}
        reason = own.get("finish_reason")
        raw = reason.get("reason") if isinstance(reason, dict) else reason
        text = content_text(own.get("text"))
        stop, flags = ending(text, raw, "", failed=failed)
        said = Said(text or "", flags, stop, raw if isinstance(raw, str) else None)
        wanted = _object(state, "instance").get("id")
        recording.record(
            number, model, found, said, wanted=wanted, extra=extra | {"completion": kept(own, "text")}
        )


def _asked(state: dict[str, Any], request: dict[str, Any]) -> Asked | None:
    own = content_text(_object(state, "instance").get("input"))
    found = asked(request.get("messages") or request.get("prompt") or own)
    if found is not None and own is not None and found.prompt.strip() == own.strip():
        return Asked(own, found.system)
    return found


def _object(row: dict[str, Any], key: str) -> dict[str, Any]:
    value = row.get(key)
    return value if isinstance(value, dict) else {}
