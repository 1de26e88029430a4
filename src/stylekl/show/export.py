"""What a terminal shows, as a file: a picture, a page or plain text, with nothing fetched and nothing run."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from html import escape
from pathlib import PurePath
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.color import blend_rgb
from rich.terminal_theme import TerminalTheme

from stylekl.errors import UsageError
from stylekl.show.terminal import Terminal, make_console
from stylekl.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.color import Color
    from rich.color_triplet import ColorTriplet
    from rich.style import Style
    from rich.text import Text

# No font is fetched: what has to stand in columns is held there by other means.
FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
_PALETTE = [(12, 14, 20), (205, 80, 70), (110, 170, 90), (200, 160, 70)]
_PALETTE += [(90, 140, 210), (170, 110, 190), (80, 170, 170), (215, 218, 224)]
THEME = TerminalTheme((24, 26, 31), (215, 218, 224), _PALETTE)
_FAINT = 0.45  # how far dim text goes towards what is behind it
_NOT_XML = re.compile("[\ufffe\uffff]")
_ASCII = re.compile("[\x00-\x7f]+|[^\x00-\x7f]+")
_BLOCKS = {
    "█": "{ink}",
    "▀": "linear-gradient({ink} 50%,{ground} 50%)",
    "▄": "linear-gradient({ground} 50%,{ink} 50%)",
}
_PAGE = f"""\
html{{background:{THEME.background_color.hex};color:{THEME.foreground_color.hex};color-scheme:dark}}
body{{margin:0}}pre{{margin:0;padding:14px;overflow-x:auto;font:14px/1.35 {FONTS};font-variant-ligatures:none;
-webkit-text-size-adjust:100%;text-size-adjust:100%;-webkit-print-color-adjust:exact;print-color-adjust:exact}}
.g,.n{{display:inline-block}}"""


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one line that look alike: the column of the first, how many they take, and their look.

    `ink` and `ground` are #rrggbb; null is the ink and the ground of the terminal.
    """

    column: int
    text: str
    width: int
    ink: str | None = None
    ground: str | None = None
    bold: bool = False
    italic: bool = False
    underline: bool = False


def form_of(path: str) -> str:
    """Return the form that a file's name asks for: svg, html or txt; raises UsageError for any other."""
    form = PurePath(path).suffix.lower().lstrip(".")
    if form not in FORMS:
        raise UsageError(
            f"--export {path}: not a form that is written",
            "end the name in .svg (a picture), .html (a page) or .txt (plain text)",
        )
    return form


def exported(lines: Sequence[Text], form: str, width: int, title: str) -> str:
    """Return the lines of a view as a file of this form; `width` are the columns that they were drawn for."""
    return FORMS[form](lines, width, title)


def printed(text: str, form: str, width: int) -> list[Text]:
    """Return the lines of what was printed rather than drawn; a picture breaks them where a terminal would."""
    from rich.cells import chop_cells
    from rich.text import Text

    lines = [visible(line) for line in text.split("\n")]
    if not lines[-1]:  # what ends with a line break has no empty line after it
        lines.pop()
    if form == "svg":
        lines = [part for line in lines for part in chop_cells(line, width) or [""]]
    return [Text(line) for line in lines]


def runs(lines: Iterable[Text]) -> Iterator[list[Run]]:
    """Yield the runs of each line, from left to right."""
    console = make_console(Terminal(colour="truecolor"), io.StringIO())
    for line in lines:
        found, column, bare = [], 0, line.copy()
        bare.end = ""
        bare.stylize_before(line.style)  # rendering leaves out the style of the whole line
        for segment in bare.render(console):
            width = cell_len(segment.text)
            found.append(_run(column, segment.text, width, segment.style))
            column += width
        yield found


def _run(column: int, text: str, width: int, style: Style | None) -> Run:
    if style is None:
        return Run(column, text, width)
    ink, ground = _rgb(style.color, foreground=True), _rgb(style.bgcolor, foreground=False)
    if style.reverse:
        ink, ground = ground or THEME.background_color, ink or THEME.foreground_color
    if style.dim:
        ink = blend_rgb(ink or THEME.foreground_color, ground or THEME.background_color, _FAINT)
    return Run(
        column,
        text,
        width,
        ink and ink.hex,
        ground and ground.hex,
        bool(style.bold),
        bool(style.italic),
        bool(style.underline),
    )


def _rgb(color: Color | None, *, foreground: bool) -> ColorTriplet | None:
    return None if color is None or color.is_default else color.get_truecolor(THEME, foreground)


def safe(text: str) -> str:
    """Return text for a place in XML or HTML: without what XML cannot hold, and nothing in it is markup."""
    return escape(_NOT_XML.sub("\ufffd", visible(text)))


def _txt(lines: Sequence[Text], width: int, title: str) -> str:  # noqa: ARG001 # the others need them
    return "".join(f"{visible(line.plain)}\n" for line in lines)


def _html(lines: Sequence[Text], width: int, title: str) -> str:  # noqa: ARG001 # a page is as wide as it is
    """Return a page that is well-formed XML too. It holds no script, and its policy would run none."""
    looks: dict[str, str] = {}
    widths: set[int] = set()
    body = []
    for found in runs(lines):
        parts = []
        for run in found:
            kinds = _kinds(run, looks)
            held = _held(run.text, widths)
            parts.append(f'<span class="{kinds}">{held}</span>' if kinds else held)
        body.append("".join(parts))
    rules = [f".{name}{{{look}}}" for look, name in looks.items()]
    rules += [f".n{wide}{{width:{wide}ch}}" for wide in sorted(widths)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
        f"<title>{safe(title)}</title>\n<style>\n{chr(10).join([_PAGE, *rules])}\n</style>\n</head>\n"
        f"<body>\n<pre>{chr(10).join(body)}\n</pre>\n</body>\n</html>\n"
    )


def _kinds(run: Run, looks: dict[str, str]) -> str:
    """Return the classes of a run, after making one for a look that is new."""
    block = _BLOCKS.get("".join(set(run.text)))
    ink, ground = run.ink or THEME.foreground_color.hex, run.ground or "transparent"
    rules = [
        f"color:{run.ink}" if run.ink and not block else "",
        f"background:{run.ground}" if run.ground and not block else "",
        # A letter of the font would leave gaps between the lines.
        f"background:{block.format(ink=ink, ground=ground)};color:transparent" if block else "",
        "font-weight:bold" if run.bold else "",
        "font-style:italic" if run.italic else "",
        "text-decoration:underline" if run.underline else "",
    ]
    look = ";".join(filter(None, rules))
    name = looks.setdefault(look, f"l{len(looks)}") if look else ""
    # A ground of its own fills the line from top to bottom only as a block.
    return f"g {name}" if run.ground or block else name


def _held(text: str, widths: set[int]) -> str:
    """Return text in which every stretch beyond ASCII keeps its columns, whichever font it comes from."""
    parts = []
    for match in _ASCII.finditer(text):
        part, wide = match[0], cell_len(match[0])
        if part.isascii() or not wide:
            parts.append(safe(part))
            continue
        widths.add(wide)
        parts.append(f'<span class="n n{wide}">{safe(part)}</span>')
    return "".join(parts)


def _svg(lines: Sequence[Text], width: int, title: str) -> str:
    from stylekl.show.export_svg import picture

    return picture(lines, width, title)


FORMS: dict[str, Callable[[Sequence[Text], int, str], str]] = {"svg": _svg, "html": _html, "txt": _txt}
