"""The facets: each turns a reply into a sequence of symbols.

A facet is an object with what `Facet` says; a new one is one module and one line in `FACETS`. Symbols are numbered;
facets other than tokens number them as they appear, so an object serves one body of texts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from stylekl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.facets.texts import Encoded, Texts

# name -> the module, and the class in it; without one the module lists the symbols of one text at a time
FACETS = {
    "tokens": ("stylekl.facets.tokens", "Tokens"),
    "words": ("stylekl.facets.words", "Words"),
    "phrases": ("stylekl.facets.phrases", "Phrases"),
    "marks": ("stylekl.facets.marks", "Marks"),
    "layout": ("stylekl.facets.layout", None),
    "rhythm": ("stylekl.facets.rhythm", "Rhythm"),
    "openings": ("stylekl.facets.openings", "Openings"),
}


class Facet(Protocol):
    """What a facet offers: `UNIT` names one symbol, `CLASSES` what its symbols divide into, "other" last."""

    NAME: str
    UNIT: str
    CLASSES: tuple[str, ...]

    @property
    def limit(self) -> int:
        """An upper bound of the symbol ids that `encode` has given so far."""

    def encode(self, texts: Texts, least: int = 1) -> Iterator[Encoded]:
        """Yield the symbols of the texts, in order, batch by batch.

        A facet may drop symbols that occur fewer than `least` times in all texts together.
        """

    def symbol(self, identifier: int) -> str:
        """Return the text that a symbol id stands for."""

    def kind(self, identifier: int) -> str:
        """Return the class of a symbol, one of `CLASSES`."""

    def locate(self, text: str, identifier: int) -> tuple[int, int] | None:
        """Return where the symbol first stands in `text`, in characters, or None."""


def facet(name: str) -> Facet:
    """Return a new facet called `name`; raises UsageError, naming the known ones."""
    if name not in FACETS:
        raise UsageError(f'no facet "{name}"', f"one of: {', '.join(FACETS)}")
    where, kind = FACETS[name]
    module = import_module(where)
    if kind is None:
        from stylekl.facets.interning import Listed

        return Listed(module)
    return cast("Facet", getattr(module, kind)())
