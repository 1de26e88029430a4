"""Facets whose symbols are numbered as they appear: what they share."""

from __future__ import annotations

import sys
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.facets.texts import Encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from stylekl.facets.pieces import Pieces
    from stylekl.facets.texts import Texts

TEXTS = 1024  # texts counted at a time: the sort stays in cache
NONE = "(none)"  # what a text without symbols has


def batches(
    ids: NDArray[np.integer], text: NDArray[np.integer], lengths: NDArray[np.int64]
) -> Iterator[Encoded]:
    """Yield symbols in batches of texts; `text` (N,), ascending, is the text of each of `ids`."""
    bounds = np.searchsorted(text, np.arange(0, len(lengths) + TEXTS, TEXTS))
    for number, start in enumerate(range(0, len(lengths), TEXTS)):
        low, high = int(bounds[number]), int(bounds[number + 1])
        size = min(TEXTS, len(lengths) - start)
        kept = np.bincount(text[low:high] - start, minlength=size).astype(np.int64)
        yield Encoded(ids[low:high], kept, lengths[start : start + size])


def whole(
    ids: NDArray[np.integer], text: NDArray[np.integer], texts: int, symbols: list[str]
) -> Iterator[Encoded]:
    """Yield symbols, none of which was dropped, in batches of texts.

    A text without any gets the one symbol `NONE`, appended to `symbols`: to use no mark is a habit too.
    """
    lengths = np.bincount(text, minlength=texts).astype(np.int64)
    ids, text = with_none(ids, text, lengths, symbols)
    yield from batches(ids, text, lengths)


