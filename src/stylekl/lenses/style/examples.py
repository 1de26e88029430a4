"""An example of a symbol in its sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stylekl.lenses.style.evidence import Evidence

REACH = 90  # characters on either side, at most
_END = re.compile(r"[.!?。！？](?=\s|$)|[。！？]|\n")


def find_example(
    evidence: Evidence, rows: NDArray[np.int64], identifier: int
) -> tuple[str, tuple[int, int]] | None:
    """Return the sentence around a symbol's first place in one of `rows`, and the symbol's span in it.

    The reply is the first by the hash of its prompt: the same one every time, and nobody's choice.
    """
    counts = evidence.counts
    for row in sorted(rows.tolist(), key=lambda row: (evidence.ranks[counts.prompt[row]], row))[:8]:
        text = evidence.texts[row]
        span = evidence.facet.locate(text, identifier)
        if span is not None:
            return sentence(text, *span)
    return None


def sentence(text: str, start: int, end: int) -> tuple[str, tuple[int, int]]:
    """Return the sentence of `text` around `start:end`, and the span in it; at most 90 characters to either side."""
    ends = [match.end() for match in _END.finditer(text, max(start - REACH, 0), start)]
    low = ends[-1] if ends else max(start - REACH, 0)
    after = _END.search(text, max(end, start + 1), min(end + REACH, len(text)))
    high = after.end() if after else min(end + REACH, len(text))
    while low < start and text[low].isspace():
        low += 1
    high = max(high, end)
    piece = text[low:high].rstrip() if text[end:high].strip() else text[low:end]
    return piece, (start - low, end - low)
