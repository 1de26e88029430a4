"""The database in which the command line tool llm keeps its log, with its older and its newer tables."""

from __future__ import annotations

import heapq
from operator import itemgetter
from typing import TYPE_CHECKING

from stylekl.errors import InputError, UnknownFormatError
from stylekl.results.readers.llm_logs import entry
from stylekl.results.readers.llm_tables import Responses, Turns
from stylekl.results.readers.recording import Recording

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "llm_database"
describe = "the database of `llm logs path` (tables responses or turns)"
_SHOWN = 12


def recognise(document: Document) -> bool:
    """Whether the file is an SQLite database: of those no other form is read."""
    return document.kind == "sqlite"


def read(document: Document) -> Results:
    """Return what `llm_logs.read` returns of `llm logs --json -n 0` on the same database.

    Where a log was moved from the older tables to the newer, an entry in both counts once. Raises UnknownFormatError
    for a database of another kind, InputError for a damaged one.
    """
    from stylekl.results.sqlite import CHECK, open_database

    recording = Recording(document)
    with document.open() as file, open_database(document.path, file, document.warnings) as database:
        responses, turns = Responses(database), Turns(database)
        if not responses.present and not turns.present:
            shown = ", ".join(database.tables[:_SHOWN]) + (" …" if len(database.tables) > _SHOWN else "")
            seen = (
                f"an SQLite database with the tables {shown}"
                if shown
                else "an SQLite database without tables"
            )
            raise UnknownFormatError(document.path, seen, f"{describe}; export any other as CSV or JSON")
        last = None
        rows = heapq.merge(responses.rows(turns.ids()), turns.rows(), key=itemgetter("id"))
        for number, row in enumerate(rows, 1):
            if row["id"] == last:  # a key, so it can come once
                raise InputError(
                    f"{document.path}: a damaged database: {last} is the id of two entries", CHECK
                )
            last = row["id"]
            entry(recording, number, row)
    return recording.done()
