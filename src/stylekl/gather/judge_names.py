"""Replies that tell who wrote them: found, reported, and masked where that is asked for.

What is looked for depends on the rubric's list of names and the reply alone, never on the models of the file, so that
a package says nothing of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MASK = "[name]"
_START, _END = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"  # names stand next to characters of other scripts
# Before a name. English, and the commonest phrases of four other languages.
_BEFORE = (
    r"\bas(?: an?)?\b",
    r"\bi(?:['’]m| am| was)(?: called| named| an?| the)?\b",
    r"\bmy name(?: is|['’]s)\b",
    r"\bcall me\b",
    r"\bthis is\b",
    r"\b(?:trained|made|developed|created|built|designed) by\b",
    r"\bje (?:suis|m['’]appelle)\b",
    r"\bich (?:bin|heiße)\b",
    r"\b(?:yo )?soy\b",
    "我(?:是|叫)",
)


@dataclass(frozen=True, slots=True)
class Naming:
    """A model that names itself in a reply: which, on which prompt, and the words."""

    model: str
    prompt: str
    words: str


@lru_cache(maxsize=16)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str] | None:
    if not names:
        return None
    listed = "|".join(re.escape(name) for name in sorted(set(names), key=lambda name: (-len(name), name)))
    # what follows a name at once is part of it: NAME-4, NAME 3.5
    version = r"(?:[-.+][A-Za-z0-9.+-]*[A-Za-z0-9]|[ ]?\d(?:[A-Za-z0-9.-]*[A-Za-z0-9])?)?"
    own = rf"(?P<name>{_START}(?:{listed}){version}){_END}"
    return re.compile(rf"(?:{'|'.join(_BEFORE)})[\s,:*_\"“(]*{own}", re.IGNORECASE)


def self_named(text: str, names: Sequence[str]) -> list[str]:
    """Return the phrases of a text in which its writer gives a name, in order; `names` are those looked for."""
    found = _pattern(tuple(names))
    return [] if found is None else [match[0] for match in found.finditer(text)]


def masked(text: str, names: Sequence[str]) -> tuple[str, int]:
    """Return a text with the names its writer gives to itself replaced, everywhere in it, and how many were."""
    pattern = _pattern(tuple(names))
    if pattern is None:
        return text, 0
    given = {match["name"] for match in pattern.finditer(text)}
    if not given:
        return text, 0
    listed = "|".join(re.escape(name) for name in sorted(given, key=lambda name: (-len(name), name)))
    return re.subn(rf"{_START}(?:{listed}){_END}", MASK, text, flags=re.IGNORECASE)


def mentioned(text: str, own: Iterable[str | None]) -> bool:
    """Return whether a reply holds one of its model's own names, whatever stands before it."""
    return any(
        re.search(rf"{_START}{re.escape(name)}{_END}", text, re.IGNORECASE) is not None
        for name in own
        if name and len(name) > 2
    )
