"""AlpacaFarm's outputs: an instruction with its output, or several, of the model that the file is named after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.completion import Said
from stylekl.results.readers.content import content_text
from stylekl.results.readers.conversation import Asked
from stylekl.results.readers.recording import Recording, first_text, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "alpaca_farm"
describe = "AlpacaFarm outputs (instruction, and output as a list or output_1 and output_2)"
_OUTPUTS = ("output", "output_1", "output_2")


def recognise(document: Document) -> bool:
    """Whether the first record has an instruction and outputs: a list of them, two, or one of no named model."""
    first = document.first
    if not isinstance(first, dict) or "instruction" not in first or {"generator_1", "model"} & first.keys():
        return False
    listed = isinstance(first.get("output"), list)
    return (
        listed or {"output_1", "output_2"} <= first.keys() or ("output" in first and "generator" not in first)
    )


def read(document: Document) -> Results:
    """Return every output as a sample.

    Without a generator the model is the one that the file is named after. A null output is a reply flagged "empty".
    Raises RecordError for a row without an instruction or an output, and for an output that is no text.
    """
    recording = Recording(document)
    for number, row in document.objects():
        instruction = recording.text(number, row, "instruction")
        if row.get("input"):
            instruction += "\n\n" + recording.text(number, row, "input")
        model = recording.model(first_text(row, "generator") or document.stem)
        outputs = [each for key in _OUTPUTS if key in row for each in _listed(row[key])]
        if not outputs:
            raise document.fault(number, f"no output: expected one of {', '.join(_OUTPUTS)}")
        extra = kept(row, "instruction", "input", "dataset", "generator", *_OUTPUTS)
        for each in outputs:
            text = content_text(each)
            if text is None and each is not None:
                raise document.fault(number, "field output: expected text, or a list of texts")
            said = Said(text or "", ["empty"] if text is None else [])
            recording.record(number, model, Asked(instruction), said, topic=row.get("dataset"), extra=extra)
    return recording.done()


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
