"""Random tables of counts, and plain versions of the kernels that they are checked against."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from hypothesis import strategies as st

from stylekl.counts import Counts


def make_counts(
    replies: list[tuple[int, int, list[int]]], *, models: int, prompts: int, limit: int
) -> Counts:
    """Return the table of (model, prompt, symbols) replies, given in order."""
    symbols, counts, starts, lengths, sample = [], [], [0], [], []
    seen: dict[tuple[int, int], int] = {}
    for model, prompt, text in replies:
        for symbol in sorted(set(text)):
            symbols.append(symbol)
            counts.append(text.count(symbol))
        starts.append(len(symbols))
        lengths.append(len(text))
        sample.append(seen.get((model, prompt), 0))
        seen[model, prompt] = sample[-1] + 1
    return Counts(
        symbols=np.array(symbols, np.int32),
        counts=np.array(counts, np.int32),
        starts=np.array(starts, np.int64),
        lengths=np.array(lengths, np.int64),
        model=np.array([reply[0] for reply in replies], np.int32),
        prompt=np.array([reply[1] for reply in replies], np.int32),
        sample=np.array(sample, np.int32),
        models=models,
        prompts=prompts,
        limit=limit,
    )


@st.composite
def distributions(draw: st.DrawFn, size: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Draw two distributions of the same size, with zeros among them."""
    weights = st.lists(st.sampled_from([0.0, 0.0, 1e-6, 0.1, 1.0, 3.0, 50.0]), min_size=size, max_size=size)
    p, q = (np.array(draw(weights.filter(any))) for _ in range(2))
    return p / p.sum(), q / q.sum()


@st.composite
def files(draw: st.DrawFn) -> Counts:
    """Draw a file of 2 to 4 models and 1 to 14 prompts, with prompts missing and samples repeated."""
    models, prompts = draw(st.integers(2, 4)), draw(st.integers(1, 14))
    text = st.lists(st.integers(0, 6), min_size=1, max_size=12)
    replies = []
    for model, prompt in product(range(models), range(prompts)):
        replies += [(model, prompt, draw(text)) for _ in range(draw(st.integers(0, 3)))]
    if not replies:
        replies = [(0, 0, [1])]
    return make_counts(replies, models=models, prompts=prompts, limit=8)


def plain_skewed_kl(p: list[float], q: list[float], skew: float) -> float:
    """Σ p log2(p / (skew·q + (1 − skew)·p)), term by term."""
    return math.fsum(
        a * math.log2(a / (skew * b + (1 - skew) * a)) for a, b in zip(p, q, strict=True) if a > 0
    )


def plain_jensen_shannon(p: list[float], q: list[float]) -> float:
    """Half the sum of both divergences from the mean, term by term."""
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    halves = [a * math.log2(a / m) for side in (p, q) for a, m in zip(side, middle, strict=True) if a > 0]
    return math.fsum(halves) / 2


def plain_distribution(
    counts: Counts, model: int, vocabulary: list[int], keep: set[tuple[int, int]]
) -> list[float]:
    """Prompt-balanced distribution over a vocabulary and "other", from the replies (prompt, sample) in `keep`."""
    by_prompt: dict[int, list[list[float]]] = {}
    for row in range(counts.rows(model).start, counts.rows(model).stop):
        prompt, sample = int(counts.prompt[row]), int(counts.sample[row])
        if (prompt, sample) not in keep:
            continue
        entries = range(counts.starts[row], counts.starts[row + 1])
        held = {int(counts.symbols[i]): int(counts.counts[i]) for i in entries}
        shares = [held.get(symbol, 0) / int(counts.lengths[row]) for symbol in vocabulary]
        by_prompt.setdefault(prompt, []).append([*shares, 1 - sum(shares)])
    means = [np.mean(replies, axis=0) for replies in by_prompt.values()]
    return np.mean(means, axis=0).tolist()
