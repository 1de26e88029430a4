"""One split, counted: what every process does, wherever it runs."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
import numpy as np

from stylekl.counts.pooling import pooled
from stylekl.counts.scale.cells import Cells, Full, together
from stylekl.counts.scale.documents import read_split
from stylekl.counts.scale.partial import FLAGGED, LOST, REMOVED, Head, Names, Partial, least, summed
from stylekl.counts.table import placed, tallied
from stylekl.facets import facet
from stylekl.facets.taking import long_text, taking
from stylekl.facets.texts import Texts
from stylekl.results import Reading
from stylekl.results.records import from_row, to_row
from stylekl.results.select import reply_reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from stylekl.counts.scale.splits import Split
    from stylekl.results import Reply, Results
    from stylekl.results.document import Document
    from stylekl.results.records import Record

PLACE = 40  # bits of the number of a reply in its split
R = TypeVar("R", bound="Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """How splits are counted: how files are read, what is taken off replies first, and all paths that are read.

    `groups` is how many groups of prompts take their place from the beginning, null for none so far.
    """

    reading: Reading = field(default_factory=Reading)
    keep_thinking: bool = False
    plain: bool = False
    groups: int | None = None
    given: tuple[str, ...] = ()


def map_partition(split: Split, how: Counting) -> Partial:
    """Return what is known of one split. Raises InputError where it cannot be read."""
    results, document = read_split(split, how.given, how.reading)
    form = results.sources[0].form if results.sources else None
    gathering = _Gathering(split, results, how, native=form == "native")
    for number, reply in enumerate(results.replies):
        if split.only is None or number in gathering.only:
            gathering.add(number, reply)
    return gathering.done(form, document)


def encoded(record: Record) -> bytes:
    """Return a record as JSON, the same bytes for the same content."""
    try:
        return msgspec.json.encode(to_row(record), order="deterministic")
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, UnicodeEncodeError):
        return json.dumps(to_row(record), sort_keys=True).encode()  # lone surrogates, numbers beyond 64 bits


class _Cell(NamedTuple):
    model: int
    prompt: int
    condition: int


class _Index:
    """Names in the order in which they came, with their numbers."""

    def __init__(self) -> None:
        self.names: dict[Any, int] = {}

    def of(self, name: Any) -> int:
        return self.names.setdefault(name, len(self.names))

    def sorted(self) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
        """Return the names sorted, and the place of each number among them."""
        ordered = sorted(self.names)
        place = np.empty(len(ordered), np.int64)
        place[[self.names[name] for name in ordered]] = np.arange(len(ordered))
        return tuple(ordered), place


class _Gathering:
    """The replies of one split as they come."""

    def __init__(self, split: Split, results: Results, how: Counting, *, native: bool) -> None:
        self.split, self.results, self.native = split, results, native
        self.only = frozenset(split.only or ())
        self.take = taking(keep_thinking=how.keep_thinking, plain=how.plain)
        self.models, self.conditions, self.periods, self.words = _Index(), _Index(), _Index(), _Index()
        self.records = _Index()
        self.prompts = {prompt.id: self.records.of(encoded(prompt)) for prompt in results.prompts}
        self.tallies: Counter[tuple[int, ...]] = Counter()
        self.copies: Counter[tuple[int, ...]] = Counter()
        self.firsts: dict[tuple[int, int], int] = {}
        self.identities: list[tuple[int, ...]] = []
        self.texts: list[str] = []
        self.cells: list[_Cell] = []

    def add(self, number: int, reply: Reply) -> None:
        condition = reply.condition or ""
        if condition and self.native:  # ids that only this file gives a meaning to
            condition = f"{self.split.place.number}\0{condition}"
        cell = _Cell(self.models.of(reply.model), self.prompts[reply.prompt], self.conditions.of(condition))
        self.firsts.setdefault(cell[1:], self.split.number << PLACE | number)
        if reply.sample is not None:
            period = self.periods.of("" if reply.period is None else f"={reply.period}")
            digest = _digest(reply.text)
            self.identities.append((*cell, period, reply.sample, digest, self.split.number, number))
        reason = reply_reason(reply)
        if reason is not None:
            self._tally(cell, FLAGGED, reason)
            return
        taken = self.take(reply.text)
        for word in taken.removed:
            self._tally(cell, REMOVED, word)
        if taken.lost:
            self._tally(cell, LOST, taken.lost)
            return
        self.texts.append(taken.text)
        self.cells.append(cell)
        if (text := long_text(reply.text)) is not None:
            self.copies[*cell, _digest(text)] += 1

    def _tally(self, cell: _Cell, kind: int, word: str) -> None:
        self.tallies[*cell, kind, self.words.of(word)] += 1

    def done(self, form: str | None, document: Document) -> Partial:
        """Count the texts, and return what is known of the split."""
        results, split = self.results, self.split
        counted, notes = _counted(self.texts, self.cells)
        (models, model), (prompts, prompt) = self.models.sorted(), self.records.sorted()
        (conditions, condition), (periods, period) = self.conditions.sorted(), self.periods.sorted()
        words, word = self.words.sorted()
        cell = (model, prompt, condition)
        own = np.array([self.prompts[each.id] for each in results.prompts], np.int64)
        head = Head(
            split=split.number,
            form=form,
            native=self.native,
            whole=split.kind == "file",
            digest=document.sha256,
            models=tuple(map(encoded, results.models)),
            conditions=tuple(map(encoded, results.conditions)),
            prompts=prompt[own].astype(np.int32),
            warnings=tuple(results.warnings),
            notes=notes,
            beside=tuple((source.path, source.sha256) for source in document.beside),
        )
        tallies = [(*key, number) for key, number in self.tallies.items()]
        copies = [(*key, number) for key, number in self.copies.items()]
        identities = _moved(self.identities, 8, *cell, period)
        return Partial(
            splits=np.array([split.number]),
            heads=(head,),
            names=Names(models, prompts, conditions, periods, words),
            cells=together([counted.moved(*cell)]),
            tallies=summed(_moved(tallies, 6, *cell, None, word)),
            firsts=least(_moved([(*key, place) for key, place in self.firsts.items()], 3, prompt, condition)),
            copies=summed(_moved(copies, 5, *cell)),
            identities=identities[np.lexsort(identities.T[::-1])],
        )


def _counted(texts: Sequence[str], cells: Sequence[_Cell]) -> tuple[Cells, tuple[str, ...]]:
    """Return the counts of texts by cell, and what is to be said of how they were made."""
    at = np.array(cells, np.int64).reshape(-1, 3)
    order = np.lexsort(at.T[::-1])
    at = at[order]
    new = np.ones(len(at), bool)
    new[1:] = (at[1:] != at[:-1]).any(axis=1)
    how = facet("tokens")
    ordered = Texts([texts[place] for place in order.tolist()])
    places = np.stack([np.zeros(len(at), np.int64), np.cumsum(new) - 1], 1)
    table = placed(tallied(ordered, how), places.astype(np.int32), how, models=1, prompts=int(new.sum()))
    found = pooled(table)
    entries = len(found.symbols)
    full = Full(
        at[new].astype(np.int32),
        np.ones(len(found.lengths), np.int64) if found.replies is None else found.replies,
        found.lengths,
        np.diff(found.starts),
        found.symbols,
        found.counts.astype(np.int64),
        np.zeros(entries, np.int64) if found.shares is None else found.shares,
        np.ones(entries, np.int64) if found.holders is None else found.holders.astype(np.int64),
    )
    return full.compact(), tuple(getattr(how, "warnings", ()))


def _moved(
    rows: Iterable[tuple[int, ...]], width: int, *places: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """Return rows as a table, the first columns replaced by the places of their numbers."""
    table = np.array([*rows], np.int64).reshape(-1, width)
    for column, place in enumerate(places):
        if place is not None:
            table[:, column] = place[table[:, column]]
    return table


def _digest(text: str) -> int:
    """Return 64 bits of the SHA-256 of a text."""
    data = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(data[:8], "big", signed=True)


def decoded(kind: type[R], data: bytes) -> R:
    """Return the record that `encoded` was given."""
    try:
        row = msgspec.json.decode(data)
    except msgspec.DecodeError:
        row = json.loads(data)
    return from_row(kind, row)
