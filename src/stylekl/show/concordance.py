"""Tells in context: each with its figures, and below it the places where it stands, one under the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from stylekl.show.chips import ground
from stylekl.show.flow import line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.labels import fit, pad, shorten, symbol
from stylekl.show.parts import figures
from stylekl.text import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.lenses.reports import Context, Tell
    from stylekl.show.parts import Speaker
    from stylekl.show.terminal import Terminal

_WIDE = 70  # columns from which a line has its full indent
_LABEL = 20  # cells that a model's label may take before its lines
_JOINERS = "\u200c\u200d"
_PARTIAL = 12  # characters of a word that may go at the edge of a line, so that it is not cut


def concordance(
    tells: Sequence[Tell], speaker: Speaker, names: Mapping[str, str], terminal: Terminal, limit: int
) -> list[Text]:
    """Return each tell of one side with its figures and the places where it stands.

    The symbol begins in one column of all lines, after the end of what stands before it. A run of lines from one
    model has its label before the first; `names` has the models' names by id.
    """
    own = [tell for tell in tells if tell.more == speaker.id][:limit]
    if not own:
        return []
    quoted = [*dict.fromkeys(context.model for tell in own for context in tell.contexts)]
    title = line((speaker.more, "bold"), ", each where it stands" if quoted else ", one by one")
    lines = [Text(), *prose(title, terminal.width)]
    width = min(terminal.width // 5, _LABEL)
    labels = shorten([names.get(key, key) for key in quoted], width, terminal.ascii)
    wide = max(map(cell_len, labels), default=0)
    padded = {key: pad(label, wide) for key, label in zip(quoted, labels, strict=True)}
    for tell in own:
        lines += prose(figures(tell, speaker, terminal), terminal.width, 2, 4)
        style = ground(speaker.side, tell.lift, terminal) + Style(bold=True)
        before = None
        for context in tell.contexts:
            label = padded[context.model] if context.model != before else " " * wide
            lines.append(_line(context, label, style, terminal))
            before = context.model
    return lines


def _line(context: Context, label: str, style: Style, terminal: Terminal) -> Text:
    """Return one place: the label, the text before that ends where the symbol begins, the symbol, the text after."""
    marks, plain = glyphs(terminal), terminal.colour == "none"
    start = line("    " if terminal.width >= _WIDE else "  ", (label, "dim"), "  ")
    room = terminal.width - start.cell_len
    before, found, after = _parted(context)
    left = room * 2 // 5
    key = fit(symbol(found, terminal.ascii), room - left - 2, terminal.ascii)
    if plain:
        key = f"{marks.opening}{key}{marks.closing}"
    text = _end(before, left, terminal.ascii)
    start.append(" " * (left - cell_len(text)) + text)
    start.append(key, Style() if plain else style)
    right = terminal.width - start.cell_len
    rest = _beginning(after, right, terminal.ascii)
    # Characters that join over the seam may be wider together.
    while rest and cell_len(start.plain + rest) > terminal.width:
        right -= 1
        rest = _beginning(after, right, terminal.ascii)
    return start.append(rest)


def _parted(context: Context) -> tuple[str, str, str]:
    """Return the text before the symbol, the symbol, and the text after; a word's space belongs to what is before."""
    length = len(context.text)
    start = max(0, min(context.start, length))
    end = max(start, min(context.end, length))
    before, found, after = context.text[:start], context.text[start:end], context.text[end:]
    if found[:1] == " " and found[1:2].isalnum():
        return before + " ", found[1:], after
    return before, found, after


def _pieces(text: str, ascii_only: bool) -> list[str]:
    """Return what each character shows as, so that no escape is cut in two."""
    safe = [visible(character) for character in text]
    if not ascii_only:
        return safe
    white = {"\n": r"\n", "\t": r"\t"}
    return [
        white.get(own, piece.encode("ascii", "backslashreplace").decode())
        for own, piece in zip(text, safe, strict=True)
    ]


def _end(text: str, width: int, ascii_only: bool) -> str:
    """Return the longest end of `text` that fits, from the beginning of a word where one is near."""
    pieces = _pieces(text, ascii_only)
    # What would join with the space before it cannot be the first.
    firsts = [at for at, piece in enumerate(pieces) if piece not in _JOINERS and cell_len(piece)]
    fitting = [at for at in firsts if cell_len("".join(pieces[at:])) <= width]
    start = _cut(text, [at for at in fitting if at < fitting[0] + _PARTIAL], len(text))
    return "".join(pieces[start:]).rstrip(_JOINERS)


def _beginning(text: str, width: int, ascii_only: bool) -> str:
    """Return the longest beginning of `text` that fits, up to the end of a word where one is near."""
    text = text.lstrip(_JOINERS)
    pieces = _pieces(text, ascii_only)
    end = next((at for at in range(len(text), 0, -1) if cell_len("".join(pieces[:at])) <= width), 0)
    cut = _cut(text, range(end, max(end - _PARTIAL, 0), -1), end)
    return "".join(pieces[:cut]).rstrip(_JOINERS + " ")


def _cut(text: str, near: Sequence[int], default: int) -> int:
    """Return the first place in `near` at white space or a wide character, else between words, else its first."""
    for parts in (_parts_text, _parts_words):
        if (at := next((at for at in near if parts(text, at)), None)) is not None:
            return at
    return near[0] if near else default


def _parts_text(text: str, at: int) -> bool:
    return not 0 < at < len(text) or any(c.isspace() or cell_len(c) == 2 for c in text[at - 1 : at + 1])


def _parts_words(text: str, at: int) -> bool:
    return not (text[at - 1].isalnum() and text[at].isalnum())
