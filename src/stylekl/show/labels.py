"""Names and symbols from a file, made safe, cut to a width in cells, and never confused with each other."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rich.cells import cell_len

from stylekl.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.style import Style
    from rich.text import Text

    from stylekl.show.terminal import Terminal

NAME = 60  # cells that a name may take in a sentence
_JOINERS = "\u200c\u200d"
_WHITE = {32: "␠", 10: "⏎", 9: "→"}
_WHITE_ASCII = {32: "_", 10: r"\n", 9: r"\t"}


def shown(text: str, ascii_only: bool = False) -> str:
    """Return text from a file as it may be printed; where only ASCII can be, other characters as escapes.

    A joiner at either end would join with our own text, so it goes.
    """
    safe = visible(text).strip(_JOINERS)
    return safe.encode("ascii", "backslashreplace").decode() if ascii_only else safe


def symbol(text: str, ascii_only: bool = False) -> str:
    r"""Return a symbol as a reader should see it: ` word` as `word`, but `" \n"` as `␠⏎`.

    The space before a word is the tokeniser's habit; anywhere else white space is what the symbol is about.
    """
    white = _WHITE_ASCII if ascii_only else _WHITE
    body = text[1:] if text[:1] == " " and text[1:2].isalnum() else text
    inner = body.strip(" ")
    if any(map(str.isalnum, inner)):
        before, after = body[: body.index(inner)], body[body.index(inner) + len(inner) :]
        body = before.translate(white) + inner.translate(white | {32: " "}) + after.translate(white)
    else:
        body = body.translate(white)
    return shown(body, ascii_only)


def cut(text: str, width: int) -> str:
    """Return the longest prefix of `text` that fits in `width` cells."""
    for end in range(min(len(text), 4 * width), 0, -1):
        if cell_len(text[:end]) <= width:
            return text[:end].rstrip(_JOINERS)
    return ""


def fit(text: str, width: int, ascii_only: bool = False) -> str:
    """Return `text`, or its beginning and an ellipsis where it is wider than `width` cells."""
    if cell_len(text) <= width:
        return text
    end = "..." if ascii_only and width > 6 else "~" if ascii_only else "…"
    return cut(text, width - cell_len(end)) + end


def named(text: str, ascii_only: bool = False) -> str:
    """Return text from a file for the middle of a sentence: safe, and never longer than a line."""
    return fit(shown(text, ascii_only), NAME, ascii_only)


def ink(name: str, terminal: Terminal) -> Style:
    """Return the style of a model's name: its colour, or none where it has none or the terminal shows none."""
    from rich.style import Style

    color = terminal.inks.get(name) if terminal.colour != "none" else None
    return Style(color=color) if color else Style()


def ink_names(lines: Iterable[Text], names: Mapping[str, str], terminal: Terminal) -> None:
    """Draw every name in these lines in its colour; `names` are names by their labels, which stand in the text."""
    inks = {label: style for label, name in names.items() if label and (style := ink(name, terminal))}
    if not inks:
        return
    every = "|".join(re.escape(label) for label in sorted(names, key=len, reverse=True) if label)
    for line in lines:
        for found in re.finditer(f"(?<!\\w)(?:{every})(?!\\w)", line.plain):
            if found[0] in inks:
                line.stylize(inks[found[0]], *found.span())


def pad(text: str, width: int) -> str:
    """Return `text` with spaces up to `width` cells."""
    return text + " " * max(0, width - cell_len(text))


def _parted(name: str, stem: int, width: int, ascii_only: bool) -> str:
    """Return a label that shows what stands behind a stem shared with another name: `Qwen~72B-I…`."""
    end = "~" if ascii_only else "…"
    stem = _word_start(name, stem) or stem
    rest = cut(name[stem:], max(1, width - 4))
    head = cut(name[:stem], width - cell_len(rest) - 2)
    return f"{head}~{rest}{end}"


def _word_start(name: str, place: int) -> int:
    """Return where the word around `place` begins, so that 72B and 7B do not become 2B and B."""
    if name[place].isalnum():
        while place > 0 and name[place - 1].isalnum():
            place -= 1
    return place


def _stems(names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield each name with the length of the longest beginning that it shares with one of the others.

    In order, that is one of the two beside it. A name that is the beginning of another shares more than it has.
    """

    def shared(name: str, other: str) -> int:
        return next((i for i, (x, y) in enumerate(zip(name, other, strict=False)) if x != y), len(other))

    ordered = sorted(names)
    for place, name in enumerate(ordered):
        beside = (*ordered[max(0, place - 1) : place], *ordered[place + 1 : place + 2])
        yield name, max((shared(name, other) for other in beside), default=0)


def shorten(names: Sequence[str], width: int, ascii_only: bool = False) -> list[str]:
    """Return a label of at most `width` (at least 4) cells for each name, no two alike.

    A name that fits stays. Others are cut at the end; where that makes two alike, the part that differs is
    shown behind a `~`; equal names are told apart by a number.
    """
    safe = [shown(name, ascii_only)[:400] for name in names]
    labels = [fit(name, width, ascii_only) for name in safe]
    alike: dict[str, set[str]] = {}
    for label, name in zip(labels, safe, strict=True):
        alike.setdefault(label, set()).add(name)
    stems = {name: stem for names in alike.values() if len(names) > 1 for name, stem in _stems(names)}
    for i, name in enumerate(safe):
        if stems.get(name, len(name)) < len(name):
            labels[i] = _parted(name, stems[name], width, ascii_only)
    return _numbered(labels, width, ascii_only)


def _numbered(labels: list[str], width: int, ascii_only: bool) -> list[str]:
    """Return the labels, those still alike told apart by a number: `GPT~1…`."""
    times, taken = Counter(labels), set(labels)
    result = []
    for place, label in enumerate(labels, 1):
        unique, turn = label, place
        while times[label] > 1 and unique in taken:
            tail = f"~{turn}" + ("" if ascii_only else "…")
            unique, turn = cut(label.rstrip("…"), width - cell_len(tail)) + tail, turn + len(labels)
        taken.add(unique)
        result.append(unique)
    return result
