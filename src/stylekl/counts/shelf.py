"""The folder of what is kept on disk from one run to the next: where it is, how large it may grow, what goes first.

Counts (`cache`), answers (`cli.answers`) and the work that answers share (`cli.work`) lie in it. Several processes may
use it at once: an entry is written beside its place and then put there. A folder that cannot be read or written costs
the speed and nothing else. The entries hold what was read, word for word: nobody but the user can read the folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
import unicodedata
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from stylekl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SIZE = 2 << 30  # bytes, unless STYLEKL_CACHE_SIZE says otherwise
STALE = 3600  # seconds after which what a writer left behind is nobody's
KINDS = ("*.npz", "*.answer", "*.work")
NOTE = ".counted"  # an empty file that says what was counted; when an entry goes, all of them do
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class Content(NamedTuple):
    """What the cache holds: in how many entries, how many bytes, and how many it may hold."""

    folder: Path | None
    entries: int
    size: int
    limit: int


def folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder of the entries, which need not exist; None where the user has no home.

    It is `counts` in STYLEKL_CACHE_DIR, else in `stylekl` in the system's place for caches.
    """
    if given := environ.get("STYLEKL_CACHE_DIR"):
        return Path(given) / "counts"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(environ.get("XDG_CACHE_HOME", ""))
        base = base if base.is_absolute() else home / ".cache"
    return base / "stylekl" / "counts"


def limit(environ: Mapping[str, str] = os.environ) -> int:
    """Return how many bytes the entries may take: STYLEKL_CACHE_SIZE, else 2 GiB; raises UsageError."""
    given = environ.get("STYLEKL_CACHE_SIZE", "").strip()
    if not given:
        return SIZE
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)\s?([kmgt]?)(?:i?b)?", given.lower(), re.ASCII)
    if found is None:
        raise UsageError(
            f"STYLEKL_CACHE_SIZE: {given} is not a size", "a number of bytes, or one with K, M or G: 500M"
        )
    return int(float(found[1]) * _UNITS[found[2]])


def content() -> Content:
    """Return what the cache holds."""
    held = list(_entries(place)) if (place := folder()) else []
    return Content(place, len(held), sum(size for _, size, _ in held), limit())


def clear() -> Content:
    """Delete every entry, and return what there was; raises OSError where one cannot be deleted."""
    found = content()
    if found.folder:
        for kind in (*KINDS, f"*{NOTE}", "*.tmp"):
            for path in found.folder.glob(kind):
                path.unlink(missing_ok=True)
    return found


def digest_of_code(packages: Sequence[str], libraries: Sequence[str]) -> bytes | None:
    """Return a digest of the sources of these packages of ours, of the libraries' versions and of Python's.

    None where that cannot be told.
    """
    from importlib.metadata import PackageNotFoundError, version

    found = hashlib.sha256()
    try:
        for package in packages:
            sources = {path.name: path for path in files("stylekl").joinpath(package).iterdir()}
            for name in sorted(name for name in sources if name.endswith(".py")):
                found.update(name.encode() + hashlib.sha256(sources[name].read_bytes()).digest())
        versions = [version(name) for name in libraries]
    except (OSError, PackageNotFoundError):
        return None
    python = (*sys.version_info[:2], sys.byteorder, unicodedata.unidata_version)
    found.update(repr((python, versions)).encode())
    return found.digest()


@contextmanager
def beside(path: Path) -> Iterator[IO[bytes]]:
    """Yield a new file that only the user can read; it takes the place of `path` when all went well."""
    temporary = path.with_suffix(f".{os.getpid()}.{time.monotonic_ns()}.tmp")
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            yield file
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def own(file: IO[bytes]) -> bool:
    """Return whether a file is the user's own, where that can be told: others' counts are nothing to believe."""
    return not hasattr(os, "getuid") or os.fstat(file.fileno()).st_uid == os.getuid()


def _entries(place: Path) -> Iterator[tuple[int, int, Path]]:
    """Yield when each entry was last used, its size, and its path."""
    for kind in KINDS:
        for path in place.glob(kind):
            with suppress(OSError):
                found = path.stat()
                yield found.st_mtime_ns, found.st_size, path


def evict(place: Path, most: int) -> None:
    """Delete the entries that were not used for longest until the others take `most` bytes at most."""
    held = sorted(_entries(place))
    total = sum(size for _, size, _ in held)
    for _, size, path in held:
        if total <= most:
            break
        path.unlink(missing_ok=True)
        total -= size
        for noted in place.glob(f"*{NOTE}"):
            noted.unlink(missing_ok=True)
    for path in place.glob("*.tmp"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > STALE:
                path.unlink()
