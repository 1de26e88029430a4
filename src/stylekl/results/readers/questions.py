"""Files of questions, as benchmarks keep them beside the answers: an id and what is asked, in one turn or several."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stylekl.results.readers import beside
from stylekl.results.readers.building import Building
from stylekl.results.readers.content import content_text

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.reading import Turn
    from stylekl.results.records import Prompt, Results

name = "questions"
describe = "questions (question_id, uid or id, and turns, prompt or question)"
_IDS = ("question_id", "uid", "id")
_ASKED = ("turns", "prompt", "question")
_ANSWERED = (
    "model",
    "model_id",
    "models",
    "response",
    "output",
    "choices",
    "answer",
    "results",
    "completion",
)
_LEVELS = 3  # a folder of answers may have a folder for each model


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, turn by turn, and the category."""

    turns: list[str]
    topic: str | None = None


def recognise(document: Document) -> bool:
    """Whether the first record has an id and a question, and nothing that answers it."""
    first = document.first
    return (
        isinstance(first, dict)
        and (document.kind in ("lines", "array") or (document.kind == "object" and "question_id" in first))
        and _question(first) is not None
        and not any(key in first for key in _ANSWERED)
    )


def read(document: Document) -> Results:
    """Return the questions as prompts, under the text of the turn that is read of answers too, and no reply.

    The other turns and fields (references and the like) are kept under the prompt's `question`. Raises RecordError for
    a row without an id or a question.
    """
    building = Building(document)
    for number, row in document.objects():
        found = _question(row)
        if found is None:
            raise document.fault(number, f"expected one of {', '.join(_IDS)} and one of {', '.join(_ASKED)}")
        prompt = building.prompt(_said(found[1].turns, document.reading.turn), found[0], found[1].topic)
        if rest := _rest(row, found[1], prompt):
            prompt.unknown.setdefault("question", rest)
    return building.results


def _rest(row: dict[str, Any], question: Question, prompt: Prompt) -> dict[str, Any]:
    """Return what a row says that the prompt does not: all its turns where there are several, and other fields."""
    asked = next(key for key in _ASKED if key in row)
    used = {asked} if len(question.turns) == 1 else set()
    used |= {key for key in ("category", *_IDS) if str(row.get(key)) in (prompt.topic, prompt.id)}
    return {key: value for key, value in row.items() if key not in used}


def _said(turns: list[str], turn: Turn | None) -> str:
    return "\n\n".join(turns) if turn == "all" else turns[-1] if turn == "last" else turns[0]


def find_questions(document: Document) -> dict[str, Question]:
    """Return by id the questions that the answers in a document answer, none where no file of them is found.

    Looked at are `question.jsonl` in the document's folder and the two above, which are of its own set, then files with
    "question" in their names among those given. Answers in `model_answer_NAME` have theirs in `question-NAME.jsonl`
    where that exists. The first file counts that has every id of the document, else the one with the most.
    """
    wanted = {str(_id(row)) for _, row in document.rows if isinstance(row, dict)}
    best: dict[str, Question] = {}
    source: Path | None = None
    most = 0
    for path in beside.existing(_places(document), document):
        found = dict(each for row in beside.rows(path) if (each := _question(row)) is not None)
        shared = len(wanted & found.keys())
        if shared > most:
            best, most, source = found, shared, path
        if most == len(wanted):
            break
    if source is not None:
        beside.take(document, source)
    return best


def _places(document: Document) -> list[Path]:
    paths: list[Path] = []
    folders = beside.folders(document, _LEVELS)
    tail = folders[0].name.partition("model_answer_")[2] if folders else ""
    for folder in folders:
        if tail:
            paths.append(folder / f"question-{tail}.jsonl")
        paths += [folder / "question.jsonl", folder / "questions.jsonl"]
    return paths + [Path(each).absolute() for each in document.given if "question" in Path(each).name]


def _id(row: dict[str, Any]) -> Any:
    return next((row[key] for key in _IDS if isinstance(row.get(key), str | int)), None)


def _question(row: dict[str, Any]) -> tuple[str, Question] | None:
    given, value = _id(row), next((row[key] for key in _ASKED if key in row), None)
    items = value if isinstance(value, list) else [value]
    turns = [text for item in items if (text := content_text(item)) is not None]
    if given is None or isinstance(given, bool) or not turns:
        return None
    topic = row.get("category")
    return str(given), Question(turns, topic if isinstance(topic, str) else None)
