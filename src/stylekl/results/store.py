"""Replies, and where they were read, in lists that may be larger than memory.

Up to LIMIT the replies are a list like any other. Beyond, they lie in a temporary file without a
name in the user's cache, what is left in memory is a few bytes for each, and each access reads one reply anew: to
change it, put the changed one in its place.
"""

from __future__ import annotations

import json
import os
import tempfile
import weakref
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, overload

import msgspec

from stylekl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from stylekl.results.records import Reply

LIMIT = 160 << 20  # bytes, about; the texts of 74 models of AlpacaEval are more than half of it
OTHER = 256  # bytes of a reply beside its text
OBJECTS = 4  # times as much as on the disk is what a field without a type takes in memory
BLOCK = 1 << 20  # bytes read at once where replies are read one after the other
NONE = -1  # a sample that has no number
_JSON = b"{"  # no record in MessagePack begins so


def _encoded(reply: Reply) -> bytes:
    try:
        return msgspec.msgpack.encode(reply)
    except (OverflowError, UnicodeEncodeError):  # integers beyond 64 bits, lone surrogates
        return json.dumps(msgspec.to_builtins(reply)).encode()


@cache
def _decoder() -> Callable[[bytes], Reply]:
    from stylekl.results.records import Reply  # which needs this module for its own lists

    decode = msgspec.msgpack.Decoder(Reply).decode

    def decoded(data: bytes) -> Reply:
        return msgspec.convert(json.loads(data), Reply) if data.startswith(_JSON) else decode(data)

    return decoded


def picked(replies: Sequence[Reply], order: Sequence[int]) -> Sequence[Reply]:
    """Return the replies at these places, in this order; one after the other from the disk where they lie there."""
    if isinstance(replies, Replies | Picked):
        return replies.picked(order)
    return [replies[place] for place in order]


class Replies(Sequence["Reply"]):
    """A list of replies, in memory or on the disk."""

    def __init__(self, replies: Iterable[Reply] = (), *, limit: int = LIMIT) -> None:
        self._limit = limit
        self._size = 0
        self._memory: list[Reply] = []
        self._disk: _Disk | None = None
        self.extend(replies)

    @property
    def in_memory(self) -> bool:
        """Whether the replies are objects in memory: each access returns the same one."""
        return self._disk is None

    def __len__(self) -> int:
        return len(self._memory) if self._disk is None else len(self._disk)

    def __iter__(self) -> Iterator[Reply]:
        return iter(self._memory) if self._disk is None else iter(self._disk)

    @overload
    def __getitem__(self, place: int) -> Reply: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Reply]: ...
    def __getitem__(self, place: int | slice) -> Reply | Sequence[Reply]:
        if self._disk is None:
            return self._memory[place]
        if isinstance(place, slice):
            return Picked(self, range(*place.indices(len(self))))
        return self._disk[place]

    def __setitem__(self, place: int, reply: Reply) -> None:
        if self._disk is None:
            self._memory[place] = reply
        else:
            self._disk[place] = reply

    def append(self, reply: Reply) -> None:
        """Add a reply at the end."""
        if self._disk is not None:
            self._disk.append(reply)
            return
        self._memory.append(reply)
        self._size += len(reply.text) + OTHER
        if reply.extra or reply.unknown:
            self._size += OBJECTS * len(_encoded(reply))
        if self._size > self._limit:
            self.to_disk()

    def to_disk(self) -> None:
        """Move the replies to the disk, and put there what comes after."""
        if self._disk is None:
            self._disk = _Disk()
            for each in self._memory:
                self._disk.append(each)
            self._memory = []

    def extend(self, replies: Iterable[Reply]) -> None:
        """Add replies at the end."""
        for reply in replies:
            self.append(reply)

    def __iadd__(self, replies: Iterable[Reply]) -> Replies:
        self.extend(replies)
        return self

    def adopt(self, other: Replies, place: int, reply: Reply) -> None:
        """Add `reply`, which is the one at `place` of other replies: on the disk it is not written again."""
        if self._disk is None or other._disk is None:
            self.append(reply)
        else:
            self._disk.share(other._disk, place)

    def number(self, place: int, sample: int) -> None:
        """Give the reply at `place` a sample number; the reply that was there is not changed."""
        if self._disk is None:
            self._memory[place] = msgspec.structs.replace(self._memory[place], sample=sample)
        else:
            self._disk.samples[place] = sample

    def picked(self, order: Sequence[int]) -> Sequence[Reply]:
        """Return the replies at these places, in this order."""
        return [self._memory[place] for place in order] if self._disk is None else Picked(self, order)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} replies {'in memory' if self.in_memory else 'on the disk'}>"


class Picked(Sequence["Reply"]):
    """Some replies of `Replies` in an order of their own; each access reads one."""

    def __init__(self, replies: Replies, order: Sequence[int]) -> None:
        self._replies = replies
        self._order = order if isinstance(order, range | array) else array("q", order)

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, place: int) -> Reply: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Reply]: ...
    def __getitem__(self, place: int | slice) -> Reply | Sequence[Reply]:
        if isinstance(place, slice):
            return Picked(self._replies, self._order[place])
        return self._replies[self._order[place]]

    def picked(self, order: Sequence[int]) -> Sequence[Reply]:
        """Return those at these places, in this order."""
        return Picked(self._replies, array("q", map(self._order.__getitem__, order)))


