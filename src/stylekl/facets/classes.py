"""Which class a symbol belongs to: function words, content words, punctuation, layout, numbers, emoji, other."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

CLASSES = ("function words", "content words", "punctuation", "layout", "numbers", "emoji", "other")
WORDING = ("function words", "content words", "numbers", "other")  # what words and phrases can be

_LAYOUT = re.compile(r"[\n\r\t]|\*\*|__|~~|```|^\s*#{1,6}$|^\s*[*•◦‣|>`]+$|^ {2,}|\|")


@cache
def function_words() -> frozenset[str]:
    """Return the function words of all languages that the package lists, in lower case."""
    text = (files("stylekl") / "facets" / "function_words.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word for line in lines for word in line.split())


def is_emoji(character: str) -> bool:
    """Tell whether a character is a pictograph."""
    code = ord(character)
    return (
        0x1F000 <= code <= 0x1FAFF or 0x2600 <= code <= 0x27BF or 0x2B00 <= code <= 0x2BFF or code == 0xFE0F
    )


def class_of(symbol: str) -> str:
    """Return the class of a symbol's text.

    A line break, indentation or a Markdown marker makes it layout, whatever else it holds. "other" are pieces of
    characters and symbols such as ©.
    """
    if _LAYOUT.search(symbol):
        return "layout"
    core = symbol.strip().lower().replace("’", "'")
    if not core:
        return "layout"
    if core in function_words() or core.strip("'") in function_words():
        return "function words"
    categories = {unicodedata.category(character)[0] for character in core}
    if "�" in core or "\\x" in core:  # a piece of a character
        return "other"
    if "L" in categories:
        return "content words"
    if any(map(is_emoji, core)):
        return "emoji"
    if "N" in categories:
        return "numbers"
    if categories <= {"P", "S"} and "P" in categories:
        return "punctuation"
    return "other"
