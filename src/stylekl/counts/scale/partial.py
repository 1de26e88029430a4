"""What is known of some splits: their counts, and all that tells which of their replies count.

Which condition is compared, and what each prompt is called, is known once every split is there. So a partial keeps
apart what a later choice may part, and leaves the choice to the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stylekl.counts.scale.cells import Cells, less, no_cells, together
from stylekl.errors import SplitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Kinds of tallies: replies that do not count (with the reason), replies of which nothing remains once what is no part
# of them is taken off (with what it was), and replies that something was taken off (with what).
FLAGGED, LOST, REMOVED = range(3)


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """What a split says beside its replies: the records of its file that it holds, in their order.

    `models` and `conditions` are records in JSON, `prompts` the indices of its prompts in its partial. `native` says
    that these are records of the whole file, which has ids of its own. `digest` is that of its bytes, a sha256 where
    the split is a `whole` file. `warnings` are those of reading, `notes` those of counting, `beside` other files that
    were read.
    """

    split: int
    form: str | None
    native: bool
    whole: bool
    digest: str
    models: tuple[bytes, ...]
    conditions: tuple[bytes, ...]
    prompts: NDArray[np.int32]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()


class Names(NamedTuple):
    """The names that a partial's tables refer to by index, sorted: ids, records of prompts in JSON, and words."""

    models: tuple[str, ...] = ()
    prompts: tuple[bytes, ...] = ()
    conditions: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


# Columns of the tables, the last of which is added up or the least of which counts.
_TALLY = ("models", "prompts", "conditions", None, "words", None)  # kind is the fourth
_FIRST = ("prompts", "conditions", None)
_COPY = ("models", "prompts", "conditions", None, None)
_ASKED = ("models", "prompts", "conditions", None)
_IDENTITY = ("models", "prompts", "conditions", "periods", None, None, None, None)


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """What is known of the splits with the numbers `splits` (S,), sorted.

    `cells` counts the replies that count. `tallies` (T, 6) has model, prompt, condition, kind, word and a number of
    replies. `firsts` (F, 3) says at which place, split << 40 | reply, a prompt was first answered under a condition;
    `copies` (K, 5) how many replies of a model have the long text with a digest; `identities` (I, 8) has, of each reply
    with a sample number, model, prompt, condition, period, sample, the digest of its text, split and reply. Where
    `groups` is not 0, so many groups stand in the place of prompts, and `asked` (A, 4) has for each model, group and
    condition the sum of the digests of the prompts that were answered, modulo 2^64. All are sorted, so that equal
    splits make equal partials in whatever order they came together.
    """

    splits: NDArray[np.int64]
    heads: tuple[Head, ...]
    names: Names
    cells: Cells
    tallies: NDArray[np.int64]
    firsts: NDArray[np.int64]
    copies: NDArray[np.int64]
    identities: NDArray[np.int64]
    asked: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, len(_ASKED)), np.int64))
    groups: int = 0


def no_partial() -> Partial:
    """Return what is known of no split: merged with another it changes nothing."""
    tallies, firsts, copies, identities = (
        np.empty((0, len(columns)), np.int64) for columns in (_TALLY, _FIRST, _COPY, _IDENTITY)
    )
    return Partial(np.empty(0, np.int64), (), Names(), no_cells(), tallies, firsts, copies, identities)


