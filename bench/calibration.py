"""Is the divergence right where the truth is known? Bias, standard error, coverage and false alarms.

    python bench/calibration.py [--repeats 2000] [--jobs 2] [--markdown docs/calibration.md]

Two models are drawn from known distributions over 1,000 Zipf-like symbols, their replies are Dirichlet-multinomial
(a word that came once comes again: burstiness), and the estimate runs through the code that real files run through.
Truth is the population divergence on the vocabulary that the code selected. `verdict` says what a row must meet.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from stylekl.counts import Counts
from stylekl.measure.comparison import compare, fold
from stylekl.measure.divergence import SKEW, skewed_kl
from stylekl.measure.jackknife import jackknife, student_quantiles
from stylekl.measure.units import prompt_ranks
from stylekl.measure.vocabulary import style_vocabulary

HEAD = """# Calibration

Written by `python bench/calibration.py --markdown docs/calibration.md`: {repeats:,} files a row, fixed seeds.
What each column is, and what the last one judges, is in [method.md](method.md#calibration).

"""
SYMBOLS = 1000
SEED = 20261130


class Case(NamedTuple):
    """One row of the table."""

    prompts: int
    zipf: float
    burst: float
    truth: float
    length_a: int = 200
    length_b: int = 200


class Row(NamedTuple):
    """What the repeats of one case came to; see `table`."""

    vocabulary: float
    truth: float
    raw: float
    bias: float
    coverage: float
    se_ratio: float
    apart: float


CASES = [
    Case(prompts, zipf, burst, truth)
    for prompts, zipf, burst, truth in product((25, 100, 400), (1.0, 1.2), (30.0, 150.0), (0.0, 0.01, 0.06))
] + [Case(100, 1.0, 150.0, truth, 40, 400) for truth in (0.0, 0.06)]


def distributions(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Return two distributions whose divergence over all symbols is the case's nominal truth."""
    base = np.arange(1, SYMBOLS + 1) ** -case.zipf
    base /= base.sum()
    if case.truth == 0:
        return base, base
    direction = np.random.default_rng(SEED).standard_normal(SYMBOLS)
    low, high = 0.0, 3.0
    for _ in range(60):
        middle = (low + high) / 2
        other = base * np.exp(middle * direction)
        other /= other.sum()
        low, high = (middle, high) if skewed_kl(base, other) < case.truth else (low, middle)
    return base, other


def replies(rng: np.random.Generator, p: np.ndarray, documents: int, length: int, burst: float) -> np.ndarray:
    """Return documents × length symbols, Dirichlet-multinomial with concentration `burst` (Pólya's urn)."""
    drawn = np.searchsorted(np.cumsum(p)[:-1], rng.random((length, documents)))
    fresh = rng.random((length, documents)) < (burst / (burst + np.arange(length)))[:, None]
    earlier = (rng.random((length, documents)) * np.arange(length)[:, None]).astype(np.int64)
    columns = np.arange(documents)
    for i in range(1, length):
        drawn[i] = np.where(fresh[i], drawn[i], drawn[earlier[i], columns])
    return drawn.T


def counts_of(sides: list[np.ndarray]) -> Counts:
    """Return the table of counts of two models' replies, prompt by prompt."""
    documents = len(sides[0])
    keys = np.concatenate(
        [
            ((np.arange(documents) + side * documents)[:, None] * SYMBOLS + symbols).ravel()
            for side, symbols in enumerate(sides)
        ]
    )
    tally = np.bincount(keys, minlength=2 * documents * SYMBOLS)
    held = np.flatnonzero(tally)
    sizes = np.bincount(held // SYMBOLS, minlength=2 * documents)
    return Counts(
        symbols=(held % SYMBOLS).astype(np.int32),
        counts=tally[held].astype(np.int32),
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        lengths=np.repeat([side.shape[1] for side in sides], documents).astype(np.int64),
        model=np.repeat([0, 1], documents).astype(np.int32),
        prompt=np.tile(np.arange(documents), 2).astype(np.int32),
        sample=np.zeros(2 * documents, np.int32),
        models=2,
        prompts=documents,
        limit=SYMBOLS,
    )


def run(case: Case, repeats: int) -> Row:
    """Run one case and return its row."""
    rng = np.random.default_rng(
        [SEED, *map(int, (case.prompts, case.zipf * 10, case.burst, case.truth * 1000))]
    )
    p, q = distributions(case)
    ranks = prompt_ranks([str(number) for number in range(case.prompts)])
    seen = []
    for _ in range(repeats):
        counts = counts_of(
            [
                replies(rng, p, case.prompts, case.length_a, case.burst),
                replies(rng, q, case.prompts, case.length_b, case.burst),
            ]
        )
        vocabulary = style_vocabulary(counts)
        comparison = compare(counts, vocabulary, ranks, skew=SKEW)[0][0]
        result = jackknife(comparison.kl_ab, comparison.units.fractions)
        quantile, _ = student_quantiles(comparison.units.degrees)
        closed = [np.append(d[vocabulary], 1 - d[vocabulary].sum()) for d in (p, q)]
        truth = skewed_kl(*(fold(d, comparison.kept) for d in closed))
        inside = abs(result.value - truth) <= quantile * result.se
        seen.append((len(vocabulary), truth, result.raw, result.value, result.se, inside, comparison.p))
    size, truth, raw, value, se, inside, p_value = np.array(seen, float).T
    error = value - truth
    return Row(
        size.mean(),
        truth.mean(),
        raw.mean(),
        error.mean() / se.mean(),
        inside.mean(),
        se.mean() / error.std(ddof=1),
        (p_value < 0.05).mean(),
    )


def verdict(case: Case, row: Row) -> str:
    """Return what a row misses, or "ok"."""
    misses = []
    if abs(row.bias) > 0.35:
        misses.append("bias")
    if row.coverage < 0.93 or (case.truth > 0 and row.coverage > 0.995):
        misses.append("coverage")
    if not 0.9 <= row.se_ratio <= 1.5:
        misses.append("se")
    if case.truth == 0 and row.apart > 0.065:
        misses.append("false alarms")
    return ", ".join(misses) or "ok"


def table(rows: list[tuple[Case, Row]]) -> str:
    """Return the table as Markdown."""
    lines = [
        "| prompts | symbols a/b | Zipf | burst | V | truth | raw | bias/se | coverage | se/spread | p < .05 | |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|:--|",
    ]
    lines += [
        f"| {case.prompts} | {case.length_a}/{case.length_b} | {case.zipf} | {case.burst:.0f} "
        f"| {row.vocabulary:.0f} | {row.truth:.4f} | {row.raw:.4f} | {row.bias:+.2f} | {row.coverage:.3f} "
        f"| {row.se_ratio:.2f} | {row.apart:.3f} | {verdict(case, row)} |"
        for case, row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs) as pool:
        # The dear cases first, so that the last worker does not wait for one.
        cases = sorted(CASES, key=lambda case: -case.prompts)
        done = dict(zip(cases, pool.map(run, cases, [options.repeats] * len(cases)), strict=True))
    text = table([(case, done[case]) for case in CASES])
    print(text)
    if options.markdown:
        options.markdown.write_text(HEAD.format(repeats=options.repeats) + text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
