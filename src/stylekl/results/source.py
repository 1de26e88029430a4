"""From a path to the bytes of a text: standard input, gzip, byte order marks."""

from __future__ import annotations

import codecs
import hashlib
import os
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

from stylekl.errors import EmptyFileError, InputError, UsageError

STDIN = "-"
LIMIT = 8 << 30  # bytes: no results file is larger once unpacked
FREE = 64 << 20  # bytes that any gzip may unpack to, whatever its ratio
RATIO = 1000  # a results file compresses by 3 to 30; DEFLATE ends at 1032
_GZIP = b"\x1f\x8b"
_LFS = b"version https://git-lfs"


class Bytes(NamedTuple):
    """The content of a file, without compression or byte order mark, and the sha256 of the file as it is."""

    data: bytes
    sha256: str


def read_bytes(path: str) -> Bytes:
    """Read the file at `path`, or standard input for "-".

    Whether it is gzip or UTF-16 is told by its first bytes, never by its name. Raises UsageError for "-" at a
    terminal, EmptyFileError for a file without content, and InputError for one that is missing, is a folder,
    is a Git LFS pointer, or does not unpack.
    """
    raw = _stdin() if path == STDIN else _file(path)
    data = _unpack(path, raw) if raw.startswith(_GZIP) else raw
    data = _utf8(path, data)
    if not data or data.isspace():
        raise EmptyFileError(path)
    if data.startswith(_LFS):
        raise InputError(
            f"{path}: a Git LFS pointer, not the file itself", "fetch the file with `git lfs pull`"
        )
    return Bytes(data, hashlib.sha256(raw).hexdigest())


class TextFile(NamedTuple):
    """A text without byte order mark, and the sha256 of its file as it is."""

    text: str
    sha256: str


def read_text(path: str) -> TextFile:
    """Read the text file at `path`, which may be empty.

    Raises InputError for one that cannot be read, is not UTF-8 (or UTF-16 with a byte order mark), or holds NUL.
    """
    raw = _file(path)
    data = _utf8(path, raw)
    if b"\0" in data:
        raise InputError(f"{path}: not a text: it holds NUL bytes", "save the file as UTF-8")
    check_utf8(path, data, whole=True)
    return TextFile(data.decode(), hashlib.sha256(raw).hexdigest())


def check_utf8(path: str, data: bytes, *, whole: bool = False) -> None:
    """Raise InputError with byte offset and line where `data` is not UTF-8.

    A last character that is cut passes unless the data are `whole`.
    """
    try:
        codecs.utf_8_decode(data, "strict", whole)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}: line {line}, byte {error.start}: not UTF-8",
            "save the file as UTF-8; another encoding cannot be told from its bytes",
        ) from None


def _stdin() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            '"-" reads standard input, and nothing is piped into it', "`cat FILE | stylekl matrix -`"
        )
    return sys.stdin.buffer.read()


def _file(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file", "check the path; results files are named one by one"
        ) from None
    except IsADirectoryError:
        raise InputError(
            f"{path}: a folder, not a file", "name the files in it, such as FOLDER/*.json"
        ) from None
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise InputError(f"{path}: cannot be read: {reason}", "check the path and its permissions") from None


def _unpack(path: str, raw: bytes) -> bytes:
    """Return what the gzip members in `raw` hold, stopping early where it is no results file but a bomb."""
    parts: list[bytes] = []
    size = 0
    rest = raw
    try:
        while rest:
            member = zlib.decompressobj(16 + zlib.MAX_WBITS)
            while not member.eof:
                part = member.decompress(rest, FREE)
                if not (part or member.eof):
                    raise InputError(
                        f"{path}: the gzip data end too early", "copy or download the file again"
                    )
                parts.append(part)
                size += len(part)
                _check_size(path, size, len(raw))
                rest = member.unconsumed_tail
            rest = member.unused_data.lstrip(b"\0")  # tape and block padding
    except zlib.error as error:
        raise InputError(f"{path}: damaged gzip data: {error}", "copy or download the file again") from None
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _check_size(path: str, size: int, packed: int) -> None:
    if size > LIMIT or (size > FREE and size > RATIO * packed):
        raise InputError(
            f"{path}: {packed} bytes of gzip unpack to more than {size} (a zip bomb?)",
            f"a results file unpacks to at most {LIMIT >> 30} GiB and {RATIO} times its size",
        )


def _utf8(path: str, data: bytes) -> bytes:
    if data.startswith(codecs.BOM_UTF8):
        return data[len(codecs.BOM_UTF8) :]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode("utf-16").encode()
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: byte {error.start}: not UTF-16", "save the file as UTF-8") from None
    return data
