"""The forms of file that can be read, one module each. A new form is a new module and a line in READERS.

A reader has a `name`, a phrase `describe` for messages, `recognise(document)`, which tells from the first
record whether a file is of its form, and `read(document)`, which returns its results or raises a RecordError.
Folders of texts are no documents: `folder` reads them once the prompts of the files are known.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from stylekl.errors import UnknownChoiceError, UnknownFormatError
from stylekl.results.document import describe
from stylekl.results.readers import (
    alpaca_annotations,
    alpaca_eval,
    alpaca_farm,
    arena_judgments,
    batch,
    battles,
    choice_orders,
    choice_rows,
    conversations,
    creative_runs,
    evals_log,
    helm,
    hotdogbenchmark,
    inspect_eval,
    inspect_log,
    judge_object,
    llm_database,
    llm_logs,
    lm_eval,
    model_answers,
    native,
    pair_judgments,
    plain_lines,
    promptfoo,
    promptfoo_table,
    questions,
    raw_completions,
    reply_maps,
    score_table,
    single_judgments,
    traces,
    wide_table,
)
from stylekl.results.readers.columns import has_named

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results


class Reader(Protocol):
    """What a module here offers."""

    name: str
    describe: str

    def recognise(self, document: Document, /) -> bool:
        """Whether `read` is the one for this document."""

    def read(self, document: Document, /) -> Results:
        """Return what the document holds."""


READERS: tuple[Reader, ...] = (
    native,
    choice_rows,
    choice_orders,
    hotdogbenchmark,
    alpaca_annotations,
    alpaca_eval,
    pair_judgments,
    arena_judgments,
    single_judgments,
    score_table,
    judge_object,
    battles,
    alpaca_farm,
    promptfoo,
    promptfoo_table,
    batch,
    evals_log,
    lm_eval,
    inspect_log,
    inspect_eval,
    helm,
    creative_runs,
    traces,
    raw_completions,
    model_answers,
    conversations,
    llm_logs,
    llm_database,
    reply_maps,
    wide_table,
    plain_lines,
    questions,
)

# The readers whose results hang on files that stand beside the one that they read.
AROUND = frozenset(
    reader.name for reader in (batch, judge_object, lm_eval, llm_database, model_answers, questions, traces)
)


def read(document: Document) -> Results:
    """Return what the first reader that recognises a document reads; only the one that its `reading` names, if any.

    Raises UnknownFormatError where none recognises it, UnknownChoiceError for a reader that does not exist.
    """
    reader = document.reading.format
    named = {each.name: each for each in READERS}
    if reader is not None and reader not in named:
        error = UnknownChoiceError("form", reader, list(named), "that stylekl reads")
        error.hint = f"forms: {', '.join(sorted(named))}"
        raise error
    tried = _asked_for(document) if reader is None else (named[reader],)
    known = _known(document, tried)
    if known is not None:
        found = known.read(document)
        found.sources = [replace(source, form=known.name) for source in found.sources]
        return found
    forms = (
        f"{plain_lines.describe}, and the forms in docs/results-file.md; --column model=NAME --column prompt=NAME "
        "--column reply=NAME says which columns or fields to read, --format NAME which form a file has"
        if reader is None
        else tried[0].describe
    )
    raise UnknownFormatError(document.path, _seen(document), forms)


def recognised(document: Document) -> str | None:
    """Return the name of the reader that would read a document, null where none would."""
    asked = document.reading.format
    tried = tuple(each for each in _asked_for(document) if asked in (None, each.name))
    known = _known(document, tried)
    return None if known is None else known.name


def _known(document: Document, tried: tuple[Reader, ...]) -> Reader | None:
    return next((each for each in tried if each.recognise(document)), None)


def _asked_for(document: Document) -> tuple[Reader, ...]:
    """Return the readers in their order; those of tables first where a file has the columns that the user names."""
    if has_named(document) and not native.recognise(document):
        return wide_table, plain_lines, *READERS
    return READERS


def _seen(document: Document) -> str:
    if document.kind in ("zip", "sqlite"):
        return {"zip": "a zip", "sqlite": "an SQLite database"}[document.kind]
    first = describe(document.first)
    if document.kind == "object":
        return first
    if document.kind == "table":
        return "a table with the columns " + ", ".join(document.first)
    form = "lines" if document.kind == "lines" else "an array"
    return f"{form}, the first {document.unit} {first}" if document.first is not None else "an empty array"
