"""Results of promptfoo, as one JSON object or one result a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stylekl.results.readers.completion import Said, ending
from stylekl.results.readers.conversation import asked
from stylekl.results.readers.recording import Recording, first_text, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "promptfoo"
describe = "promptfoo results (evalId and results, or provider, prompt.raw and response a line)"
_FAILED = 2  # the reason of a result without an output; 1 is an assertion that does not hold


def recognise(document: Document) -> bool:
    """Whether the file is a promptfoo evaluation, or its first record one of its results."""
    first = document.first
    if not isinstance(first, dict):
        return False
    whole = first.get("results")
    if document.kind == "object" and isinstance(whole, dict) and isinstance(whole.get("results"), list):
        return "evalId" in first or "config" in first
    return _is_result(first)


def read(document: Document) -> Results:
    """Return a reply for each result; one that the provider gave an error for is flagged "error".

    The model is the provider's label, else its id; the id is kept as the name requested. An output that is an object is
    its JSON. A result whose assertions failed is a reply like any other. Raises RecordError for one without a prompt or
    a provider.
    """
    recording = Recording(document)
    first = document.first
    if _is_result(first):
        for number, row in document.objects():
            _row(recording, number, row)
        return recording.done()
    whole = first["results"]
    for number, row in enumerate(whole["results"], 1):
        if not isinstance(row, dict):
            raise document.fault(number, "expected a result")
        _row(recording, number, row)
    about = kept(first, "results") | {"results": kept(whole, "results")}
    recording.results.unknown[f"promptfoo {first.get('evalId') or document.stem}"] = about
    return recording.done()


def _is_result(row: dict[str, Any]) -> bool:
    prompt = row.get("prompt")
    return "provider" in row and isinstance(prompt, dict) and "raw" in prompt


def _row(recording: Recording, number: int, row: dict[str, Any]) -> None:
    prompt, provider = row.get("prompt"), row.get("provider")
    raw = prompt.get("raw") if isinstance(prompt, dict) else None
    found = asked(raw)
    if found is None:
        raise recording.document.fault(number, "field prompt: expected an object with a text in raw")
    named = provider if isinstance(provider, str) else None
    requested = None
    if isinstance(provider, dict):
        named, requested = first_text(provider, "label", "id"), provider.get("id")
    if not named:
        raise recording.document.fault(number, "field provider: expected a name, or an object with an id")
    answer = row.get("response")
    response = answer if isinstance(answer, dict) else {}
    output = response.get("output")
    text = output if output is None or isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    failed = text is None and bool(
        response.get("error") or row.get("error") or row.get("failureReason") == _FAILED
    )
    stop, flags = ending(text, response.get("finishReason"), "", failed=failed)
    if response.get("isRefusal") is True and not flags:
        flags = ["refusal"]
    said = Said(text or "", flags, stop, first_text(response, "finishReason"))
    model = recording.asked(recording.model(named), requested)
    extra = kept(row, "response", "prompt", "provider") | {"response": kept(response, "output")}
    extra |= {"prompt": kept(prompt, "raw")} if isinstance(prompt, dict) else {}
    extra |= {"provider": kept(provider, "label")} if isinstance(provider, dict) else {}
    recording.record(number, model, found, said, extra=extra)
