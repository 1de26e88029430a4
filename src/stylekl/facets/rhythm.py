"""Rhythm: how long sentences and paragraphs are, and the words in them, in bins.

Each sentence gives two symbols, its number of words and the mean length of its words; each paragraph gives one, its
number of words. A sentence ends with its mark or with the line; a list item and a heading are paragraphs. In scripts
without spaces a word is a character. Bins widen with the length: what differs by a tenth is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stylekl.facets.interning import Interned, whole
from stylekl.facets.pieces import END, LINE, PARAGRAPH, WORD, kind_of, spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from stylekl.facets.texts import Encoded, Texts

SENTENCE = np.array([1, 2, 3, 5, 7, 9, 11, 13, 15, 18, 21, 25, 30, 36, 45, 60, 90])
PARAGRAPH_WORDS = np.array([1, 3, 6, 10, 15, 20, 30, 40, 55, 75, 100, 140, 200, 300])
WORD_LENGTH = np.array([1.0, 2.0, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 7.0, 8.0, 10.0])


def _ranges(edges: NDArray[np.integer], what: str) -> list[str]:
    """Return the names of the bins that whole numbers fall into."""
    ends = [*(edges[1:] - 1).tolist(), None]
    spans_ = zip(edges.tolist(), ends, strict=True)
    return [
        f"{what} of {low} word{'s' if low > 1 else ''}"
        if low == high
        else f"{what} of {low}+ words"
        if high is None
        else f"{what} of {low}–{high} words"
        for low, high in spans_
    ]


def _lengths() -> list[str]:
    ends = [*WORD_LENGTH[1:].tolist(), None]
    pairs = zip(WORD_LENGTH.tolist(), ends, strict=True)
    return [
        f"words of {low:g}–{high:g} letters" if high else f"words of {low:g}+ letters" for low, high in pairs
    ]


NAMES = (*_ranges(SENTENCE, "sentence"), *_ranges(PARAGRAPH_WORDS, "paragraph"), *_lengths())


class Rhythm(Interned):
    """The facet of rhythm."""

    NAME = "rhythm"
    UNIT = "length"
    CLASSES = ("sentences", "paragraphs", "words", "other")

    def encode(self, texts: Texts, least: int = 1) -> Iterator[Encoded]:  # noqa: ARG002
        """Yield the binned lengths of the texts, batch by batch."""
        pieces = texts.pieces
        kinds = pieces.kind
        sentence = _stretches((kinds == LINE) | (kinds == PARAGRAPH), kinds == END)
        paragraph = _stretches(kinds == PARAGRAPH, np.zeros(len(kinds), bool))
        ids, words, text, table = pieces.words
        sizes = np.fromiter(map(_letters, table), np.float64, len(table))
        in_sentence, sentences, its_text = _runs(sentence.take(words), text)
        letters = np.add.reduceat(sizes.take(ids), sentences) if len(words) else np.empty(0)
        in_paragraph, _, paragraph_text = _runs(paragraph.take(words), text)
        one = np.searchsorted(SENTENCE, in_sentence, "right") - 1
        two = len(SENTENCE) + np.searchsorted(PARAGRAPH_WORDS, in_paragraph, "right") - 1
        mean = np.searchsorted(WORD_LENGTH, letters / np.maximum(in_sentence, 1), "right") - 1
        three = len(SENTENCE) + len(PARAGRAPH_WORDS) + np.maximum(mean, 0)
        ids, where = np.concatenate([one, two, three]), np.concatenate([its_text, paragraph_text, its_text])
        order = np.argsort(where, kind="stable")
        self._symbols = list(NAMES)
        yield from whole(ids[order], where[order], len(texts.texts), self._symbols)

    def class_of(self, symbol: str) -> str:
        """Return what the length is of: sentences, paragraphs or words."""
        return f"{symbol.split(maxsplit=1)[0].removesuffix('s')}s"

    def spans(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the binned lengths of one text with the stretches that have them."""
        return stretches(text)


def _letters(word: str) -> int:
    return len(word) if word.isalnum() else sum(map(str.isalnum, word))


def _stretches(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number stretches of pieces that begin at `before` and end with `after`."""
    return np.asarray(np.cumsum(before) + np.cumsum(after) - after, np.int64)


def _runs(
    place: NDArray[np.int64], text: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Return length, first index and text of each run of equal places."""
    first = np.flatnonzero(np.diff(place, prepend=-1))
    return np.diff(first, append=len(place)), first, text.take(first)


def stretches(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the symbols of one text with where they stand in it: the plain form of what `Rhythm.encode` counts."""
    sentence: list[tuple[int, int, int]] = []
    paragraph: list[tuple[int, int, int]] = []

    def close_sentence() -> Iterator[tuple[str, int, int]]:
        if sentence:
            low, high, count = sentence[0][0], sentence[-1][1], len(sentence)
            mean = sum(letters for *_, letters in sentence) / count
            yield NAMES[int(np.searchsorted(SENTENCE, count, "right")) - 1], low, high
            bin_ = max(int(np.searchsorted(WORD_LENGTH, mean, "right")) - 1, 0)
            yield NAMES[len(SENTENCE) + len(PARAGRAPH_WORDS) + bin_], low, high
            sentence.clear()

    def close_paragraph() -> Iterator[tuple[str, int, int]]:
        if paragraph:
            at = len(SENTENCE) + int(np.searchsorted(PARAGRAPH_WORDS, len(paragraph), "right")) - 1
            yield NAMES[at], paragraph[0][0], paragraph[-1][1]
            paragraph.clear()

    for piece, low, high in spans(text):
        kind = kind_of(piece)
        if kind in (LINE, PARAGRAPH, END):
            yield from close_sentence()
        if kind == PARAGRAPH:
            yield from close_paragraph()
        if kind == WORD:
            sentence.append((low, high, _letters(piece)))
            paragraph.append((low, high, 0))
    yield from close_sentence()
    yield from close_paragraph()
