"""AlpacaEval's annotations: rows of two outputs, their generators, and which of them the annotator preferred."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.recording import kept
from stylekl.results.readers.voting import Voting

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "alpaca_annotations"
describe = "AlpacaEval annotations (generator_1, generator_2, preference)"
_MIDDLE = 1.5
_OUTPUTS = ("output_1", "output_2")
_USED = (
    *_OUTPUTS,
    "generator_1",
    "generator_2",
    "instruction",
    "input",
    "dataset",
    "preference",
    "annotator",
)


def recognise(document: Document) -> bool:
    """Whether the first record has two generators and a preference."""
    first = document.first
    return isinstance(first, dict) and {"generator_1", "generator_2", "preference"} <= first.keys()


def read(document: Document) -> Results:
    """Return the votes and the replies.

    A preference of 1 is for the first output, 2 for the second, 0 and 1.5 a draw; a weighted one between them is for
    the nearer output, and stays in the vote. A null preference is no vote; such rows are counted in a warning, and
    their replies are kept. Other fields go into the vote's `extra`. Raises RecordError for any other, and for a field
    that is missing or no text.
    """
    voting = Voting(document)
    failed: list[dict[str, Any]] = []
    for number, row in document.objects():
        instruction = voting.text(number, row, "instruction")
        if row.get("input"):
            instruction += "\n\n" + voting.text(number, row, "input")
        topic = row.get("dataset") if isinstance(row.get("dataset"), str) else None
        prompt = voting.prompt(instruction, None, topic).id
        sides = (voting.text(number, row, "generator_1"), voting.text(number, row, "generator_2"))
        has_texts = set(_OUTPUTS) <= row.keys()
        texts = None
        if has_texts:
            texts = _text(voting, number, row, "output_1"), _text(voting, number, row, "output_2")
        if row.get("preference") in (None, ""):
            voting.lost("no preference")
            voting.shown(number, sides, prompt, texts)
            failed.append(kept(row, *_OUTPUTS))
            continue
        voting.vote(
            number,
            sides,
            _pick(voting, number, row["preference"]),
            prompt=prompt,
            texts=texts,
            preference=row["preference"],
            judge=row.get("annotator"),
            extra=kept(row, *_USED) or None,
        )
    if failed:
        voting.results.unknown[f"annotations {document.stem}"] = failed
    return voting.done()


def _pick(voting: Voting, number: int, preference: Any) -> str:
    value = preference
    if isinstance(value, str):  # a table holds text
        try:
            value = float(value)
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float) or not (value == 0 or 1 <= value <= 2):
        raise voting.unknown(number, "preference", preference, ("1", "2", "0", "a number from 1 to 2"))
    if value in (0, _MIDDLE):
        return "both_good"
    return "left" if value < _MIDDLE else "right"


def _text(voting: Voting, number: int, row: dict[str, Any], key: str) -> str | None:
    return None if row[key] is None else voting.text(number, row, key)
