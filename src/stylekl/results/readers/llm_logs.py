"""What `llm logs --json` prints: prompts and responses of the command line tool llm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.results.readers.completion import Said, ending
from stylekl.results.readers.conversation import Asked
from stylekl.results.readers.recording import Recording, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "llm_logs"
describe = "`llm logs --json` (model, prompt, response, conversation_id, datetime_utc)"
_ROW = {"id", "model", "prompt", "response", "conversation_id", "datetime_utc"}


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
        system = row["system"] if isinstance(row.get("system"), str) else None
        text = None if row.get("response") is None else recording.text(number, row, "response")
        stop, flags = ending(text, None, "")
        version = row["resolved_model"] if isinstance(row.get("resolved_model"), str) else None
        reply = recording.record(
            number,
            recording.model(recording.text(number, row, "model")),
            Asked(recording.text(number, row, "prompt"), system),
            Said(text or "", flags, stop, None, version),
            extra=kept(row, "model", "prompt", "response", "system", "datetime_utc", "resolved_model"),
        )
        reply.collected = row["datetime_utc"] if isinstance(row.get("datetime_utc"), str) else None
    return recording.done()
