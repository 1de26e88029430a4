"""Logs of OpenAI evals: a first line about the run, then events, of which those of type "sampling" are replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.completion import Said, ending
from stylekl.results.readers.content import content_text
from stylekl.results.readers.conversation import asked
from stylekl.results.readers.recording import Recording, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "evals_log"
describe = "logs of OpenAI evals (spec, then events of type sampling)"


def recognise(document: Document) -> bool:
    """Whether the first line is the spec of a run, or an event of one."""
    first = document.first
    if document.kind not in ("lines", "object") or not isinstance(first, dict):
        return False
    spec = first.get("spec")
    if isinstance(spec, dict):
        return "completion_fns" in spec or "run_config" in spec
    return {"run_id", "event_id", "type", "data"} <= first.keys()


def read(document: Document) -> Results:
    """Return a reply for each text that was sampled; the other events and the spec stay in the file's fields.

    The model is the run's completion function; of several, such as a model and its grader, the one that the answering
    model is called after, or all of them. Raises RecordError for a sampling event without a prompt.
    """
    recording = Recording(document)
    others: list[dict[str, Any]] = []
    spec: dict[str, Any] = {}
    for number, row in document.objects():
        if isinstance(row.get("spec"), dict):
            spec = row["spec"]
        data = row.get("data")
        if row.get("type") != "sampling" or not isinstance(data, dict):
            others.append(row)
            continue
        found = asked(data.get("prompt"))
        if found is None:
            raise document.fault(number, "field prompt: expected a text or messages")
        model = recording.model(_model(spec, data) or document.stem)
        sampled = data.get("sampled")
        for each in sampled if isinstance(sampled, list) and sampled else [sampled]:
            text = content_text(each)
            stop, flags = ending(text, data.get("finish_reason"), "")
            extra = kept(row, "data", "type") | {"data": kept(data, "prompt", "sampled")}
            returned = data.get("model") if isinstance(data.get("model"), str) else None
            recording.record(
                number,
                model,
                found,
                Said(text or "", flags, stop, None, returned),
                extra=extra,
                collected=row["created_at"] if isinstance(row.get("created_at"), str) else None,
            )
    if others:
        recording.results.unknown[f"evals {spec.get('run_id') or document.stem}"] = others
    return recording.done()


def _model(spec: dict[str, Any], data: dict[str, Any]) -> str | None:
    returned = data["model"] if isinstance(data.get("model"), str) else None
    config = spec.get("run_config")
    for holder in (spec, config if isinstance(config, dict) else {}):
        names = holder.get("completion_fns")
        if isinstance(names, list) and names and all(isinstance(each, str) for each in names):
            own = [each for each in names if each and returned and returned.startswith(each.split("/")[-1])]
            return max(own, key=len) if own else ", ".join(names)
    return returned
