"""Answers of MT-bench and the benchmarks made after it: an id of a question, a model, and choices with their turns."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stylekl.results.readers.completion import Said, ending
from stylekl.results.readers.content import content_text
from stylekl.results.readers.conversation import Asked, several_turns, talk
from stylekl.results.readers.questions import Question, find_questions
from stylekl.results.readers.recording import Recording, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.reading import Turn
    from stylekl.results.records import Results

name = "model_answers"
describe = "answers of MT-bench or Arena-Hard (question_id, model_id, choices with turns)"


def recognise(document: Document) -> bool:
    """Whether the first record has a question, a model and choices of turns."""
    first = document.first
    if not isinstance(first, dict) or not {"question_id", "model_id", "choices"} <= first.keys():
        return False
    choices = first["choices"]
    return isinstance(choices, list) and all(isinstance(each, dict) and "turns" in each for each in choices)


def read(document: Document) -> Results:
    """Return a turn of each choice as a reply, the first unless `document.reading` says otherwise.

    The prompt is what was asked in that turn; the other turns stay under `extra`.
    The prompts are those of the questions beside (`find_questions`). One that is not there is called by its id and the
    folder of the answers, with a warning, so that it meets no prompt of another set. Raises RecordError for a field
    that is missing or of another kind.
    """
    recording = Recording(document)
    questions = find_questions(document)
    folder = _set(document)
    unknown = set()
    several = 0
    for number, row in document.objects():
        wanted = row.get("question_id")
        if not isinstance(wanted, str | int) or isinstance(wanted, bool):
            raise document.fault(number, "field question_id: expected text or a whole number")
        question = questions.get(str(wanted))
        if question is None:
            unknown.add(wanted)
        asked = question or _unnamed(folder, wanted)
        several += _row(recording, number, row, asked) > 1
    if len(recording.results.models) == 1:
        recording.results.models[0].also(document.stem)  # often the name with its slash written otherwise
    recording.results.warnings += several_turns(document.path, several, document.reading.turn)
    if unknown:
        recording.results.warnings.append(
            f"{document.path}: the text of {len(unknown)} questions is not known: no question.jsonl has it"
        )
    return recording.done()


def _row(recording: Recording, number: int, row: dict[str, Any], question: Question) -> int:
    """Add the replies of a row; return how many turns they have at most."""
    document = recording.document
    most = 0
    model = recording.model(recording.text(number, row, "model_id"))
    choices = row.get("choices")
    if not isinstance(choices, list) or not choices:
        raise document.fault(number, "field choices: expected a list of choices")
    for choice in choices:
        turns = choice.get("turns") if isinstance(choice, dict) else None
        if not isinstance(turns, list):
            raise document.fault(number, "field turns: expected a list of turns")
        most = max(most, len(turns))
        found = talk(_messages(question.turns[: len(turns) or 1], turns), document.reading.turn)
        text = None if found is None else found.reply
        extra = kept(row, "question_id", "model_id", "choices") | {"choice": kept(choice, "turns")}
        extra |= {"turn": found.message} if found and found.message else {}
        others = _others(turns, document.reading.turn) if len(turns) > 1 else []
        extra |= {"turns": others} if others else {}
        if text is None:
            extra["turns"] = turns
        stop, flags = ending(text, choice.get("finish_reason"), "")
        said = Said(text or "", flags, stop)
        recording.record(
            number,
            model,
            Asked(question.turns[0] if found is None else found.prompt),
            said,
            wanted=row["question_id"],
            topic=question.topic,
            extra=extra,
        )
    return most


def _messages(asked: list[str], turns: list[Any]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for number, (question, turn) in enumerate(zip_longest(asked, turns), 1):
        own = kept(turn, "content", "role") if isinstance(turn, dict) else {}
        messages.append(
            {"role": "user", "content": f"{asked[0]} turn {number}" if question is None else question}
        )
        messages.append(own | {"role": "assistant", "content": content_text(turn)})
    return messages


def _others(turns: list[Any], turn: Turn | None) -> list[Any]:
    """Return the turns that are not the reply; where all are, what they say beside their text."""
    if turn == "all":
        return [rest for each in turns if isinstance(each, dict) and (rest := kept(each, "content", "role"))]
    return turns[:-1] if turn == "last" else turns[1:]


def _set(document: Document) -> str:
    """Return the name of the folder whose answers these are: the one above `model_answer`, else the file's own."""
    parts = Path(document.path).absolute().parent.parts
    at = max((place for place, part in enumerate(parts) if part.startswith("model_answer")), default=0)
    return parts[at - 1] if at else parts[-1]


def _unnamed(folder: str, wanted: str | int) -> Question:
    return Question([f"[question {wanted} of {folder}]"])
