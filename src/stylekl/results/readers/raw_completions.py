"""Rows with the raw answer of a provider in them, as SpeechMap and many scripts keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.completion import completions, is_completion
from stylekl.results.readers.conversation import Asked, asked
from stylekl.results.readers.recording import Recording, first_text, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "raw_completions"
describe = "rows with a prompt and a provider's raw answer (response.choices[].message)"
_ANSWERS = ("response", "completion", "raw_response", "raw", "body", "output", "result")
_ASKED = ("question", "prompt", "instruction", "input", "messages")
_REQUESTS = ("request", "body", "params", "kwargs")
_IDS = ("question_id", "prompt_id", "custom_id")


def recognise(document: Document) -> bool:
    """Whether the first record holds a provider's answer, or is one, and what was asked."""
    first = document.first
    return isinstance(first, dict) and _answer(first) is not None and _asked(first) is not None


def read(document: Document) -> Results:
    """Return the replies, one for each choice, with the rest of the answer under `extra`.

    The model is the row's, else the one that answered; the name that was sent (`api_model`) and the one that came back
    are kept beside it. Raises RecordError for a row without an answer, a prompt or a model.
    """
    recording = Recording(document)
    for number, row in document.objects():
        _row(recording, number, row)
    return recording.done()


def _row(recording: Recording, number: int, row: dict[str, Any]) -> None:
    document = recording.document
    key = _answer(row)
    if key is None and (row.get("error") or ("response" in row and row["response"] is None)):
        key = "response"  # a request that failed: there is no answer
    if key is None:
        raise document.fault(number, "field response: expected a provider's answer, found none")
    found = _asked(row)
    if found is None:
        raise document.fault(number, f"no prompt: expected one of {', '.join(_ASKED)}")
    said = completions(row.get(key) if key else row)
    named = first_text(row, "model", "model_id", "api_model") or said[0].model
    if named is None:
        raise document.fault(number, "no model: expected one in the row or in the answer")
    model = recording.asked(recording.model(named), row.get("api_model") or row.get("model_requested"))
    field, question = found
    wanted = next((row[each] for each in _IDS if isinstance(row.get(each), str | int)), None)
    extra = (
        kept(row, key, "model", field, "category" if isinstance(row.get("category"), str) else "")
        if key
        else {}
    )
    for each in said:
        nested = {key: each.rest} if key else kept(each.rest, field)
        recording.record(
            number,
            model,
            question,
            each,
            wanted=wanted,
            topic=row.get("category"),
            extra=extra | {name: value for name, value in nested.items() if value},
        )


def _answer(row: dict[str, Any]) -> str | None:
    """Return the field with the answer, "" where the row itself is one, null where there is none."""
    found = next((key for key in _ANSWERS if is_completion(row.get(key))), None)
    choices = row.get("choices")
    if found is None and isinstance(choices, list):
        return "" if any(isinstance(each, dict) and "message" in each for each in choices) else None
    return found


def _asked(row: dict[str, Any]) -> tuple[str, Asked] | None:
    for key in _ASKED:
        if row.get(key) and (found := asked(row[key])) is not None:
            return key, found
    for key in _REQUESTS:
        request = row.get(key)
        if (
            isinstance(request, dict)
            and (found := asked(request.get("messages", request.get("input")))) is not None
        ):
            return key, found
    return None
