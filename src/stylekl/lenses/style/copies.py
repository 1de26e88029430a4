"""Identical long replies that two models share: real, and they distort everything."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from stylekl.facets.taking import long_text
from stylekl.lenses.reports import Copy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.style.evidence import Evidence
    from stylekl.results import Reply

QUOTED = 200  # characters of a shared text that a report carries


class Copies:
    """Finds the long texts that several models gave to the same prompt.

    Texts are the same where their hashes are (64 bits, of one prompt), so that none needs to stay in memory.
    """

    def __init__(self) -> None:
        self._first: dict[tuple[int, int], int] = {}
        self._holders: dict[tuple[int, int], set[int]] = defaultdict(set)

    def add(self, text: str, model: int, prompt: int) -> bool:
        """Take a reply; return whether another model gave it before. Short ones are not looked at."""
        stripped = long_text(text)
        if stripped is None:
            return False
        key = prompt, hash(stripped)
        other = self._first.setdefault(key, model)
        if other == model:
            return False
        self._holders[key] |= {other, model}
        return True

    def pairs(self, most: int | None = None) -> Counter[tuple[int, int]]:
        """Count the texts that each pair of models (a < b) shares, those of more than `most` models apart."""
        shared: Counter[tuple[int, int]] = Counter()
        for models in self._holders.values():
            if most is None or len(models) <= most:
                shared.update(combinations(sorted(models), 2))
        return shared

    def crowds(self, most: int) -> Counter[int]:
        """Count the texts that more than `most` models share, by how many do."""
        return Counter(len(models) for models in self._holders.values() if len(models) > most)


def copies(replies: Sequence[Reply], places: Sequence[tuple[int, int]]) -> Counter[tuple[int, int]]:
    """Count, for each pair of models (a < b), the distinct long texts that both gave to the same prompt.

    `places` are the (model, prompt) indices of `replies`. Long is 100 characters, without white space at the ends.
    """
    found = Copies()
    for reply, (model, prompt) in zip(replies, places, strict=True):
        found.add(reply.text, model, prompt)
    return found.pairs()


def copied(evidence: Evidence, a: int, b: int) -> tuple[Copy, ...]:
    """Return the texts that `copies` counts for two models: the longest first, equal lengths by prompt id and text.

    The texts are those of the replies, whatever was removed before counting; null where `options.text` is false.
    """
    given = [_texts(evidence, model) for model in (a, b)]
    shared = sorted(given[0] & given[1], key=lambda found: (-len(found[1]), *found))
    quote = evidence.options.text
    return tuple(Copy(prompt, len(text), text[:QUOTED] if quote else None) for prompt, text in shared)


def _texts(evidence: Evidence, model: int) -> set[tuple[str, str]]:
    """Return the long texts of a model with the prompts that they answer."""
    rows = evidence.counts.rows(model)
    replies = evidence.replies[rows.start : rows.stop]
    return {(reply.prompt, text) for reply in replies if (text := long_text(reply.text)) is not None}
