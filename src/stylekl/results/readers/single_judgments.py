"""MT-bench's single judgments: one reply a row with a score from 1 to 10, as FastChat writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.building import Building
from stylekl.results.readers.judge_prompts import question_in
from stylekl.results.readers.recording import kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "single_judgments"
describe = "single judgments (question_id, model, judge, score)"
FAILED = -1
DIMENSION = "rating"
_NEED = {"question_id", "model", "judge", "score"}
_USED = (*_NEED, "judgment", "turn", "tstamp")


def recognise(document: Document) -> bool:
    """Whether the first record is a score of one model on one question."""
    first = document.first
    return isinstance(first, dict) and first.keys() >= _NEED


def read(document: Document) -> Results:
    """Return a judgment of one reply for each row; a score of -1 is a judge's reply that was no judgment.

    The prompt is the question in the text that the judge was given, called by its id; the turn stays in the judgment,
    and what else the row says in its `extra`. Raises RecordError for a score outside 1 to
    10, and for a field that is missing.
    """
    building = Building(document)
    judgments: list[dict[str, Any]] = []
    for number, row in document.objects():
        judgments.append(_judgment(building, number, row))
    building.results.other["judgments"] = judgments
    return building.results


def _judgment(building: Building, number: int, row: dict[str, Any]) -> dict[str, Any]:
    score, question, judge = (
        row.get("score"),
        row.get("question_id"),
        row.get("judge"),
    )
    said = judge[0] if isinstance(judge, list) and judge else judge
    if not isinstance(said, str):
        raise building.document.fault(number, "field judge: expected a name, or a list that begins with one")
    if not isinstance(question, str | int) or isinstance(question, bool):
        raise building.document.fault(number, "field question_id: expected text or a whole number")
    number_of = score if isinstance(score, int | float) and not isinstance(score, bool) else 0
    if not (number_of == FAILED or 1 <= number_of <= 10):
        raise building.document.fault(
            number, f"field score: expected a number from 1 to 10 or -1, found {score}"
        )
    asked = question_in(row.get("user_prompt"))
    prompt = str(question) if asked is None else building.prompt(asked, str(question)).id
    extra = kept(row, *_USED) | ({} if said == judge else {"judge": judge})
    found: dict[str, Any] = {
        "id": f"{building.document.sha256[:10]}-{number}",
        "judge": said,
        "prompt": prompt,
        "A": building.model(building.text(number, row, "model")).id,
        "raw": row["judgment"] if isinstance(row.get("judgment"), str) else "",
        "rubric": {"dimensions": [DIMENSION], "low": 1, "high": 10},
        "turn": row.get("turn"),
        "collected": row.get("tstamp"),
        "extra": extra or None,
    }
    found |= {"invalid": "no score"} if score == FAILED else {"scores": {"A": {DIMENSION: score}}}
    return {key: value for key, value in found.items() if value is not None}
