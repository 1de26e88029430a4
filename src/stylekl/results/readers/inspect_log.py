"""Logs of Inspect in JSON: a run of one model, its samples over one epoch or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.errors import InputError
from stylekl.results.readers.completion import Said, completions
from stylekl.results.readers.content import content_text
from stylekl.results.readers.conversation import Asked, asked, speaker
from stylekl.results.readers.recording import Recording, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "inspect_log"
describe = "Inspect logs in JSON (version, eval, samples)"


def recognise(document: Document) -> bool:
    """Whether the file is one object that describes an evaluation of a model."""
    first = document.first
    return (
        document.kind == "object"
        and isinstance(first, dict)
        and "version" in first
        and isinstance(first.get("eval"), dict)
        and {"model", "task"} <= first["eval"].keys()
    )


def read(document: Document) -> Results:
    """Return the output of every sample; epochs are samples. A sample that failed is a reply flagged "error".

    What the log says of the run stays in the file's fields, what it says of a sample under `extra`. Raises InputError
    for a log without samples, RecordError for a sample without an input.
    """
    log = document.value
    samples = log.get("samples")
    if not isinstance(samples, list) or not samples:
        raise InputError(
            f"{document.path}: a log without samples (status {log.get('status') or 'unknown'})",
            "log with --log-samples, and name the whole log, not its header",
        )
    recording = Recording(document)
    run = log["eval"]
    model = recording.model(recording.text(1, run, "model"))
    for number, sample in enumerate(samples, 1):
        found = _asked(sample) if isinstance(sample, dict) else None
        if found is None:
            raise document.fault(1, f"sample {number}: field input: expected a text or messages")
        failed = bool(sample.get("error"))
        for each in completions(sample.get("output")):
            said = each
            if failed:
                said = Said(each.text, ["error"], each.stop, each.stop_raw, each.model, each.rest)
            recording.record(
                number,
                model,
                found,
                said,
                wanted=sample.get("id"),
                topic=run.get("task"),
                extra=kept(sample, "input", "output") | {"output": kept(said.rest, "completion")},
            )
    recording.results.unknown[f"inspect {run.get('eval_id') or document.stem}"] = kept(log, "samples")
    return recording.done()


def _asked(sample: dict[str, Any]) -> Asked | None:
    found = asked(sample.get("input"))
    if found is None or found.system is not None:
        return found
    messages = sample.get("messages")
    systems = [each for each in messages if speaker(each) == "system"] if isinstance(messages, list) else []
    texts = [text for each in systems if (text := content_text(each.get("content"))) is not None]
    return Asked(found.prompt, "\n\n".join(texts) or None)
