"""Lines of text filled from left to right: sentences from words, rows of chips from chips."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from stylekl.show.labels import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Spaces within a statement of p or q, and within an interval.
_TIES = re.compile(r"(?<=\b[pq]) (?=[=<] [.\d])|(?<=\b[pq] [=<]) (?=[.\d])|(?<=\d) (?=[\d.,]+\])")

Piece = str | tuple[str, str | Style]


def line(*pieces: Piece) -> Text:
    """Return one line from plain strings and (string, style) pairs; no markup is read in any of them."""
    text = Text()
    for piece in pieces:
        if isinstance(piece, str):
            text.append(piece)
        else:
            text.append(piece[0], piece[1])
    return text


def flow(
    pieces: Iterable[Text], width: int, indent: int = 0, hanging: int | None = None, *, gap: int = 1
) -> list[Text]:
    """Return lines of at most `width` cells, the pieces `gap` apart, broken before what does not fit.

    The first line starts after `indent` spaces, the others after `hanging` (the same where not given).
    """
    hanging = indent if hanging is None else hanging
    lines, current, empty = [], Text(" " * indent), True
    for piece in pieces:
        if not empty and current.cell_len + gap + piece.cell_len > width:
            lines.append(current)
            current, empty = Text(" " * hanging), True
        if not empty:
            current.append(" " * gap)
        current.append_text(piece)
        empty = False
    return [*lines, current] if not empty else lines


def prose(text: Text, width: int, indent: int = 0, hanging: int | None = None) -> list[Text]:
    """Return `text` wrapped at its spaces; a word wider than the line is broken where it must be.

    `q = .03` and `[.22 .38]` stay on one line.
    """
    room = width - max(indent, hanging or 0)
    tied = text.copy()
    tied.plain = _TIES.sub("\u00a0", text.plain)
    words = (part for word in tied.split(" ") if word.plain for part in _broken(word, room))
    lines = flow(words, width, indent, hanging)
    for done in lines:
        done.plain = done.plain.replace("\u00a0", " ")
    return lines


def _broken(word: Text, room: int) -> Iterator[Text]:
    while word.cell_len > room:
        end = len(cut(word.plain, room)) or 1
        yield word[:end]
        word = word[end:]
    yield word


def columns(entries: list[Text], width: int, gap: int = 2) -> list[Text]:
    """Return the entries set in as many equal columns as fit, read downwards."""
    if not entries:
        return []
    wide = max(entry.cell_len for entry in entries)
    across = max(1, min(len(entries), (width + gap) // (wide + gap)))
    down = -(-len(entries) // across)
    lines = []
    for row in range(down):
        text = Text()
        for entry in entries[row::down]:
            text.append_text(entry)
            text.append(" " * (wide + gap - entry.cell_len))
        text.rstrip()
        lines.append(text)
    return lines
