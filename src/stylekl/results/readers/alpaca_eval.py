"""AlpacaEval's model outputs: rows of {instruction, output, generator, dataset}."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from stylekl.results.document import describe as describe_value
from stylekl.results.readers.building import Building
from stylekl.results.readers.content import content_text
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

    A null output is a reply without text, flagged "empty", a list of texts several samples. Fields beyond the usual go
    into the reply's `extra`, a non-empty `input` behind the instruction. Raises RecordError where a field is missing or
    not text.
    """
    rows = document.typed(list[Row]) if document.kind == "array" else None
    return _usual(document, rows) if rows else _general(document)


def _usual(document: Document, rows: list[Row]) -> Results:
    building = Building(document)
    results = building.results
    add = results.replies.append
    for row in rows:
        model = row.generator if row.generator != _PLACEHOLDER else document.stem
        building.model(model)
        prompt = building.prompt(row.instruction, None, row.dataset).id
        if row.output is None:
            add(Reply(model=model, prompt=prompt, text="", flags=["empty"]))
        else:
            add(Reply(model=model, prompt=prompt, text=row.output))
    results.places.run(f"{document.path}: record", len(rows))
    return results


def _general(document: Document) -> Results:
    building = Building(document)
    for number, row in document.objects():
        instruction = building.text(number, row, "instruction")
        if row.get("input"):
            instruction += "\n\n" + building.text(number, row, "input")
        topic = building.text(number, row, "dataset") if row.get("dataset") is not None else None
        generator = building.text(number, row, "generator")
        model = building.model(generator if generator != _PLACEHOLDER else document.stem).id
        prompt = building.prompt(instruction, None, topic).id
        extra = {key: value for key, value in row.items() if key not in _OWN}
        for text in _outputs(document, number, row):
            flags = ["empty"] if text is None else []
            building.add(
                number, Reply(model=model, prompt=prompt, text=text or "", flags=flags, extra=dict(extra))
            )
    return building.results


def _outputs(document: Document, number: int, row: dict[str, Any]) -> list[str | None]:
    """Return the outputs: several where there is a list of texts, one where there is a content of another form."""
    value = row.get("output")
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return list(value)
    text = content_text(value)
    if text is None and (value is not None or "output" not in row):
        found = describe_value(value) if "output" in row else "nothing"
        raise document.fault(number, f"field output: expected text, found {found}")
    return [text]
