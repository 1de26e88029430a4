"""SQLite databases, read without a trace: nothing is written beside a file, no view and no function of it is run."""

from __future__ import annotations

import math
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from stylekl.errors import InputError, RecordError
from stylekl.results.source import STDIN
from stylekl.results.store import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAGIC = b"SQLite format 3\0"
CHECK = "`sqlite3 FILE 'pragma integrity_check'` says what is wrong with it"
LONGEST = 256 << 20  # bytes of one value
PATIENCE = 6.0  # seconds of work, and two for each MiB of the file: a healthy one needs a tenth of that
STEPS = 10_000  # instructions of SQLite between two looks at the clock
_BESIDE = ("-wal", "-journal")


class Database:
    """The tables of a database. Errors of SQLite are InputErrors that name the file."""

    def __init__(self, path: str, connection: sqlite3.Connection, size: int) -> None:
        self.path = path
        self._connection = connection
        self._deadline = time.process_time() + PATIENCE + size / (1 << 19)
        connection.text_factory = bytes  # so that a text that is not UTF-8 is an error of ours
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        connection.set_progress_handler(self._late, STEPS)
        for pragma in ("trusted_schema = off", "query_only = on"):
            list(self._run(f"pragma {pragma}"))
        listed = self._run(
            "select name from sqlite_master where type = 'table' and sql not like 'create virtual%' order by rowid"
        )
        self.tables = [name for row in listed if (name := _text(row[0])) is not None]
        self._columns: dict[str, list[str]] = {}

    def columns(self, table: str) -> list[str]:
        """Return the names of a table's columns, none where there is no such table."""
        if table not in self._columns:
            rows = self._run(f"pragma table_info({_quoted(table)})") if table in self.tables else []
            self._columns[table] = [name for row in rows if (name := _text(row[1])) is not None]
        return self._columns[table]

    def rows(
        self,
        table: str,
        columns: Sequence[str],
        where: str | None = None,
        equal: Any = None,
        order: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Yield those of these columns that the table has, of the rows whose column `where` is `equal`.

        Numbers and nulls are as SQLite has them, what is not finite is null. Raises RecordError for a blob and for a
        text that is not UTF-8.
        """
        known = self.columns(table)
        taken = [each for each in columns if each in known]
        if not taken or (where is not None and where not in known):
            return
        asked = [*map(_quoted, taken), *(f"typeof({_quoted(each)})" for each in taken)]
        query = f"select {', '.join(asked)} from {_quoted(table)}"
        query += "" if where is None else f" where {_quoted(where)} = ?"
        query += f" order by {_quoted(order)}" if order is not None and order in known else ""
        for number, row in enumerate(self._run(query, () if where is None else (equal,)), 1):
            values = dict(zip(taken, row, strict=False))
            for column, kind in zip(taken, row[len(taken) :], strict=True):
                if isinstance(values[column], float) and not math.isfinite(values[column]):
                    values[column] = None
                elif isinstance(values[column], bytes):
                    values[column] = _text(values[column]) if kind == b"text" else None
                    if values[column] is None:
                        at = f"table {table}, row {number}"
                        raise RecordError(self.path, at, f"field {column}: bytes that are no text in UTF-8")
            yield values

    def length(self, table: str, column: str, where: str, equal: Any) -> int | None:
        """Return the length of `column` in the row whose column `where` is `equal`, null where there is nothing."""
        if not {column, where} <= set(self.columns(table)):
            return None
        query = f"select length({_quoted(column)}) from {_quoted(table)} where {_quoted(where)} = ?"
        found = next(iter(self._run(query, (equal,))), None)
        return None if found is None else found[0]

    def _run(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            # not "yield from", which closes the cursor of a generator that is left, after the connection
            for row in self._connection.execute(query, values):  # noqa: UP028
                yield row
        except (sqlite3.Error, OverflowError, MemoryError, UnicodeDecodeError) as error:
            raise _damaged(self.path, error) from None

    def check(self) -> None:
        """Raise InputError where reading takes longer than a healthy database of this size needs."""
        if self._late():
            raise _damaged(self.path, TimeoutError("interrupted"))

    def _late(self) -> bool:
        return time.process_time() > self._deadline


@contextmanager
def open_database(path: str, file: IO[bytes], warnings: list[str]) -> Iterator[Database]:
    """Open the database that `file` holds and that lies at `path`, or came from there.

    One that lies there as it is, with nothing beside it, is opened in place; else it is copied to a temporary folder,
    with what SQLite has not put into it yet. Where that cannot be read a warning says so.
    """
    place = Path(path)
    here = path != STDIN and _is_database(place)
    beside = _beside(place) if here else []
    if here and not beside:
        with _connected(
            path, f"{place.absolute().as_uri()}?mode=ro&immutable=1", place.stat().st_size
        ) as found:
            yield found
        return
    with tempfile.TemporaryDirectory(prefix="stylekl-", dir=scratch_folder()) as folder:
        copy = Path(folder) / "copy.db"
        with copy.open("wb") as target:
            shutil.copyfileobj(file, target)
        for each in beside:
            try:
                shutil.copyfile(each, f"{copy}{each.name.removeprefix(place.name)}")
            except OSError:
                warnings.append(
                    f"{path}: {each.name} beside it cannot be read: its newest entries may be missing"
                )
        with _connected(path, f"{copy.as_uri()}?mode=rw", copy.stat().st_size) as found:
            yield found


@contextmanager
def _connected(path: str, uri: str, size: int) -> Iterator[Database]:
    try:
        connection = sqlite3.connect(uri, uri=True)
    except sqlite3.Error as error:
        raise _damaged(path, error) from None
    with closing(connection):
        yield Database(path, connection, size)


def _beside(place: Path) -> list[Path]:
    found = [place.with_name(place.name + end) for end in _BESIDE]
    return [each for each in found if each.is_file() and each.stat().st_size]


def _is_database(place: Path) -> bool:
    try:
        with place.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def _damaged(path: str, error: Exception) -> InputError:
    if "interrupted" in str(error):
        return InputError(f"{path}: reading the database takes too long: it seems damaged", CHECK)
    reason = str(error) if isinstance(error, sqlite3.Error) else type(error).__name__
    return InputError(f"{path}: a damaged database: {reason}", CHECK)


def _text(value: Any) -> str | None:
    try:
        return value.decode() if isinstance(value, bytes) else str(value)
    except UnicodeDecodeError:
        return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
