"""Batches of OpenAI, Anthropic and Gemini, and those in their forms: what came back, joined with what was sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from stylekl.errors import InputError
from stylekl.results.readers import beside
from stylekl.results.readers.building import Building
from stylekl.results.readers.completion import Said, completions
from stylekl.results.readers.content import content_text
from stylekl.results.readers.conversation import Asked, asked
from stylekl.results.readers.recording import Recording, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "batch"
describe = "batches (custom_id with response.body or result, key with response; or the requests)"
_HEAD = 1 << 12  # bytes in which the first request of an input file shows itself
_SIBLINGS = 200  # files of a folder that are looked into
_NAMES = ("custom_id", "key")
_BODIES = ("body", "params", "request")
_TEXTS = ("messages", "input", "prompt", "contents")
_ASKED = (*_TEXTS, "model")
_SYSTEMS = ("system", "instructions", "systemInstruction", "system_instruction")
_OF_GEMINI = {"key", "response", "error", "metadata"}


class _Answer(NamedTuple):
    """What came back: the provider's answer, whether the request failed, and what the row says beside."""

    body: Any
    failed: bool
    outer: dict[str, Any]


def recognise(document: Document) -> bool:
    """Whether the first record is a result of a batch, or a request to one."""
    first = document.first
    if not isinstance(first, dict):
        return False
    if "custom_id" in first:
        return _is_output(first) or _request(first) is not None
    request, response = first.get("request"), first.get("response")
    sent = isinstance(request, dict) and "contents" in request
    came = isinstance(response, dict) and ("candidates" in response or "promptFeedback" in response)
    if "key" not in first:
        return sent and came
    return sent or came or ("error" in first and first.keys() <= _OF_GEMINI)


def read(document: Document) -> Results:
    """Return the replies of an output; of an input, its prompts with their requests, its models and no reply.

    An output does not say what was asked: that is in the input, found by `custom_id` (Gemini's `key`) among the files
    given, else in the folder. A request that failed, in this file or in one of errors beside, is a reply flagged
    "error". Raises InputError where no file has the requests, and RecordError for a row without a `custom_id`.
    """
    if not _is_output(document.first):
        return _input(document)
    recording = Recording(document)
    requests, returned = _requests(document)
    for number, row in document.objects():
        _row(recording, number, row, requests, returned)
    return recording.done()


def _is_output(row: dict[str, Any]) -> bool:
    return "response" in row or "error" in row or isinstance(row.get("result"), dict)


def _named(row: dict[str, Any]) -> str | None:
    return next((str(row[key]) for key in _NAMES if isinstance(row.get(key), str | int)), None)


def _body(row: dict[str, Any]) -> dict[str, Any]:
    return next((row[key] for key in _BODIES if isinstance(row.get(key), dict)), {})


def _request(row: dict[str, Any]) -> Asked | None:
    body = _body(row)
    value = body.get("messages", body.get("input", body.get("prompt")))
    contents = body.get("contents")
    if value is None and isinstance(contents, list):
        value = [
            {"role": each.get("role", "user"), "content": each.get("parts")}
            for each in contents
            if isinstance(each, dict)
        ]
    found = asked(value)
    system = next((text for key in _SYSTEMS if (text := content_text(body.get(key))) is not None), None)
    return found if found is None or system is None else Asked(found.prompt, system)


def _answer(row: dict[str, Any]) -> _Answer:
    result = row.get("result")
    if isinstance(result, dict):
        failed = result.get("type") != "succeeded"
        rest = kept(result, *([] if failed else ["message"]))
        return _Answer(
            None if failed else result.get("message"), failed, kept(row, "result") | {"result": rest}
        )
    answer = row.get("response")
    answer = answer if isinstance(answer, dict) else {}
    outer = kept(row, "response", *_BODIES)
    if "candidates" in answer or "promptFeedback" in answer:
        return _Answer(answer, bool(row.get("error")), outer)
    failed = answer.get("status_code", 200) != 200 or bool(row.get("error"))
    return _Answer(answer.get("body"), failed, outer | {"response": kept(answer, "body")})


def _input(document: Document) -> Results:
    building = Building(document)
    for number, row in document.objects():
        found = _request(row)
        if found is None:
            raise document.fault(number, "field body: expected a request with messages")
        prompt = building.prompt(found.prompt)
        sent = {key: kept(row[key], *_TEXTS) if row.get(key) is _body(row) else row[key] for key in row}
        sent |= {} if found.system is None else {"system": found.system}
        prompt.unknown.setdefault("requests", []).append(sent)
        model = _body(row).get("model")
        if isinstance(model, str):
            building.model(model)
    return building.results


def _row(
    recording: Recording,
    number: int,
    row: dict[str, Any],
    requests: dict[str, dict[str, Any]],
    returned: str | None,
) -> None:
    document = recording.document
    wanted = _named(row)
    sent = row if _request(row) is not None else requests.get(wanted or "")
    if sent is None and wanted is None:
        recording.text(number, row, "custom_id")  # raises
    found = None if sent is None else _request(sent)
    if sent is None or found is None:
        raise InputError(
            f'{document.path}: {document.unit} {number}: no request with the custom_id "{wanted}"',
            "name the batch's input file too, or put it into the same folder",
        )
    body, answer = _body(sent), _answer(row)
    said = completions(answer.body)
    if answer.failed:
        said = [Said(each.text, ["error"], each.stop, each.stop_raw, each.model, each.rest) for each in said]
    requested = body.get("model")
    named = requested if isinstance(requested, str) else said[0].model or returned
    if named is None:
        raise document.fault(number, "no model: expected one in the request or in the answer")
    options = kept(body, *_ASKED)
    extra = answer.outer | ({"request": options} if options else {})
    model = recording.model(named)
    for each in said:
        recording.record(number, model, found, each, extra=extra | {"body": each.rest})


def _requests(document: Document) -> tuple[dict[str, dict[str, Any]], str | None]:
    """Return by id the requests of the input that has most of this output's, and the first model that answered.

    Of inputs with as many the one counts whose models are those that answered.
    """
    models: dict[str, Any] = {}
    own = True
    for _, row in document.objects():
        said = completions(_answer(row).body)[0].model
        models[_named(row) or ""] = said
        own = own and _request(row) is not None
    returned = next((model for model in models.values() if model), None)
    best: dict[str, dict[str, Any]] = {}
    source: Path | None = None
    score = (0, 0)
    for path in [] if own else _places(document):
        found = {_named(row) or "": row for row in beside.rows(path) if _request(row) is not None}
        shared = models.keys() & found.keys()
        alike = sum(_same_model(found[each], models[each]) for each in shared)
        if (alike, len(shared)) > score:
            best, score, source = found, (alike, len(shared)), path
    if source is not None:
        beside.take(document, source)
    return best, returned


def _same_model(request: dict[str, Any], returned: Any) -> bool:
    sent = _body(request).get("model")
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
    names = b'"custom_id"' in head or b'"key"' in head
    return head.startswith(b"\x1f\x8b") or (names and b'"response"' not in head and b'"result"' not in head)
