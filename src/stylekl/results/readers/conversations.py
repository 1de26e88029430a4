"""Conversations of one model a row: ShareGPT, chat logs, and the newer answers of Arena-Hard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.completion import Said, ending
from stylekl.results.readers.conversation import Asked, is_talk, talk
from stylekl.results.readers.recording import Recording, first_text, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "conversations"
describe = "conversations (conversations, conversation or messages with a user and an assistant)"
_TALKS = ("conversations", "conversation", "messages")
_MODELS = ("model", "model_id", "model_name")
_IDS = ("uid", "question_id", "prompt_id")


def recognise(document: Document) -> bool:
    """Whether the first record is a conversation of a user and an assistant."""
    first = document.first
    return isinstance(first, dict) and any(is_talk(first.get(key)) for key in _TALKS)


def read(document: Document) -> Results:
    """Return the first turn of each conversation: what the user says is the prompt, what is answered the reply.

    The later turns stay under `extra`. A row that names no model is of the one that the file is named after. Raises
    RecordError for a row in which no user says anything.
    """
    recording = Recording(document)
    for number, row in document.objects():
        _row(recording, number, row)
    return recording.done()


def _row(recording: Recording, number: int, row: dict[str, Any]) -> None:
    key = next((each for each in _TALKS if isinstance(row.get(each), list)), None)
    found = None if key is None else talk(row[key])
    if key is None or found is None:
        raise recording.document.fault(
            number, f"no conversation: expected a user in one of {', '.join(_TALKS)}"
        )
    stop, flags = ending(found.reply, row.get("finish_reason"), "")
    named = next((each for each in _MODELS if first_text(row, each)), None)
    extra = kept(row, key, named or key)
    extra |= {"message": found.message} if found.message else {}
    extra |= {"turns": found.rest} if found.rest else {}
    recording.record(
        number,
        recording.model(row[named] if named else recording.document.stem),
        Asked(found.prompt, found.system),
        Said(found.reply or "", flags, stop),
        wanted=next((row[each] for each in _IDS if isinstance(row.get(each), str | int)), None),
        topic=row.get("category"),
        extra=extra,
    )
