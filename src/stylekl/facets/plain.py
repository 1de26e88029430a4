"""The wording of a reply without its layout: what `--plain` counts.

Markdown markers go, the words they mark stay: emphasis, headings, list markers, quotes, rules, table frames, code
fences, link targets. Line breaks become spaces, so that neither paragraphs nor lists can be told apart.
"""

from __future__ import annotations

import re

_STEPS = [
    (re.compile(r"^[ \t]*(```|~~~).*$", re.MULTILINE), ""),  # fences, with the language they name
    (re.compile(r"^[ \t]*([-*_=][ \t]*){3,}$", re.MULTILINE), ""),  # rules and underlines
    (re.compile(r"^[ \t]*\|[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*(>[ \t]?)+", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*([-*+•‣◦]|\d{1,3}[.)])[ \t]+", re.MULTILINE), ""),
    (re.compile(r"!?\[([^\]\n]*)\]\([^()\s]*\)"), r"\1"),
    (re.compile(r"\*{1,3}|__|~~|`"), ""),
    (re.compile(r"(?<!\w)_(?=\S)|(?<=\S)_(?!\w)"), ""),
    (re.compile(r"\|"), " "),
    (re.compile(r"\s+"), " "),
]


def plain(text: str) -> str:
    """Return `text` without Markdown layout, on one line. Text without any comes back with spaces joined."""
    for pattern, replacement in _STEPS:
        text = pattern.sub(replacement, text)
    return text.strip()
