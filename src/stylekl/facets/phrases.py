"""Phrases: runs of two to five words, in lower case, within a sentence.

A phrase does not cross a mark or a line break (a hyphen it does). Most phrases of a file occur once or twice and can
bear no comparison, so those that occur fewer than `least` times in the whole file are counted but not kept: they are
part of "other". Where a script puts no space between words, the phrases are those of its characters.

A phrase of n words is looked for only where both its parts of n − 1 words are frequent (Agrawal and Srikant 1994), and
is known by a 64-bit hash of its words; two of a file's phrases share one with a chance of about one in a million.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stylekl.facets.classes import WORDING, class_of
from stylekl.facets.interning import NONE, TEXTS, Interned
from stylekl.facets.pieces import WORD, kind_of, spans, unspaced_share
from stylekl.facets.texts import Encoded
from stylekl.facets.words import word_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from stylekl.facets.pieces import Pieces
    from stylekl.facets.texts import Texts

LONGEST = 5
_BUCKETS = 24  # bits at most: a table of buckets finds most hashes without a search
_TOGETHER = 1 << 20  # words looked at together
_PRIME = np.uint64(0x9E3779B97F4A7C15)


def joined(words: Sequence[str]) -> str:
    """Return words as one text, with spaces between those that are written with spaces."""
    if all(map(str.isascii, words)):
        return " ".join(words)
    text = ""
    for word in words:
        apart = text and not (unspaced_share(text[-1]) and unspaced_share(word[0]))
        text += f" {word}" if apart else word
    return text


class Phrases(Interned):
    """The facet of phrases."""

    NAME = "phrases"
    UNIT = "phrase"
    CLASSES = WORDING

    def encode(self, texts: Texts, least: int = 1) -> Iterator[Encoded]:
        """Yield the phrases that occur at least `least` times in the texts, batch by batch."""
        return self.encode_running(running(texts.pieces), least)

    def encode_running(self, words: Running, least: int = 1) -> Iterator[Encoded]:
        """Yield what `encode` yields of the texts whose words these are."""
        symbols: list[str] = []
        levels: list[tuple[NDArray[np.integer], NDArray[np.int32]]] = []
        for size, (at, number) in enumerate(_levels(words, least), 2):
            levels.append((at, number + np.int32(len(symbols))))
            rows = words.ids.take(_first(number, at)[:, None] + np.arange(size)).tolist()
            symbols += [joined([words.table[word] for word in row]) for row in rows]
        self._symbols = symbols
        lengths = words.lengths.copy()
        if not lengths.all():
            symbols.append(NONE)
        ends = np.concatenate([[0], words.sizes]).cumsum()
        for start in range(0, len(lengths), TEXTS):
            part = slice(start, start + TEXTS)
            yield _encoded(levels, ends[start : start + TEXTS + 1], lengths[part], len(symbols) - 1)

    def class_of(self, symbol: str) -> str:
        """Return the class of a phrase: function words where all its words are, content words otherwise."""
        kinds = {class_of(word) for word in symbol.split()}
        return kinds.pop() if len(kinds) == 1 else "content words"

    def spans(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the phrases of one text with where they stand."""
        return phrases(text)


class Running(NamedTuple):
    """The words of T texts as they follow each other: what phrases are made of.

    `ids` (W,) numbers them, `begins` (W,) is whether a word stands apart from the one before, `sizes` (T,) how many
    words a text has, `lengths` (T,) how many phrases. `table` names the ids.
    """

    ids: NDArray[np.int32]
    begins: NDArray[np.bool_]
    sizes: NDArray[np.int64]
    lengths: NDArray[np.int64]
    table: list[str]


def running(pieces: Pieces) -> Running:
    """Return the words of texts as they follow each other."""
    ids, at, text, table = pieces.words
    apart = pieces.kinds != WORD
    if "-" in pieces.table:
        apart[pieces.table.index("-")] = False
    begins = np.diff(apart.take(pieces.ids).cumsum(dtype=np.int32).take(at), prepend=-1) != 0
    texts = len(pieces.starts) - 1
    first = np.flatnonzero(begins)
    run = np.diff(first, append=len(at))
    phrases_of_run = sum(np.maximum(run - size, 0) for size in range(1, LONGEST))
    lengths = np.bincount(text.take(first), phrases_of_run, texts).astype(np.int64)
    return Running(ids, begins, np.bincount(text, minlength=texts), lengths, table)


