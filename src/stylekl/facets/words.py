"""Words: what is said, in lower case, without punctuation or layout.

Apostrophes are one whatever their form. Scripts without spaces count character by character (see `pieces`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.facets.classes import WORDING, class_of
from stylekl.facets.interning import Interned, whole
from stylekl.facets.pieces import WORD, kind_of, one_form, spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.facets.texts import Encoded, Texts


def word_of(piece: str) -> list[str]:
    """Return the word that a piece is, in a list; none where it is a mark or a break."""
    return [one_form(piece)] if kind_of(piece) == WORD else []


class Words(Interned):
    """The facet of words."""

    NAME = "words"
    UNIT = "word"
    CLASSES = WORDING

    def encode(self, texts: Texts, least: int = 1) -> Iterator[Encoded]:  # noqa: ARG002
        """Yield the words of the texts, batch by batch."""
        words = texts.pieces.words
        self._symbols = words.table.copy()
        yield from whole(words.ids, words.text, len(texts.texts), self._symbols)

    def class_of(self, symbol: str) -> str:
        """Return the class of a word."""
        return class_of(symbol)

    def spans(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the words of one text with where they stand."""
        for piece, low, high in spans(text):
            for word in word_of(piece):
                yield word, low, high
