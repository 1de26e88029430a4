"""A reply cut into words, marks and breaks: what the facets words, phrases, marks, rhythm and openings count.

Words are what Unicode calls words, in lower case: runs of letters and digits, apostrophes within them and decimal
points within numbers included. Scripts that put no space between words (Han, hiragana, Thai, Lao, Khmer, Burmese) are
cut into single characters, so that phrases of 2 to 5 characters stand in for their words; katakana and hangul, which
mark their words, are not. `unspaced` says how much of a text that concerns.

A break is a line break with the Markdown marker of the line that follows (bullet, number, heading, quote); every text
begins with one. Marks that end a sentence are one piece with the quotes and the space behind them, which tells them
from the dot of an abbreviation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

WORD, MARK, END, LINE, PARAGRAPH = range(5)

_BREAK = r"\n\s*(?:(?:[-*+•‣◦]|[0-9]{1,3}[.)]|#{1,6}|>+)[ \t]+)*"
_CLOSING = "\"')\\]*_”’»"
_ASCII = re.compile(
    rf"[a-z]+(?:'[a-z]+)*(?![0-9])|{_BREAK}|[0-9]+(?:[.,][0-9]+)+|[a-z0-9]+(?:'[a-z]+)*"
    rf"|[.!?]+[{_CLOSING}]* |[.!?]{{2,}}|-{{2,}}|[!-/:-@\[-^`{{-~]"
)
_UNSPACED = "".join(
    rf"\p{{Script={name}}}" for name in ("Han", "Hiragana", "Thai", "Lao", "Khmer", "Myanmar")
)
_ENDS = frozenset("。！？!?.…؟۔।")
_MARKER = re.compile(r"[-*+•‣◦#>.)]")


@cache
def _any_script() -> Any:
    import regex

    letter = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]"
    pictograph = r"\p{Extended_Pictographic}[\ufe0f\U0001f3fb-\U0001f3ff]*"
    return regex.compile(
        rf"[a-z]+(?:['’][a-z]+)*(?![\p{{L}}\p{{M}}\p{{N}}'’])|{_BREAK}|\p{{N}}+(?:[.,]\p{{N}}+)+"
        rf"|[{_UNSPACED}]\p{{M}}*|{letter}+(?:['’]{letter}+)*"
        rf"|[.!?؟۔।]+[{_CLOSING}]* |[.!?]{{2,}}|-{{2,}}|[。！？]+[」』”’）]*|…+|—+"
        rf"|[🇦-🇿]{{2}}|{pictograph}(?:\u200d{pictograph})*|[^\w\s\u200b-\u200f\ufe0f\ufeff]",
        regex.V1,
    )


@cache
def _unspaced() -> Any:
    import regex

    return regex.compile(rf"[{_UNSPACED}]")


class _Numbers(dict[str, int]):
    """Numbers what it is asked for, in the order of asking."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


@dataclass(eq=False)
class Pieces:
    """The pieces of T texts: `ids` (N,), text t being `ids[starts[t]:starts[t + 1]]`; `table` names the ids."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    table: list[str]

    @cached_property
    def kinds(self) -> NDArray[np.int8]:
        """What each entry of the table is: WORD, MARK, END, LINE or PARAGRAPH."""
        return np.fromiter(map(kind_of, self.table), np.int8, len(self.table))

    @cached_property
    def kind(self) -> NDArray[np.int8]:
        """What each piece is, (N,): the first of a text begins a paragraph."""
        kind = self.kinds.take(self.ids)
        kind[self.starts[:-1]] = PARAGRAPH
        return kind

    @cached_property
    def text(self) -> NDArray[np.int32]:
        """The text that each piece stands in, (N,)."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))

    @cached_property
    def words(self) -> Words:
        """The words among the pieces."""
        numbers = _Numbers()
        number = np.fromiter(
            (
                numbers[one_form(piece)] if kind == WORD else -1
                for piece, kind in zip(self.table, self.kinds.tolist(), strict=True)
            ),
            np.int32,
            len(self.table),
        )
        at = np.flatnonzero(self.kinds.take(self.ids) == WORD)
        return Words(number.take(self.ids.take(at)), at, self.text.take(at), list(numbers))


class Words(NamedTuple):
    """W words: `ids` (W,) numbers them by their one form, `at` is which pieces they are, `text` where they stand.

    `table` names the ids, in order of appearance.
    """

    ids: NDArray[np.int32]
    at: NDArray[np.int64]
    text: NDArray[np.int32]
    table: list[str]


def one_form(word: str) -> str:
    """Return a word with apostrophes of one form."""
    return word.replace("’", "'")


def kind_of(piece: str) -> int:
    """Return what a piece is. A break with an empty line or a marker begins a paragraph; others only a line."""
    first = piece[0]
    if first == "\n":
        return PARAGRAPH if piece.count("\n") > 1 or _MARKER.search(piece) else LINE
    if first.isalnum():
        return WORD
    if first in _ENDS and (piece[-1] == " " or first in "。！？"):
        return END
    # A letter that Python calls none: a combining mark that stands alone, say.
    return MARK


def marks_in(piece: str) -> list[str]:
    """Return the marks that a piece holds: none for a break, the apostrophes of a word.

    Marks that only Markdown uses (asterisk, underscore, hash, backtick, bar, tilde, backslash) belong to the layout.
    """
    if piece[0] == "\n" or piece.isalnum():
        return []
    if piece[0].isalnum():
        return [character for character in piece if character in "'’"]
    found = (
        re.findall(r"\.{2,}|-{2,}|…+|—+|[^\s]", piece) if piece.isascii() or piece[0] in ".-…—!?" else None
    )
    marks = found if found is not None else _grouped(piece)
    return [mark for mark in marks if mark not in "*_#`|~\\"]


def _grouped(piece: str) -> list[str]:
    """Return an emoji whole, other marks one by one."""
    return list(piece.rstrip()) if piece[0] in "。！？؟۔।" else [piece]


def pattern_for(text: str) -> Any:
    """Return the expression that cuts `text`: a fast one where it is plain ASCII."""
    return _ASCII if text.isascii() else _any_script()


def cut(texts: Sequence[str]) -> Pieces:
    """Cut texts into pieces; the table numbers the distinct pieces in order of appearance."""
    numbers = _Numbers()
    parts = []
    for text in texts:
        lower = "\n" + text.lower()
        parts.append(np.fromiter(map(numbers.__getitem__, pattern_for(lower).findall(lower)), np.int32))
    starts = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=starts[1:])
    return Pieces(np.concatenate(parts) if parts else np.empty(0, np.int32), starts, list(numbers))


def spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the pieces of one text with where they stand in it.

    Where lower case has another length than the text (a Turkish İ), places are found in the text as it is.
    """
    lower = text.lower()
    given = "\n" + (lower if len(lower) == len(text) else text)
    for match in pattern_for(given).finditer(given):
        yield match.group().lower(), max(match.start() - 1, 0), match.end() - 1


def unspaced_share(text: str) -> float:
    """Return the share of the letters of `text` in scripts without spaces; 0 where it has no letter."""
    if text.isascii():
        return 0.0
    letters = sum(map(str.isalpha, text))
    return len(_unspaced().findall(text)) / letters if letters else 0.0
