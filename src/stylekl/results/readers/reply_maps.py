"""Records of a prompt with the replies of several models: by their names in an object, or in a list of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.document import describe as describe_value
from stylekl.results.readers.cells import asked_in, replies_in
from stylekl.results.readers.columns import Columns, usual
from stylekl.results.readers.completion import Said
from stylekl.results.readers.conversation import Asked
from stylekl.results.readers.plain_lines import id_of, take_used
from stylekl.results.readers.recording import Recording, kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "reply_maps"
describe = (
    "records with a prompt and replies by model (responses: {MODEL: TEXT}, or a list of model and response)"
)
_FIELDS = ("responses", "replies", "outputs", "completions", "answers", "generations", "models", "results")


def recognise(document: Document) -> bool:
    """Whether the first record has a prompt, no model, and one field of replies by model."""
    first = document.first
    if not isinstance(first, dict) or document.kind not in ("lines", "array", "object", "parquet"):
        return False
    roles = Columns(document).of(first)
    if "model" in roles or "prompt" not in roles:
        return False
    key = _field(first)
    return key is not None and any(text is not None for _, text, _ in _replies(first[key]))


def read(document: Document) -> Results:
    """Return every reply under its model's name; one that is null, or an error in its place, is flagged.

    What an object of the list says beside goes into the reply's `extra`, and so do the other fields of a record.
    Raises RecordError for a record without a prompt or such a field, and for a reply that is no text.
    """
    recording = Recording(document)
    columns = Columns(document)
    turn = document.reading.turn or "first"
    for number, row in document.objects():
        roles = columns.of(row)
        key, given = _field(row), row.get(roles.get("prompt", ""))
        asked = asked_in(given, turn)
        if asked is None:
            found = describe_value(given) if "prompt" in roles else "nothing"
            raise document.fault(
                number, f"field {roles.get('prompt', 'prompt')}: expected text, found {found}"
            )
        if key is None:
            raise document.fault(number, f"no replies by model: expected one of {', '.join(_FIELDS)}")
        system = row.get(roles.get("system", ""))
        if asked.system is None and isinstance(system, str) and system:
            asked = Asked(asked.prompt, system)
        topic = row.get(roles.get("topic", ""))
        wanted = id_of(row.get(roles.get("prompt_id", "")))
        prompt = recording.prompt(asked.prompt, wanted, topic if isinstance(topic, str) else None)
        extra = kept(row, key, roles["prompt"])
        for role, used in (("system", asked.system), ("topic", prompt.topic), ("prompt_id", prompt.id)):
            take_used(extra, roles, role, used)
        for model, value, beside in _replies(row[key]):
            said = [Said("", ["error"])] if value is None and _failed(beside) else replies_in(value, turn)
            if said is None:
                raise document.fault(
                    number, f"field {key}.{model}: expected text, found {describe_value(value)}"
                )
            for each in said:
                more = beside | ({key: each.rest} if each.rest else {})
                recording.record(number, recording.model(model), asked, each, extra=extra | more)
    return recording.done()


def _field(row: Mapping[str, Any]) -> str | None:
    return next((key for key in row if key.lower() in _FIELDS and isinstance(row[key], dict | list)), None)


def _failed(beside: Mapping[str, Any]) -> bool:
    return bool(beside.get("error"))


def _replies(value: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield each model with its reply and what is said beside; nothing where a value is not of this form."""
    if isinstance(value, dict):
        for model, given in value.items():
            yield model, *_reply(given)
    elif isinstance(value, list):
        for each in value:
            roles = usual(tuple(each)) if isinstance(each, dict) else {}
            model = each.get(roles["model"]) if "model" in roles else None
            if isinstance(model, str) and model:
                yield model, *_reply(kept(each, roles["model"]))


def _reply(given: Any) -> tuple[Any, dict[str, Any]]:
    """Return the reply in an object of fields of usual names, and the others; anything else is a reply itself."""
    if isinstance(given, dict):
        roles = usual(tuple(given))
        if "reply" in roles:
            return given[roles["reply"]], kept(given, roles["reply"])
        if "error" in roles and given[roles["error"]]:
            return None, given
    return given, {}
