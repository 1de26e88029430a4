"""Writing a results file: whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from stylekl.errors import StyleklError, UsageError
from stylekl.results.json_text import repaired
from stylekl.results.records import FORMAT, RECORD_NAMES, TYPED, Results, to_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def save(results: Results, path: str | Path) -> None:
    """Write `results` to `path`: .json one object, .jsonl one record a line, each with .gz compressed.

    The bytes depend on the results alone. They go to a temporary file beside `path` that takes its place once
    it is on the disk: whatever happens, `path` holds the old content or the new, whole. Records are written one by
    one, so memory holds one at a time. Lone surrogates are written as U+FFFD. Raises UsageError for another suffix, and
    where JSON Lines has no place for a field (see `pieces`), StyleklError where the file cannot be written.
    """
    target = Path(path)
    plain = target.with_suffix("") if target.suffix == ".gz" else target
    if plain.suffix not in (".json", ".jsonl"):
        raise UsageError(
            f"{path}: a results file ends in .json or .jsonl, either with .gz", "give it one of these endings"
        )
    written = pieces(results, lines=plain.suffix == ".jsonl")
    _write(target, _compressed(written) if target.suffix == ".gz" else written)


def pieces(results: Results, *, lines: bool = False) -> Iterator[bytes]:
    """Yield the bytes of a results file piece by piece: one JSON object, or with `lines` one record a line.

    Raises UsageError where a record of JSON Lines has a field of its own called "record": that names its kind there.
    """
    return _as_lines(results) if lines else _as_object(results)


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write `data` to `path`, whole or not at all; raises StyleklError where it cannot be written."""
    _write(Path(path), (data,))


def _write(target: Path, written: Iterable[bytes]) -> None:
    try:
        _replace(target, written)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise StyleklError(
            f"{target}: not written: {reason}", "what was there before is unchanged"
        ) from error


def _compressed(written: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what is written as gzip, without name or time, so that the bytes are the same every time."""
    packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    for piece in written:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()


def _tables(results: Results) -> Iterator[tuple[str, Iterable[dict[str, Any]]]]:
    """Yield the arrays that hold something, in their stated order."""
    for array in RECORD_NAMES:
        if array in TYPED:
            records = getattr(results, array)
            if len(records):
                yield array, map(to_row, records)
        elif array in results.other:
            yield array, results.other[array]


def _as_object(results: Results) -> Iterator[bytes]:
    yield b'{"format": ' + _encode(FORMAT)
    for key, value in results.unknown.items():
        yield b",\n" + _encode(key) + b": " + _encode(value)
    for array, rows in _tables(results):
        yield b",\n" + _encode(array) + b": [\n"
        for place, row in enumerate(rows):
            yield (b",\n" if place else b"") + _encode(row)
        yield b"\n]"
    yield b"\n}\n"


def _as_lines(results: Results) -> Iterator[bytes]:
    yield _line("file", {"format": FORMAT} | results.unknown)
    for array, rows in _tables(results):
        for row in rows:
            yield _line(RECORD_NAMES[array], row)


def _line(record: str, row: dict[str, Any]) -> bytes:
    if "record" in row:
        raise UsageError(
            f'JSON Lines has no place for a field "record": a {record} has one', "write .json instead"
        )
    return _encode({"record": record} | row) + b"\n"


def _encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError):  # lone surrogates; integers beyond 64 bits
        return json.dumps(repaired(value, Counter()), ensure_ascii=False).encode()


def _replace(target: Path, written: Iterable[bytes]) -> None:
    target = target.resolve()  # a link stays a link
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in written:
                file.write(piece)
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
