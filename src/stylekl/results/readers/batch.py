"""Batches of OpenAI and of those that took over the form: what came back, joined with what was sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from stylekl.errors import InputError
from stylekl.results.readers import beside
from stylekl.results.readers.building import Building
from stylekl.results.readers.completion import Said, completions
from stylekl.results.readers.conversation import Asked, asked
from stylekl.results.readers.recording import Recording, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "batch"
describe = "OpenAI batches (custom_id and response.body, or custom_id and body)"
_HEAD = 1 << 12  # bytes in which the first request of an input file shows itself
_SIBLINGS = 200  # files of a folder that are looked into


def recognise(document: Document) -> bool:
    """Whether the first record is a result of a batch, or a request to one."""
    first = document.first
    return (
        isinstance(first, dict)
        and "custom_id" in first
        and (_is_output(first) or _request(first) is not None)
    )


def read(document: Document) -> Results:
    """Return the replies of an output; of an input, its prompts and models and no reply.

    An output does not say what was asked: that is in the input, found by `custom_id` among the files given, else in the
    folder. Raises InputError where no file has the requests, and RecordError for a row without a `custom_id`.
    """
    if not _is_output(document.first):
        return _input(document)
    recording = Recording(document)
    requests = _requests(document)
    for number, row in document.objects():
        _row(recording, number, row, requests)
    return recording.done()


def _is_output(row: dict[str, Any]) -> bool:
    return "response" in row or "error" in row


def _request(row: dict[str, Any]) -> Asked | None:
    body = row.get("body", row.get("params"))
    if not isinstance(body, dict):
        return None
    found = asked(body.get("messages", body.get("input", body.get("prompt"))))
    system = next((body[key] for key in ("system", "instructions") if isinstance(body.get(key), str)), None)
    return found if found is None or system is None else Asked(found.prompt, system)


def _input(document: Document) -> Results:
    building = Building(document)
    for number, row in document.objects():
        found = _request(row)
        if found is None:
            raise document.fault(number, "field body: expected a request with messages")
        building.prompt(found.prompt)
        body = row.get("body", row.get("params"))
        if isinstance(body, dict) and isinstance(body.get("model"), str):
            building.model(body["model"])
    return building.results


def _row(recording: Recording, number: int, row: dict[str, Any], requests: dict[str, dict[str, Any]]) -> None:
    document = recording.document
    wanted = recording.text(number, row, "custom_id")
    sent = requests.get(wanted)
    found = None if sent is None else _request(sent)
    if sent is None or found is None:
        raise InputError(
            f'{document.path}: {document.unit} {number}: no request with the custom_id "{wanted}"',
            "name the batch's input file too, or put it into the same folder",
        )
    body = sent.get("body", sent.get("params"))
    requested = body.get("model") if isinstance(body, dict) else None
    answer = row.get("response")
    answer = answer if isinstance(answer, dict) else {}
    said = completions(answer.get("body"))
    if answer.get("status_code", 200) != 200 or row.get("error"):
        said = [Said(each.text, ["error"], each.stop, each.stop_raw, each.model, each.rest) for each in said]
    named = requested if isinstance(requested, str) else said[0].model
    if named is None:
        raise document.fault(number, "no model: expected one in the request or in the answer")
    outer = kept(row, "response") | {"response": kept(answer, "body")}
    options = kept(body, "messages", "model", "input", "prompt") if isinstance(body, dict) else {}
    extra = outer | ({"request": options} if options else {})
    model = recording.model(named)
    for each in said:
        recording.record(number, model, found, each, extra=extra | {"body": each.rest})


def _requests(document: Document) -> dict[str, dict[str, Any]]:
    """Return by custom_id the requests of the input that has most of this output's, with the models that answered."""
    models: dict[str, Any] = {}
    for _, row in document.objects():
        answer = row.get("response")
        body = answer.get("body") if isinstance(answer, dict) else None
        models[str(row.get("custom_id"))] = body.get("model") if isinstance(body, dict) else None
    best: dict[str, dict[str, Any]] = {}
    score = (0, 0)
    for path in _places(document):
        found = {str(row.get("custom_id")): row for row in beside.rows(path) if _request(row) is not None}
        shared = models.keys() & found.keys()
        alike = sum(_same_model(found[each], models[each]) for each in shared)
        if (alike, len(shared)) > score:
            best, score = found, (alike, len(shared))
    return best


def _same_model(request: dict[str, Any], returned: Any) -> bool:
    body = request.get("body", request.get("params"))
    sent = body.get("model") if isinstance(body, dict) else None
    return isinstance(sent, str) and isinstance(returned, str) and returned.startswith(sent)


def _places(document: Document) -> list[Path]:
    paths = [Path(each).absolute() for each in document.given]
    for folder in beside.folders(document, 1):
        try:
            paths += sorted(each for each in folder.iterdir() if each.suffix in (".jsonl", ".gz", ".json"))[
                :_SIBLINGS
            ]
        except OSError:
            continue
    return [path for path in beside.existing(paths, document) if _may_be_input(path)]


def _may_be_input(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return head.startswith(b"\x1f\x8b") or (b'"custom_id"' in head and b'"response"' not in head)
