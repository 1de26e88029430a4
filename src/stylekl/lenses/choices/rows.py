"""Single rows of choices: what a reply came to, and which envelopes are one text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.errors import InputError
from stylekl.lenses.choices.classify import Pair, classify
from stylekl.measure import choices as measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from stylekl.lenses.choices.words import Envelope, WordPair

_FLAGS = {"error": measure.ERROR, "refusal": measure.REFUSED, "empty": measure.EMPTY}


class RowReader:
    """Reads single rows; texts that repeat are classified once."""

    def __init__(self, pairs: Sequence[WordPair], envelopes: Sequence[Envelope], *, reclassify: bool) -> None:
        self._forms = [
            Pair.of((a for a, _ in p.words.values()), (b for _, b in p.words.values())) for p in pairs
        ]
        self._slots = [each.slots for each in envelopes]
        self._known: dict[tuple[Any, ...], int] = {}
        self._reclassify = reclassify

    def outcome(self, row: Mapping[str, Any], pair: int, envelope: int, order: int, number: int) -> int:
        """Return the outcome of a row: by its flags, its pick, its reason, or its text."""
        flags = row.get("flags")
        for flag in flags if isinstance(flags, list) else ():
            if isinstance(flag, str) and flag in _FLAGS:
                return _FLAGS[flag]
        reason, pick, text = row.get("reason"), row.get("pick"), row.get("text")
        if reason in ("error", "refused") and pick is None:  # the provider said so, whatever the text
            return measure.NAMES.index(str(reason))
        if isinstance(text, str) and (self._reclassify or not isinstance(pick, str)):
            return self.classified(text, pair, envelope, order)
        if isinstance(pick, str):
            side = {"a": measure.CHOSE_A, "b": measure.CHOSE_B}.get(pick)
            return side if side is not None else self.classified(pick, pair, envelope, order)
        if row.get("error"):
            return measure.ERROR
        raise InputError(
            f"choice {number}: expected the text of a reply, or a pick",
            "a reply that failed has the flag error; see docs/results-file.md",
        )

    def classified(self, text: str, pair: int, envelope: int, order: int) -> int:
        """Return the outcome of a text."""
        slots = self._slots[envelope]
        key = (pair, text) if slots is None else (pair, text, slots, order)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = classify(text, self._forms[pair], slots, swapped=order == 1)
        return known


def same_texts(pairs: Sequence[WordPair], envelopes: Sequence[Envelope]) -> NDArray[np.int64]:
    """Return (P, E): for each pair and envelope the first envelope, in the order given, with the same text.

    An envelope without a template is like no other.
    """
    same = np.tile(np.arange(len(envelopes)), (len(pairs), 1))
    for p, pair in enumerate(pairs):
        seen: dict[tuple[str, str], int] = {}
        for e, envelope in enumerate(envelopes):
            if envelope.template:
                texts = envelope.text(pair), envelope.text(pair, swapped=True)
                same[p, e] = seen.setdefault(texts, e)
    return same
