"""What a text is recognised by, as a sparse row: seven blocks of counts, each of length 1.

Three blocks are facets (tokens, words, rhythm), four come from `traits` and from pairs of tokens. Symbols are known by
64-bit numbers that mean the same in every body of texts, so a new text meets the columns of the file's.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stylekl.facets import facet
from stylekl.lenses.style import traits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from stylekl.facets.texts import Texts

BLOCKS = ("tokens", "pairs", "words", "rhythm", "lines", "starts", "joints")
_LEAST = 3  # prompts that must hold a symbol for it to have a column
_SHIFT = np.uint64(18)  # bits of a token's id


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """The distinct symbols of T texts in one block: text (N,) and number (N,) of each, and how often it occurs."""

    text: NDArray[np.int64]
    number: NDArray[np.uint64]
    times: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The columns of a table of profiles: for each block the numbers of its symbols, sorted."""

    numbers: dict[str, NDArray[np.uint64]]

    def rows(self, texts: Texts) -> tuple[csr_matrix, NDArray[np.float64]]:
        """Return the profiles of texts (T, columns), and how much (T,) of each there is, of unknown symbols too."""
        return self.place(symbols_of(texts), len(texts.texts))

    def place(self, found: dict[str, Symbols], texts: int) -> tuple[csr_matrix, NDArray[np.float64]]:
        """Return the profiles and masses of texts whose symbols are known.

        In each block the square roots of the counts, of length 1 over known and unknown symbols together; a block in
        which a text has no symbol is 0. All blocks weigh the same, and a text that has all of them has mass 1.
        """
        from scipy.sparse import csr_matrix

        parts, first, mass = [], 0, np.zeros(texts)
        for name in BLOCKS:
            block, numbers = found[name], self.numbers[name]
            size = np.bincount(block.text, block.times, texts)
            mass += (size > 0) / len(BLOCKS)
            at = np.minimum(np.searchsorted(numbers, block.number), max(len(numbers) - 1, 0))
            known = numbers[at] == block.number if len(numbers) else np.zeros(len(at), bool)
            value = np.sqrt(block.times[known] / size[block.text[known]] / len(BLOCKS))
            parts.append((value, block.text[known], first + at[known]))
            first += len(numbers)
        values, where, column = (np.concatenate(part) for part in zip(*parts, strict=True))
        table = csr_matrix((values, (where, column)), shape=(texts, max(first, 1)))
        return table, mass


def columns_of(found: dict[str, Symbols], prompt: NDArray[np.int64]) -> Columns:
    """Return the columns for texts that answer the prompts `prompt` (T,): symbols in at least 3 prompts."""
    chosen = {}
    for name, block in found.items():
        numbers, index = np.unique(block.number, return_inverse=True)
        held = np.unique(index * (int(prompt.max(initial=0)) + 1) + prompt[block.text])
        prompts = np.bincount(held // (int(prompt.max(initial=0)) + 1), minlength=len(numbers))
        chosen[name] = numbers[prompts >= _LEAST]
    return Columns(chosen)


def symbols_of(texts: Texts) -> dict[str, Symbols]:
    """Return the symbols of texts in each block."""
    found = {name: _facet(texts, name) for name in ("words", "rhythm")}
    found["tokens"], found["pairs"] = _tokens(texts)
    listed: dict[str, Callable[[str], list[str]]] = {
        "lines": traits.lines,
        "starts": traits.starts,
        "joints": traits.joints,
    }
    return found | {name: _listed(texts.texts, symbols) for name, symbols in listed.items()}


def _distinct(text: NDArray[np.int64], number: NDArray[np.uint64]) -> Symbols:
    numbers, index = np.unique(number, return_inverse=True)
    both, times = np.unique(text * max(len(numbers), 1) + index, return_counts=True)
    where, which = np.divmod(both, max(len(numbers), 1))
    return Symbols(where, numbers[which], times)


def _tokens(texts: Texts) -> tuple[Symbols, Symbols]:
    """Return the tokens, and the pairs of tokens that follow each other."""
    batches = list(facet("tokens").encode(texts))
    ids = np.concatenate([batch.ids for batch in batches] or [np.empty(0, np.int64)]).astype(np.uint64)
    sizes = np.concatenate([batch.kept for batch in batches] or [np.empty(0, np.int64)])
    text = np.repeat(np.arange(len(sizes)), sizes)
    together = text[1:] == text[:-1]
    pairs = (ids[:-1] << _SHIFT | ids[1:])[together]
    return _distinct(text, ids), _distinct(text[1:][together], pairs)


def _facet(texts: Texts, name: str) -> Symbols:
    how = facet(name)
    batches = list(how.encode(texts))
    ids = np.concatenate([batch.ids for batch in batches] or [np.empty(0, np.int64)]).astype(np.int64)
    sizes = np.concatenate([batch.kept for batch in batches] or [np.empty(0, np.int64)])
    used, index = np.unique(ids, return_inverse=True)
    numbers = _numbers([how.symbol(identifier) for identifier in used.tolist()])
    return _distinct(np.repeat(np.arange(len(sizes)), sizes), numbers[index])


def _listed(texts: Sequence[str], symbols: Callable[[str], list[str]]) -> Symbols:
    index: dict[str, int] = {}
    parts = [[index.setdefault(symbol, len(index)) for symbol in symbols(text)] for text in texts]
    sizes = np.fromiter(map(len, parts), np.int64, len(parts))
    flat = np.fromiter((number for part in parts for number in part), np.int64, int(sizes.sum()))
    return _distinct(np.repeat(np.arange(len(sizes)), sizes), _numbers(list(index))[flat])


def _numbers(symbols: Sequence[str]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each symbol, the same on every machine."""
    digests = (
        hashlib.blake2b(symbol.encode("utf-8", "surrogatepass"), digest_size=8).digest() for symbol in symbols
    )
    return np.frombuffer(b"".join(digests), np.dtype("<u8")).astype(np.uint64)
