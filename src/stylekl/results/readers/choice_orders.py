"""Forced choices, both orders of a pair in one row: model, words, envelope, ab, ba."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.choices_building import ChoiceBuilding, names_words

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "choice_orders"
describe = "forced choices, both orders in one row (model, words, envelope, ab, ba)"
KEYS = (
    ("ab", "ba"),
    ("reply_ab", "reply_ba"),
    ("response_ab", "response_ba"),
    ("text_ab", "text_ba"),
    ("choice_ab", "choice_ba"),
)


def recognise(document: Document) -> bool:
    """Whether the first record has a model, two words, an envelope and the replies in both orders."""
    first = document.first
    return (
        isinstance(first, dict)
        and {"model", "envelope"} <= first.keys()
        and names_words(first)
        and _keys(first) is not None
    )


def read(document: Document) -> Results:
    """Return the results: models, pairs, envelopes, and one choice for each reply.

    A list holds samples. A null, or an order that is not there, was not asked; text that is empty is an empty reply.
    Raises RecordError where a field is missing or of the wrong type.
    """
    building = ChoiceBuilding(document)
    for number, row in document.objects():
        place, turned = building.place(number, row)
        keys = _keys(row)
        if keys is None:
            raise document.fault(number, "no replies: expected ab and ba")
        for side, key in enumerate(keys):
            order = ("ab", "ba")[side != turned]
            replies = row.get(key)
            samples = replies if isinstance(replies, list) else [replies]
            for sample, text in enumerate(samples, 1):
                if text is None:
                    continue
                if not isinstance(text, str):
                    raise document.fault(number, f"field {key}: expected text, or a list of texts")
                numbered: dict[str, Any] = {"sample": sample} if len(samples) > 1 else {}
                building.add(place, order, text, period=row.get("period"), **numbered)
    return building.results


def _keys(row: dict[str, Any]) -> tuple[str, str] | None:
    return next((keys for keys in KEYS if keys[0] in row or keys[1] in row), None)
