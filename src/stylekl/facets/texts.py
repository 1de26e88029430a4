"""The texts of a file, and what several facets need of them, made once.

Four facets look at the same pieces of text, so the pieces are cut when the first of them asks.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """Texts that facets encode; `texts` must not change any more."""

    texts: Sequence[str]

    @cached_property
    def size(self) -> int:
        """How many characters the texts have together."""
        return sum(map(len, self.texts))

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of the texts: the same for the same texts in the same order alone."""
        found = hashlib.sha256()
        for text in self.texts:
            data = text.encode("utf-8", "surrogatepass")
            found.update(len(data).to_bytes(8))
            found.update(data)
        return found.digest()

    @cached_property
    def pieces(self) -> Pieces:
        """The texts cut into words, marks and breaks."""
        from stylekl.facets.pieces import cut

        return cut(self.texts)
