"""What one writes in ten lines: a Counter over a regular expression of words, and KL of all pairs in numpy.

What it computes: words in lower case for each model over all its replies, pooled; half a count added to each; KL of
every pair in both directions, one number each. What stylekl computes beyond that: counts for each model and prompt, the
pairing, the correction of the bias (without which the KL of two halves of one model is far from 0), intervals, tests,
Jensen-Shannon, kinship and copies. It counts tokens where this counts words.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter

from bench.speeding.reading import documents


def count(texts: list[str]) -> list[Counter[str]]:
    """Return the words of each text and how often it has them."""
    return [Counter(re.findall(r"\w+", text.lower())) for text in texts]


def divergences(counts: list[Counter[str]]):
    """Return KL(row ‖ column) in bits, add-half smoothed, as a square array."""
    import numpy as np

    places = {word: place for place, word in enumerate(sorted(set().union(*counts)))}
    table = np.full((len(counts), len(places)), 0.5)
    for row, words in zip(table, counts, strict=True):
        row[[places[word] for word in words]] += list(words.values())
    table /= table.sum(axis=1, keepdims=True)
    logs = np.log2(table)
    return (table * logs).sum(axis=1)[:, None] - table @ logs.T


if __name__ == "__main__":
    counted = count(list(documents(sys.argv[1:]).values()))
    bits = divergences(counted)
    print(
        json.dumps({"documents": len(counted), "count": sum(map(Counter.total, counted)), "cells": bits.size})
    )
