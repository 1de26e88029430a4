"""A reply as the lines that a paced session reveals one by one."""

from __future__ import annotations

import unicodedata

CELLS = 48  # of a line; the same on every screen, so that a mark means the same line for all readers


def lines_of(text: str, cells: int = CELLS) -> tuple[str, ...]:
    """Return the lines of a text: its own, without empty ones, each broken at spaces where it is wider than `cells`.

    A word wider than that is broken where it must be. Indentation goes; a text without anything visible is one empty
    line.
    """
    found: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        found.extend(_broken(line.split(), cells))
    return tuple(found) or ("",)


def _broken(words: list[str], cells: int) -> list[str]:
    done: list[str] = []
    current = ""
    for word in words:
        rest = word
        joined = f"{current} {rest}" if current else rest
        if not _wider(joined, cells):
            current = joined
            continue
        if current:
            done.append(current)
        while _wider(rest, cells):
            end = _fitting(rest, cells)
            done.append(rest[:end])
            rest = rest[end:]
        current = rest
    return [*done, current] if current else done


def _wider(text: str, cells: int) -> bool:
    """Return whether a text takes more than so many cells; one of far more characters is not measured."""
    from rich.cells import cell_len

    return len(text) > 4 * cells or cell_len(text) > cells


def _fitting(word: str, cells: int) -> int:
    """Return how many characters of a word fit; at least one, and never parting a mark from its letter."""
    from rich.cells import cell_len

    end = 1
    while end < len(word) and cell_len(word[: end + 1]) <= cells:
        end += 1
    while 1 < end < len(word) and unicodedata.combining(word[end]):
        end -= 1
    return end


def words_in(text: str) -> float:
    """Return how many words there are to read: runs between white space; two wide characters (文) make one.

    At least one, since a line takes time however little it holds.
    """
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    runs = sum(any(unicodedata.east_asian_width(char) not in "WF" for char in run) for run in text.split())
    return max(1.0, runs + wide / 2)
