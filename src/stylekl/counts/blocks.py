"""Entries of the folder that are read in part: blocks of bytes by name, each with a digest of its own.

What a question needs of an entry may be a hundredth of it. So each block is held against its digest when it is read,
and the list of blocks, which stands at the end, against one of its own when the entry is opened.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from typing import IO, TYPE_CHECKING

import msgspec

from stylekl.counts import shelf

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MARK = b"stylekl work 1\n"
_TAIL = 40  # bytes: the digest of the list of blocks, and how long it is


class Damaged(Exception):
    """A block of `entry` is not what was written; who meets it makes everything anew."""

    def __init__(self, entry: Entry) -> None:
        super().__init__("a block is not what was written")
        self.entry = entry


class _Place(msgspec.Struct, frozen=True, array_like=True):
    start: int
    size: int
    digest: bytes


class _List(msgspec.Struct, frozen=True):
    key: bytes
    blocks: dict[str, _Place]


class Entry:
    """An entry that was opened; `close` it."""

    def __init__(self, file: IO[bytes], path: Path, places: dict[str, _Place]) -> None:
        self._file, self._path, self._places = file, path, places

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def read(self, name: str) -> bytes:
        """Return a block; raises Damaged where it is not what was written, or there is none."""
        place = self._places.get(name)
        if place is None:
            raise Damaged(self)
        try:
            self._file.seek(place.start)
            data = self._file.read(place.size)
        except OSError:
            raise Damaged(self) from None
        if hashlib.sha256(data).digest() != place.digest:
            raise Damaged(self)
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def delete(self) -> None:
        """Close and delete it."""
        self.close()
        _delete(self._path)


def find(path: Path, key: bytes) -> Entry | None:
    """Open the entry of this key; None where there is none that is whole and the user's own."""
    try:
        file = path.open("rb")
    except OSError:
        return None
    try:
        if not shelf.own(file):
            raise ValueError("another user's")
        places = _listed(file, key)
    except (OSError, ValueError, msgspec.DecodeError):
        file.close()
        _delete(path)
        return None
    with suppress(OSError):
        os.utime(path)
    return Entry(file, path, places)


def _listed(file: IO[bytes], key: bytes) -> dict[str, _Place]:
    """Return where the blocks are; raises ValueError where the list is damaged or another's."""
    end = file.seek(0, os.SEEK_END) - _TAIL
    file.seek(max(end, 0))
    tail = file.read()
    size = int.from_bytes(tail[32:], "little")
    _require(end > len(MARK) and size <= end - len(MARK))
    file.seek(end - size)
    listed = file.read(size)
    file.seek(0)
    _require(file.read(len(MARK)) == MARK and hashlib.sha256(listed).digest() == tail[:32])
    found = msgspec.msgpack.decode(listed, type=_List)
    _require(found.key == key)
    return found.blocks


def write(path: Path, key: bytes, blocks: Iterable[tuple[str, bytes]]) -> None:
    """Write an entry, one block after the other; nothing happens where it cannot be written, or has no room."""
    most = shelf.limit()
    with suppress(OSError, _TooLarge):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with shelf.beside(path) as file:
            file.write(MARK)
            places, end = {}, len(MARK)
            for name, data in blocks:
                places[name] = _Place(end, len(data), hashlib.sha256(data).digest())
                file.write(data)
                end += len(data)
                if end > most:
                    raise _TooLarge
            listed = msgspec.msgpack.encode(_List(key, places))
            file.write(listed + hashlib.sha256(listed).digest() + len(listed).to_bytes(8, "little"))
        shelf.evict(path.parent, most)


class _TooLarge(Exception):
    """The folder has no room for the entry."""


def _delete(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("not an entry")
