"""The texts of a file, and what several facets need of them, made once.

Four facets look at the same pieces of text, so the pieces are cut when the first of them asks.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, overload

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy as np
    from numpy.typing import NDArray

    from stylekl.facets.pieces import Pieces


class Encoded(NamedTuple):
    """The symbols of some texts, one text after the other.

    `ids` holds those that are kept, `kept` (T,) how many each text has of them, `lengths` (T,) how many symbols it
    has in all. The two differ only where a facet drops symbols that are too rare to be looked at.
    """

    ids: NDArray[np.integer]
    kept: NDArray[np.int64]
    lengths: NDArray[np.int64]


@dataclass(eq=False)
class Texts:
    """Texts that facets encode; `texts` must not change any more.

    `expected` names facets that will be asked for too: they may be counted in the same pass, and wait in `ready`.
    """

    texts: Sequence[str]
    expected: Collection[str] = ()
    ready: dict[tuple[str, int], Any] = field(default_factory=dict)

    def exceed(self, size: int) -> bool:
        """Return whether the texts have more than `size` characters together; no more of them are read than needed."""
        lengths = self.measured[1] if "measured" in vars(self) else map(len, self.texts)
        return any(total > size for total in accumulate(lengths))

    def spread(self, most: int) -> Sequence[str]:
        """Return at most `most` texts, evenly spread over all."""
        return self.texts[:: max(1, -(-len(self.texts) // most))]

    @cached_property
    def measured(self) -> tuple[bytes, array[int]]:
        """SHA-256 of each text, 32 bytes each, and how many characters each has."""
        digests, lengths = bytearray(), array("q")
        for text in self.texts:
            digests += digest_of_text(text)
            lengths.append(len(text))
        return bytes(digests), lengths

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of the texts: the same for the same texts in the same order alone."""
        return self.digest_of(0, len(self.texts))

    def digest_of(self, low: int, high: int) -> bytes:
        """Return the digest of the texts from number `low` to before `high`."""
        return hashlib.sha256(memoryview(self.measured[0])[32 * low : 32 * high]).digest()

    @cached_property
    def pieces(self) -> Pieces:
        """The texts cut into words, marks and breaks."""
        from stylekl.facets.pieces import cut

        return cut(self.texts)


def digest_of_text(text: str) -> bytes:
    """Return the SHA-256 of a text, whatever characters it holds."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class Some(Sequence[str]):
    """The texts at some places, which rise, each fetched when it is asked for."""

    def __init__(self, texts: Sequence[str], places: Sequence[int]) -> None:
        self._texts, self._places = texts, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Some: ...
    def __getitem__(self, place: int | slice) -> str | Some:
        if isinstance(place, slice):
            return Some(self._texts, self._places[place])
        return self._texts[self._places[place]]
