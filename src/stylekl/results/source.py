"""From a path to the bytes of a text: standard input, gzip, byte order marks, files larger than memory."""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import sys
import tempfile
import weakref
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from stylekl.errors import EmptyFileError, EncodingFault, InputError, UsageError
from stylekl.results.store import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STDIN = "-"
HELD = 64 << 20  # bytes of content that are kept in memory; more is read from the disk as it is needed
CHUNK = 1 << 20
LIMIT = 1 << 36  # bytes: no results file is larger once unpacked
FREE = 64 << 20  # bytes that any gzip may unpack to, whatever its ratio
RATIO = 100  # a results file compresses by 3 to 30; DEFLATE ends at 1032
_GZIP = b"\x1f\x8b"
_LFS = b"version https://git-lfs"
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, eq=False)
class Content:
    """What a file holds, without compression or byte order mark, and the sha256 of the file as it is.

    `held` is all of it, or null where it is larger than HELD: then it lies at `place`, behind `skipped` bytes.
    """

    sha256: str
    size: int
    held: bytes | None
    place: str = ""
    skipped: int = 0
    keeper: object = field(default=None, repr=False)  # deletes a temporary file when nobody needs it any more

    def open(self) -> IO[bytes]:
        """Return the content as a file of its own, at its beginning."""
        if self.held is not None:
            return io.BytesIO(self.held)
        file = Path(self.place).open("rb")  # noqa: SIM115  (the caller's to close)
        file.seek(self.skipped)
        return file

    def read(self, most: int = -1) -> bytes:
        """Return the content, at `most` so many bytes of it where that is not negative."""
        if self.held is not None:
            return self.held if most < 0 else self.held[:most]
        with self.open() as file:
            return file.read(most)


class Bytes(NamedTuple):
    """The content of a file, without compression or byte order mark, and the sha256 of the file as it is."""

    data: bytes
    sha256: str


def read_content(path: str) -> Content:
    """Return the content of the file at `path`, or of standard input for "-".

    Whether it is gzip or UTF-16 is told by its first bytes, never by its name. What is larger than HELD stays on the
    disk, unpacked into a temporary file where it has to be. Raises UsageError for "-" at a terminal, EmptyFileError for
    a file without content, and InputError for one that is missing, is a folder, is a Git LFS pointer, or does not
    unpack.
    """
    with _open(path) as file:
        content = _content(path, file)
    if _is_blank(content):
        raise EmptyFileError(path)
    if content.read(len(_LFS)) == _LFS:
        raise InputError(
            f"{path}: a Git LFS pointer, not the file itself", "fetch the file with `git lfs pull`"
        )
    return content


def read_bytes(path: str) -> Bytes:
    """Read all of the file at `path`; the errors are those of `read_content`."""
    content = read_content(path)
    return Bytes(content.read(), content.sha256)


class TextFile(NamedTuple):
    """A text without byte order mark, and the sha256 of its file as it is."""

    text: str
    sha256: str


def read_text(path: str) -> TextFile:
    """Read the text file at `path`, which may be empty.

    Raises InputError for one that cannot be read, is not UTF-8 (or UTF-16 with a byte order mark), or holds NUL.
    """
    with _open(path) as file:
        content = _content(path, file)
    data = content.read()
    if b"\0" in data:
        raise InputError(f"{path}: not a text: it holds NUL bytes", "save the file as UTF-8")
    check_utf8(path, data, whole=True)
    return TextFile(data.decode(), content.sha256)


def check_utf8(path: str, data: bytes, *, whole: bool = False, line: int = 1, start: int = 0) -> None:
    """Raise EncodingFault with byte offset and line where `data` is not UTF-8.

    A last character that is cut passes unless the data are `whole`. They begin in `line`, at byte `start` of the file.
    """
    try:
        codecs.utf_8_decode(data, "strict", whole)
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise EncodingFault(path, line, start + error.start) from None


def refuse_unmarked_utf16(path: str, head: bytes) -> None:
    """Raise InputError where a content, by its first bytes, is UTF-16 without a byte order mark."""
    for name, zeros in (("UTF-16LE", head[1:64:2]), ("UTF-16BE", head[:64:2])):
        if len(zeros) > 1 and not any(zeros[:-1]):
            raise InputError(
                f"{path}: not UTF-8: it looks like {name} without a byte order mark",
                f"convert it with `iconv -f {name} -t UTF-8`",
            )


@contextmanager
def _open(path: str) -> Iterator[IO[bytes]]:
    if path == STDIN:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                '"-" reads standard input, and nothing is piped into it', "`cat FILE | stylekl matrix -`"
            )
        yield sys.stdin.buffer
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115  (closed below)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file", "check the path") from None
    except IsADirectoryError:
        raise InputError(
            f"{path}: a folder, not a file", "name the files in it, such as FOLDER/*.json"
        ) from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    with file:
        yield file


