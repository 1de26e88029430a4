"""What `llm logs --json` prints: prompts and responses of the command line tool llm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.completion import Said, ending
from stylekl.results.readers.conversation import Asked
from stylekl.results.readers.recording import Recording, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "llm_logs"
describe = "`llm logs --json` (model, prompt, response, conversation_id, datetime_utc)"
_ROW = {"id", "model", "prompt", "response", "conversation_id", "datetime_utc"}
_USED = ("model", "prompt", "response", "system", "datetime_utc", "resolved_model")


def recognise(document: Document) -> bool:
    """Whether the first record is an entry of the log."""
    first = document.first
    return isinstance(first, dict) and first.keys() >= _ROW


def read(document: Document) -> Results:
    """Return a reply for each entry, with the time it was collected.

    A later prompt of a conversation is a prompt by itself; which conversation it is of stays under `extra`. Raises
    RecordError for a prompt or a model that is no text.
    """
    recording = Recording(document)
    for number, row in document.objects():
        entry(recording, number, row)
    return recording.done()


def entry(recording: Recording, number: int, row: dict[str, Any]) -> None:
    """Add the reply of one entry of a log. What was asked includes the fragments that the prompt does not hold."""
    text = None if row.get("response") is None else recording.text(number, row, "response")
    stop, flags = ending(text, None, "")
    version = row["resolved_model"] if isinstance(row.get("resolved_model"), str) else None
    bare = row.get("prompt") is None  # an image alone, or fragments
    recording.record(
        number,
        recording.model(recording.text(number, row, "model")),
        Asked(
            _with(row.get("prompt_fragments"), "" if bare else recording.text(number, row, "prompt")),
            _with(row.get("system_fragments"), row["system"] if isinstance(row.get("system"), str) else ""),
        ),
        Said(text or "", flags, stop, None, version),
        extra=kept(row, *_USED),
        collected=row["datetime_utc"] if isinstance(row.get("datetime_utc"), str) else None,
    )


def _with(fragments: Any, text: str) -> str:
    """Return a text behind its fragments, as llm sends them; newer logs hold them in the text already."""
    rows = fragments if isinstance(fragments, list) else []
    listed = [each.get("content") for each in rows if isinstance(each, dict)]
    # the JSON shows the beginning of a long one and three dots, and a system prompt is stripped
    missing = [
        each for each in listed if isinstance(each, str) and each.removesuffix("...").strip() not in text
    ]
    return "\n".join([*missing, text] if text else missing) if missing else text
