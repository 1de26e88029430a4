"""Layout: what Markdown makes of a reply, as a reader sees it who has it rendered.

Blocks are read by CommonMark's rules with GitHub's tables (markdown-it-py); HTML is text. Symbols:

- heading 1 … heading 6, bullet, numbered item (each item of each list, nested ones too), quote, rule;
- code block: fenced, or indented by four columns;
- table, and table row for each of its rows, the header included;
- paragraph: one that stands apart. Those of list items do where a blank line separates the items or their parts,
  otherwise the item alone is counted;
- line break: the end of a line within a paragraph, item or heading, whether or not Markdown would keep it;
- bold, italics, strikethrough, inline code, link, image. What the text of an image holds is not counted;
- what stands for a marker at the start of a line and is none to Markdown: typed bullet (•, ・, ● and the like), typed
  number (１．, 一、, （1）, ①, (1), a) and the like), leading dash (–, —: of a list or of dialogue), typed rule (a line
  of ─, — and the like). Those in code and tables are not counted.

Emphasis follows CommonMark with one addition. There, `**강조(strong)**입니다` and `**「重要」**です` are no emphasis: a
marker between punctuation and a letter closes nothing, and Chinese, Japanese and Korean put no space there. A sixth of
the bold of one real model is lost that way. Beside a character of these scripts markers count here, by the rule that
https://github.com/commonmark/commonmark-spec/issues/650 proposes. Other text is read as CommonMark has it.

Nesting beyond twenty levels (ten lists in each other) is not read. Marks within a paragraph of more than 20,000
characters are sought in pieces of that length, so that one across two pieces is missed. The time is linear in the
length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from stylekl.facets.layout_lines import LONGEST, TRIMMED, Lines, marks, typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from markdown_it.token import Token

NAME = "layout"
UNIT = "layout element"

_MEMBERS = {
    "headings": [f"heading {level}" for level in range(1, 7)],
    "lists": ["bullet", "numbered item", "typed bullet", "typed number"],
    "emphasis": ["bold", "italics", "strikethrough"],
    "code": ["inline code", "code block"],
    "blocks": ["table", "table row", "quote", "rule", "typed rule"],
    "paragraphs": ["paragraph", "line break", "leading dash"],
    "links": ["link", "image"],
}
_CLASS = {symbol: name for name, symbols in _MEMBERS.items() for symbol in symbols}
CLASSES = (*_MEMBERS, "other")

_SYMBOLS = {
    "fence": "code block",
    "code_block": "code block",
    "hr": "rule",
    "table_open": "table",
    "tr_open": "table row",
    "blockquote_open": "quote",
    "strong_close": "bold",
    "em_close": "italics",
    "s_close": "strikethrough",
    "code_inline": "inline code",
    "softbreak": "line break",
    "hardbreak": "line break",
    "link_close": "link",
    "image": "image",
}


def class_of(symbol: str) -> str:
    """Return the class of a symbol, one of `CLASSES`."""
    return _CLASS.get(symbol, "other")


_LINE_END = re.compile(r"\r\n?|\n")
_DEFINITION = re.compile(r"^[ \t>*+\d.)-]*\[", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n[ \t]*\n")


def symbols(text: str) -> list[str]:
    """Return the layout elements of a text, each as often as it occurs, in no particular order.

    A text that is not blank has at least one, a blank one has none. NUL counts as U+FFFD, and lines end as CommonMark
    has it: with a line feed, a carriage return or both.
    """
    if not text or text.isspace():
        return []
    text = _LINE_END.sub("\n", text) if "\r" in text else text
    text = text.replace("\0", "\ufffd")
    if _whole(text):
        found = _parsed(text)
    else:
        lines = Lines(text)
        found = lines.found
        contents = lines.contents
        found += [name for name, _, _ in typed(contents)]
        simple = marks(contents)
        if simple is not None:
            found += simple
        else:
            for block in contents[1:].split("\0"):
                simple = marks("\0" + block)
                found += _within(block) if simple is None else simple
        for stretch in lines.rest:
            found += _parsed(stretch)
    return found or ["paragraph"]  # it does nothing but define links


def _whole(text: str) -> bool:
    """Whether a text must be parsed as a whole: it may define links, or a paragraph's marks are read in pieces."""
    if "]:" in text and _DEFINITION.search(text):
        return True
    return len(text) > LONGEST and max(map(len, _BLANK_LINES.split(text))) > LONGEST


def _parsed(text: str) -> list[str]:
    from stylekl.facets.layout_parser import parse

    found: list[str | None] = []
    for token, cell in _with_cells(parse(text)):
        found.append(_name(token))
        found += map(_name, token.children or ())
        if token.type == "inline" and not cell:
            found += [name for name, _, _ in typed("\0" + token.content)]
    return [name for name in found if name]


def _with_cells(tokens: list[Token]) -> Iterator[tuple[Token, bool]]:
    """Yield tokens, and whether each is the content of a table's cell."""
    before = ""
    for token in tokens:
        yield token, before in ("th_open", "td_open")
        before = token.type


