"""Choices built row by row from a form that has no tables of pairs and envelopes of its own."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from stylekl.results.readers.building import Building

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

WORD_KEYS = (("a", "b"), ("word_a", "word_b"), ("option_a", "option_b"))
_BETWEEN = re.compile(r"\s+(?:vs\.?|or|\|)\s+|\s*[/|]\s*")
_ENVELOPE = ("template", "family", "language")


def names_words(row: dict[str, Any]) -> bool:
    """Whether a row says which two words it is about."""
    return words_in(row) is not None


def words_in(row: dict[str, Any]) -> tuple[str, str] | None:
    """Return the two words of a row: two fields of WORD_KEYS, a list `pair`, or text such as "tea / milk" in it."""
    for keys in WORD_KEYS:
        found = tuple(row.get(key) for key in keys)
        if all(isinstance(word, str) and word.strip() for word in found):
            return str(found[0]), str(found[1])
    pair = row.get("pair")
    parts = _BETWEEN.split(pair.strip()) if isinstance(pair, str) else pair
    if isinstance(parts, list) and len(parts) == 2 and all(isinstance(w, str) and w.strip() for w in parts):
        return parts[0], parts[1]
    return None


class ChoiceBuilding:
    """Collects choices; models, pairs and envelopes appear as they are first named, pairs joined by their words."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._building = Building(document)
        self._pairs: dict[tuple[str, str], tuple[str, bool]] = {}
        self._ids: set[str] = set()
        self._envelopes: dict[str, dict[str, Any]] = {}
        self.results: Results = self._building.results
        self.results.other = {"pairs": [], "envelopes": [], "choices": []}

    def place(self, number: int, row: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """Return model, pair and envelope of a row, and whether it names the words the other way round.

        Raises RecordError where one is missing.
        """
        model = self._building.model(self._building.text(number, row, "model")).id
        envelope = self._building.text(number, row, "envelope")
        words = words_in(row)
        if words is None:
            raise self.document.fault(number, "no words: expected a and b, or pair with two words")
        pair, turned = self._pair(words, row)
        self._envelope(envelope, row)
        return {"model": model, "pair": pair, "envelope": envelope}, turned

    def _pair(self, words: tuple[str, str], row: dict[str, Any]) -> tuple[str, bool]:
        if words in self._pairs:
            return self._pairs[words]
        given = row.get("pair_id", row.get("pair"))
        name = given if isinstance(given, str) and given not in self._ids else "-".join(words)
        if name in self._ids:
            name = f"{name}~{hashlib.sha256(repr(words).encode()).hexdigest()[:8]}"
        self._ids.add(name)
        record: dict[str, Any] = {"id": name, "words": {"en": list(words)}}
        theme = row.get("theme", row.get("topic"))
        self.results.other["pairs"].append(record | ({"theme": theme} if isinstance(theme, str) else {}))
        self._pairs[words], self._pairs[words[::-1]] = (name, False), (name, True)
        return name, False

    def _envelope(self, name: str, row: dict[str, Any]) -> None:
        record = self._envelopes.get(name)
        if record is None:
            record = self._envelopes[name] = {"id": name}
            self.results.other["envelopes"].append(record)
        for key in _ENVELOPE:
            if key not in record and isinstance(row.get(key), str):
                record[key] = row[key]

    def add(self, place: dict[str, Any], order: str, text: str | None, **more: Any) -> None:
        """Add one reply; a null text is a reply without text, flagged "empty" unless it says why."""
        row = place | {"order": order, "text": text or ""}
        row |= {key: value for key, value in more.items() if value is not None}
        if text is None:
            row.setdefault("flags", ["empty"])
        self.results.other["choices"].append(row)
