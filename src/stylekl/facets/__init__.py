"""The facets: each turns a reply into a sequence of symbols.

A facet is a module with `NAME`, `LIMIT` (an upper bound of its symbol ids), `encode(texts)` (an iterator of id
arrays, one for each text), `symbol(id)` (the text that an id stands for) and `locate(text, id)` (where it first
stands). A new facet is one module and one line in `FACETS`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from stylekl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

FACETS = {"tokens": "stylekl.facets.tokens"}


class Facet(Protocol):
    """What a facet's module offers."""

    NAME: str
    LIMIT: int

    def encode(self, texts: Iterable[str]) -> Iterator[NDArray[np.uint32]]:
        """Yield the symbol ids of each text, in order."""

    def symbol(self, identifier: int) -> str:
        """Return the text that a symbol id stands for."""

    def locate(self, text: str, identifier: int) -> tuple[int, int] | None:
        """Return where the symbol first stands in `text`, in characters, or None."""


def facet(name: str) -> Facet:
    """Return the facet called `name`; raises UsageError, naming the known ones."""
    if name not in FACETS:
        raise UsageError(f'no facet "{name}"', f"one of: {', '.join(FACETS)}")
    return cast("Facet", import_module(FACETS[name]))