def _within(block: str) -> list[str]:
    from stylekl.facets.layout_parser import marks as read

    return [name for token in read(block.strip(TRIMMED + "\n"), {}) if (name := _name(token))]


def _name(token: Token) -> str | None:
    """Return the symbol that a token stands for; None for most, such as text and what closes an element."""
    if token.type == "list_item_open":
        return "numbered item" if token.markup in ".)" else "bullet"
    if token.type == "heading_open":
        return f"heading {token.tag[1]}"
    if token.type == "paragraph_open":
        return None if token.hidden else "paragraph"
    return _SYMBOLS.get(token.type)


def spans(text: str) -> list[tuple[str, int, int]]:
    """Return the symbols of a text with where the source of each stands in it, in characters, in order.

    A list item's place is its first line, a line break's the line end with the white space around it, that of another
    block its lines; a mark's is what it marks, markers included. Where that cannot be told, as in a table's cell with
    an escaped bar, it is the block's.
    """
    from stylekl.facets.layout_parser import parse

    if not text or text.isspace():
        return []
    source = _Source(text)
    found = []
    for token, cell in _with_cells(parse(text, placed=True)):
        name = _name(token)
        first, end = token.map or (0, 1)
        if name:
            place = source.item(token) if token.type == "list_item_open" else source.lines(first, end)
            found.append((name, *place))
        if token.type == "inline" and token.content:
            within = source.content(token.content, first, end, cell=cell)
            found += [(name, *within(low, high)) for name, low, high in _places(token.children or [])]
            if not cell:
                found += [
                    (name, *within(low - 1, high - 1)) for name, low, high in typed("\0" + token.content)
                ]
    found.sort(key=lambda one: (one[1], -one[2]))
    return found or [("paragraph", 0, len(text))]


def _places(children: list[Token]) -> Iterator[tuple[str, int, int]]:
    """Yield the marks of one block with where they begin and end in its content."""
    opened: list[int] = []
    for token in children:
        name = _name(token)
        low, high = token.meta.get("at", (0, 0))
        outer = token.tag == "strong"  # whose place is that of the inner one of two markers
        if token.nesting > 0:
            opened.append(low - outer)
        elif token.nesting < 0:
            start = opened.pop()
            yield str(name), low if token.tag == "a" else start, high + outer
        elif name:
            yield name, low, high


class _Source:
    """A text as its author wrote it, in which lines and the content of blocks are found."""

    def __init__(self, text: str) -> None:
        self._text = text.replace("\0", "\ufffd")
        ends = [(match.start(), match.end()) for match in _LINE_END.finditer(text)]
        self._starts = [0, *(end for _, end in ends)]
        self._ends = [*(start for start, _ in ends), len(text)]
        self._cell = self._marker = 0  # where the last cell and the last list marker found end

    def lines(self, first: int, end: int) -> tuple[int, int]:
        """Return where some lines stand, without the white space around them."""
        low, high = self._starts[first], self._ends[min(end, len(self._ends)) - 1]
        lines = self._text[low:high]
        if lines.isspace():
            return low, high
        return low + len(lines) - len(lines.lstrip()), low + len(lines.rstrip())

    def item(self, token: Token) -> tuple[int, int]:
        """Return where the first line of a list item stands, its marker included."""
        first = (token.map or (0,))[0]
        low, high = self.lines(first, first + 1)
        place = self._text.find(token.info + token.markup, max(low, self._marker), high)
        self._marker = place + len(token.info + token.markup)
        return place, max(high, self._marker)

    def content(
        self, content: str, first: int, end: int, *, cell: bool
    ) -> Callable[[int, int], tuple[int, int]]:
        """Return what turns two places in a block's content into places in the text."""
        offsets: list[int] = []  # of the content's lines in the content
        places: list[int] = []  # and in the text
        offset, number = 0, first
        for line in content.split("\n"):
            place = None
            while number < end and (place := self._find(line, number, cell)) is None:
                number += 1
            if place is None:
                break
            offsets.append(offset)
            places.append(place)
            offset += len(line) + 1
            number += 1
        whole = len(offsets) > content.count("\n")

        def in_text(offset: int) -> int:
            line = bisect_right(offsets, offset) - 1
            return places[line] + offset - offsets[line]

        return lambda low, high: (in_text(low), in_text(high)) if whole else self.lines(first, end)

    def _find(self, content: str, number: int, cell: bool) -> int | None:
        """Return where a line of a block's content stands; it ends the line, unless that is a heading's or a cell's."""
        low, high = self._starts[number], self._ends[number]
        if cell:
            place = self._text.find(content, max(low, self._cell), high)
            self._cell = place + len(content)
            return place if place >= 0 else None
        # Less than `low` where the parser made spaces of a tab; no mark begins in those.
        indent = len(content) - len(content.lstrip(" \t"))
        line, core = self._text[low:high].rstrip(" \t"), content.strip(" \t")
        place = len(line) - len(core) if line.endswith(core) else line.find(core)
        return low + place - indent if place >= 0 else None
