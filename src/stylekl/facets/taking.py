"""What of a reply is compared: the text without what is no part of how a model writes, or why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

LONG = 100  # characters from which on a text that two models share is a copy and no chance


class Taken(NamedTuple):
    """A text without what is no part of it, why something was taken, and what it was of which nothing remains."""

    text: str
    removed: tuple[str, ...] = ()
    lost: str | None = None


def taking(*, keep_thinking: bool, plain: bool) -> Callable[[str], Taken]:
    """Return what takes reasoning, leading white space and special tokens off a reply, and with `plain` layout.

    With `keep_thinking` layout alone is taken off, if anything.
    """
    from stylekl.facets.cleaning import clean
    from stylekl.facets.plain import plain as without_layout

    def take(text: str) -> Taken:
        removed: tuple[str, ...] = ()
        if not keep_thinking:
            text, removed = clean(text)
            if not text or text.isspace():
                return Taken(text, removed, "only reasoning")
        if plain:
            text = without_layout(text)
            if not text or text.isspace():
                return Taken(text, removed, "only layout")
        return Taken(text, removed)

    return take


def long_text(text: str) -> str | None:
    """Return a text without white space at its ends, or None where that is short."""
    return stripped if len(text) >= LONG and len(stripped := text.strip()) >= LONG else None
