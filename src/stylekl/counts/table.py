"""The sparse table of counts, and how replies become one.

Rows are replies in the order of `select`: by model, within a model by prompt, within a prompt by sample. Each
row's symbols are sorted and distinct, so a row is a run of (symbol, count) pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from stylekl.counts.ahead import Ahead
    from stylekl.facets import Facet
    from stylekl.facets.interning import Interned
    from stylekl.facets.texts import Encoded, Texts
    from stylekl.facets.tokens import Tokens

    Places = Sequence[tuple[int, int]] | NDArray[np.int32]  # (R, 2)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Counts:
    """Sparse counts of R replies with N non-zero entries.

    `symbols` and `counts` have length N, `starts` R + 1 (row r is `starts[r]:starts[r + 1]`); `lengths` is the
    number of symbols of each reply (those not kept included), `model`, `prompt` and `sample` place it: index of the
    model, index of the prompt, and the how-manieth sample of the two it is. `limit` bounds the symbol ids.

    Pooled counts have one row for each (model, prompt), whose `counts` and `lengths` are sums over its replies:
    `replies` (R,) is how many they are, `shares` (N,) the sum of their `fixed_shares`, `holders` (N,) how many of them
    hold the symbol. All three are None where every row is a reply.
    """

    symbols: NDArray[np.int32]
    counts: NDArray[np.integer]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    model: NDArray[np.int32]
    prompt: NDArray[np.int32]
    sample: NDArray[np.int32]
    models: int
    prompts: int
    limit: int
    replies: NDArray[np.int64] | None = None
    shares: NDArray[np.int64] | None = None
    holders: NDArray[np.integer] | None = None

    def rows(self, model: int) -> slice:
        """Return the rows of a model, which stand together."""
        import numpy as np

        # Of the same type, or all of the table is converted to look two numbers up.
        low, high = np.searchsorted(self.model, np.array([model, model + 1], self.model.dtype))
        return slice(int(low), int(high))

    def samples(self) -> NDArray[np.int64]:
        """Return the models × prompts table of how many replies each model gave to each prompt."""
        import numpy as np

        flat = self.model.astype(np.int64) * self.prompts + self.prompt
        if self.replies is not None:
            table = np.zeros(self.models * self.prompts, np.int64)
            table[flat] = self.replies
        else:
            table = np.bincount(flat, minlength=self.models * self.prompts)
        return table.reshape(self.models, self.prompts)


TOGETHER = 1 << 20  # characters up to which texts are cut into pieces together
SHARE_BITS = 44  # half a million replies to a prompt fit into 63 bits


def fixed_shares(counts: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the shares `counts / lengths` of replies in units of 2^-44, rounded to the nearest.

    Sums of whole numbers are the same in any order and in any parts, as those of floating point are not: counts of
    several replies to one prompt are added so. They hold half a million replies; the error of each is below 3e-14.
    """
    import numpy as np

    return np.rint(counts * (float(1 << SHARE_BITS) / lengths)).astype(np.int64)


