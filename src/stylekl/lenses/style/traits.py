"""What a reply is recognised by beyond the counts of the facets: how its symbols follow each other.

The facets count symbols one by one, which is what a distance needs. To tell who wrote a single reply their order helps:
pairs of tokens, lines and what comes after them, the first words of sentences as they were written, marks with what
stands beside them. Each function returns the symbols of one text, a symbol as often as it occurs.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import log2

_MARKER = re.compile(r"(#{1,6}|[-*+•]|\d{1,3}[.)]|>|```|\|)(?=\s|\w|\*|\||$)")
_RULE = re.compile(r"[-*_=]{3,}")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_RUN = re.compile(r"[^\w\s]+|\s*\n\s*")
_JOINT = re.compile(r"\w?\s?[^\w\s]+\s?\w?")
_LONG = 200_000  # characters of a text that are looked at


def lines(text: str) -> list[str]:
    """Return the shapes of the lines: alone, with their length (a bin doubles), and in runs of two and three.

    The shape of a line is its marker and indentation, whether it holds bold, and whether it ends in a colon.
    """
    given = text[:_LONG].split("\n")
    shapes = [_shape(line) for line in given]
    whole = ["^", *shapes, "$"]
    symbols = shapes + [
        f"{shape} {int(log2(len(line) + 1))}" for shape, line in zip(shapes, given, strict=True)
    ]
    symbols += map("/".join, pairwise(whole))
    symbols += map("/".join, zip(whole, whole[1:], whole[2:], strict=False))
    return symbols


def _shape(line: str) -> str:
    body = line.strip()
    if not body:
        return "blank"
    found = _MARKER.match(body)
    marker = found[1] if found else "rule" if _RULE.fullmatch(body) else "text"
    if marker[0].isdigit():
        marker = f"1{marker[-1]}"
    bold = body.find("**")
    if bold >= 0:
        marker += " bold" if bold <= len(found[0] if found else "") + 1 else " with bold"
    if body.rstrip("*").endswith((":", "：")):
        marker += ":"
    return f"{marker} {min(len(line) - len(line.lstrip()), 4)}"


def starts(text: str) -> list[str]:
    """Return the first words of the reply, its paragraphs and sentences, and the last words, as they are written."""
    text = text[:_LONG]
    words = text.split()
    symbols = [f"reply {' '.join(words[:size])}" for size in (1, 2, 3, 4)]
    symbols += [f"end {' '.join(words[-size:])}" for size in (1, 2, 3)]
    paragraphs = [part for part in _PARAGRAPH.split(text) if part and not part.isspace()]
    for part in paragraphs[1:]:
        symbols += _first(part, "paragraph")
    sentences = [part for part in _SENTENCE.split(text) if part and not part.isspace()]
    for part in sentences:
        symbols += _first(part, "sentence")
    if sentences:
        symbols += _first(sentences[-1], "last sentence") + _first(paragraphs[-1], "last paragraph")
    return symbols


def _first(part: str, place: str) -> list[str]:
    words = part.split(maxsplit=2)[:2]
    return [f"{place} {' '.join(words[:size])}" for size in range(1, len(words) + 1)]


def joints(text: str) -> list[str]:
    """Return runs of marks and line breaks, alone, two in a row, and with the kind of character on either side."""
    text = text[:_LONG]
    runs = _RUN.findall(text)
    symbols = runs + [f"{a}~{b}" for a, b in pairwise(runs)]
    for joint in _JOINT.findall(text):
        symbols.append(
            f"={_kind(joint[0])}{joint[1:-1]}{_kind(joint[-1])}" if len(joint) > 1 else f"={joint}"
        )
    return symbols


def _kind(character: str) -> str:
    if character.isupper():
        return "A"
    if character.isdigit():
        return "0"
    return "a" if character.isalpha() else character
