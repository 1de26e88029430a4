"""The form that people write themselves: records with a model, a prompt and a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.building import Building
from stylekl.results.readers.content import content_text
from stylekl.results.records import Reply

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "plain_lines"
describe = "records with a model, a prompt and a response, one a line or in an array"
PROMPT_KEYS = ("prompt", "instruction", "question", "input")
REPLY_KEYS = ("response", "text", "output", "reply", "completion", "answer")


def recognise(document: Document) -> bool:
    """Whether the first record has a model, a prompt and a reply (or an error in its place)."""
    first = document.first
    return (
        isinstance(first, dict)
        and "model" in first
        and _key(first, PROMPT_KEYS) is not None
        and (_key(first, REPLY_KEYS) is not None or "error" in first)
    )


def read(document: Document) -> Results:
    """Return the results: models, prompts and replies as the rows name them.

    The first field present of PROMPT_KEYS is the prompt, of REPLY_KEYS the reply; prompt_id, topic, provider
    and an integer sample are used, every other field (one called condition too) goes into the reply's
    `extra`. A row with an error in place of a reply is flagged "error", a null reply "empty". Raises
    RecordError where a field is missing or of the wrong type.
    """
    building = Building(document)
    for number, row in document.objects():
        building.add(number, _reply(building, number, row))
    return building.results


def _reply(building: Building, number: int, row: dict[str, Any]) -> Reply:
    extra = dict(row)
    model = building.model(building.text(number, row, "model"))
    extra.pop("model")
    prompt = building.prompt(_prompt(building, number, row, extra), _id(extra), _text(extra, "topic"))
    _keep(extra, row, "topic", prompt.topic)
    provider = _text(extra, "provider")
    model.provider = model.provider or provider
    _keep(extra, row, "provider", model.provider)
    sample = extra.get("sample")
    if isinstance(sample, int) and not isinstance(sample, bool) and sample >= 0:
        del extra["sample"]
    else:
        sample = None
    text, flags = _text_and_flags(building, number, row, extra)
    return Reply(model=model.id, prompt=prompt.id, text=text, sample=sample, flags=flags, extra=extra)


def _prompt(building: Building, number: int, row: dict[str, Any], extra: dict[str, Any]) -> str:
    key = _key(row, PROMPT_KEYS)
    if key is None:
        raise building.document.fault(number, f"no prompt: expected one of {', '.join(PROMPT_KEYS)}")
    text = building.text(number, row, key)
    del extra[key]
    if key == "instruction" and row.get(
        "input"
    ):  # one prompt in two fields, as instruction data sets have it
        text += "\n\n" + building.text(number, row, "input")
        del extra["input"]
    return text


def _text_and_flags(
    building: Building, number: int, row: dict[str, Any], extra: dict[str, Any]
) -> tuple[str, list[str]]:
    key = _key(row, REPLY_KEYS)
    if key is not None and row[key] is not None:
        del extra[key]
        text = content_text(row[key])
        return (building.text(number, row, key) if text is None else text), []
    if row.get("error"):
        return "", ["error"]
    if key is None:
        raise building.document.fault(number, f"no reply: expected one of {', '.join(REPLY_KEYS)}")
    del extra[key]
    return "", ["empty"]


def _key(row: dict[str, Any], keys: Iterable[str]) -> str | None:
    return next((key for key in keys if key in row), None)


def _text(extra: dict[str, Any], key: str) -> str | None:
    """Take the field out of `extra` where it is text; otherwise it stays there."""
    return extra.pop(key) if isinstance(extra.get(key), str) else None


def _keep(extra: dict[str, Any], row: dict[str, Any], key: str, kept: str | None) -> None:
    """Leave in `extra` what the row says otherwise than the first that named the model or the prompt."""
    if row.get(key) not in (None, kept):
        extra[key] = row[key]


def _id(extra: dict[str, Any]) -> str | None:
    value = extra.get("prompt_id")
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(extra.pop("prompt_id"))
    return None