def _unreadable(path: str, error: Exception) -> InputError:
    reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return InputError(f"{path}: cannot be read: {reason}", "check the path and its permissions")


def _content(path: str, file: IO[bytes]) -> Content:
    found = hashlib.sha256()
    try:
        head = file.read(CHUNK)
    except OSError as error:
        raise _unreadable(path, error) from None
    chunks = _chunks(path, file, head, found)
    if head.startswith(_GZIP):
        return _gathered(_decoded(path, _unpacked(path, chunks)), found)
    if path != STDIN and os.fstat(file.fileno()).st_size > HELD and not head.startswith(tuple(_UTF16)):
        size = sum(map(len, chunks))
        skipped = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
        return Content(found.hexdigest(), size - skipped, None, str(Path(path).absolute()), skipped)
    return _gathered(_decoded(path, chunks), found)


def _chunks(path: str, file: IO[bytes], head: bytes, found: hashlib._Hash) -> Iterator[bytes]:
    chunk = head
    while chunk:
        found.update(chunk)
        yield chunk
        try:
            chunk = file.read(CHUNK)
        except OSError as error:
            raise _unreadable(path, error) from None


def _gathered(chunks: Iterable[bytes], found: hashlib._Hash) -> Content:
    """Return chunks as a content: in memory, or in a temporary file when they get too many."""
    held: list[bytes] = []
    size = 0
    for chunk in (waiting := iter(chunks)):
        held.append(chunk)
        size += len(chunk)
        if size > HELD:
            return _on_disk(held, waiting, found)
    return Content(found.hexdigest(), size, b"".join(held))


def _on_disk(held: list[bytes], waiting: Iterable[bytes], found: hashlib._Hash) -> Content:
    handle, name = tempfile.mkstemp(prefix="stylekl-", dir=scratch_folder())
    keeper = _Keeper()
    weakref.finalize(keeper, Path(name).unlink, missing_ok=True)
    with os.fdopen(handle, "wb") as file:
        for chunk in held:
            file.write(chunk)
        for chunk in waiting:
            file.write(chunk)
        size = file.tell()
    return Content(found.hexdigest(), size, None, name, keeper=keeper)


class _Keeper:
    """Stands for a temporary file: it goes when this does."""


def _unpacked(path: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what the gzip members hold, stopping early where it is no results file but a bomb."""
    member = zlib.decompressobj(16 + zlib.MAX_WBITS)
    packed = size = 0
    try:
        for chunk in chunks:
            packed += len(chunk)
            rest = chunk
            while rest:
                if member.eof:
                    rest = rest.lstrip(b"\0")  # tape and block padding
                    if not rest:
                        break
                    member = zlib.decompressobj(16 + zlib.MAX_WBITS)
                part = member.decompress(rest, CHUNK)
                size += len(part)
                _check_size(path, size, packed)
                if part:
                    yield part
                rest = member.unused_data if member.eof else member.unconsumed_tail
        while not member.eof:
            part = member.decompress(member.unconsumed_tail, CHUNK)
            if not part and not member.eof:
                raise InputError(f"{path}: the gzip data end too early", "copy or download the file again")
            size += len(part)
            _check_size(path, size, packed)
            yield part
    except zlib.error as error:
        raise InputError(f"{path}: damaged gzip data: {error}", "copy or download the file again") from None


def _check_size(path: str, size: int, packed: int) -> None:
    if size > LIMIT or (size > FREE and size > RATIO * packed):
        raise InputError(
            f"{path}: {packed} bytes of gzip unpack to more than {size} (a zip bomb?)",
            f"a results file unpacks to at most {RATIO} times its size",
        )


def _decoded(path: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield chunks as UTF-8 without byte order mark."""
    waiting = iter(chunks)
    head = b""
    for chunk in waiting:
        head += chunk
        if len(head) >= len(codecs.BOM_UTF8):
            break
    form = next((form for mark, form in _UTF16.items() if head.startswith(mark)), None)
    if form is None:
        yield head.removeprefix(codecs.BOM_UTF8)
        yield from waiting
        return
    decoder = codecs.getincrementaldecoder(form)()
    read = 0
    try:
        yield decoder.decode(head[2:]).encode()
        read = len(head)
        for chunk in waiting:
            yield decoder.decode(chunk).encode()
            read += len(chunk)
        yield decoder.decode(b"", final=True).encode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {read + error.start}: not UTF-16", "save the file as UTF-8") from None


def _is_blank(content: Content) -> bool:
    with content.open() as file:
        while chunk := file.read(CHUNK):
            if not chunk.isspace():
                return False
    return True
