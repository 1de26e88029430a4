"""A symbol where it stands: one example in its sentence, several in their context."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from stylekl.lenses.reports import Context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from stylekl.lenses.style.evidence import Evidence

REACH = 90  # characters on either side, at most
TRIED = 8  # replies read at most for each place wanted
_END = re.compile(r"[.!?。！？](?=\s|$)|[。！？]|\n")
_SPACE = re.compile(r"\s+")


def find_example(
    evidence: Evidence, rows: NDArray[np.int64], identifier: int
) -> tuple[str, tuple[int, int]] | None:
    """Return the sentence around a symbol's first place in one of `rows`, and the symbol's span in it.

    The reply is the first by the hash of its prompt: the same one every time, and nobody's choice.
    """
    for row in _by_hash(evidence, rows, TRIED)[:TRIED]:
        text = evidence.texts[row]
        span = evidence.facet.locate(text, identifier)
        if span is not None:
            return sentence(text, *span)
    return None


def find_contexts(
    evidence: Evidence, rows: NDArray[np.int64], identifier: int, most: int = 3
) -> list[Context]:
    """Return up to `most` places of a symbol in `rows`, each in a reply to another prompt.

    Prompts come by their hash, as in `find_example`, and replies to one prompt from the model that has been quoted
    least. The context runs across sentences, at most 90 characters to either side, cut between words.
    """
    found: list[Context] = []
    if most < 1:
        return found
    quoted: dict[int, int] = {}
    for row in _other_prompts(evidence, rows, quoted, most):
        text = evidence.texts[row]
        span = evidence.facet.locate(text, identifier)
        if span is None:
            continue
        model = int(evidence.counts.model[row])
        quoted[model] = quoted.get(model, 0) + 1
        piece, (start, end) = context(text, *span)
        found.append(Context(evidence.models[model].id, evidence.replies[row].prompt, piece, start, end))
        if len(found) == most:
            break
    return found


def _by_hash(evidence: Evidence, rows: NDArray[np.int64], most: int) -> list[int]:
    """Return the rows on the first `most` prompts by their hashes in that order, in their own order for one prompt."""
    ranks = evidence.ranks[evidence.counts.prompt[rows]]
    there = np.zeros(len(evidence.ranks), bool)
    there[ranks] = True
    near = ranks < np.append(np.flatnonzero(there), len(there))[: most + 1][-1]
    rows, ranks = rows[near], ranks[near]
    found: list[int] = rows[np.lexsort((rows, ranks))].tolist()
    return found


def _other_prompts(
    evidence: Evidence, rows: NDArray[np.int64], quoted: dict[int, int], most: int
) -> Iterator[int]:
    """Yield one row of each prompt, of the model with the fewest places in `quoted` so far."""
    prompt, model = evidence.counts.prompt, evidence.counts.model
    for _, held in groupby(_by_hash(evidence, rows, TRIED * most), key=lambda row: int(prompt[row])):
        yield min(held, key=lambda row: quoted.get(int(model[row]), 0))


def context(text: str, start: int, end: int) -> tuple[str, tuple[int, int]]:
    """Return the text around `start:end`, cut between words within 90 characters of it, and the span in it."""
    low, high = _word_start(text, start), _word_end(text, end)
    return text[low:high], (start - low, end - low)


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