def narrow(counts: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return counts in the smaller type that holds them, uint16 or int32."""
    import numpy as np

    return counts.astype(np.uint16 if counts.max(initial=0) < 1 << 16 else np.int32, copy=False)


class Tally(NamedTuple):
    """Sparse counts of texts, whoever wrote them; the arrays are those of `Counts`."""

    symbols: NDArray[np.int32]
    counts: NDArray[np.integer]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def size(self) -> int:
        """Return how many bytes the arrays take."""
        return sum(array.nbytes for array in self)

    def small(self) -> Tally:
        """Return the same with counts of the smallest type that holds them."""
        import numpy as np

        most = int(self.counts.max(initial=1))
        kind = np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.int32
        return self._replace(counts=self.counts.astype(kind))

    def rows(self, order: Sequence[int]) -> Tally:
        """Return the counts of the texts of these numbers, in this order."""
        import numpy as np

        rows = np.asarray(order, np.int64)
        if np.array_equal(rows, np.arange(len(self.lengths))):
            return self
        # Most rows follow each other: what stands together is copied together.
        first = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
        last = rows[np.append(first[1:], len(rows)) - 1] if len(rows) else rows
        ends = zip(self.starts[rows[first]].tolist(), self.starts[last + 1].tolist(), strict=True)
        spans = [slice(low, high) for low, high in ends]
        return Tally(
            np.concatenate([self.symbols[span] for span in spans] or [self.symbols[:0]]),
            np.concatenate([self.counts[span] for span in spans] or [self.counts[:0]]),
            np.append(0, np.diff(self.starts)[rows].cumsum()),
            self.lengths[rows],
        )

    def part(self, low: int, high: int) -> Tally:
        """Return the counts of the texts from number `low` to before `high`."""
        starts = self.starts[low : high + 1]
        held = slice(int(starts[0]), int(starts[-1]))
        return Tally(self.symbols[held], self.counts[held], starts - starts[0], self.lengths[low:high])


def count(
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
    """Count the symbols of `texts`, whose (model, prompt) indices are `places`, sorted.

    A text without symbols is a row of length 0; leaving such replies out is the selection's part. Symbols that
    occur fewer than `least` times in all may be missing; `lengths` counts them none the less. Many texts are counted in
    `jobs` processes, null for one on each core, and tokens may have been counted `ahead`; that changes no number.
    Raises WorkerError where one dies.
    """
    return placed(tallied(texts, facet, least, jobs, ahead), places, facet, models=models, prompts=prompts)


def tallied(
    texts: Texts, facet: Facet, least: int = 1, jobs: int | None = 1, ahead: Ahead | None = None
) -> Tally:
    """Return what `count` counts, whoever wrote the texts."""
    if facet.NAME != "tokens":
        if not texts.exceed(TOGETHER):
            return tally_of(facet.encode(texts, least))
        from stylekl.counts import joint

        return joint.tallied(texts, cast("Interned", facet), least, jobs)
    tally = ahead.counts_of(texts) if ahead is not None else None
    if tally is None and jobs != 1:
        from stylekl.counts.pool import shared_out

        tally = shared_out(texts, cast("Tokens", facet), jobs)
    return tally_of(facet.encode(texts, least)) if tally is None else tally


def tally_of(batches: Iterable[Encoded]) -> Tally:
    """Return the counts of texts whose symbols come in batches."""
    import numpy as np

    gathering = Gathering()
    for batch in batches:
        bits = int(batch.ids.max(initial=0)).bit_length()
        narrow = len(batch.kept) << bits <= 1 << 32  # half the size is sorted in half the time
        kind = np.dtype("u4" if narrow else "u8")
        keys = np.repeat(np.arange(len(batch.kept)).astype(kind) << bits, batch.kept)
        keys |= batch.ids.astype(kind, copy=False)
        keys.sort()
        new = np.ones(len(keys), bool)
        np.not_equal(keys[1:], keys[:-1], out=new[1:])
        first = np.flatnonzero(new)
        distinct = keys.take(first)
        gathering.add_rows(
            distinct & ((1 << bits) - 1),
            np.diff(first, append=len(keys)),
            np.bincount((distinct >> bits).astype(np.int64), minlength=len(batch.kept)),
            batch.lengths,
        )
    return gathering.done()


def together(tallies: Iterable[Tally]) -> Tally:
    """Return the counts of some texts after those of others; those of one are returned as they are."""
    tallies = iter(tallies)
    first, second = next(tallies), next(tallies, None)
    if second is None:
        return first
    gathering = Gathering()
    for tally in chain([first, second], tallies):
        gathering.add(tally)
    return gathering.done()


class Gathering:
    """Counts of some texts after those of others."""

    def __init__(self) -> None:
        import numpy as np

        self._symbols, self._counts = (
            Growing(np.int32),
            Growing(np.uint16),
        )  # most symbols of a reply occur once
        self._sizes: list[NDArray[np.integer]] = []
        self._lengths: list[NDArray[np.int64]] = []

    def add(self, tally: Tally) -> None:
        """Add the counts of the texts that follow."""
        import numpy as np

        self.add_rows(tally.symbols, tally.counts, np.diff(tally.starts), tally.lengths)

    def add_rows(
        self,
        symbols: NDArray[np.integer],
        counts: NDArray[np.integer],
        sizes: NDArray[np.integer],
        lengths: NDArray[np.int64],
    ) -> None:
        """Add rows: `sizes` are how many entries each has, the others are those of `Tally`."""
        self._symbols.append(symbols)
        self._counts.append(counts)
        self._sizes.append(sizes)
        self._lengths.append(lengths)

    def done(self) -> Tally:
        """Return the counts of all; nothing can be added any more."""
        import numpy as np

        return Tally(
            self._symbols.done(),
            self._counts.done(),
            np.concatenate([[0], *self._sizes]).cumsum().astype(np.int64),
            np.concatenate(self._lengths) if self._lengths else np.empty(0, np.int64),
        )


def placed(tally: Tally, places: Places, facet: Facet, *, models: int, prompts: int) -> Counts:
    """Return the counts of texts as those of the replies at `places`; `facet` must have numbered the symbols."""
    import numpy as np

    model, prompt = np.array(places, np.int32).reshape(-1, 2).T.copy()
    return Counts(
        symbols=tally.symbols,
        counts=tally.counts.astype(np.promote_types(tally.counts.dtype, np.uint16), copy=False),
        starts=tally.starts,
        lengths=tally.lengths,
        model=model,
        prompt=prompt,
        sample=_ordinal(model, prompt),
        models=models,
        prompts=prompts,
        limit=facet.limit,
    )


class Growing:
    """An array that grows in place: a list of pieces put together in the end would touch twice the memory.

    It is of type `kind`, where that is uint16 for as long as that holds the values, and of int32 then.
    """

    def __init__(self, kind: type[np.integer[Any] | np.bool_]) -> None:
        import numpy as np

        self._array: NDArray[Any] = np.empty(1 << 16, kind)
        self._length = 0

    def append(self, values: NDArray[Any]) -> None:
        """Add values at the end."""
        import numpy as np

        end = self._length + len(values)
        if self._array.itemsize == 2 and values.max(initial=0) > np.iinfo(np.uint16).max:
            self._array = self._array.astype(np.int32)
        if end > len(self._array):
            self._array.resize(max(end, 2 * len(self._array)), refcheck=False)
        self._array[self._length : end] = values
        self._length = end

    def done(self) -> NDArray[Any]:
        """Return the array; nothing can be added any more."""
        self._array.resize(self._length, refcheck=False)
        return self._array


def _ordinal(model: NDArray[np.int32], prompt: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number the rows of each run of equal (model, prompt) from 0."""
    import numpy as np

    if not len(model):
        return np.empty(0, np.int32)
    new = np.flatnonzero((np.diff(model, prepend=-1) != 0) | (np.diff(prompt, prepend=-1) != 0))
    sizes = np.diff(new, append=len(model))
    return (np.arange(len(model)) - np.repeat(new, sizes)).astype(np.int32)
