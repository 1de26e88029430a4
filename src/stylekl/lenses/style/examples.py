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
_SPACE = re.compile(r"\s+")


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
    """Return the sentence of `text` around `start:end`, and the span in it; at most 90 characters to either side.

    Where it had to be cut, it is cut between words and an ellipsis stands there.
    """
    ends = [match.end() for match in _END.finditer(text, max(start - REACH, 0), start)]
    low = ends[-1] if ends else _word_start(text, start)
    after = _END.search(text, max(end, start + 1), min(end + REACH, len(text)))
    high = after.end() if after else _word_end(text, end)
    while low < start and text[low].isspace():
        low += 1
    if not text[end:high].strip():
        high = end
    before = "…" if not ends and low > 0 else ""
    behind = "…" if after is None and end < high < len(text) else ""
    piece = text[low:end] + text[end:high].rstrip()
    return before + piece + behind, (start - low + len(before), end - low + len(before))


def _word_start(text: str, start: int) -> int:
    """Return the first place within reach before `start` that does not cut a word."""
    low = max(start - REACH, 0)
    if low == 0 or text[low - 1].isspace():
        return low
    space = _SPACE.search(text, low, start)
    return space.end() if space else low


def _word_end(text: str, end: int) -> int:
    """Return the last place within reach after `end` that does not cut a word."""
    high = min(end + REACH, len(text))
    if high == len(text):
        return high
    spaces = [match.start() for match in _SPACE.finditer(text, end, high)]
    return spaces[-1] if spaces and spaces[-1] > end else high
