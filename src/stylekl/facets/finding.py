"""Where a token stands in a text, found without tiktoken, whose table of 200,000 tokens takes a quarter of a second.

A run that names a few tokens of a few replies has no other use for it. The text is cut by the same pattern, and of the
pieces only those are encoded that hold the token's characters: by the rule that made the encoding, the two neighbours
of lowest rank are joined first. Texts on which the patterns of two programs may differ (`fast.doubtful`) are left to
tiktoken.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from stylekl.facets import tokens
from stylekl.facets.fast import doubtful

if TYPE_CHECKING:
    import regex

LONGEST = 100_000  # characters of a text that is looked through here
_PIECE = 200  # bytes of a piece that is encoded here: the time grows with the square


@cache
def packed() -> bytes:
    """Return all tokens with their ranks, as `Finder` takes them."""
    ranks = tokens.ranks()
    ordered = sorted(ranks)
    ends = array("I", [0])
    for token in ordered:
        ends.append(ends[-1] + len(token))
    numbers = array("I", [len(ordered), *map(ranks.__getitem__, ordered)])
    return numbers.tobytes() + ends.tobytes() + b"".join(ordered)


class Finder:
    """Finds tokens in texts: what `tokens.locate` returns, sooner for the first few hundred."""

    def __init__(self, data: bytes) -> None:
        size = memoryview(data).cast("B")
        count = size[:4].cast("I")[0]
        self._ranks = size[4 : 4 * (count + 1)].cast("I")
        self._ends = size[4 * (count + 1) : 4 * (2 * count + 2)].cast("I")
        self._tokens = data[4 * (2 * count + 2) :]
        self._places = range(count)
        self.rank = cache(self._rank)

    def locate(self, text: str, identifier: int, symbol: str) -> tuple[int, int] | None:
        r"""Return where a token first stands in a text, in characters; None where it does not.

        `symbol` is the token's text; one that has `\xNN` or U+FFFD for bytes that are no character is left to tiktoken.
        """
        wanted = symbol.encode("utf-8", "surrogatepass")
        if self.rank(wanted) != identifier or len(text) > LONGEST or doubtful(text):
            return tokens.locate(text, identifier)
        if symbol not in text:
            return None
        for match in pattern().finditer(text):
            piece = match.group()
            if symbol not in piece:
                continue
            data = piece.encode()
            if len(data) > _PIECE:
                return tokens.locate(text, identifier)
            at = 0
            for token in self.encode(data):
                if token == wanted:
                    start = match.start() + len(data[:at].decode("utf-8", "ignore"))
                    return start, start + len(symbol)
                at += len(token)
        return None

    def encode(self, piece: bytes) -> list[bytes]:
        """Return the tokens of a piece of text."""
        if self.rank(piece) is not None:
            return [piece]
        parts = [piece[at : at + 1] for at in range(len(piece))]
        while True:
            joined = [
                (rank, at)
                for at, (a, b) in enumerate(pairwise(parts))
                if (rank := self.rank(a + b)) is not None
            ]
            if not joined:
                return parts
            at = min(joined)[1]
            parts[at : at + 2] = [parts[at] + parts[at + 1]]

    def _rank(self, token: bytes) -> int | None:
        at = bisect_left(self._places, token, key=self._token)
        return self._ranks[at] if at < len(self._places) and self._token(at) == token else None

    def _token(self, place: int) -> bytes:
        return self._tokens[self._ends[place] : self._ends[place + 1]]


@cache
def pattern() -> regex.Pattern[str]:
    """Return the pattern that cuts texts into pieces."""
    import regex

    return regex.compile(tokens.PATTERN)