def with_none(
    ids: NDArray[np.integer], text: NDArray[np.integer], lengths: NDArray[np.int64], symbols: list[str]
) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Return symbols and their texts with `NONE` for each text of length 0, which becomes 1."""
    empty = np.flatnonzero(lengths == 0)
    if not len(empty):
        return ids, text
    at = np.searchsorted(text, empty)
    lengths[empty] = 1
    symbols.append(NONE)
    return np.insert(ids, at, len(symbols) - 1), np.insert(text, at, empty)


def expand(
    pieces: Pieces, symbols: Callable[[str], Sequence[str]]
) -> tuple[NDArray[np.int32], NDArray[np.int32], list[str]]:
    """Return the symbols that pieces hold: ids and texts (M,), and the table of ids.

    `symbols` returns those of one entry of the pieces' table, so it is asked once for each distinct piece.
    """
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(symbol, len(numbers)) for symbol in symbols(piece)] for piece in pieces.table]
    sizes = np.fromiter(map(len, rows), np.int32, len(rows))
    first = np.fromiter((row[0] if row else -1 for row in rows), np.int32, len(rows))
    ids = first.take(pieces.ids)
    chosen = np.flatnonzero(ids >= 0)
    ids, text = ids.take(chosen), pieces.text.take(chosen)
    if sizes.max(initial=0) > 1:
        piece = pieces.ids.take(chosen)
        many = sizes.take(piece)
        several = np.flatnonzero(many > 1)
        more = [number for which in piece.take(several).tolist() for number in rows[which][1:]]
        ids = np.insert(ids, np.repeat(several + 1, many.take(several) - 1), more)
        text = np.repeat(text, many)
    return ids, text, list(numbers)


def joined(symbols: Sequence[str]) -> str:
    """Return symbols as a `table`."""
    held = set().union(*symbols)
    mark = next(character for character in map(chr, range(sys.maxunicode)) if character not in held)
    return "".join(f"{mark}{symbol}" for symbol in symbols)


class Interned:
    """What a facet offers whose symbols are numbered as they appear: how many there are, and their texts."""

    NAME: str

    def __init__(self) -> None:
        self.table = ""

    def encode(self, texts: Texts, least: int = 1) -> Iterator[Encoded]:
        """Yield the symbols of the texts, batch by batch, and number them."""
        raise NotImplementedError

    @cached_property
    def _symbols(self) -> list[str]:
        # Many a run needs no text of any symbol, so those of a table that was set are parted when one is asked for.
        return self._joined[1:].split(self._joined[0]) if self._joined else []

    @property
    def limit(self) -> int:
        """An upper bound of the symbol ids that `encode` has given so far."""
        known = vars(self).get("_symbols")
        return max(self._number if known is None else len(known), 1)

    @property
    def table(self) -> str:
        """The texts of the symbols by id, each behind a character that none of them holds.

        Setting it stands for the `encode` that numbered these symbols.
        """
        return joined(self._symbols)

    @table.setter
    def table(self, joined: str) -> None:
        self._joined = joined
        self._number = joined.count(joined[0]) if joined else 0
        vars(self).pop("_symbols", None)

    @property
    def groups(self) -> list[list[str]]:
        """The symbols that `encode` numbered, in groups that are numbered one after the other.

        Within a group they are in the order in which texts have them. The last one holds `NONE`, if anything.
        """
        own = len(self._symbols) - (self._symbols[-1:] == [NONE])
        bounds = [*self._bounds(own), len(self._symbols)]
        return [self._symbols[low:high] for low, high in pairwise(bounds)]

    def _bounds(self, own: int) -> list[int]:
        """Return where the groups of the facet's own symbols, which are the first `own`, begin and the last ends."""
        return [0, own]

    def number(self, symbols: list[str]) -> None:
        """Number symbols; stands for the `encode` that would have."""
        self._symbols = symbols

    def symbol(self, identifier: int) -> str:
        """Return the text that a symbol id stands for."""
        return self._symbols[identifier]

    def kind(self, identifier: int) -> str:
        """Return the class of a symbol; "other" for that of a text without any."""
        symbol = self._symbols[identifier]
        return "other" if symbol == NONE and identifier == len(self._symbols) - 1 else self.class_of(symbol)

    def class_of(self, symbol: str) -> str:
        """Return the class of a symbol of this facet."""
        raise NotImplementedError

    def locate(self, text: str, identifier: int) -> tuple[int, int] | None:
        """Return where the symbol first stands in `text`, in characters, or None."""
        wanted = self._symbols[identifier]
        return next(((low, high) for symbol, low, high in self.spans(text) if symbol == wanted), None)

    def spans(self, text: str) -> Iterable[tuple[str, int, int]]:
        """Return the symbols of one text with where they stand: the plain form of what `encode` counts."""
        raise NotImplementedError


class Listed(Interned):
    """A facet whose module lists the symbols of one text at a time.

    The module has `NAME`, `UNIT`, `CLASSES`, `symbols(text)`, `spans(text)` (the same symbols, each with where it
    stands) and `class_of(symbol)`.
    """

    def __init__(self, module: Any) -> None:
        super().__init__()
        self._module = module
        self.NAME, self.UNIT, self.CLASSES = module.NAME, module.UNIT, module.CLASSES

    def encode(self, texts: Texts, least: int = 1) -> Iterator[Encoded]:  # noqa: ARG002
        """Yield the symbols of the texts, batch by batch."""
        numbers: dict[str, int] = {}
        parts = [
            [numbers.setdefault(s, len(numbers)) for s in self._module.symbols(text)] for text in texts.texts
        ]
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        ids = np.fromiter((number for part in parts for number in part), np.int64, int(lengths.sum()))
        self._symbols = list(numbers)
        yield from whole(ids, np.repeat(np.arange(len(parts)), lengths), len(parts), self._symbols)

    def class_of(self, symbol: str) -> str:
        """Return the class of a symbol."""
        return str(self._module.class_of(symbol))

    def spans(self, text: str) -> Iterable[tuple[str, int, int]]:
        """Return the symbols of one text with where they stand."""
        spans: Iterable[tuple[str, int, int]] = self._module.spans(text)
        return spans
