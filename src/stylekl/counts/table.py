"""The sparse table of counts, and how replies become one.

Rows are replies in the order of `select`: by model, within a model by prompt, within a prompt by sample. Each
row's symbols are sorted and distinct, so a row is a run of (symbol, count) pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from stylekl.facets import Facet

BATCH = 1024  # replies counted at a time: the sort stays in cache


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Sparse counts of R replies with N non-zero entries.

    `symbols` and `counts` have length N, `starts` R + 1 (row r is `starts[r]:starts[r + 1]`); `lengths` is the
    number of symbols of each reply, `model`, `prompt` and `sample` place it: index of the model, index of the
    prompt, and the how-manieth sample of the two it is. `limit` bounds the symbol ids.
    """

    symbols: NDArray[np.int32]
    counts: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    model: NDArray[np.int32]
    prompt: NDArray[np.int32]
    sample: NDArray[np.int32]
    models: int
    prompts: int
    limit: int

    def rows(self, model: int) -> slice:
        """Return the rows of a model, which stand together."""
        import numpy as np

        low, high = np.searchsorted(self.model, [model, model + 1])
        return slice(int(low), int(high))

    def samples(self) -> NDArray[np.int64]:
        """Return the models × prompts table of how many replies each model gave to each prompt."""
        import numpy as np

        flat = self.model.astype(np.int64) * self.prompts + self.prompt
        return np.bincount(flat, minlength=self.models * self.prompts).reshape(self.models, self.prompts)


def _batches(facet: Facet, texts: Sequence[str]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    import numpy as np

    encoded = facet.encode(texts)
    shift = int(facet.LIMIT - 1).bit_length()
    while batch := list(islice(encoded, BATCH)):
        lengths = np.fromiter(map(len, batch), np.int64, len(batch))
        keys = np.repeat(np.arange(len(batch), dtype=np.int64) << shift, lengths)
        keys |= np.concatenate(batch)
        keys.sort()
        yield keys, lengths


def count(
    texts: Sequence[str], places: Sequence[tuple[int, int]], facet: Facet, *, models: int, prompts: int
) -> Counts:
    """Count the symbols of `texts`, whose (model, prompt) indices are `places`, sorted.

    A text without symbols is a row of length 0; leaving such replies out is the selection's part.
    """
    import numpy as np

    shift = int(facet.LIMIT - 1).bit_length()
    symbols, counts, sizes, lengths = _Growing(), _Growing(), [], []
    for keys, batch_lengths in _batches(facet, texts):
        new = np.ones(len(keys), bool)
        np.not_equal(keys[1:], keys[:-1], out=new[1:])
        first = np.flatnonzero(new)
        distinct = keys.take(first)
        symbols.append(distinct & ((1 << shift) - 1))
        counts.append(np.diff(first, append=len(keys)))
        sizes.append(np.bincount(distinct >> shift, minlength=len(batch_lengths)))
        lengths.append(batch_lengths)
    model = np.array([place[0] for place in places], np.int32)
    prompt = np.array([place[1] for place in places], np.int32)
    return Counts(
        symbols=symbols.done(),
        counts=counts.done(),
        starts=np.concatenate([[0], *sizes]).cumsum().astype(np.int64),
        lengths=np.concatenate(lengths) if lengths else np.empty(0, np.int64),
        model=model,
        prompt=prompt,
        sample=_ordinal(model, prompt),
        models=models,
        prompts=prompts,
        limit=facet.LIMIT,
    )


class _Growing:
    """An int32 array that grows in place: a list of pieces put together in the end would touch twice the memory."""

    def __init__(self) -> None:
        import numpy as np

        self._array, self._length = np.empty(1 << 16, np.int32), 0

    def append(self, values: NDArray[np.int64]) -> None:
        """Add values at the end."""
        end = self._length + len(values)
        if end > len(self._array):
            self._array.resize(max(end, 2 * len(self._array)), refcheck=False)
        self._array[self._length : end] = values
        self._length = end

    def done(self) -> NDArray[np.int32]:
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
