"""Counts kept on disk from one run to the next.

An entry is the counts of one body of texts in one facet, with the texts of its symbols where the facet numbers them as
they appear: one uncompressed npz. A body is all the texts of a run; in tokens, which have the same numbers everywhere,
it is those of one model. Its name is a digest of all that the counts depend on: the texts, the facet, the
sources of the facets and of this package, the versions of the libraries that cut text, and what a count may leave out.
So an entry is never out of date; it is only no longer asked for, and goes when room is needed, the least recently used
first.

No entry is believed blindly. One that is torn, damaged, or not what its name says is deleted, and the texts are counted
again.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from stylekl.counts import shelf
from stylekl.counts.table import Tally, placed, tallied, together
from stylekl.errors import WorkerError
from stylekl.facets import facet as facet_of
from stylekl.facets.interning import Interned
from stylekl.facets.texts import Some, Texts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from stylekl.counts.ahead import Ahead
    from stylekl.counts.table import Counts, Places
    from stylekl.facets import Facet

# Reading an entry pays from about 30,000 characters on. Below a million all facets together are counted in half a
# second, which is worth less than leaving no words on the disk.
LEAST = 1_000_000
PART = 1_000_000  # characters of an entry of tokens at least, where there are so many
_LIBRARIES = ("tiktoken", "regex", "markdown-it-py")


def count_cached(
    texts: Texts,
    places: Places,
    facet: Facet,
    *,
    models: int,
    prompts: int,
    least: int = 1,
    jobs: int | None = 1,
    ahead: Ahead | None = None,
) -> Counts:
    """Return what `count` returns, from the cache where it is there, and put it there where it is not.

    The symbols of `facet` are numbered as by `count`. Texts of less than a million characters in all are counted every
    time, and the disk is not touched.
    """
    tally = _kept(texts, places, facet, least, jobs, ahead) or tallied(texts, facet, least, jobs, ahead)
    return placed(tally, places, facet, models=models, prompts=prompts)


def _kept(
    texts: Texts, places: Places, facet: Facet, least: int, jobs: int | None, ahead: Ahead | None
) -> Tally | None:
    """Return the counts of texts, those read that were kept; None where none are to be kept."""
    parts = _parts(texts, places, facet, least)
    if parts is None:
        return None
    found = [part.entry.read(facet, part.high - part.low) for part in parts]
    missing = [number for number, tally in enumerate(found) if tally is None]
    if missing:
        texts.expected = [name for name in texts.expected if not _is_kept(texts, places, name, least)]
        chosen = [parts[number] for number in missing]
        fresh = _fresh(texts, chosen, facet, least, jobs, ahead)
        keep = fresh.small().size() <= parts[0].entry.most
        start = 0
        for number, part in zip(missing, chosen, strict=True):
            end = start + part.high - part.low
            tally = found[number] = fresh.part(start, end)
            start = end
            if keep:
                part.entry.write(facet, tally)
        if len(missing) == len(parts):
            return fresh
    return together(tally for tally in found if tally is not None)


def _is_kept(texts: Texts, places: Places, name: str, least: int) -> bool:
    """Return whether there is an entry of a facet beside tokens, good or not; False where there is to be none."""
    parts = None if name == "tokens" else _parts(texts, places, facet_of(name), least)
    return parts is not None and parts[0].entry.path.exists()


class _Part(NamedTuple):
    """The texts from number `low` to before `high`, and the entry of their counts, there or not."""

    low: int
    high: int
    entry: _Entry


def _fresh(
    texts: Texts, parts: list[_Part], facet: Facet, least: int, jobs: int | None, ahead: Ahead | None
) -> Tally:
    """Count the texts of these parts, in order."""
    rows = [row for part in parts for row in range(part.low, part.high)]
    if len(rows) == len(texts.texts):
        return tallied(texts, facet, least, jobs, ahead)
    try:
        return tallied(Texts(Some(texts.texts, rows)), facet, least, jobs, ahead)
    except WorkerError as error:
        raise WorkerError(range(rows[error.rows[0]], rows[error.rows[-1]] + 1), error.how) from None


def _parts(texts: Texts, places: Places, facet: Facet, least: int) -> list[_Part] | None:
    """Return the entries of a count; None where there are to be none.

    Tokens have the same numbers everywhere, so there is one for each model: a changed reply costs the counts of one
    model. Small ones go with the next.
    """
    if not texts.exceed(LEAST - 1):
        return None
    place, most, version = shelf.folder(), shelf.limit(), _version()
    if place is None or not most or version is None:
        return None
    tokens = facet.NAME == "tokens"
    ends = _ends(texts, places) if tokens else [len(texts.texts)]
    parts = []
    for low, high in pairwise([0, *ends]):
        told = [version, facet.NAME.encode(), b"%d" % (1 if tokens else least), texts.digest_of(low, high)]
        key = hashlib.sha256(b"\0".join(told)).digest()
        parts.append(_Part(low, high, _Entry(place / f"{facet.NAME}-{key.hex()[:40]}.npz", key, most)))
    return parts


def _ends(texts: Texts, places: Places) -> list[int]:
    """Return where the texts of each model end, of several where one has less than PART characters."""
    import numpy as np

    model = np.array(places, np.int32).reshape(-1, 2)[:, 0]
    total = np.cumsum(texts.measured[1])
    ends, before = [], 0
    for end in (np.flatnonzero(np.diff(model)) + 1).tolist():
        if total[end - 1] - before >= PART:
            ends.append(end)
            before = total[end - 1]
    return [*ends, len(model)]


def is_noted(file: str) -> bool:
    """Return whether the tokens of a file, whose SHA-256 this is, were counted and kept; they may be gone since."""
    path = _note(file)
    return path is not None and path.exists()


def note(files: Iterable[str]) -> None:
    """Note that the tokens of files are kept, for `is_noted`; nothing happens where that cannot be written."""
    for file in files:
        path = _note(file)
        if path is not None and not path.exists():
            with suppress(OSError):
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                path.touch(mode=0o600)


def _note(file: str) -> Path | None:
    place, version = shelf.folder(), _version()
    if place is None or version is None or not shelf.limit():
        return None
    return place / f"{hashlib.sha256(version + file.encode()).hexdigest()[:40]}{shelf.NOTE}"


@cache
def _version() -> bytes | None:
    """Return a digest of all that makes counts of texts; None where that cannot be told."""
    return shelf.digest_of_code(("facets", "counts"), _LIBRARIES)


class _Entry(NamedTuple):
    """One entry: where it is, what its name is short for, and how large all of them may be."""

    path: Path
    key: bytes
    most: int

    def read(self, facet: Facet, texts: int) -> Tally | None:
        """Return the counts of so many texts and number the symbols of `facet`; None where there is no good entry."""
        import numpy as np

        try:
            # A damaged file may hold a header that numpy warns of before its checksum is known to be wrong.
            with self.path.open("rb") as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _require(shelf.own(file))
                with np.load(file, allow_pickle=False) as arrays:
                    _require(not any(member.compress_type for member in arrays.zip.infolist()))
                    found = {name: arrays[name] for name in arrays.files}
            tally = _unpacked(found, self.key, facet, texts)
        except FileNotFoundError:
            return None
        except Exception:  # whatever is wrong with it, it is counted again
            with suppress(OSError):
                self.path.unlink()
            return None
        with suppress(OSError):
            os.utime(self.path)
        return tally

    def write(self, facet: Facet, tally: Tally) -> None:
        """Write the entry, and delete what there is no room for; nothing happens where it cannot be written."""
        import numpy as np

        arrays = _packed(tally, self.key, facet)
        if sum(array.nbytes for array in arrays.values()) > self.most:
            return
        with suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with shelf.beside(self.path) as file:
                np.savez(file, **arrays)
            shelf.evict(self.path.parent, self.most)


def _packed(tally: Tally, key: bytes, facet: Facet) -> dict[str, Any]:
    """Return the arrays of an entry."""
    import numpy as np

    arrays: dict[str, Any] = {
        "key": np.frombuffer(key, np.uint8),
        "symbols": tally.symbols,
        "counts": tally.small().counts,
        "starts": tally.starts,
        "lengths": tally.lengths,
    }
    if isinstance(facet, Interned):
        arrays["table"] = np.frombuffer(facet.table.encode("utf-8", "surrogatepass"), np.uint8)
    return arrays


def _unpacked(arrays: dict[str, NDArray[Any]], key: bytes, facet: Facet, texts: int) -> Tally:
    """Return what `_packed` was given; raises ValueError or KeyError where it could not have made these arrays."""
    import numpy as np

    def taken(name: str, *types: Any) -> NDArray[Any]:
        array = arrays.pop(name)
        _require(array.ndim == 1 and array.dtype in types)
        return array

    _require(taken("key", np.uint8).tobytes() == key)
    if isinstance(facet, Interned):
        facet.table = taken("table", np.uint8).tobytes().decode("utf-8", "surrogatepass")
    symbols = taken("symbols", np.int32)
    counts = taken("counts", np.uint8, np.uint16, np.int32)
    starts, lengths = taken("starts", np.int64), taken("lengths", np.int64)
    sizes = np.diff(starts)
    _require(not arrays and len(symbols) == len(counts) and len(lengths) == texts == len(sizes))
    _require(starts[0] == 0 and starts[-1] == len(symbols) and not (sizes < 0).any())
    # As unsigned numbers the negative ones are large.
    _require(symbols.view(np.uint32).max(initial=0) < facet.limit and counts.min(initial=1) >= 1)
    held = np.flatnonzero(sizes)
    sums = np.zeros(texts, np.int64)
    if len(held):
        sums[held] = np.add.reduceat(counts, starts[held], dtype=np.int32)
    _require(bool((sums <= lengths).all()))
    return Tally(symbols, counts, starts, lengths)


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("not an entry")
