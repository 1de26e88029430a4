"""What a terminal shows, as an SVG picture whose columns stand under each other in any font.

Words are stretched to the columns that they take; frames, bars and blocks are drawn rather than written.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.cells import cell_len

from stylekl.show.export import FONTS, THEME, Run, runs, safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.text import Text

CELL, LINE, SIZE, PAD = 8, 18, 13, 14  # a column, a line, the letters and the margin, in pixels
# Which arms each character has from the middle of its cell: left, right, up, down.
_ARMS = {
    "─": "lr",
    "│": "ud",
    "╶": "r",
    "╴": "l",
    "╵": "u",
    "╷": "d",
    "┼": "lrud",
    "├": "rud",
    "┤": "lud",
    "┬": "lrd",
    "┴": "lru",
    "┌": "rd",
    "┐": "ld",
    "└": "ru",
    "┘": "lu",
}
_ENDS = {"l": f"h-{CELL // 2}", "r": f"h{CELL // 2}", "u": f"v-{LINE // 2}", "d": f"v{LINE // 2}"}
_BENDS = {"╭": ("d", "r"), "╮": ("d", "l"), "╰": ("u", "r"), "╯": ("u", "l")}
_HEAVY = {"━": CELL, "╸": CELL // 2}
_DASHED = {"┊": f"m{CELL // 2} 0v{LINE}", "┄": f"m0 {LINE // 2}h{CELL}"}
# Left, top, width and height of what is filled, in eighths of the cell, and how much of it.
_BLOCKS = {
    "█": (0, 0, 8, 8, 1.0),
    "▓": (0, 0, 8, 8, 0.75),
    "▒": (0, 0, 8, 8, 0.5),
    "░": (0, 0, 8, 8, 0.25),
    "▀": (0, 0, 8, 4, 1.0),
    "▄": (0, 4, 8, 4, 1.0),
    "▌": (0, 0, 4, 8, 1.0),
    "▐": (4, 0, 4, 8, 1.0),
}


def picture(lines: Sequence[Text], width: int, title: str) -> str:
    """Return the SVG of these lines, at least `width` columns wide."""
    rows = list(runs(lines))
    columns = max([width, *(run.column + run.width for row in rows for run in row)])
    wide, high = columns * CELL + 2 * PAD, len(rows) * LINE + 2 * PAD
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        f'viewBox="0 0 {wide} {high}" font-family="{FONTS}" font-size="{SIZE}" '
        f'fill="{THEME.foreground_color.hex}" shape-rendering="crispEdges">',
        f"<title>{safe(title)}</title>",
        f'<rect width="{wide}" height="{high}" rx="8" fill="{THEME.background_color.hex}"/>',
    ]
    body = [element for row, found in enumerate(rows) for element in _line(found, PAD + row * LINE)]
    return "\n".join([*head, *body, "</svg>"]) + "\n"


def _line(found: Sequence[Run], top: int) -> Iterator[str]:
    """Yield the grounds of a line, then what stands on them."""
    for run in found:
        if run.ground:
            yield _rect(PAD + run.column * CELL, top, run.width * CELL, LINE, f'fill="{run.ground}"')
    for run in found:
        for kind, column, text in _parts(run):
            x = PAD + column * CELL
            if kind == "block":
                yield from _blocks(text, x, top, run)
            elif kind in ("line", "heavy", "dashed"):
                yield _strokes(kind, text, x, top, run)
            elif kind != "space":
                yield _word(text, x, top, run)


def _parts(run: Run) -> Iterator[tuple[str, int, str]]:
    """Yield the stretches of a run that are drawn alike, each with its own column."""
    column, kinds = run.column, list[str]()
    for character in run.text:
        wide = cell_len(character)
        # What takes no column belongs to what it follows.
        kinds.append(kinds[-1] if kinds and not wide else _kind(character, wide))
    for kind, group in groupby(zip(kinds, run.text, strict=True), lambda pair: pair[0]):
        text = "".join(character for _, character in group)
        yield kind, column, text
        column += cell_len(text)


def _kind(character: str, wide: int) -> str:
    if character.isspace():
        return "space"
    if character in _ARMS or character in _BENDS:
        return "line"
    shapes = (("block", _BLOCKS), ("heavy", _HEAVY), ("dashed", _DASHED))
    return next((kind for kind, known in shapes if character in known), f"text{wide}")


def _word(text: str, x: int, top: int, run: Run) -> str:
    look = f' fill="{run.ink}"' if run.ink else ""
    look += ' font-weight="bold"' if run.bold else ""
    look += ' font-style="italic"' if run.italic else ""
    look += ' text-decoration="underline"' if run.underline else ""
    place = f'x="{x}" y="{top + SIZE}" textLength="{cell_len(text) * CELL}"'
    return f'<text {place} lengthAdjust="spacingAndGlyphs"{look}>{safe(text)}</text>'


def _rect(x: float, y: float, wide: float, high: float, look: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" {look}/>'


def _blocks(text: str, x: int, top: int, run: Run) -> Iterator[str]:
    for character, group in groupby(text):
        count = len(list(group))
        left, down, wide, high, share = _BLOCKS[character]
        look = f'fill="{run.ink or THEME.foreground_color.hex}"' + (
            "" if share == 1 else f' fill-opacity="{share}"'
        )
        places = [(x, count * CELL)] if wide == 8 else [(x + i * CELL, wide) for i in range(count)]
        for start, long in places:
            yield _rect(start + left, top + down * LINE / 8, long, high * LINE / 8, look)
        x += count * CELL


def _strokes(kind: str, text: str, x: int, top: int, run: Run) -> str:
    """Return the lines of frames and bars as one path."""
    middle, path = top + LINE // 2, []
    for character, group in groupby(text):
        count = len(list(group))
        if character == "─":
            path.append(f"M{x} {middle}h{count * CELL}")
        else:
            path += [_shape(kind, character, x + i * CELL, top) for i in range(count)]
        x += count * CELL
    look = {"line": "", "heavy": ' stroke-width="4"', "dashed": ' stroke-dasharray="3 3"'}[kind]
    return f'<path d="{"".join(path)}" fill="none" stroke="{run.ink or THEME.foreground_color.hex}"{look}/>'


def _shape(kind: str, character: str, x: int, top: int) -> str:
    middle = f"M{x + CELL // 2} {top + LINE // 2}"
    if kind == "heavy":
        return f"M{x} {top + LINE // 2}h{_HEAVY[character]}"
    if kind == "dashed":
        return f"M{x} {top}{_DASHED[character]}"
    if character in _BENDS:
        (up_or_down, side), half = _BENDS[character], CELL // 2
        turn, out = 1 if up_or_down == "d" else -1, 1 if side == "r" else -1
        start = top + LINE if turn > 0 else top
        return (
            f"M{x + half} {start}v{-turn * (LINE // 2 - half)}q0 {-turn * half} {out * half} {-turn * half}"
        )
    return "".join(f"{middle}{_ENDS[arm]}" for arm in _ARMS[character])
