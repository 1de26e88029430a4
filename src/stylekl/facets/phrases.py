"""Phrases: runs of two to five words, in lower case, within a sentence.

A phrase does not cross a mark or a line break (a hyphen it does). Most phrases of a file occur once or twice and can
bear no comparison, so those that occur fewer than `least` times in the whole file are counted but not kept: they are
part of "other". Where a script puts no space between words, the phrases are those of its characters.

A phrase of n words is looked for only where both its parts of n − 1 words are frequent (Agrawal and Srikant 1994), and
is known by a 64-bit hash of its words; two of a file's phrases share one with a chance of about one in a million.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stylekl.facets.classes import WORDING, class_of
from stylekl.facets.interning import Interned, batches, expand, with_none
from stylekl.facets.pieces import WORD, kind_of, spans, unspaced_share
from stylekl.facets.words import word_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from stylekl.facets.pieces import Pieces
    from stylekl.facets.texts import Encoded, Texts

LONGEST = 5
_BUCKETS = 24  # bits: counting into buckets first tells most of the rare ones
_PRIME = np.uint64(0x9E3779B97F4A7C15)


def joined(words: Sequence[str]) -> str:
    """Return words as one text, with spaces between those that are written with spaces."""
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
        pieces = texts.pieces
        words, text, run, table = _words(pieces)
        lengths = np.zeros(len(texts.texts), np.int64)
        symbols: list[str] = []
        found = _frequent(words, least)
        hashes = _mixed(words)
        hash_one = hashes.copy()
        ids_parts, text_parts = [], []
        for size in range(2, LONGEST + 1):
            starts = max(len(run) - size + 1, 0)
            whole_run = run[len(run) - starts :] == run[:starts]
            lengths += np.bincount(text[:starts][whole_run], minlength=len(lengths))
            hashes = hashes[:starts] * _PRIME + hash_one[len(run) - starts :]
            at = np.flatnonzero(whole_run & found[:starts] & found[1 : starts + 1])
            at, ids, firsts = _kept(hashes, at, least)
            found = np.zeros(starts, bool)
            found[at] = True
            ids_parts.append(ids + len(symbols))
            text_parts.append(text.take(at))
            table_of = table.__getitem__
            symbols += [
                joined([*map(table_of, words[first : first + size].tolist())]) for first in firsts.tolist()
            ]
        ids, where = np.concatenate(ids_parts), np.concatenate(text_parts)
        order = np.argsort(where, kind="stable")
        self._symbols = symbols
        yield from batches(*with_none(ids[order], where[order], lengths, symbols), lengths)

    def class_of(self, symbol: str) -> str:
        """Return the class of a phrase: function words where all its words are, content words otherwise."""
        kinds = {class_of(word) for word in symbol.split()}
        return kinds.pop() if len(kinds) == 1 else "content words"

    def spans(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the phrases of one text with where they stand."""
        return phrases(text)


def _words(pieces: Pieces) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], list[str]]:
    """Return the words of all texts, their texts, the run each stands in, and the table of words."""
    ids, text, table = expand(pieces, word_of)
    is_word = np.fromiter((bool(word_of(piece)) for piece in pieces.table), bool, len(pieces.table))
    bridge = np.fromiter((piece == "-" for piece in pieces.table), bool, len(pieces.table))
    run: NDArray[np.int64] = np.cumsum(~(is_word | bridge).take(pieces.ids))
    return ids, text, run[is_word.take(pieces.ids)], table


def _frequent(ids: NDArray[np.int32], least: int) -> NDArray[np.bool_]:
    return np.asarray((np.bincount(ids) >= least).take(ids)) if len(ids) else np.empty(0, bool)


def _mixed(ids: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each id (the finaliser of MurmurHash3)."""
    h = (ids + 1).astype(np.uint64)
    for shift, factor in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53)):
        h ^= h >> np.uint64(shift)
        h *= np.uint64(factor)
    return h ^ (h >> np.uint64(33))


def _kept(
    hashes: NDArray[np.uint64], at: NDArray[np.int64], least: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return the places whose hash occurs at least `least` times, its number, and the first place of each number."""
    chosen = hashes.take(at)
    bucket = (chosen >> np.uint64(64 - _BUCKETS)).astype(np.int32)
    often = np.flatnonzero(np.bincount(bucket, minlength=1 << _BUCKETS).take(bucket) >= least)
    at, chosen, bucket = at.take(often), chosen.take(often), bucket.take(often)
    ordered = np.sort(chosen)
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] + np.uint64(1)))
    enough = np.diff(starts, append=len(ordered)) >= least
    kept = ordered.take(starts[enough])
    number = _numbered(kept, chosen, bucket)
    keep = np.flatnonzero(number >= 0)
    at, number = at.take(keep), number.take(keep)
    first = np.zeros(len(kept), np.int64)
    first[number[::-1]] = at[::-1]
    return at, number, first


def _numbered(
    kept: NDArray[np.uint64], chosen: NDArray[np.uint64], bucket: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the index of each of `chosen` in the sorted `kept`, −1 where it is not there.

    A table by bucket answers for all but the few that share their bucket, which are searched for.
    """
    if not len(kept):
        return np.full(len(chosen), -1, np.int32)
    table = np.zeros(1 << _BUCKETS, np.int32)
    table[(kept >> np.uint64(64 - _BUCKETS)).astype(np.int32)] = np.arange(len(kept), dtype=np.int32)
    number = table.take(bucket)
    missed = np.flatnonzero(kept.take(number) != chosen)
    found = np.minimum(np.searchsorted(kept, chosen.take(missed)), len(kept) - 1)
    number[missed] = np.where(kept.take(found) == chosen.take(missed), found, -1)
    return number


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
