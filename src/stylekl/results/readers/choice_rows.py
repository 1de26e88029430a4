"""Forced choices, one reply a row: model, words, envelope, order, text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.choices_building import WORD_KEYS, ChoiceBuilding, names_words
from stylekl.results.readers.plain_lines import REPLY_KEYS

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "choice_rows"
describe = "forced choices, one reply a row (model, words, envelope, order, text)"
ORDERS = ("ab", "ba")
_TAKEN = (
    *(
        "model",
        "envelope",
        "order",
        "pair",
        "pair_id",
        "sample",
        "period",
        "theme",
        "topic",
        "error",
        "flags",
    ),
    *("template", "family", "language"),
    *(key for keys in WORD_KEYS for key in keys),
)


def recognise(document: Document) -> bool:
    """Whether the first record has a model, two words, an envelope, an order and a reply (or an error in its place)."""
    first = document.first
    return (
        isinstance(first, dict)
        and {"model", "envelope", "order"} <= first.keys()
        and names_words(first)
        and (any(key in first for key in REPLY_KEYS) or "error" in first)
    )


def read(document: Document) -> Results:
    """Return the results: models, pairs, envelopes and choices as the rows name them.

    `order` is ab where the first word stands first and ba where the second does, in any case. Two rows that name the
    same words the other way round are of one pair. A row with an error in place of a reply is flagged "error", a null
    reply "empty". Other fields stay with the choice. Raises RecordError where a field is missing or of the wrong type.
    """
    building = ChoiceBuilding(document)
    for number, row in document.objects():
        place, turned = building.place(number, row)
        order = row.get("order")
        if not isinstance(order, str) or order.casefold() not in ORDERS:
            raise document.fault(number, "field order: expected ab or ba")
        told = ORDERS[(order.casefold() == "ba") != turned]
        key = next((key for key in REPLY_KEYS if key in row), None)
        text = row[key] if key is not None else None
        if text is not None and not isinstance(text, str):
            raise document.fault(number, f"field {key}: expected text")
        if text is None and key is None and not row.get("error"):
            raise document.fault(number, f"no reply: expected one of {', '.join(REPLY_KEYS)}")
        building.add(place, told, text, **_more(row, key, failed=text is None and bool(row.get("error"))))
    return building.results


def _more(row: dict[str, Any], key: str | None, *, failed: bool) -> dict[str, Any]:
    sample = row.get("sample")
    flags = row.get("flags")
    rest = {
        each: value for each, value in row.items() if each not in (*_TAKEN, key, "pick", "reason")
    }  # how others classified a reply is not how we do
    return {
        "sample": sample if isinstance(sample, int) and not isinstance(sample, bool) else None,
        "period": row.get("period"),
        "flags": ["error"] if failed else flags if isinstance(flags, list) and flags else None,
        "extra": rest or None,
    }
