"""Markdown through markdown-it-py: CommonMark, GitHub's tables and strikethrough, emphasis that knows CJK text.

What the layout facet reads where its short cut does not reach, and where the places of elements are wanted.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.rules_inline import (
    StateInline,
    backtick,
    emphasis,
    escape,
    image,
    link,
    newline,
    strikethrough,
)
from markdown_it.rules_inline.autolink import autolink
from markdown_it.rules_inline.state_inline import Scanned

from stylekl.facets.layout_lines import LONGEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it.token import Token

    Rule = Callable[[StateInline, bool], bool]

_EMOJI = re.compile("[\u23e9-\u2bff\U0001f000-\U0001faff⌚⌛]")
_JAMO = re.compile("[\u1160-\u11ff\ud7b0-\ud7fb]")  # Hangul that is not of full width


def _is_cjk(character: str) -> bool:
    wide = unicodedata.east_asian_width(character) in "WFH" and not _EMOJI.match(character)
    return wide or _JAMO.match(character) is not None


def _is_space(character: str) -> bool:
    return isWhiteSpace(ord(character))


def _is_mark(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)


class _State(StateInline):
    """The state of reading one block's marks."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802
        """Return whether a run of markers may open and close, and its length."""
        scanned = super().scanDelims(start, canSplitWord)
        end = start + scanned.length
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < self.posMax else " "
        if (scanned.can_open and scanned.can_close) or not (_is_cjk(before) or _is_cjk(after)):
            return scanned
        left, right = not _is_space(after), not _is_space(before)
        return Scanned(
            left and (canSplitWord or not right or _is_mark(before)),
            right and (canSplitWord or not left or _is_mark(after)),
            scanned.length,
        )


@cache
def _parser(placed: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.core.ruler.disable(["inline", "text_join"])
    if placed:
        single = {"newline": newline, "escape": escape, "backticks": backtick, "link": link, "image": image}
        for name, rule in {**single, "autolink": autolink}.items():
            parser.inline.ruler.at(name, _place_last(rule))
        parser.inline.ruler.at("emphasis", _place_markers(emphasis.tokenize))
        parser.inline.ruler.at("strikethrough", _place_markers(strikethrough.tokenize))
    return parser


def _place_last(rule: Rule) -> Rule:
    def run(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        matched = rule(state, silent)
        if matched and not silent and len(state.tokens) > before:
            state.tokens[-1].meta["at"] = (start, state.pos)
        return matched

    return run


def _place_markers(rule: Rule) -> Rule:
    def run(state: StateInline, silent: bool) -> bool:
        start = state.pos
        matched = rule(state, silent)
        place, number = state.pos, len(state.tokens)
        while matched and not silent and place > start:
            number -= 1
            token = state.tokens[number]
            place -= len(token.content)
            token.meta["at"] = (place, place + len(token.content))
        return matched

    return run


def parse(text: str, *, placed: bool = False) -> list[Token]:
    """Return the tokens of a text; those of type inline have their marks as children.

    With `placed`, `meta["at"]` of a mark says where it stands in the content of its block: a link's and an image's is
    that of the closing token, a bold or italic one's that of each marker next to the text.
    """
    parser = _parser(placed)
    environment: dict[str, object] = {}
    tokens = parser.parse(text, environment)
    for token in tokens:
        if token.type == "inline":
            token.children = marks(token.content, environment, placed=placed)
    return tokens


def marks(content: str, environment: dict[str, object], *, placed: bool = False) -> list[Token]:
    """Return the marks within one block's content, of which more than 20,000 characters are read in pieces."""
    parser = _parser(placed)
    if "](" not in content and "references" not in environment:
        # Without links brackets are text, and the parser need not look for what each might open.
        content = content.replace("[", "(")
    found: list[Token] = []
    for start in range(0, len(content), LONGEST):
        tokens: list[Token] = []
        state = _State(content[start : start + LONGEST], parser, environment, tokens)
        parser.inline.tokenize(state)
        for rule in parser.inline.ruler2.getRules(""):
            rule(state)
        for token in tokens if start else ():
            if "at" in token.meta:
                token.meta["at"] = (token.meta["at"][0] + start, token.meta["at"][1] + start)
        found += tokens
    return found
