"""The journal: what came back, one line an attempt, on the disk before it counts.

`results.json.journal` stands beside the results file and is only ever added to. Its first line, and each later line
with `config`, is the configuration of a collection; a line with `attempt` is one attempt; a line with `redo` sends
earlier replies to the archive. Lines are flushed to the disk together where several wait. One process at a time holds
the journal.
"""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from stylekl.errors import InputError, StyleklError, UsageError
from stylekl.gather.keys import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from stylekl.gather.keys import Secret

FORMAT = "stylekl-journal/1"
RESERVE = 4_000_000  # bytes kept free, so that what is in flight fits where the disk fills up
Record = dict[str, Any]


def journal_of(results: str | Path) -> Path:
    """Return the path of the journal of a results file."""
    return Path(f"{results}.journal")


class Journal:
    """An open journal.

    `warnings` say what had to be dropped; `trouble` is set once a line could not be written at once.
    """

    def __init__(self, path: Path, secrets: Iterable[Secret] = ()) -> None:
        self.path = path
        self.warnings: list[str] = []
        self.trouble: OSError | None = None
        self._keys = [json.dumps(key)[1:-1] for s in secrets if len(key := s.reveal()) >= 8]
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._reserve = path.with_name(path.name + ".reserve")
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            _lock(self._file, path)
            self._good = self._repair()
            self._sync_folder()
            self._set_aside()
        except OSError as error:
            raise _unwritten(path, error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        os.close(self._file)

    def release(self) -> None:
        """Give the reserve back to the disk."""
        with suppress(OSError):
            self._reserve.unlink(missing_ok=True)

    def records(self) -> Iterator[Record]:
        """Yield what stands in it, in order, one line at a time."""
        return read(self.path)

    def write(self, record: Record) -> None:
        """Add one line and wait for the disk. Raises StyleklError where it cannot be written."""
        try:
            self._add(self._line(record))
        except OSError as error:
            raise _unwritten(self.path, error) from None

    async def append(self, record: Record) -> None:
        """Add one line; return once it is on the disk. Raises StyleklError where it cannot be written."""
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((self._line(record), done))
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush())
        await asyncio.shield(done)

    async def _flush(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._add, b"".join(line for line, _ in batch))
            except OSError as error:
                for _, done in batch:
                    if not done.done():
                        done.set_exception(_unwritten(self.path, error))
            else:
                for _, done in batch:
                    if not done.done():
                        done.set_result(None)

    def _line(self, record: Record) -> bytes:
        """Return a record as a line. A key of ours that a server sent back is not written."""
        try:
            line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
            line.encode()
        except UnicodeEncodeError:  # a lone surrogate stands as its escape
            line = json.dumps(record, separators=(",", ":"))
        for key in self._keys:
            line = line.replace(key, HIDDEN)
        return line.encode() + b"\n"

    def _add(self, data: bytes) -> None:
        """Write whole lines. Where the disk is full the reserve makes room, once; half a line never stays."""
        try:
            self._put(data)
        except OSError as error:
            os.ftruncate(self._file, self._good)
            self.trouble = error
            if not self._reserve.exists():
                raise
            self._reserve.unlink()
            try:
                self._put(data)
            except OSError:
                os.ftruncate(self._file, self._good)
                raise
        self._good += len(data)

    def _put(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest) :]
        os.fsync(self._file)

    def _repair(self) -> int:
        """Return the size of the journal after cutting off what a killed process left of its last line.

        Raises InputError where a line that is no last one does not parse.
        """
        good, number = 0, 0
        bad: tuple[int, int] | None = None
        with self.path.open("rb") as file:
            for line in file:
                number += 1
                if _parsed(line) is None:
                    bad = bad or (number, good)
                elif bad is not None:
                    raise InputError(
                        f"{self.path}: line {bad[0]}: not a line of a journal",
                        "restore the file from a copy, or collect into another results file",
                    )
                else:
                    good += len(line)
        if bad is not None:
            os.ftruncate(self._file, good)
            os.fsync(self._file)
            self.warnings.append(f"{self.path}: line {bad[0]}, the last, was cut short and is dropped")
        return good

    def _set_aside(self) -> None:
        with suppress(OSError), self._reserve.open("wb") as file:
            file.write(b"\0" * RESERVE)
            file.flush()
            os.fsync(file.fileno())

    def _sync_folder(self) -> None:
        if os.name != "nt":
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def read(path: Path) -> Iterator[Record]:
    """Yield the records of a journal up to the first line that does not parse; none where it is absent."""
    try:
        with path.open("rb") as file:
            for line in file:
                record = _parsed(line)
                if record is None:
                    return
                yield record
    except FileNotFoundError:
        return


def _parsed(line: bytes) -> Record | None:
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _lock(file: int, path: Path) -> None:
    """Hold the journal alone; the system lets go of it with the process, however that ends."""
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(file, 1 << 40, os.SEEK_SET)  # a byte that nobody writes
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise UsageError(
            f"{path}: another collection is writing it",
            "wait until it ends, or collect into another results file",
        ) from None


def _unwritten(path: Path, error: OSError) -> StyleklError:
    reason = os.strerror(error.errno) if error.errno else str(error)
    return StyleklError(
        f"{path}: not written: {reason}", "what it held before is kept; the same command resumes"
    )
