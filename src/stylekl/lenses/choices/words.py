"""Pairs of words and envelopes as a results file holds them, and the texts that come of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stylekl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

HOME = "en"  # the language of a pair's own words
SLOTS = ("{a}", "{b}")


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two words: `words` by language, the first language being the pair's own."""

    id: str
    words: Mapping[str, tuple[str, str]]
    theme: str | None = None

    @property
    def a(self) -> str:
        """The first word."""
        return next(iter(self.words.values()))[0]

    @property
    def b(self) -> str:
        """The second word."""
        return next(iter(self.words.values()))[1]

    def said(self, language: str | None) -> tuple[str, str]:
        """Return both words in a language, or the pair's own where it has none in that."""
        return self.words.get(language or "", (self.a, self.b))


@dataclass(frozen=True, slots=True)
class Envelope:
    """One way of asking. `template` holds {a} and {b}, once or more, in the order in which they stand.

    `language` is that of the envelope, `words` that of the words in it (None: the pair's own). `matches` is the
    envelope that asks the same in English. `slots` are the letters that it offers for the first and second word.
    """

    id: str
    template: str
    family: str | None = None
    language: str | None = None
    words: str | None = None
    matches: str | None = None
    slots: tuple[str, str] | None = None
    record: Mapping[str, Any] = field(default_factory=dict, compare=False, hash=False)

    def text(self, pair: WordPair, *, swapped: bool = False) -> str:
        """Return the question: the pair's first word for {a}, or its second where `swapped`."""
        a, b = pair.said(self.words)[:: -1 if swapped else 1]
        # In one pass: a word may hold what looks like a slot.
        return "".join({"{a}": a, "{b}": b}.get(part, part) for part in _parts(self.template))


def _parts(template: str) -> list[str]:
    import re

    return re.split(r"(\{[ab]\})", template)


def pair_of(row: Mapping[str, Any], place: str) -> WordPair:
    """Return the pair that a record holds; raises InputError where it is none."""
    given = row.get("words")
    words: dict[str, tuple[str, str]] = {}
    if isinstance(given, dict):
        for language, both in given.items():
            if (
                isinstance(both, list | tuple)
                and len(both) == 2
                and all(isinstance(w, str) and w for w in both)
            ):
                words[language] = (both[0], both[1])
            else:
                raise _fault(place, f"words.{language}: expected two words")
    elif isinstance(row.get("a"), str) and isinstance(row.get("b"), str):
        words[HOME] = (row["a"], row["b"])
    if not words or not isinstance(row.get("id"), str):
        raise _fault(place, "expected an id and the words by language")
    if HOME in words:
        words = {HOME: words[HOME], **words}
    theme = row.get("theme", row.get("topic"))
    return WordPair(row["id"], words, theme if isinstance(theme, str) else None)


def envelope_of(row: Mapping[str, Any], place: str) -> Envelope:
    """Return the envelope that a record holds; raises InputError where it is none."""
    if not isinstance(row.get("id"), str):
        raise _fault(place, "expected an id")
    told = {
        name: row.get(name) if isinstance(row.get(name), str) else None
        for name in ("family", "language", "words", "matches")
    }
    template = row.get("template")
    given = row.get("slots")
    slots = None
    if isinstance(given, list) and len(given) == 2 and all(isinstance(each, str) for each in given):
        slots = (given[0], given[1])
    return Envelope(row["id"], template if isinstance(template, str) else "", slots=slots, record=row, **told)


def _fault(place: str, reason: str) -> InputError:
    return InputError(f"{place}: {reason}", "the fields of a record are in docs/results-file.md")
