"""The short cut of the layout facet: Markdown read line by line where no parser is needed.

A parser written in Python spends some ten microseconds on a line. Nearly all lines of replies are blank, text,
headings, list items or fenced code in their usual form, and those are read here in a fifth of that. All else (quotes,
tables, indented code, tabs, underlined headings, links, nested emphasis and so on) is left to the parser, in the
smallest stretch that can be read alone. The result is the parser's, symbol for symbol.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 20_000  # characters of a paragraph whose marks are read together

# What may begin something else than text, and characters of which a line may consist that is blank to the eye.
_SPECIAL = frozenset(
    "#>-+*=`~|:_0123456789\t\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
)
_SPECIAL |= {chr(code) for code in range(0x2000, 0x200B)}
_KIND = re.compile(
    r"(?P<rule>([-*_])(?:[ \t]*\2){2,}[ \t]*\Z)"
    r"|(?P<odd>>|\t|[-:|= \t]*\Z|\s*\Z)"
    r"|(?P<heading>#{1,6}(?=[ \t]|\Z))"
    r"|(?P<fence>`{3,}(?!.*`)|~{3,})"
    r"|(?P<item>(?P<marker>[-+*]|[0-9]{1,9}[.)]) {1,4}(?![ \t]|\Z))"
    r"|(?P<odd_item>(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|\Z))",
    re.DOTALL,
)
_DEEPEST = 8  # lists within lists; the parser stops at ten
# A stretch ends before a line that no list, quote, table or paragraph above it can take in.
_MAY_CONTINUE = frozenset(" \t-+*0123456789")

# Marks within lines; NUL stands between blocks. Expressions that begin with a character are searched for fast.
_GAP = r" \n\0"
_PUNCTUATION = r"!-/:-@\[-`{-~"
_LETTER = r"[^\W_]"
_LINK = re.compile(rf"<[^<>{_GAP}]+>")
_ESCAPED = re.compile(r"\\[*_`~<]")
_CODE = re.compile(r"`(?<!``)(?!`)[^`\n\0]+`(?!`)")
# Underscores within a word, and those between spaces, mark nothing.
_IDLE = re.compile(rf"_(?:(?<={_LETTER}_)_*(?={_LETTER})|(?<![^{_GAP}]_)_*(?![^{_GAP}]))")

# What is typed at the start of a line for want of a marker, or in spite of it.
TRIMMED = "\t\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_TYPED = re.compile(
    rf"[\0\n][{TRIMMED}]*(?:"
    rf"(?P<typed_rule>[─━═┄┈╌—–―]+[{TRIMMED}]*(?=[\0\n]|\Z))"
    r"|(?P<typed_bullet>[•・･·∙◦‣⁃▪▫■□●○◉◆◇►▶▸➤➢＊\uf0b7])"
    r"|(?P<leading_dash>[–—―－])"
    r"|(?P<typed_number>[０-９]{1,3}[．.、）)]|[0-9]{1,3}[．、）]|[一二三四五六七八九十]{1,3}、|[①-⓿❶-➓]"
    rf"|（[0-9０-９一二三四五六七八九十]{{1,3}}）|(?:\([0-9]{{1,2}}\)|\(?[A-Za-z]\))(?![^{TRIMMED}\0\n]))"
    r")[^\0\n]*"
)


def typed(contents: str) -> Iterator[tuple[str, int, int]]:
    """Yield the markers that Markdown takes for text, with where the lines stand that they begin.

    `contents` are blocks, each of which begins with NUL.
    """
    if contents.isascii() and ")" not in contents:
        return
    for match in _TYPED.finditer(contents):
        name = match.lastgroup or ""
        yield name.replace("_", " "), match.start(name), match.end()


def _pair(mark: str) -> str:
    opens = rf"(?:(?={_LETTER})|(?<![^{_GAP}{_PUNCTUATION}]{mark})(?=[!-~]))"
    closes = rf"(?:(?<={_LETTER})|(?<=[!-~])(?={mark}(?:[{_GAP}{_PUNCTUATION}]|\Z)))"
    return rf"(?!\*){opens}[^*\0]*{closes}{mark}(?!\*)"


_STARS = re.compile(
    rf"\*(?<!\*\*)(?:(?P<bold>\*{_pair('[*][*]')})|(?P<italics>{_pair('[*]')})|(?<![^{_GAP}]\*)\**(?![^{_GAP}]))"
)


def marks(contents: str) -> list[str] | None:
    """Return the symbols within the lines of blocks, each of which begins with NUL; None if it takes the parser.

    Emphasis is read where its markers come in pairs of one length without another marker between, the first of which
    may open and the second close: whatever else each may do, nothing is left that it could do it to. Code goes first,
    as it does in Markdown.
    """
    found = ["line break"] * contents.count("\n")
    if "](" in contents or "~~" in contents or ("<" in contents and _LINK.search(contents)):
        return None
    code, stars, bars = "`" in contents, contents.count("*"), "_" in contents
    if (code or stars or bars) and "\\" in contents and _ESCAPED.search(contents):
        return None
    if code:
        contents, count = _CODE.subn("`", contents)
        if contents.count("`") != count:
            return None
        found += ["inline code"] * count
        stars = contents.count("*")
    if bars and "_" in _IDLE.sub("", contents):
        return None
    if stars:
        for match in _STARS.finditer(contents):
            kind = match.lastgroup
            stars -= 4 if kind == "bold" else 2 if kind else len(match[0])
            if kind:
                found.append(kind)
        if stars:
            return None
    return found


class _List:
    """An open list: where the text of its present item begins, its marker, what its direct paragraphs amount to."""

    __slots__ = ("column", "loose", "marker", "paragraphs")

    def __init__(self, column: int, marker: str) -> None:
        self.column = column
        self.marker = marker
        self.loose = False  # a blank line between its items or their parts: its paragraphs are set apart
        self.paragraphs = 0


class Lines:
    """The blocks of a text, whose line ends are all "\\n", and which holds no NUL and no link definition.

    `found` are the symbols of its blocks, `contents` what those hold, and `rest` the stretches left to the parser, none
    of which is part of the other two.
    """

    def __init__(self, text: str) -> None:
        self.found: list[str] = []
        self.rest: list[str] = []
        self._lines = text.split("\n")
        self._parts: list[str] = []  # "\0" begins a block, "\n" a further line of it
        self._lists: list[_List] = []  # open ones, the outermost first
        self._paragraph = False  # is one open?
        self._blank = True  # is there nothing, or a blank line, before this one?
        self._start = self._found = self._read = 0  # where the present stretch began
        self._scan()

    @property
    def contents(self) -> str:
        """What is to be read for marks within lines: each block begins with NUL."""
        return "".join(self._parts)

    def _scan(self) -> None:
        lines, parts = self._lines, self._parts
        number, end = 0, len(lines)
        while number < end:
            line = lines[number]
            body = line.lstrip(" ")
            if not body:
                self._blank, self._paragraph = True, False
                number += 1
            elif self._paragraph and body[0] not in _SPECIAL:
                parts.append("\n")
                parts.append(body)
                number += 1
            else:
                number = self._line(number, len(line) - len(body), body)
        for one in self._lists:
            self._close(one)

    def _line(self, number: int, indent: int, body: str) -> int:
        """Read a line that may begin a block; return the number of the line to read next."""
        lists = self._lists
        match = _KIND.match(body) if body[0] in _SPECIAL else None
        kind = match.lastgroup if match else None
        if kind == "odd" and not body.strip(" \t"):
            self._blank, self._paragraph = True, False
            return number + 1
        if self._paragraph and (match is None or self._continues(indent, body, match)):
            self._parts += "\n", body
            return number + 1
        if kind in ("odd", "odd_item") or (kind == "rule" and not self._blank):
            return self._leave(number)

        last = None
        while lists and indent < lists[-1].column:
            if last:
                self._close(last)
            last = lists.pop()
        if indent - (lists[-1].column if lists else 0) >= 4:
            return self._leave(number)
        marker = match["marker"][-1] if match and kind == "item" else ""
        if last and last.marker != marker:
            self._close(last)
            last = None
        if self._blank:
            if last or lists:
                (last or lists[-1]).loose = True
            else:
                self._start, self._found, self._read = number, len(self.found), len(self._parts)
        if match and kind == "item":
            return self._item(number, indent, body, match, last)
        return self._begin(number, body, match)

    def _continues(self, indent: int, body: str, match: re.Match[str]) -> bool:
        """Whether a line that looks like more than text is a further line of the open paragraph all the same."""
        column = self._lists[-1].column if self._lists else 0
        if indent - column >= 4:
            return not body[0].isspace()
        marker = match["item"] and match["marker"][:-1]
        return bool(marker) and indent >= column and int(marker) != 1

    def _item(self, number: int, indent: int, body: str, match: re.Match[str], last: _List | None) -> int:
        """Read a list item; `last` is the list that it continues."""
        column = indent + match.end()
        if last:
            last.column = column
        else:
            last = _List(column, match["marker"][-1])
        self._lists.append(last)
        if len(self._lists) > _DEEPEST:
            return self._leave(number)
        self.found.append("numbered item" if match["marker"][:-1] else "bullet")
        self._paragraph = self._blank = False
        return self._line(number, column, body[match.end() :])

    def _begin(self, number: int, body: str, match: re.Match[str] | None) -> int:
        """Read a paragraph's first line, a heading, a rule or a fence."""
        self._paragraph = self._blank = False
        kind = match.lastgroup if match else None
        if match and kind == "fence":
            # With a bar it may be the header of a table.
            return self._leave(number) if "|" in body else self._fence(number, match["fence"])
        if kind == "rule":
            self.found.append("rule")
        elif match and kind == "heading":
            self.found.append(f"heading {match.end()}")
            self._parts += "\0", body[match.end() :]
        else:
            if self._lists:
                self._lists[-1].paragraphs += 1
            else:
                self.found.append("paragraph")
            self._paragraph = True
            self._parts += "\0", body
        return number + 1

    def _fence(self, number: int, fence: str) -> int:
        """Read fenced code to its end: in a list that must be there, else the text's end does."""
        column = self._lists[-1].column if self._lists else 0
        lines = self._lines
        for at in range(number + 1, len(lines)):
            line = lines[at]
            body = line.lstrip(" ")
            indent = len(line) - len(body)
            if column and body and (indent < column or body[0] == "\t") and body.strip(" \t"):
                return self._leave(number)
            if body.startswith(fence) and indent - column < 4 and not body.strip(" \t").strip(fence[0]):
                self.found.append("code block")
                return at + 1
        if column:
            return self._leave(number)
        self.found.append("code block")
        return len(lines)

    def _leave(self, number: int) -> int:
        """Leave the stretch around a line to the parser; return the number of the line behind it."""
        lines = self._lines
        end = number + 1
        while end < len(lines):
            if lines[end] and lines[end][0] not in _MAY_CONTINUE and not lines[end - 1].strip(" \t"):
                break
            end += 1
        # A fence may take in any line: what stands behind it cannot be read alone.
        if any("```" in line or "~~~" in line for line in lines[number:end]):
            end = len(lines)
        self.rest.append("\n".join(lines[self._start : end]))
        del self.found[self._found :], self._parts[self._read :]
        self._lists.clear()
        self._paragraph, self._blank = False, True
        self._start, self._found, self._read = end, len(self.found), len(self._parts)
        return end

    def _close(self, one: _List) -> None:
        if one.loose:
            self.found += ["paragraph"] * one.paragraphs
