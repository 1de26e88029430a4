"""Logs of Inspect in JSON, and what its two forms share: a run of one model, its samples over one epoch or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.errors import InputError
from stylekl.results.readers.completion import Said, completions
from stylekl.results.readers.content import content_text
from stylekl.results.readers.conversation import Asked, asked, speaker
from stylekl.results.readers.recording import Recording, kept

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.results.document import Document
    from stylekl.results.records import Model, Results

name = "inspect_log"
describe = "Inspect logs in JSON (version, eval, samples)"
TRANSCRIPT = (
    "events",
    "events_data",
    "attachments",
    "timelines",
)  # how a reply came about; larger than all the rest
ATTACHMENT = "attachment://"


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

    What the log says of the run stays in the file's fields, what it says of a sample under `extra`, but for its
    transcript of events. Raises InputError for a log without samples, RecordError for a sample without an input.
    """
    samples = document.value.get("samples")
    return read_run(document, kept(document.value, "samples"), samples if isinstance(samples, list) else [])


def read_run(document: Document, header: dict[str, Any], samples: Iterable[Any]) -> Results:
    """Return what `read` says of a log with this header; its samples are taken one by one."""
    recording = Recording(document)
    run = header["eval"]
    model = recording.model(recording.text(1, run, "model"))
    number = 0
    for number, sample in enumerate(samples, 1):
        _sample(recording, number, model, sample, run.get("task"))
    status = header.get("status")
    if not number:
        raise InputError(
            f"{document.path}: a log without samples (status {status or 'unknown'})",
            "log with --log-samples, and name the whole log, not its header",
        )
    if status != "success":
        held = "1 sample" if number == 1 else f"{number} samples"
        recording.results.warnings.append(
            f"{document.path}: the log's status is {status or 'unknown'}: it holds {held}{_of(run, number)}"
        )
    recording.results.unknown[f"inspect {run.get('eval_id') or document.stem}"] = header
    return recording.done()


def _sample(recording: Recording, number: int, model: Model, sample: Any, task: Any) -> None:
    found = _asked(sample) if isinstance(sample, dict) else None
    if found is None:
        raise recording.document.fault(1, f"sample {number}: field input: expected a text or messages")
    for each in completions(sample.get("output")):
        said = each
        if sample.get("error"):
            said = Said(each.text, ["error"], each.stop, each.stop_raw, each.model, each.rest)
        extra = kept(sample, "input", "output", *TRANSCRIPT)
        extra["output"] = kept(said.rest, "completion")
        recording.record(number, model, found, said, wanted=sample.get("id"), topic=task, extra=extra)


def _of(run: dict[str, Any], held: int) -> str:
    """Say how many samples a run was to have, where its log says so and holds fewer."""
    planned, config = run.get("dataset"), run.get("config")
    samples = planned.get("samples") if isinstance(planned, dict) else None
    epochs = config.get("epochs") if isinstance(config, dict) else None
    whole = samples * (epochs if isinstance(epochs, int) else 1) if isinstance(samples, int) else held
    return f" of {whole}" if held < whole else ""


def _asked(sample: dict[str, Any]) -> Asked | None:
    given = sample.get("input")
    attached = sample.get("attachments")
    if isinstance(given, str) and given.startswith(ATTACHMENT) and isinstance(attached, dict):
        given = attached.get(given.removeprefix(ATTACHMENT), given)
    found = asked(given)
    if found is None:
        return None
    messages = sample.get("messages")
    spoken = messages if isinstance(messages, list) else []
    return Asked(_with_choices(found.prompt, sample, spoken), found.system or _said_by("system", spoken))


def _with_choices(prompt: str, sample: dict[str, Any], messages: list[Any]) -> str:
    """Return a prompt with the choices that it leaves: as it was sent, or lettered where the log does not show it."""
    choices = sample.get("choices")
    if not isinstance(choices, list) or not choices:
        return prompt
    turn = next((place for place, each in enumerate(messages) if speaker(each) == "assistant"), len(messages))
    sent = _said_by("user", messages[:turn])
    if sent is not None and prompt.strip() in sent:
        return sent
    lettered = (
        f"{chr(65 + place) if place < 26 else place + 1}) {each}" for place, each in enumerate(choices)
    )
    return "\n".join([f"{prompt}\n", *lettered])


def _said_by(who: str, messages: list[Any]) -> str | None:
    found = (content_text(each.get("content")) for each in messages if speaker(each) == who)
    return "\n\n".join(text for text in found if text is not None) or None
