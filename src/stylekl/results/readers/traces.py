"""Traces of sampling: one reply a file in a folder for each model, or the samples of one model in one file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from stylekl.results.readers import beside
from stylekl.results.readers.completion import Said, completions, ending, is_completion
from stylekl.results.readers.content import content_text
from stylekl.results.readers.conversation import Asked, asked
from stylekl.results.readers.recording import Recording, first_text, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "traces"
describe = "traces (prompt, condition and result, or model and samples of these)"
_FILE = re.compile(r"(.+)_(\d{1,9})")


def recognise(document: Document) -> bool:
    """Whether the file is one sample with a condition, or one model with samples."""
    first = document.first
    if document.kind != "object" or not isinstance(first, dict):
        return False
    samples = first.get("samples")
    if isinstance(samples, list) and samples and isinstance(first.get("model"), str):
        return all(isinstance(each, dict) and _is_sample(each) for each in samples[:1])
    return "condition" in first and _is_sample(first)


def read(document: Document) -> Results:
    """Return a reply for each sample; a request that failed is one flagged "error".

    A file of one sample is of the model that its folder is named after, if it is named CONDITION_NUMBER after the
    sample's condition; else of the one that it names. The names requested and returned are kept beside it, and the
    condition, which chooses the prompt, under `extra`. Raises RecordError for a sample without a prompt.
    """
    recording = Recording(document)
    whole = document.value
    samples = whole.get("samples")
    if isinstance(samples, list):
        for number, sample in enumerate(samples, 1):
            if not isinstance(sample, dict):
                raise document.fault(1, f"sample {number}: expected an object")
            _sample(recording, number, sample, whole["model"])
        if about := kept(whole, "samples", "model"):
            recording.results.unknown[f"traces {whole['model']}"] = about
    else:
        _sample(recording, 1, whole, _folder(document, whole))
    return recording.done()


def _is_sample(row: dict[str, Any]) -> bool:
    return isinstance(row.get("prompt"), str | list) and (
        "result" in row or ("error" in row and "model" in row)
    )


def _sample(recording: Recording, number: int, row: dict[str, Any], folder: str | None) -> None:
    found = asked(row.get("prompt"))
    if found is None:
        raise recording.document.fault(1, f"sample {number}: field prompt: expected a text or messages")
    named = folder or first_text(row, "model_requested", "model")
    if named is None:
        raise recording.document.fault(1, f"sample {number}: no model")
    failed = "result" not in row and bool(row.get("error"))
    model = recording.asked(
        recording.model(named),
        row.get("model_requested", row.get("model") if failed else None),
        row.get("provider"),
    )
    extra = kept(row, "prompt", "result", "model_requested", "raw")
    if row.get("provider") == model.provider:
        extra.pop("provider", None)
    if row.get("model_requested") not in (None, model.requested, model.id):
        extra["model_requested"] = row["model_requested"]
    said = _said(row, failed)
    if said.rest:
        extra["raw"] = said.rest
    elif "raw" in row and not is_completion(row["raw"]):
        extra["raw"] = row["raw"]
    extra.pop("model", None)
    recording.record(number, model, Asked(found.prompt, found.system), said, extra=extra)


def _said(row: dict[str, Any], failed: bool) -> Said:
    returned = None if failed else first_text(row, "model")
    raw = completions(row["raw"])[0] if is_completion(row.get("raw")) else None
    text = content_text(row.get("result"))
    if raw is None:
        stop, flags = ending(text, None, "", failed=failed)
        return Said(text or "", flags, stop, None, returned)
    flags = ["error"] if failed else raw.flags if text == raw.text or raw.flags != ["empty"] else []
    return Said(text or "", flags, raw.stop, raw.stop_raw, returned or raw.model, raw.rest)


def _folder(document: Document, row: dict[str, Any]) -> str | None:
    named = _FILE.fullmatch(document.stem)
    folders = beside.folders(document, 1)
    return folders[0].name if folders and named and named[1] == row["condition"] else None
