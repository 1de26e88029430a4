"""Which column of a table, or field of a record, holds which part of a reply: by its usual names, or as a user says."""

from __future__ import annotations

import csv
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from stylekl.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stylekl.results.document import Document

# Names in the order in which they count where a file has several. Case, spaces and marks between words are no part of a
# name: "Model Name", "model-name" and "modelName" are model_name.
USUAL: dict[str, tuple[str, ...]] = {
    "model": ("model", "model_name", "model_id", "llm", "llm_name", "engine", "generator"),
    "prompt": (
        *(
            "prompt",
            "instruction",
            "question",
            "input",
            "query",
            "user_prompt",
            "prompt_text",
            "question_text",
        ),
        *("user_message", "user_input", "user_query", "customer_input", "messages"),
    ),
    "reply": (
        *("response", "reply", "output", "completion", "answer", "text", "model_response", "model_output"),
        *("model_reply", "model_answer", "model_completion", "response_text", "reply_text", "output_text"),
        *("completion_text", "answer_text", "generated_text", "generation", "llm_response", "llm_output"),
        *("assistant_response", "assistant_message", "assistant", "prediction", "content"),
    ),
    "prompt_id": (
        "prompt_id",
        "question_id",
        "instruction_id",
        "query_id",
        "task_id",
        "item_id",
        "qid",
        "id",
    ),
    "sample": ("sample", "sample_index", "sample_idx", "sample_number", "sample_no"),
    "system": ("system", "system_prompt", "system_message", "system_instruction", "system_instructions"),
    "topic": ("topic", "category", "domain"),
    "provider": ("provider", "provider_name", "vendor"),
    "stop": ("finish_reason", "stop_reason"),
    "requested": ("requested_model", "model_requested", "api_model"),
    "returned": ("returned_model", "model_returned", "response_model", "served_model"),
    "error": ("error", "error_message"),
}
# What a user may name, `period` only so: a column that happens to be called that is seldom an edition.
ROLES = ("model", "prompt", "reply", "prompt_id", "sample", "system", "topic", "provider", "period", "stop")
MODELS = "models"  # the role of all columns of a table with a column for each model
_BETWEEN = re.compile(r"[\W_]+")
_SHAPES = 1024  # sets of fields that records of one file have, and are remembered
_TABLES = ("table", "parquet", "lines", "array", "object")


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Return a column's name as it is compared: lower case, without spaces and marks."""
    return _BETWEEN.sub("", name).lower()


_ROLE_OF = {plain(name): (role, place) for role, names in USUAL.items() for place, name in enumerate(names)}


@lru_cache(maxsize=1024)
def usual(names: tuple[str, ...]) -> Mapping[str, str]:
    """Return for each role the column that is called so; the first name in USUAL counts, then the first column."""
    found: dict[str, tuple[int, str]] = {}
    for name in names:
        role, place = _ROLE_OF.get(plain(name), (None, 0))
        if role is not None and (role not in found or place < found[role][0]):
            found[role] = (place, name)
    return {role: name for role, (_, name) in found.items()}


def is_usual(name: str) -> bool:
    """Whether a column's name is one of those that tell a role."""
    return plain(name) in _ROLE_OF


class Columns:
    """The roles of columns: as the user says, for the others by their names."""

    def __init__(self, document: Document) -> None:
        """Raises UsageError for a role that does not exist, InputError for a column that the first record has not."""
        self._said = _said(document)
        self._taken = set(self._said.values())
        self._known: dict[tuple[str, ...], Mapping[str, str]] = {}

    def of(self, row: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the column of each role in a record; what the user named comes first, whether it is there or not."""
        names = tuple(row)
        found = self._known.get(names)
        if found is None:
            found = {**usual(tuple(name for name in names if name not in self._taken)), **self._said}
            if len(self._known) < _SHAPES:
                self._known[names] = found
        return found


def is_named(document: Document) -> bool:
    """Whether the user named columns, and the document is of a kind that has them."""
    return bool(document.reading.columns) and document.kind in _TABLES and isinstance(document.first, dict)


def wants_models(document: Document) -> bool:
    """Whether the user named the columns of models."""
    return is_named(document) and MODELS in document.reading.columns


def named_models(document: Document) -> list[str]:
    """Return the columns that the user names as models, separated by commas; a name with a comma stands in quotes.

    Raises InputError for one that the first record has not.
    """
    given = document.reading.columns.get(MODELS)
    if given is None:
        return []
    names = next(csv.reader([given], skipinitialspace=True), [])
    return [_present(document, MODELS, name.strip()) for name in names if name.strip()]


def has_named(document: Document) -> bool:
    """Whether the first record has every column that the user names."""
    if not is_named(document):
        return False
    try:
        _said(document)
        named_models(document)
    except InputError:
        return False
    return True


def _said(document: Document) -> dict[str, str]:
    if not is_named(document):
        return {}
    given = document.reading.columns
    for role in given:
        if role not in ROLES and role != MODELS:
            raise UsageError(
                f'no part of a reply is called "{role}"',
                f"columns can be named for {_listed((*ROLES, MODELS))}",
            )
    return {role: _present(document, role, name) for role, name in given.items() if role != MODELS}


def _present(document: Document, role: str, name: str) -> str:
    names: list[str] = list(document.first)
    if name in names:
        return name
    alike = [each for each in names if plain(each) == plain(name) and plain(name)]
    if len(alike) == 1:
        return alike[0]
    raise InputError(
        f'{document.path}: no column "{name}" for the {role}', f"its columns are {_listed(names) or 'none'}"
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
