"""AlpacaEval's model outputs: rows of {instruction, output, generator, dataset}."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

import msgspec

from stylekl.results.readers.building import Building
from stylekl.results.records import Reply

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "alpaca_eval"
describe = "AlpacaEval outputs (instruction, output, generator)"
_PLACEHOLDER = (
    "example"  # the generator of a file made from the benchmark's template: the file's name is the model
)
_OWN = ("instruction", "input", "output", "generator", "dataset")


class Row(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """The usual row; one with more fields is read the slow way, so that nothing is lost."""

    instruction: str
    generator: str
    output: str | None
    dataset: str | None = None


def recognise(document: Document) -> bool:
    """Whether the first record has an instruction, an output and a generator."""
    first = document.first
    return isinstance(first, dict) and {"instruction", "output", "generator"} <= first.keys()


def read(document: Document) -> Results:
    """Return the results: a model per generator, a prompt per instruction (its topic is the dataset).

    A null output is a reply without text, flagged "empty". Fields beyond the usual go into the reply's
    `extra`, a non-empty `input` behind the instruction. Raises RecordError where a field is missing or not
    text.
    """
    rows = document.typed(list[Row]) if document.kind == "array" else None
    return _usual(document, rows) if rows else _general(document)


def _usual(document: Document, rows: list[Row]) -> Results:
    building = Building(document)
    results = building.results
    for row in rows:
        model = row.generator if row.generator != _PLACEHOLDER else document.stem
        building.model(model)
        prompt = building.prompt(row.instruction, None, row.dataset).id
        if row.output is None:
            results.replies.append(Reply(model=model, prompt=prompt, text="", flags=["empty"]))
        else:
            results.replies.append(Reply(model=model, prompt=prompt, text=row.output))
    results.places.extend(zip(repeat(f"{document.path}: record"), range(1, len(rows) + 1)))
    return results


def _general(document: Document) -> Results:
    building = Building(document)
    for number, row in document.objects():
        instruction = building.text(number, row, "instruction")
        if row.get("input"):
            instruction += "\n\n" + building.text(number, row, "input")
        topic = building.text(number, row, "dataset") if row.get("dataset") is not None else None
        generator = building.text(number, row, "generator")
        null = "output" in row and row["output"] is None
        reply = Reply(
            model=building.model(generator if generator != _PLACEHOLDER else document.stem).id,
            prompt=building.prompt(instruction, None, topic).id,
            text="" if null else building.text(number, row, "output"),
            flags=["empty"] if null else [],
            extra={key: value for key, value in row.items() if key not in _OWN},
        )
        building.add(number, reply)
    return building.results