def merge(*parts: Partial) -> Partial:
    """Return what is known of the splits of all parts together.

    Associative and commutative: the same bits come out in whatever order and groups the parts are merged. All or none
    have groups of prompts. Raises SplitError where two of them have a split in common.
    """
    if len(parts) == 1:
        return parts[0]
    splits = np.sort(np.concatenate([part.splits for part in parts]))
    if (np.diff(splits) == 0).any():
        twice = int(splits[1:][np.diff(splits) == 0][0])
        raise SplitError(f"split {twice + 1} came back twice", "this is a fault of the engine or of stylekl")
    names, places = _joined([part.names for part in parts])
    heads = [
        replace(head, prompts=place["prompts"][head.prompts].astype(np.int32))
        for part, place in zip(parts, places, strict=True)
        for head in part.heads
    ]
    return Partial(
        splits,
        tuple(sorted(heads, key=lambda head: head.split)),
        names,
        together(
            [
                part.cells.moved(*(place[name] for name in ("models", "prompts", "conditions")))
                for part, place in zip(parts, places, strict=True)
            ]
        ),
        summed(_table("tallies", _TALLY, parts, places)),
        least(_table("firsts", _FIRST, parts, places)),
        summed(_table("copies", _COPY, parts, places)),
        ordered(_table("identities", _IDENTITY, parts, places)),
        summed(_table("asked", _ASKED, parts, places)),
        max(part.groups for part in parts),
    )


def without(whole: Partial, twice: Partial) -> Partial:
    """Return a partial without replies that it counts twice, which `twice` counts once more.

    The names of `whole` hold those of `twice`, and both have groups of prompts or neither; splits, firsts and
    identities stay.
    """
    _, (_, place) = _joined([whole.names, twice.names])
    off = twice.cells.moved(*(place[name] for name in ("models", "prompts", "conditions")))
    tables = []
    for name, columns in (("tallies", _TALLY), ("copies", _COPY)):
        gone = _table(name, columns, [twice], [place])
        gone[:, -1] *= -1
        rows = summed(np.concatenate([getattr(whole, name), gone]))
        tables.append(rows[rows[:, -1] > 0])
    tallies, copies = tables
    gone = _table("asked", _ASKED, [twice], [place])
    gone[:, -1] *= -1
    asked = summed(np.concatenate([whole.asked, gone]))
    return replace(whole, cells=less(whole.cells, off), tallies=tallies, copies=copies, asked=asked)


def summed(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of a table sorted, those that differ in the last column alone as one with the sum of it."""
    return _grouped(rows, np.add)


def least(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of a table sorted, those that differ in the last column alone as one with the least of it."""
    return _grouped(rows, np.minimum)


def _grouped(rows: NDArray[np.int64], how: np.ufunc) -> NDArray[np.int64]:
    if not len(rows):
        return rows
    rows = rows[np.lexsort(rows[:, :-1].T[::-1])]
    new = np.ones(len(rows), bool)
    new[1:] = (rows[1:, :-1] != rows[:-1, :-1]).any(axis=1)
    first = np.flatnonzero(new)
    found = rows[first]
    found[:, -1] = how.reduceat(rows[:, -1], first)
    return found


def ordered(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of a table sorted."""
    return rows[np.lexsort(rows.T[::-1])]


def _joined(several: Sequence[Names]) -> tuple[Names, list[dict[str, NDArray[np.int64]]]]:
    """Return the names of all, and for each the places that its own have there."""
    columns: dict[str, tuple[Any, ...]] = {}
    places: list[dict[str, NDArray[np.int64]]] = [{} for _ in several]
    for name in Names._fields:
        given = [getattr(names, name) for names in several]
        merged = tuple(sorted(set().union(*given)))
        index = {each: number for number, each in enumerate(merged)}
        columns[name] = merged
        for place, own in zip(places, given, strict=True):
            place[name] = np.fromiter(map(index.__getitem__, own), np.int64, len(own))
    return Names(**columns), places


def _table(
    name: str,
    columns: tuple[str | None, ...],
    parts: Sequence[Partial],
    places: Sequence[dict[str, NDArray[np.int64]]],
) -> NDArray[np.int64]:
    """Return a table of all parts, their indices those of the names of all."""
    moved = []
    for part, place in zip(parts, places, strict=True):
        rows = getattr(part, name).copy()
        for number, column in enumerate(columns):
            if column is not None:
                rows[:, number] = place[column][rows[:, number]]
        moved.append(rows)
    return np.concatenate(moved)
