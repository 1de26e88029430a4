"""stylekl's own form: one object with an array for each kind of record, or one record a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from stylekl.errors import InputError, RecordError
from stylekl.results.document import describe as describe_value
from stylekl.results.merge import clash
from stylekl.results.records import (
    FORMAT,
    RECORD_NAMES,
    Condition,
    Model,
    Prompt,
    Record,
    Reply,
    Results,
    from_row,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from stylekl.results.document import Document

name = "native"
describe = f'an object with "format": "{FORMAT}", or lines with "record"'
FILE_RECORD = "file"  # the line that holds the fields of the file itself
REPLY_RECORD = RECORD_NAMES["replies"]
R = TypeVar("R", Model, Prompt, Condition, Reply)
Named = TypeVar("Named", Model, Prompt, Condition)
Rows = list[tuple[int, dict[str, Any]]]
_ARRAYS = {record: array for array, record in RECORD_NAMES.items()}


def recognise(document: Document) -> bool:
    """Whether the object, or the first line, says that it is of this form."""
    first = document.first
    if document.kind == "array" or not isinstance(first, dict):
        return False
    return str(first.get("format")).startswith("stylekl/") or first.get("record") in (FILE_RECORD, *_ARRAYS)


def read(document: Document) -> Results:
    """Return the results as the file holds them.

    Raises RecordError for a record that is not as it should be or names a model, prompt or condition that
    the file does not hold, ConflictError for one id with two contents, InputError for another version.
    """
    lines = document.kind == "lines" or "record" in document.first
    tables, fields = _from_lines(document) if lines else _from_object(document)
    _check_version(document, fields.pop("format", FORMAT))
    results = document.results()
    results.unknown = fields
    unit = _Units(document, lines)
    results.models = _distinct(unit, Model, tables.pop("models", []))
    results.prompts = _distinct(unit, Prompt, tables.pop("prompts", []))
    results.conditions = _distinct(unit, Condition, tables.pop("conditions", []))
    _replies(unit, results, _reply_lines(document) if lines else tables.pop("replies", []))
    results.other = {array: [row for _, row in rows] for array, rows in tables.items()}
    if results.conditions and any(results.conditions[0].added):
        what = f'the first condition, "{results.control}", is the control but adds text to prompts'
        results.warnings.append(f"{document.path}: {what}")
    return results


class _Units:
    """Names the place of a record: "line 7", or "reply 7" for the seventh of an object's replies."""

    def __init__(self, document: Document, lines: bool) -> None:
        self.path = document.path
        self.lines = lines

    def of(self, kind: type[Record]) -> str:
        return "line" if self.lines else kind.__name__.lower()

    def record(self, kind: type[R], number: int, row: dict[str, Any]) -> R:
        try:
            return from_row(kind, row)
        except msgspec.ValidationError as error:
            raise self.fault(kind, number, _reason(str(error))) from None

    def fault(self, kind: type[Record], number: int, reason: str) -> RecordError:
        return RecordError(self.path, f"{self.of(kind)} {number}", reason)


def _reason(message: str) -> str:
    """Say msgspec's "Expected `str`, got `int` - at `$.text`" as "field text: expected str, got int"."""
    what, _, path = message.replace("`", "").partition(" - at $.")
    what = what.replace("Object missing required field ", "missing field ")
    what = what[0].lower() + what[1:]
    return f"field {path}: {what}" if path else what


def _from_object(document: Document) -> tuple[dict[str, Rows], dict[str, Any]]:
    tables: dict[str, Rows] = {}
    fields = dict(document.value)
    for array, record in RECORD_NAMES.items():
        value = fields.pop(array, None)
        if value is None:
            continue
        if not isinstance(value, list):
            raise InputError(
                f"{document.path}: field {array}: expected an array, found {describe_value(value)}",
                "the arrays of a results file are in docs/results-file.md",
            )
        for number, row in enumerate(value, 1):
            if not isinstance(row, dict):
                reason = f"expected an object, found {describe_value(row)}"
                raise RecordError(document.path, f"{record} {number}", reason)
        tables[array] = list(enumerate(value, 1))
    return tables, fields


def _from_lines(document: Document) -> tuple[dict[str, Rows], dict[str, Any]]:
    """Return all but the replies, which may be too many to hold and may stand before what they name."""
    tables: dict[str, Rows] = {}
    fields: dict[str, Any] = {}
    for number, row in document.objects():
        record = row.get("record")
        if record == REPLY_RECORD:
            continue
        own = {key: value for key, value in row.items() if key != "record"}
        if record == FILE_RECORD:
            fields |= own
        elif isinstance(record, str) and record in _ARRAYS:
            tables.setdefault(_ARRAYS[record], []).append((number, own))
        else:
            known = ", ".join((FILE_RECORD, *_ARRAYS))
            raise document.fault(number, f"field record: expected one of {known}")
    return tables, fields


def _reply_lines(document: Document) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, row in document.objects():
        if row["record"] == REPLY_RECORD:
            yield number, {key: value for key, value in row.items() if key != "record"}


def _check_version(document: Document, form: Any) -> None:
    found = re.match(r"stylekl/(\d+)", form) if isinstance(form, str) else None
    if not found or found[1] != FORMAT.partition("/")[2]:
        raise InputError(
            f'{document.path}: field format: "{form}" is not a version that this stylekl reads',
            f"it reads {FORMAT}; a newer stylekl reads newer files",
        )


def _distinct(unit: _Units, kind: type[Named], rows: Rows) -> list[Named]:
    """Return the records, one for each id."""
    seen: dict[str, tuple[int, Named]] = {}
    for number, row in rows:
        record = unit.record(kind, number, row)
        first, same = seen.setdefault(record.id, (number, record))
        if same != record:
            where = f"{unit.path}: {unit.of(kind)}"
            raise clash(f'{kind.__name__.lower()} "{record.id}"', f"{where} {first}", f"{where} {number}")
    return [record for _, record in seen.values()]


def _replies(unit: _Units, results: Results, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
    models = {model.id for model in results.models}
    prompts = {prompt.id for prompt in results.prompts}
    conditions = {condition.id for condition in results.conditions}
    where = f"{unit.path}: {unit.of(Reply)}"
    for number, row in rows:
        reply = unit.record(Reply, number, row if conditions else _without_condition(row))
        for field, value, known in (
            ("model", reply.model, models),
            ("prompt", reply.prompt, prompts),
            ("condition", reply.condition, conditions),
        ):
            if value is not None and value not in known:
                raise unit.fault(Reply, number, f'field {field}: the file has no {field} "{value}"')
        results.replies.append(reply)
        results.places.append((where, number))


def _without_condition(row: dict[str, Any]) -> dict[str, Any]:
    """Move a condition into `extra`: where a file defines none of ours, it means something else."""
    if "condition" not in row:
        return row
    rest = {key: value for key, value in row.items() if key != "condition"}
    return rest | {"extra": {"condition": row["condition"]} | (row.get("extra") or {})}
