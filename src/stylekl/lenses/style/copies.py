"""Identical long replies that two models share: real, and they distort everything."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LONG = 100


def copies(texts: Sequence[str], places: Sequence[tuple[int, int]]) -> Counter[tuple[int, int]]:
    """Count, for each pair of models (a < b), the distinct long texts that both gave to the same prompt.

    `places` are the (model, prompt) indices of `texts`. Long is 100 characters, without white space at the ends.
    """
    first: dict[tuple[int, str], int] = {}
    holders: dict[tuple[int, str], set[int]] = defaultdict(set)
    for text, (model, prompt) in zip(texts, places, strict=True):
        if len(text) < LONG or len(stripped := text.strip()) < LONG:
            continue
        key = prompt, stripped
        if (other := first.setdefault(key, model)) != model:
            holders[key] |= {other, model}
    shared: Counter[tuple[int, int]] = Counter()
    for models in holders.values():
        shared.update(combinations(sorted(models), 2))
    return shared
