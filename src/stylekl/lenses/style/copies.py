"""Identical long replies that two models share: real, and they distort everything."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from stylekl.lenses.reports import Copy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.style.evidence import Evidence

LONG = 100
QUOTED = 200  # characters of a shared text that a report carries


def copies(texts: Sequence[str], places: Sequence[tuple[int, int]]) -> Counter[tuple[int, int]]:
    """Count, for each pair of models (a < b), the distinct long texts that both gave to the same prompt.

    `places` are the (model, prompt) indices of `texts`. Long is 100 characters, without white space at the ends.
    """
    first: dict[tuple[int, str], int] = {}
    holders: dict[tuple[int, str], set[int]] = defaultdict(set)
    for text, (model, prompt) in zip(texts, places, strict=True):
        stripped = _long(text)
        if stripped is None:
            continue
        key = prompt, stripped
        if (other := first.setdefault(key, model)) != model:
            holders[key] |= {other, model}
    shared: Counter[tuple[int, int]] = Counter()
    for models in holders.values():
        shared.update(combinations(sorted(models), 2))
    return shared


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
    return {(reply.prompt, text) for reply in replies if (text := _long(reply.text)) is not None}


def _long(text: str) -> str | None:
    """Return a text without white space at its ends, or None where that is short."""
    return stripped if len(text) >= LONG and len(stripped := text.strip()) >= LONG else None
