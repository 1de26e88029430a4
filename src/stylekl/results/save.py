"""Writing a results file: whole or not at all."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from stylekl.errors import StyleklError, UsageError
from stylekl.results.document import repaired
from stylekl.results.records import FORMAT, RECORD_NAMES, TYPED, Results, to_row

if TYPE_CHECKING:
    from collections.abc import Iterator


def save(results: Results, path: str | Path) -> None:
    """Write `results` to `path`: .json one object, .jsonl one record a line, each with .gz compressed.

    The bytes depend on the results alone. They go to a temporary file beside `path` that takes its place once
    it is on the disk: whatever happens, `path` holds the old content or the new, whole. Lone surrogates are
    written as U+FFFD. Raises UsageError for another suffix, StyleklError where the file cannot be written.
    """
    target = Path(path)
    plain = target.with_suffix("") if target.suffix == ".gz" else target
    if plain.suffix not in (".json", ".jsonl"):
        raise UsageError(
            f"{path}: a results file ends in .json or .jsonl, either with .gz", "give it one of these endings"
        )
    pieces = _as_object(results) if plain.suffix == ".json" else _as_lines(results)
    data = b"".join(pieces)
    if target.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    write_atomically(target, data)


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write `data` to `path`, whole or not at all; raises StyleklError where it cannot be written."""
    try:
        _replace(Path(path), data)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise StyleklError(f"{path}: not written: {reason}", "what was there before is unchanged") from error


def _tables(results: Results) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the arrays that hold something, in their stated order."""
    for array in RECORD_NAMES:
        if array in TYPED:
            rows = [to_row(record) for record in getattr(results, array)]
        else:
            rows = results.other.get(array, [])
        if rows or array in results.other:
            yield array, rows


def _as_object(results: Results) -> Iterator[bytes]:
    yield b'{"format": ' + _encode(FORMAT)
    for key, value in results.unknown.items():
        yield b",\n" + _encode(key) + b": " + _encode(value)
    for array, rows in _tables(results):
        yield b",\n" + _encode(array) + b": [\n"
        yield b",\n".join(_encode(row) for row in rows) + b"\n]"
    yield b"\n}\n"


def _as_lines(results: Results) -> Iterator[bytes]:
    yield _encode({"record": "file", "format": FORMAT} | results.unknown) + b"\n"
    for array, rows in _tables(results):
        for row in rows:
            yield _encode({"record": RECORD_NAMES[array]} | row) + b"\n"


def _encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError):  # lone surrogates; integers beyond 64 bits
        return json.dumps(repaired(value, Counter()), ensure_ascii=False).encode()


def _replace(target: Path, data: bytes) -> None:
    target = target.resolve()  # a link stays a link
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode(target))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _mode(target: Path) -> int:
    """Return the mode of the file that is replaced; for a new one what the process's umask allows."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # a folder cannot be opened there, and a rename is durable without
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
