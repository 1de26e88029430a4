"""The sparse table of counts, and how replies become one.

Rows are replies in the order of `select`: by model, within a model by prompt, within a prompt by sample. Each
row's symbols are sorted and distinct, so a row is a run of (symbol, count) pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from stylekl.facets import Facet
    from stylekl.facets.texts import Texts

    Places = Sequence[tuple[int, int]] | NDArray[np.int32]  # (R, 2)

_SHIFT = 32  # bits of a symbol id in a key


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Sparse counts of R replies with N non-zero entries.

    `symbols` and `counts` have length N, `starts` R + 1 (row r is `starts[r]:starts[r + 1]`); `lengths` is the
    number of symbols of each reply (those not kept included), `model`, `prompt` and `sample` place it: index of the
    model, index of the prompt, and the how-manieth sample of the two it is. `limit` bounds the symbol ids.
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

        # Of the same type, or all of the table is converted to look two numbers up.
        low, high = np.searchsorted(self.model, np.array([model, model + 1], self.model.dtype))
        return slice(int(low), int(high))

    def samples(self) -> NDArray[np.int64]:
        """Return the models × prompts table of how many replies each model gave to each prompt."""
        import numpy as np

        flat = self.model.astype(np.int64) * self.prompts + self.prompt
        return np.bincount(flat, minlength=self.models * self.prompts).reshape(self.models, self.prompts)


class Tally(NamedTuple):
    """Sparse counts of texts, whoever wrote them; the arrays are those of `Counts`."""

    symbols: NDArray[np.int32]
    counts: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]


def count(
    texts: Texts,
    places: Places,
    facet: Facet,
    *,
    models: int,
    prompts: int,
    least: int = 1,
) -> Counts:
    """Count the symbols of `texts`, whose (model, prompt) indices are `places`, sorted.

    A text without symbols is a row of length 0; leaving such replies out is the selection's part. Symbols that
    occur fewer than `least` times in all may be missing; `lengths` counts them none the less.
    """
    import numpy as np

    symbols, counts, sizes, lengths = _Growing(), _Growing(), [], []
    for batch in facet.encode(texts, least):
        keys = np.repeat(np.arange(len(batch.kept), dtype=np.int64) << _SHIFT, batch.kept)
        keys |= batch.ids
        keys.sort()
        new = np.ones(len(keys), bool)
        np.not_equal(keys[1:], keys[:-1], out=new[1:])
        first = np.flatnonzero(new)
        distinct = keys.take(first)
        symbols.append(distinct & ((1 << _SHIFT) - 1))
        counts.append(np.diff(first, append=len(keys)))
        sizes.append(np.bincount(distinct >> _SHIFT, minlength=len(batch.kept)))
        lengths.append(batch.lengths)
    tally = Tally(
        symbols.done(),
        counts.done(),
        np.concatenate([[0], *sizes]).cumsum().astype(np.int64),
        np.concatenate(lengths) if lengths else np.empty(0, np.int64),
    )
    return placed(tally, places, facet, models=models, prompts=prompts)


def placed(tally: Tally, places: Places, facet: Facet, *, models: int, prompts: int) -> Counts:
    """Return the counts of texts as those of the replies at `places`; `facet` must have numbered the symbols."""
    import numpy as np

    model, prompt = np.array(places, np.int32).reshape(-1, 2).T.copy()
    return Counts(
        symbols=tally.symbols,
        counts=tally.counts,
        starts=tally.starts,
        lengths=tally.lengths,
        model=model,
        prompt=prompt,
        sample=_ordinal(model, prompt),
        models=models,
        prompts=prompts,
        limit=facet.limit,
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
