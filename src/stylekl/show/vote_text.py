"""What the screens of a vote are made of: wrapped text from a file, a footer of keys, a window on long text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from stylekl.show.flow import flow, line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.labels import cut, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stylekl.show.terminal import Terminal


@dataclass(frozen=True, slots=True)
class Frame:
    """A whole screen, row by row. `most` is how far its text can be scrolled, `page` by how much a page key moves."""

    lines: list[Text]
    most: int = 0
    page: int = 1


def wrapped(text: str, width: int, terminal: Terminal, style: str = "") -> list[Text]:
    """Return text from a file, made safe, in lines of at most `width` cells. Its own line breaks and indentation stay.

    At least one line.
    """
    return [Text(row, style) for row in _rows(text, width, terminal.ascii)]


@lru_cache(maxsize=256)  # every key draws the screen, and the texts on it stay
def _rows(text: str, width: int, ascii_only: bool) -> tuple[str, ...]:
    found: list[str] = []
    for row in text.replace("\r\n", "\n").split("\n"):
        plain = row.expandtabs(4)
        body = plain.lstrip(" ")
        indent = " " * min(len(plain) - len(body), width // 3)
        found += _filled(shown(body, ascii_only).split(" "), width, indent)
    return tuple(found)


def _filled(words: list[str], width: int, indent: str) -> list[str]:
    """Return rows of words, each after the indentation; in time that grows with the text, however long a word is."""
    rows: list[str] = []
    current, used = indent, 0
    room = width - len(indent)
    for word in filter(None, words):
        rest = word
        while rest:
            piece = rest if len(rest) <= width and cell_len(rest) <= room else ""
            begun = len(current) > len(indent)  # a piece may be of no width
            if not piece and begun:
                rows.append(current)
                current, used = indent, 0
                continue
            piece = piece or cut(rest[: 4 * width], room) or rest[0]
            wide = cell_len(piece)
            if begun and used + 1 + wide > room:
                rows.append(current)
                current, used, begun = indent, 0, False
            current += (" " if begun else "") + piece
            used += wide + begun
            rest = rest[len(piece) :]
    return [*rows, current] if len(current) > len(indent) or not rows else rows


def keys_row(keys: Iterable[tuple[str, str]], width: int) -> list[Text]:
    """Return the keys and what each does, in as many rows as they take."""
    rows = flow((line((f"[{key}]", "bold"), f" {what}") for key, what in keys), width, gap=2)
    return [part for row in rows for part in ([row] if row.cell_len <= width else prose(row, width, 0, 2))]


def framed(
    head: Sequence[Text],
    body: Sequence[Text],
    foot: Sequence[Text],
    terminal: Terminal,
    rows: int,
    offset: int,
    *,
    scrolls: bool = True,
) -> Frame:
    """Return head, as much of the body from `offset` as fits, and foot at the bottom.

    Where the body does not fit, a row above the foot says which of its lines are seen and, with `scrolls`, how to move.
    """
    head = [part for row in head for part in (prose(row, terminal.width) or [row])]
    room = max(1, rows - len(head) - len(foot))
    if len(body) <= room:
        return Frame([*head, *body, *[Text()] * (room - len(body)), *foot])
    room = max(1, room - 1)
    most = len(body) - room
    start = max(0, min(offset, most))
    dash = glyphs(terminal).dash
    where = f"lines {start + 1}{dash}{start + room} of {len(body)}"
    told = f"{where}; arrows and page keys scroll"
    short = f"{where}; arrows scroll"
    fits = [text for text in (told, short) if scrolls and len(text) <= terminal.width]
    note = Text(fits[0] if fits else where, "dim")
    return Frame([*head, *body[start : start + room], note, *foot], most, max(1, room - 1))
