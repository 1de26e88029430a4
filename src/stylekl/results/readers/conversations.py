"""Conversations of one model a row: ShareGPT, chat logs, and the newer answers of Arena-Hard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.cells import messages_in
from stylekl.results.readers.completion import Said, ending
from stylekl.results.readers.content import content_text
from stylekl.results.readers.conversation import Asked, is_talk, several_turns, speaker, talk
from stylekl.results.readers.recording import Recording, first_text, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "conversations"
describe = "conversations (conversations, conversation or messages with a user and an assistant)"
_TALKS = ("conversations", "conversation", "messages")
_MODELS = ("model", "model_id", "model_name")
_PEOPLE = ("hashed_ip",)  # whoever wrote a prompt is nobody's business here
_IDS = ("uid", "question_id", "prompt_id")


def recognise(document: Document) -> bool:
    """Whether the first record is a conversation of a user and an assistant."""
    first = document.first
    return isinstance(first, dict) and any(is_talk(_unpacked(first).get(key)) for key in _TALKS)


def read(document: Document) -> Results:
    """Return the turn of each conversation that is asked for, the first if none is, as a prompt and its reply.

    The other turns stay under `extra`, and so does what the messages say beside their text: `asked` for those of the
    prompt, `message` for the reply. A row that names no model is of the one that the file is named after. Raises
    RecordError for a row in which no user says anything.
    """
    recording = Recording(document)
    several = sum(_row(recording, number, _unpacked(row)) > 1 for number, row in document.objects())
    recording.results.warnings += several_turns(document.path, several, document.reading.turn)
    return recording.done()


def _unpacked(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the conversations in it as lists, where a table holds them as texts."""
    texts = {
        key: found for key in _TALKS if isinstance(row.get(key), str) and (found := messages_in(row[key]))
    }
    return row | texts if texts else row


def _row(recording: Recording, number: int, row: dict[str, Any]) -> int:
    """Add the reply of a row; return how many turns the conversation has."""
    key = next((each for each in _TALKS if isinstance(row.get(each), list)), None)
    found = None if key is None else talk(row[key], recording.document.reading.turn)
    if key is None or found is None:
        raise recording.document.fault(
            number, f"no conversation: expected a user in one of {', '.join(_TALKS)}"
        )
    stop, flags = ending(found.reply, row.get("finish_reason"), "")
    named = next((each for each in _MODELS if first_text(row, each)), None)
    extra = kept(row, key, named or key, *_PEOPLE)
    beside = _beside(row[key], found.rest)
    extra |= {"asked": beside} if any(beside) else {}
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
    return found.turns


def _beside(messages: list[Any], rest: list[Any]) -> list[dict[str, Any]]:
    """Return what each message of the prompt says beside its text."""
    others = {id(each) for each in rest}
    found = []
    for each in messages:
        if id(each) not in others and isinstance(each, dict) and speaker(each) != "assistant":
            own = kept(each, "role", "from", "content", "value", *_PEOPLE)
            content = each.get("content")
            parts = (
                [part for part in content if content_text(part) is None] if isinstance(content, list) else []
            )
            own |= {"parts": parts} if parts else {}
            found.append({key: value for key, value in own.items() if value is not None})
    return found
