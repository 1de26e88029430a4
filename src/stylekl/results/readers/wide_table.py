"""Tables with a row for each prompt and a column for each model, as people lay replies side by side."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from stylekl.errors import InputError
from stylekl.results.document import describe as describe_value
from stylekl.results.readers.cells import asked_in, listed_turns, replies_in
from stylekl.results.readers.columns import Columns, is_named, named_models, plain, wants_models
from stylekl.results.readers.conversation import Asked
from stylekl.results.readers.plain_lines import TABLES, id_of, is_blank, take_used
from stylekl.results.readers.recording import Recording
from stylekl.results.readers.wide_columns import Found, find_models, names_of, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "wide_table"
describe = "a table with a prompt a row and a column for each model"
_LOOKED_AT = 50  # rows from which the columns of models are told
_NAMED = 12  # columns that a warning lists
_KINDS = (*TABLES, "lines", "array", "object")
_ASKED = {"prompt", "prompt_id"}
_OTHER_ROLES = ("model", "reply")  # of a table with a reply a row


def recognise(document: Document) -> bool:
    """Whether the records have a prompt, or the id of one, no model, and columns that are models."""
    first = document.first
    if document.kind not in _KINDS or not isinstance(first, dict) or not first:
        return False
    if is_named(document):
        if wants_models(document):
            return True
        if any(role in document.reading.columns for role in _OTHER_ROLES):
            return False
    roles = Columns(document).of(first)
    if "model" in roles or not (_ASKED & roles.keys()):
        return False
    rows = document.objects() if document.kind in TABLES else iter([(1, first)])
    return _detected(document, [row for _, row in islice(rows, _LOOKED_AT)], roles) is not None


def read(document: Document) -> Results:
    """Return a reply for every filled cell in a column of a model.

    Which columns are models is told by `find_models`, or by the user; a warning names them. A cell without anything is
    no reply. The other columns of a row go into the `extra` of its replies, but for the id, the topic and the system
    prompt. Without a column for the prompt its id is its text, with a warning. Raises InputError where no column is a
    model or a prompt, RecordError for a prompt or a reply that is no text.
    """
    rows = iter(document.objects())
    head = list(islice(rows, _LOOKED_AT))
    columns = Columns(document)
    roles = columns.of(head[0][1]) if head else {}
    found = _chosen(document, [row for _, row in head], roles)
    if not _ASKED & roles.keys():
        raise InputError(
            f"{document.path}: no column holds the prompts", f"its columns are {', '.join(document.first)}"
        )
    recording = Recording(document)
    recording.results.warnings.extend(_said(document, found, roles))
    partners = _partners(document.first, found)
    for column, model in found.models.items():
        if column not in partners:
            recording.model(model)
    for number, row in chain(head, rows):
        if not is_blank(row):
            _row(recording, number, row, found, columns.of(row), partners)
    return recording.done()


def _detected(
    document: Document, rows: Sequence[Mapping[str, Any]], roles: Mapping[str, str]
) -> Found | None:
    """Return the columns of models. In JSON, whose fields may be of any kind, sentences are not enough to tell them.

    Nor are they beside a column that is called a reply, or without a prompt.
    """
    used = {role: key for role, key in roles.items() if role != "reply"}
    doubtful = "prompt" not in roles or "reply" in roles
    return find_models(rows, used, named_at_least=2 if doubtful else 0 if document.kind in TABLES else 1)


def _chosen(document: Document, rows: Sequence[Mapping[str, Any]], roles: Mapping[str, str]) -> Found:
    if wants_models(document):
        models = names_of(named_models(document))
        taken = {*models, *roles.values()}
        return Found(models, [each for each in document.first if each not in taken])
    found = _detected(document, rows, roles)
    if found is None:
        raise InputError(
            f"{document.path}: which columns are models cannot be told",
            f"name them, as models=A,B; its columns are {', '.join(document.first)}",
        )
    return found


def _said(document: Document, found: Found, roles: Mapping[str, str]) -> list[str]:
    path = document.path
    said = (
        []
        if wants_models(document)
        else [f"{path}: took the columns {_listed(list(found.models))} for models"]
    )
    if said and found.others:
        said[0] += f", not {_listed(found.others)}"
    said += [
        f'{path}: several columns are called "{each}": each counts as a model of its own'
        for each in repeated(list(found.models))
    ]
    if "prompt" not in roles:
        said.append(f"{path}: no column holds the prompts: each is called by its id")
    return said


def _listed(names: list[str]) -> str:
    shown = names[:_NAMED]
    if len(names) > _NAMED:
        return ", ".join(shown) + f" and {len(names) - _NAMED} more"
    return ", ".join(shown[:-1]) + f" and {shown[-1]}" if len(shown) > 1 else shown[0]


def _row(
    recording: Recording,
    number: int,
    row: dict[str, Any],
    found: Found,
    roles: Mapping[str, str],
    partners: Mapping[str, str],
) -> None:
    document = recording.document
    turn = document.reading.turn or "first"
    given = row.get(roles.get("prompt", roles.get("prompt_id", "")))
    asked = asked_in(str(given) if "prompt" not in roles and isinstance(given, int) else given, turn)
    if asked is None:
        key = roles.get("prompt", roles.get("prompt_id"))
        raise document.fault(number, f"field {key}: expected text, found {describe_value(given)}")
    system, topic = row.get(roles.get("system", "")), row.get(roles.get("topic", ""))
    if isinstance(system, str) and system and asked.system is None:
        asked = Asked(asked.prompt, system)
    wanted, topic = row.get(roles.get("prompt_id", "")), topic if isinstance(topic, str) and topic else None
    prompt = recording.prompt(asked.prompt, id_of(wanted), topic)
    names = {column: _name(row, column, model, partners) for column, model in found.models.items()}
    left = {*found.models, *(partners[column] for column in names if column in partners)}
    extra = {key: value for key, value in row.items() if key not in left and key != roles.get("prompt")}
    for role, used in (("system", asked.system), ("topic", prompt.topic), ("prompt_id", prompt.id)):
        take_used(extra, roles, role, used)
    turns = listed_turns(given) is not None
    for column, model in names.items():
        value = row.get(column)
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        said = replies_in(value, turn, turns=turns)
        if said is None:
            raise document.fault(number, f"field {column}: expected text, found {describe_value(value)}")
        for each in said:
            more = {column: each.rest} if each.rest else {}
            recording.record(number, recording.model(model), asked, each, topic=topic, extra=extra | more)


def _partners(first: Mapping[str, Any], found: Found) -> dict[str, str]:
    """Return for columns such as `response_a` the one that says which model that is, such as `model_a`."""
    called = {plain(key): key for key in first}
    wanted = {column: f"model{plain(model)}" for column, model in found.models.items() if column != model}
    return {column: called[key] for column, key in wanted.items() if key in called}


def _name(row: Mapping[str, Any], column: str, model: str, partners: Mapping[str, str]) -> str:
    given = row.get(partners.get(column, ""))
    return given.strip() if isinstance(given, str) and given.strip() else model
