"""Openings: the first words of the reply, of its paragraphs and of its last sentence.

Each gives two symbols: the first word and the first two. A list item and a heading are paragraphs. In scripts without
spaces a word is a character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stylekl.facets.interning import Interned, whole
from stylekl.facets.phrases import joined
from stylekl.facets.pieces import END, LINE, PARAGRAPH, WORD, kind_of, one_form, spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from stylekl.facets.texts import Encoded, Texts

PLACES = ("reply", "paragraph", "last sentence")


class Openings(Interned):
    """The facet of openings."""

    NAME = "openings"
    UNIT = "opening"
    CLASSES = (*PLACES, "other")

    def encode(self, texts: Texts, least: int = 1) -> Iterator[Encoded]:  # noqa: ARG002
        """Yield the openings of the texts, batch by batch."""
        pieces = texts.pieces
        kinds, (ids, words, text, table) = pieces.kind, pieces.words
        sentence = np.cumsum((kinds >= LINE) | np.concatenate([[False], kinds[:-1] == END])).take(words)
        paragraph = np.cumsum(kinds == PARAGRAPH).take(words)
        first = _first(text), _first(paragraph), _last_run(text, _first(sentence))
        numbers: dict[tuple[int, int, int], int] = {}
        found_ids, found_texts, self._ends = [], [], []
        for place, at in enumerate(first):
            follows = at[np.append(sentence, -1).take(at + 1) == sentence.take(at)]
            one, two = ids.take(at).tolist(), (ids.take(follows).tolist(), ids.take(follows + 1).tolist())
            for keys, where in (
                ([(place, a, -1) for a in one], at),
                ([(place, a, b) for a, b in zip(*two, strict=True)], follows),
            ):
                found_ids.append(np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64))
                found_texts.append(text.take(where))
                self._ends.append(len(numbers))
        self._symbols = [
            _name(PLACES[place], [table[a]] if b < 0 else [table[a], table[b]]) for place, a, b in numbers
        ]
        where = np.concatenate(found_texts)
        order = np.argsort(where, kind="stable")
        yield from whole(np.concatenate(found_ids)[order], where[order], len(texts.texts), self._symbols)

    def _bounds(self, own: int) -> list[int]:  # noqa: ARG002
        """Return where the groups begin: for each place those of one word, then those of two."""
        return [0, *self._ends]

    def class_of(self, symbol: str) -> str:
        """Return where the words stand: reply, paragraph or last sentence."""
        return symbol.split(": ", 1)[0]

    def spans(self, text: str) -> list[tuple[str, int, int]]:
        """Return the openings of one text with where they stand."""
        return openings(text)


def _first(run: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the index at which each run of equal numbers begins."""
    return np.flatnonzero(np.diff(run, prepend=-1)) if len(run) else np.empty(0, np.int64)


def _last_run(text: NDArray[np.int32], sentences: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first word of the last sentence of each text."""
    its_text = text.take(sentences)
    last = np.append(np.diff(its_text) != 0, True) if len(sentences) else np.empty(0, bool)
    return sentences.compress(last)


def _name(place: str, words: Sequence[str]) -> str:
    return f"{place}: {joined(words)}"


def openings(text: str) -> list[tuple[str, int, int]]:
    """Return the openings of one text with where they stand in it: the plain form of what `encode` counts."""
    paragraphs: list[list[list[tuple[str, int, int]]]] = [[[]]]
    for piece, low, high in spans(text):
        kind = kind_of(piece)
        if kind == PARAGRAPH:
            paragraphs.append([[]])
        elif kind in (LINE, END):
            paragraphs[-1].append([])
        elif kind == WORD:
            paragraphs[-1][-1].append((one_form(piece), low, high))
    full = [[sentence for sentence in sentences if sentence] for sentences in paragraphs]
    full = [sentences for sentences in full if sentences]
    if not full:
        return []
    places = [
        ("reply", full[0][0]),
        *(("paragraph", each[0]) for each in full),
        ("last sentence", full[-1][-1]),
    ]
    return [
        (_name(place, [word for word, *_ in words[:many]]), words[0][1], words[many - 1][2])
        for place, words in places
        for many in (1, 2)
        if len(words) >= many
    ]
