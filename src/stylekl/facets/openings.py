"""Openings: the first words of the reply, of its paragraphs and of its last sentence.

Each gives two symbols: the first word and the first two. A list item and a heading are paragraphs. In scripts without
spaces a word is a character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stylekl.facets.interning import Interned, whole
from stylekl.facets.phrases import joined
from stylekl.facets.pieces import END, LINE, PARAGRAPH, WORD, kind_of, spans
from stylekl.facets.words import word_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        kinds = pieces.kind
        words = np.flatnonzero(kinds == WORD)
        text = pieces.text.take(words)
        sentence = np.cumsum((kinds >= LINE) | np.concatenate([[False], kinds[:-1] == END])).take(words)
        paragraph = np.cumsum(kinds == PARAGRAPH).take(words)
        first = {
            "reply": _first(text),
            "paragraph": _first(paragraph),
            "last sentence": _last_run(text, _first(sentence)),
        }
        numbers: dict[tuple[int, int, int], int] = {}
        found_ids, found_texts = [], []
        for place, name in enumerate(PLACES):
            at = first[name]
            follows = np.append(sentence, -1).take(at + 1) == sentence.take(at)
            one = pieces.ids.take(words.take(at)).tolist()
            two = (
                pieces.ids.take(words.take(np.minimum(at + 1, len(words) - 1))).tolist() if len(words) else []
            )
            where = text.take(at)
            found_ids.append([numbers.setdefault((place, a, -1), len(numbers)) for a in one])
            found_texts.append(where)
            pairs = [(a, b) for a, b, ok in zip(one, two, follows.tolist(), strict=True) if ok]
            found_ids.append([numbers.setdefault((place, a, b), len(numbers)) for a, b in pairs])
            found_texts.append(where[follows])
        ids, where = (
            np.concatenate([np.array(part, np.int64) for part in found_ids]),
            np.concatenate(found_texts),
        )
        ids, self._symbols = _named(ids, numbers, pieces.table)
        order = np.argsort(where, kind="stable")
        yield from whole(ids[order], where[order], len(texts.texts), self._symbols)

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


def _named(
    ids: NDArray[np.int64], numbers: dict[tuple[int, int, int], int], table: list[str]
) -> tuple[NDArray[np.int64], list[str]]:
    """Return the ids of the symbols by their names: forms of a word that differ only in an apostrophe are one."""
    names: dict[str, int] = {}
    renamed = [
        names.setdefault(_name(PLACES[place], [table[a]] if b < 0 else [table[a], table[b]]), len(names))
        for place, a, b in numbers
    ]
    return np.array(renamed, np.int64).take(ids) if len(ids) else ids, list(names)


def _name(place: str, pieces: list[str]) -> str:
    return f"{place}: {joined([word for piece in pieces for word in word_of(piece)])}"


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
            paragraphs[-1][-1].append((piece, low, high))
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
        (_name(place, [piece for piece, *_ in words[:many]]), words[0][1], words[many - 1][2])
        for place, words in places
        for many in (1, 2)
        if len(words) >= many
    ]
