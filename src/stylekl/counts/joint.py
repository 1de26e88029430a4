"""Facets beside tokens counted together, in one pass over the texts, by several processes where that pays.

Most of them look at the same pieces of text, and cutting those is half of the work. So texts are cut batch by batch, in
the processes of `pool` or in this one, and all facets that will be asked for are counted of a batch while its pieces
are there; nobody holds the pieces of all texts.

A facet numbers its symbols as they appear, so each batch has numbers of its own. Batches are put together in the order
of the texts, and a symbol gets its number with the first batch that has it, which is the number that it has where all
texts are counted at once. Phrases are the exception: which of them are kept depends on all texts, so a batch gives its
words as they follow each other, and phrases are looked for when all are there.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from stylekl.counts import cores, pool
from stylekl.counts.table import Gathering, Growing, Tally, tally_of
from stylekl.counts.workers import may_fork
from stylekl.facets import FACETS, facet
from stylekl.facets.phrases import Phrases, Running, running
from stylekl.facets.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from stylekl.facets.interning import Interned

# Characters from which on sharing them out pays, for forks and for new Pythons.
FORKED, STARTED = 2_000_000, 12_000_000
_BITS = 28  # of a number within its group, while groups still grow


class _Part(NamedTuple):
    """A facet of a batch: its counts, and the symbols that they number."""

    tally: Tally
    groups: list[list[str]]


class Counted(NamedTuple):
    """A facet of all texts: its counts, and the symbols that they number."""

    tally: Tally
    symbols: list[str]


def tallied(texts: Texts, how: Interned, least: int, jobs: int | None) -> Tally:
    """Return the counts of texts in a facet other than tokens, and number its symbols.

    What `texts.expected` names is counted in the same pass and waits with the texts until it is asked for. Raises
    WorkerError where a process dies.
    """
    ready: dict[tuple[str, int], Counted] = texts.ready
    asked = (how.NAME, least)
    if asked not in ready:
        names = [name for name in FACETS if name in {how.NAME, *texts.expected} - {"tokens"}]
        for name, found in zip(names, counted(texts, names, least, jobs), strict=True):
            ready[name, least] = found
    found = ready.pop(asked)
    how.number(found.symbols)
    return found.tally


def counted(texts: Texts, names: Sequence[str], least: int, jobs: int | None) -> list[Counted]:
    """Return the counts of texts in the facets `names`, in one pass over them."""
    work = partial(parts, names)
    wanted = cores.wanted(jobs)
    if wanted < 2 or not texts.exceed(FORKED if may_fork() else STARTED):
        wanted = 0
    with closing(pool.spread(texts.texts, wanted, work, names)) as batches:
        return joined(names, batches, least)


def parts(names: Sequence[str], texts: list[str]) -> list[_Part | Running]:
    """Return what a batch of texts gives to each facet of `names`; in the process that counts."""
    batch = Texts(texts)
    return [running(batch.pieces) if name == "phrases" else _part(name, batch) for name in names]


def _part(name: str, batch: Texts) -> _Part:
    how = cast("Interned", facet(name))
    return _Part(tally_of(how.encode(batch)).small(), how.groups)


def joined(names: Sequence[str], batches: Iterable[Sequence[Any]], least: int) -> list[Counted]:
    """Return the counts of all texts from the `parts` of batches of them, in order, of which there is one at least."""
    joining = [_Following(least) if name == "phrases" else _Joining() for name in names]
    for batch in batches:
        for one, part in zip(joining, batch, strict=True):
            one.add(part)
    return [one.done() for one in joining]


class _Numbers:
    """Numbers of symbols that come part by part, in order of appearance within each group of them."""

    def __init__(self) -> None:
        self._groups: list[dict[str, int]] = []

    def of(self, groups: Sequence[Sequence[str]]) -> NDArray[np.int32]:
        """Return the numbers of symbols while others may yet come: those of a group before those of the next."""
        while len(self._groups) < len(groups):
            self._groups.append({})
        found = [
            (which << _BITS) + known.setdefault(symbol, len(known))
            for which, (known, symbols) in enumerate(zip(self._groups, groups, strict=True))
            for symbol in symbols
        ]
        return np.array(found, np.int32)

    def symbols(self) -> list[str]:
        """Return the symbols by their final numbers."""
        return list(chain.from_iterable(self._groups))

    def final(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the final numbers of symbols, in the same order as those before."""
        offsets = np.concatenate([[0], np.cumsum([len(known) for known in self._groups])]).astype(np.int32)
        return (numbers & np.int32((1 << _BITS) - 1)) + offsets.take(numbers >> _BITS)


class _Joining:
    """The counts of one facet, batch after batch."""

    def __init__(self) -> None:
        self._gathering, self._numbers = Gathering(), _Numbers()

    def add(self, part: _Part) -> None:
        """Add the counts of the texts that follow."""
        tally = part.tally
        symbols, sizes = self._numbers.of(part.groups).take(tally.symbols), np.diff(tally.starts)
        order = np.argsort((np.repeat(np.arange(len(sizes)), sizes) << 32) | symbols)
        self._gathering.add_rows(symbols.take(order), tally.counts.take(order), sizes, tally.lengths)

    def done(self) -> Counted:
        """Return the counts of all texts."""
        tally = self._gathering.done()
        return Counted(tally._replace(symbols=self._numbers.final(tally.symbols)), self._numbers.symbols())


class _Following:
    """The words that phrases are made of, batch after batch."""

    def __init__(self, least: int) -> None:
        self._least, self._numbers = least, _Numbers()
        self._ids, self._begins = Growing(np.int32), Growing(np.bool_)
        self._sizes: list[NDArray[np.int64]] = []
        self._lengths: list[NDArray[np.int64]] = []

    def add(self, part: Running) -> None:
        """Add the words of the texts that follow."""
        self._ids.append(self._numbers.of([part.table]).take(part.ids))
        self._begins.append(part.begins)
        self._sizes.append(part.sizes)
        self._lengths.append(part.lengths)

    def done(self) -> Counted:
        """Return the counts of the phrases of all texts that occur often enough."""
        how = Phrases()
        words = Running(
            self._ids.done(),
            self._begins.done(),
            np.concatenate(self._sizes),
            np.concatenate(self._lengths),
            self._numbers.symbols(),
        )
        return Counted(tally_of(how.encode_running(words, self._least)), list(chain(*how.groups)))