def _levels(words: Running, least: int) -> Iterator[tuple[NDArray[np.integer], NDArray[np.int32]]]:
    """Yield, for each size, where the phrases are that occur often enough, and their numbers."""
    mixed = _mixed(np.arange(len(words.table), dtype=np.int32))
    found = np.append((np.bincount(words.ids, minlength=len(words.table)) >= least).take(words.ids), False)
    found[:-1] &= found[1:]
    found[:-2] &= ~words.begins[1:]
    at: NDArray[np.integer] = np.flatnonzero(found[:-1])
    at = at.astype(np.int32 if len(found) < 1 << 31 else np.int64)
    hashes = mixed.take(words.ids.take(at))
    for size in range(2, LONGEST + 1):
        for part in _together(len(at)):
            hashes[part] *= _PRIME
            hashes[part] += mixed.take(words.ids.take(at[part] + (size - 1)))
        number = _numbered(_often(hashes, least), hashes)
        held = number >= 0
        at, hashes = at[held], hashes[held]
        yield at, number[held]
        found[:] = False
        found[at] = True
        follows = found[at + 1]
        at, hashes = at[follows], hashes[follows]


def _together(length: int) -> Iterator[slice]:
    return (slice(low, low + _TOGETHER) for low in range(0, length, _TOGETHER))


def _encoded(
    levels: Sequence[tuple[NDArray[np.integer], NDArray[np.int32]]],
    ends: NDArray[np.int64],
    lengths: NDArray[np.int64],
    none: int,
) -> Encoded:
    """Return the phrases of a batch of texts, of which each ends where the next begins, in `ends` words."""
    low, high = int(ends[0]), int(ends[-1])
    text = np.repeat(np.arange(len(lengths), dtype=np.int16), np.diff(ends))
    found = []
    for at, ids in levels:
        part = slice(*np.searchsorted(at, np.array([low, high], at.dtype)).tolist())
        found.append((text.take(at[part] - low), ids[part]))
    empty = np.flatnonzero(lengths == 0)
    lengths[empty] = 1
    found.append((empty.astype(np.int16), np.full(len(empty), none, np.int32)))
    where = np.concatenate([where for where, _ in found])
    order = np.argsort(where, kind="stable")
    kept = np.bincount(where, minlength=len(lengths)).astype(np.int64)
    return Encoded(np.concatenate([ids for _, ids in found])[order], kept, lengths)


def _mixed(ids: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each id (the finaliser of MurmurHash3)."""
    h = (ids + 1).astype(np.uint64)
    for shift, factor in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53)):
        h ^= h >> np.uint64(shift)
        h *= np.uint64(factor)
    return h ^ (h >> np.uint64(33))


def _often(hashes: NDArray[np.uint64], least: int) -> NDArray[np.uint64]:
    """Return the hashes that occur at least `least` times, sorted."""
    ordered = np.sort(hashes)
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    return ordered.take(starts[np.diff(starts, append=len(ordered)) >= least])


def _numbered(kept: NDArray[np.uint64], hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return the index of each hash in the sorted `kept`, −1 where it is not there.

    A table by bucket answers for all but the few that share their bucket, which are searched for.
    """
    number = np.full(len(hashes), -1, np.int32)
    bits = min(_BUCKETS, len(kept).bit_length() + 8)
    table = np.full(1 << bits, -1, np.int32)
    table[_bucket(kept, bits)] = np.arange(len(kept), dtype=np.int32)
    for part in _together(len(hashes)):
        asked = hashes[part]
        first = table.take(_bucket(asked, bits))
        some = np.flatnonzero(first >= 0)
        wrong = some.compress(kept.take(first.take(some)) != asked.take(some))
        found = np.minimum(np.searchsorted(kept, asked.take(wrong)), len(kept) - 1)
        first[wrong] = np.where(kept.take(found) == asked.take(wrong), found, -1)
        number[part] = first
    return number


def _bucket(hashes: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    return (hashes >> np.uint64(64 - bits)).astype(np.int64)


def _first(number: NDArray[np.int32], at: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return the first of the places `at`, which ascend, of each number."""
    first = np.zeros(int(number.max(initial=-1)) + 1, at.dtype)
    first[number[::-1]] = at[::-1]
    return first


def phrases(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the phrases of one text with where they stand in it: the plain form of what `encode` counts."""
    runs: list[list[tuple[str, int, int]]] = [[]]
    for piece, low, high in spans(text):
        if kind_of(piece) == WORD:
            runs[-1].append((word_of(piece)[0], low, high))
        elif piece != "-":
            runs.append([])
    for run in runs:
        for start in range(len(run)):
            for size in range(2, min(LONGEST, len(run) - start) + 1):
                part = run[start : start + size]
                yield joined([word for word, *_ in part]), part[0][1], part[-1][2]