class Places(Sequence[tuple[str, int]]):
    """Where records were read: a file with the unit that is counted in it, and a number."""

    def __init__(self, places: Iterable[tuple[str, int]] = ()) -> None:
        self._names: dict[str, int] = {}
        self._listed: list[str] = []
        self._name, self._number = array("l"), array("q")
        self.extend(places)

    def append(self, place: tuple[str, int]) -> None:
        """Add a place at the end."""
        where, number = place
        self._name.append(self._known(where))
        self._number.append(number)

    def extend(self, places: Iterable[tuple[str, int]]) -> None:
        """Add places at the end."""
        if isinstance(places, Places):
            known = [self._known(where) for where in places._listed]
            self._name.extend(map(known.__getitem__, places._name))
            self._number.extend(places._number)
            return
        for place in places:
            self.append(place)

    def run(self, where: str, number: int) -> None:
        """Add the places 1 to `number` of a file at the end."""
        self._name.extend([self._known(where)] * number)
        self._number.extend(range(1, number + 1))

    def _known(self, where: str) -> int:
        known = self._names.setdefault(where, len(self._listed))
        if known == len(self._listed):
            self._listed.append(where)
        return known

    def __len__(self) -> int:
        return len(self._name)

    @overload
    def __getitem__(self, place: int) -> tuple[str, int]: ...
    @overload
    def __getitem__(self, place: slice) -> Places: ...
    def __getitem__(self, place: int | slice) -> tuple[str, int] | Places:
        if isinstance(place, slice):
            return Places(self[each] for each in range(*place.indices(len(self))))
        return self._listed[self._name[place]], self._number[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(islice(self, 3)))


class _Disk:
    """Replies in temporary files: of each its file, its place there, its length and its sample number."""

    def __init__(self) -> None:
        self._files = [_File()]
        self._file, self._start, self._length = array("H"), array("q"), array("l")
        self.samples = array("q")

    def __len__(self) -> int:
        return len(self._start)

    def append(self, reply: Reply) -> None:
        self._file.append(0)
        self._start.append(0)
        self._length.append(0)
        self.samples.append(NONE)
        self[len(self) - 1] = reply

    def share(self, other: _Disk, place: int) -> None:
        file = other._files[other._file[place]]
        if file not in self._files:
            self._files.append(file)
        self._file.append(self._files.index(file))
        self._start.append(other._start[place])
        self._length.append(other._length[place])
        self.samples.append(other.samples[place])

    def __setitem__(self, place: int, reply: Reply) -> None:
        data = _encoded(reply)
        self._file[place], self._start[place] = 0, self._files[0].write(data)
        self._length[place] = len(data)
        self.samples[place] = NONE if reply.sample is None else reply.sample

    def __getitem__(self, place: int) -> Reply:
        data = self._files[self._file[place]].read(self._start[place], self._length[place])
        return self._made(place, data)

    def __iter__(self) -> Iterator[Reply]:
        block, first, file = b"", 0, 0
        for place in range(len(self)):
            start = self._start[place]
            end = start + self._length[place]
            if self._file[place] != file or start < first or end > first + len(block):
                file, first = self._file[place], start
                block = self._files[file].read(start, max(BLOCK, end - start))
            yield self._made(place, block[start - first : end - first])

    def _made(self, place: int, data: bytes) -> Reply:
        reply = _decoder()(data)
        sample = self.samples[place]
        reply.sample = None if sample == NONE else sample
        return reply


class _File:
    """A temporary file without a name, which is gone when nobody holds it any more."""

    def __init__(self) -> None:
        try:
            self._file = tempfile.TemporaryFile(dir=scratch_folder(), buffering=0)  # noqa: SIM115
        except OSError as error:
            raise _no_room(error) from None
        weakref.finalize(self, self._file.close)
        self._written = 0
        self._waiting = bytearray()

    def write(self, data: bytes) -> int:
        """Add data at the end and return where they begin."""
        start = self._written + len(self._waiting)
        self._waiting += data
        if len(self._waiting) > BLOCK:
            self._flush()
        return start

    def read(self, start: int, length: int) -> bytes:
        """Return `length` bytes from `start`, fewer where the file ends."""
        if start + length > self._written:
            self._flush()
        self._file.seek(start)
        parts = []
        while length > 0 and (part := self._file.read(length)):
            parts.append(part)
            length -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _flush(self) -> None:
        rest = memoryview(self._waiting)
        try:
            self._file.seek(self._written)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise _no_room(error) from None
        self._written += len(self._waiting)
        self._waiting = bytearray()


def scratch_folder() -> str | None:
    """Return where temporary files of any size go: the user's cache, as /tmp may be memory; None without one."""
    given = os.environ.get("STYLEKL_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    for folder in (given, Path("~/.cache").expanduser(), "/var/tmp"):
        if folder and os.path.isdir(folder) and os.access(folder, os.W_OK):
            return str(folder)
    return None


def _no_room(error: OSError) -> InputError:
    return InputError(
        f"the replies do not fit into memory, and there is no room for them on the disk: {error.strerror}",
        "make room in ~/.cache, or name another folder in STYLEKL_CACHE_DIR",
    )
