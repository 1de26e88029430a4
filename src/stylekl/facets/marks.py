"""Marks: punctuation, quotes, dashes, ellipses, emoji, each by its form: `'` and `’` are two symbols.

Characters that are Markdown's alone belong to the layout; so do the bullets and numbers that begin a line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stylekl.facets.classes import is_emoji
from stylekl.facets.interning import Interned, expand, whole
from stylekl.facets.pieces import marks_in, spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.facets.texts import Encoded, Texts

_GROUPS = (
    ("stops", re.compile(r"[.!?]$|[。！？؟۔।]")),
    ("pauses", re.compile(r"[,;:،؛，；：、]")),
    ("quotes", re.compile(r"[\"'‘’‚“”„«»‹›「」『』]")),
    ("dashes", re.compile(r"[-‐‑‒–—―]")),
    ("ellipses", re.compile(r"\.{2,}|…")),
    ("brackets", re.compile(r"[()\[\]{}（）【】〈〉《》<>]")),
)


class Marks(Interned):
    """The facet of marks."""

    NAME = "marks"
    UNIT = "mark"
    CLASSES = (*(name for name, _ in _GROUPS), "emoji", "signs", "other")

    def encode(self, texts: Texts, least: int = 1) -> Iterator[Encoded]:  # noqa: ARG002
        """Yield the marks of the texts, batch by batch."""
        ids, text, self._symbols = expand(texts.pieces, marks_in)
        yield from whole(ids, text, len(texts.texts), self._symbols)

    def class_of(self, symbol: str) -> str:
        """Return the group of a mark: stops, pauses, quotes, dashes, ellipses, brackets, emoji, signs."""
        if any(map(is_emoji, symbol)):
            return "emoji"
        return next((name for name, pattern in _GROUPS if pattern.match(symbol)), "signs")

    def spans(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the marks of one text with where they stand."""
        for piece, low, _ in spans(text):
            at = 0
            for mark in marks_in(piece):
                at = piece.index(mark, at)
                yield mark, low + at, low + at + len(mark)
                at += len(mark)
