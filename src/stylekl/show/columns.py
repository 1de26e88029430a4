"""A table of names and cells that drops columns where it is narrow, and the sentences below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from stylekl.show.flow import line, prose
from stylekl.show.labels import fit, pad, shorten, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.show.terminal import Terminal

_NAME, _NARROWEST = 24, 8


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its head and its cells; `keep` 0 never goes, of the others the greatest goes first."""

    head: str
    cells: Sequence[str]
    keep: int = 0


def table(
    names: Sequence[str],
    columns: Sequence[Column],
    terminal: Terminal,
    headings: Mapping[int, Sequence[Text]] | None = None,
) -> list[Text]:
    """Return rows of a name and its cells; columns that say nothing or do not fit go, and are named below.

    Where even those that stay do not fit, each row becomes a paragraph. `headings` are lines before a row.
    """
    kept = [each for each in columns if any(cell not in ("", "-") for cell in each.cells) or not each.keep]
    gone: list[Column] = []
    widest = max((cell_len(shown(name, terminal.ascii)) for name in names), default=1)
    while _wide(kept) + min(widest, _NAME) > terminal.width:
        droppable = [each for each in kept if each.keep]
        if not droppable:
            break
        gone.append(max(droppable, key=lambda each: each.keep))
        kept = [each for each in kept if each is not gone[-1]]
    label = min(_NAME, widest, terminal.width - _wide(kept))
    if label < min(widest, _NARROWEST):
        return _paragraphs(names, columns, terminal, headings or {})
    sizes = [_width(each) for each in kept]
    lines = [line((pad("", label) + _row([each.head for each in kept], sizes), "dim"))]
    for row, name in enumerate(_labels(names, label, terminal)):
        lines += (headings or {}).get(row, ())
        cells = _row([each.cells[row] for each in kept], sizes)
        lines.append(line((pad(name, label), "bold"), cells.rstrip()))
    if gone:
        heads = ", ".join(each.head for each in reversed(gone))
        lines += prose(line((f"Not shown at this width: {heads}.", "dim")), terminal.width, 2)
    return lines


def _labels(names: Sequence[str], width: int, terminal: Terminal) -> list[str]:
    """Return a label for each row; a name that stands in several rows has one label."""
    distinct = list(dict.fromkeys(names))
    found = dict(zip(distinct, shorten(distinct, width, terminal.ascii), strict=True))
    return [found[name] for name in names]


def _width(column: Column) -> int:
    return max(cell_len(each) for each in (column.head, *column.cells))


def _wide(columns: Sequence[Column]) -> int:
    return sum(_width(each) + 2 for each in columns)


def _row(cells: Sequence[str], sizes: Sequence[int]) -> str:
    return "".join(
        "  " + " " * (size - cell_len(cell)) + cell for cell, size in zip(cells, sizes, strict=True)
    )


def _paragraphs(
    names: Sequence[str],
    columns: Sequence[Column],
    terminal: Terminal,
    headings: Mapping[int, Sequence[Text]],
) -> list[Text]:
    lines: list[Text] = []
    for row, name in enumerate(names):
        lines += headings.get(row, ())
        lines.append(line((fit(shown(name, terminal.ascii), terminal.width, terminal.ascii), "bold")))
        told = ", ".join(
            f"{each.head} {each.cells[row].strip()}" for each in columns if each.cells[row] not in ("", "-")
        )
        lines += prose(Text(told), terminal.width, 2)
    return lines


def notes(texts: Sequence[str], terminal: Terminal) -> list[Text]:
    """Return sentences below a picture, dim, each on lines of its own."""
    return [part for text in texts for part in prose(line((text, "dim")), terminal.width, 2, 4)]
