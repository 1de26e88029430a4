"""The splits of files: byte ranges of lines, row groups of Parquet, and for every other form the whole file.

A record belongs to the split in which it begins, so whatever the boundaries are, every record is in one split and no
record is in two.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast

from stylekl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = 64 << 20  # bytes of a split, unless another size is asked for
STEP = 1 << 20  # bytes that are read at once where a record goes on beyond its split
LOCAL = "file"

Kind = Literal["file", "lines", "groups"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A file: its number among all, its path as it was given, where it lies, and its size in bytes."""

    number: int
    path: str
    url: str
    size: int
    mark: str = ""  # what tells whether two files of a size are the same, such as an ETag

    @property
    def is_local(self) -> bool:
        """Whether the file lies in the file system, and `url` is its path there."""
        return "://" not in self.url


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A part of a file: all of it, the lines that begin in `low:high` (bytes), or the row groups `low:high`.

    `first` is the first record of the file and `form` the name of its reader, which the client looked up; null where
    the split is a whole file. `origin` is where the content of the file begins. `before` is how many lines or rows
    stand before the split, null where that is not known. `head` has the records of a file of our own form that are no
    replies, with their lines. `only` names the replies to count, by their order in the split; null is all.
    """

    number: int
    place: Place
    kind: Kind = "file"
    low: int = 0
    high: int = 0
    form: str | None = None
    first: Any = None
    origin: int = 0
    before: int | None = None
    head: tuple[tuple[int, bytes], ...] | None = field(default=None, repr=False)
    only: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        """What to call the split in a message."""
        if self.kind == "file":
            return self.place.path
        what = f"bytes {self.low:,} to {self.high:,}" if self.kind == "lines" else ""
        if self.kind == "groups":
            what = f"row groups {self.low + 1} to {self.high}"
        return f"{self.place.path}: {what}"


class Unreached(Exception):
    """What keeps bytes from coming from afar, which may pass; no OSError, which readers take for damage."""


class _Far:
    """A file that lies elsewhere: where reading it fails, that is no fault of its content."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, *size: int) -> bytes:
        try:
            return bytes(self._file.read(*size))
        except OSError as error:
            raise Unreached(f"{type(error).__name__}: {error}") from error


@contextmanager
def opened(place: Place) -> Iterator[IO[bytes]]:
    """Open a file wherever it lies.

    Raises InputError where it is not there, or not for us, and what the library raises where it cannot be reached.
    """
    file: Any
    if not place.is_local:
        try:
            system, path = filesystem(place.url)
            file = system.open(path, "rb", cache_type="none")  # whoever reads here reads large pieces
        except (FileNotFoundError, PermissionError) as error:
            raise unreadable(place.path, error) from None
        with file:
            yield cast("IO[bytes]", _Far(file))
        return
    try:
        file = Path(place.url).open("rb")  # noqa: SIM115  (closed below)
    except (OSError, ValueError) as error:
        raise unreadable(place.path, error) from None
    with file:
        yield file


@contextmanager
def fetched(place: Place) -> Iterator[str]:
    """Yield the path of a file in the file system: its own, or that of a copy that is deleted afterwards."""
    if place.is_local:
        yield place.url
        return
    import os
    import shutil
    import tempfile

    from stylekl.results.store import scratch_folder

    handle, name = tempfile.mkstemp(prefix="stylekl-", dir=scratch_folder())
    try:
        with os.fdopen(handle, "wb") as copy, opened(place) as file:
            shutil.copyfileobj(file, copy, 8 << 20)
        yield name
    finally:
        with suppress(OSError):
            Path(name).unlink()


def lines_of(split: Split) -> tuple[bytes, bool]:
    """Return the lines that begin in a split, whole, and whether the file ends with them."""
    with ranges(split.place) as read:
        low = split.low
        if low > split.origin:
            data = read(low - 1, split.high)
            found = data.find(b"\n")
            if found < 0:
                return b"", split.high >= split.place.size
            data = data[found + 1 :]
        else:
            data = read(low, split.high)
        at = split.high
        parts = [data]
        while data and at < split.place.size and not parts[-1].endswith(b"\n"):
            more = read(at, min(at + STEP, split.place.size))
            if not more:
                break
            cut = more.find(b"\n") + 1
            parts.append(more[: cut or None])
            at += cut or len(more)
    return b"".join(parts), at >= split.place.size


def lines_before(split: Split) -> int:
    """Return how many lines of its file end before the first that begins in a split."""
    number = 0
    with ranges(split.place) as read:
        last = max(split.low - 1, split.origin)
        for at in range(split.origin, last, 8 << 20):
            number += read(at, min(at + (8 << 20), last)).count(b"\n")
        if split.low > split.origin:  # the line in which the split begins, if not at its end
            at = last
            while at < split.place.size:
                more = read(at, min(at + STEP, split.place.size))
                if b"\n" in more:
                    return number + 1
                at += len(more)
    return number


@contextmanager
def ranges(place: Place) -> Iterator[Any]:
    """Yield a function that reads the bytes from one place to before another."""
    if not place.is_local:
        system, path = filesystem(place.url)

        def fetch(low: int, high: int) -> bytes:
            try:
                return bytes(system.cat_file(path, start=low, end=high)) if high > low else b""
            except (FileNotFoundError, PermissionError) as error:
                raise unreadable(place.path, error) from None

        yield fetch
        return
    with opened(place) as file:

        def read(low: int, high: int) -> bytes:
            file.seek(low)
            return file.read(max(0, high - low))

        yield read


def filesystem(url: str) -> tuple[Any, str]:
    """Return the fsspec file system of a URL and the path in it; raises InputError where a package is missing."""
    try:
        import fsspec
    except ImportError:
        raise missing(url) from None
    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError:
        raise missing(url) from None
    except ValueError as error:
        raise InputError(f"{url}: {error}", "file:// and s3:// are read") from None
    return system, path


def missing(what: str) -> InputError:
    """Make the error for a package that is not installed."""
    return InputError(f"{what}: a package that this needs is missing", "pip install 'stylekl[scale]'")


def unreadable(path: str, error: Exception) -> InputError:
    """Make the error for a file that cannot be read, in the words of what failed."""
    import os

    if isinstance(error, FileNotFoundError):
        return InputError(
            f"{path}: no such file", "check the path; every worker must see it under the same one"
        )
    reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return InputError(f"{path}: cannot be read: {reason}", "check the path, its permissions and your keys")


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of a split's bytes, marked as that of no file."""
    return "split-" + hashlib.sha256(data).hexdigest()
