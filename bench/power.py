"""Is a difference seen as often as stated, at the number of prompts that drift and diff state?

    python bench/power.py [FILE FILE ...] [--pilot 90] [--pilots 10] [--draws 20]

Each two FILEs hold one model each. From a pilot of 90 prompts come the vocabulary, the spread, and with the pair's
divergence on all prompts the number of prompts that is stated for it. `seen` is the share of files of that many
prompts, drawn from all, in which the exact test gives p < .05; it should be near .8. A number above half of the prompts
is not tried. Two simulated cases are run as well, where every file is drawn anew.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from calibration import SEED, Case, counts_of, distributions, replies

from stylekl.counts import Counts
from stylekl.lenses.style import StyleOptions
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.measure.comparison import compare
from stylekl.measure.divergence import SKEW
from stylekl.measure.jackknife import jackknife
from stylekl.measure.power import size_visible, spread, units_needed
from stylekl.measure.sides import Side, entries
from stylekl.measure.units import deal, prompt_ranks
from stylekl.measure.vocabulary import style_vocabulary
from stylekl.results import load

SIMULATED = [
    Case(400, 1.0, burst, truth, length, length)
    for burst, truth, length in ((30.0, 0.01, 200), (150.0, 0.02, 60))
]


def part(counts: Counts, prompts: np.ndarray) -> Counts:
    """Return the counts of some prompts alone."""
    rows = np.flatnonzero(np.isin(counts.prompt, prompts))
    sizes = np.diff(counts.starts)[rows]
    chosen = np.concatenate([np.arange(counts.starts[row], counts.starts[row + 1]) for row in rows])
    return Counts(
        symbols=counts.symbols[chosen],
        counts=counts.counts[chosen],
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        lengths=counts.lengths[rows],
        model=counts.model[rows],
        prompt=counts.prompt[rows],
        sample=counts.sample[rows],
        models=counts.models,
        prompts=counts.prompts,
        limit=counts.limit,
    )


def stated(pilot: Counts, whole: Counts, ranks: np.ndarray) -> tuple[float, int, float]:
    """Return the divergence on a pilot's vocabulary, the prompts stated for it, and what the pilot shows."""
    vocabulary = style_vocabulary(pilot)
    comparison = compare(whole, vocabulary, ranks, skew=SKEW)[0][0]
    size = float(jackknife(comparison.kl_ab, comparison.units.fractions).value)
    units = deal((pilot.samples() > 0).all(axis=0).astype(np.int64), ranks)
    table = entries(pilot, vocabulary, None)
    tables = [
        side.with_other(side.unit, units.count)[0] for side in (Side(table, model, units) for model in (0, 1))
    ]
    found = spread(*tables, units.stratum, SKEW)
    return size, units_needed(found, size) if size > 0 else 10**9, size_visible(found, units.count)


def p_of(counts: Counts, ranks: np.ndarray) -> float:
    return compare(counts, style_vocabulary(counts), ranks, skew=SKEW)[0][0].p


def row(name: str, found: list[tuple[float, int, float]], seen: list[bool]) -> str:
    size, needed, visible = np.array(found).T
    share = f"{np.mean(seen):.2f}" if seen else ""
    low, middle, high = np.quantile(needed, (0.1, 0.5, 0.9))
    prompts = f"{middle:.0f} ({low:.0f} to {high:.0f})"
    return f"| {name} | {np.median(size):.4f} | {prompts} | {np.median(visible):.4f} | {share} |"


def real(files: tuple[str, str], options: argparse.Namespace, rng: np.random.Generator) -> str:
    evidence = gather_evidence(load(*files), StyleOptions())
    counts, ranks = evidence.counts, evidence.ranks
    common = np.flatnonzero((counts.samples() > 0).all(axis=0))
    found, seen = [], []
    for _ in range(options.pilots):
        pilot = rng.choice(common, options.pilot, replace=False)
        found.append(stated(part(counts, pilot), counts, ranks))
        if (needed := found[-1][1]) <= len(common) / 2:
            drawn = (rng.choice(common, needed, replace=False) for _ in range(options.draws))
            seen += [p_of(part(counts, prompts), ranks) < 0.05 for prompts in drawn]
    names = [Path(file).name.split(".json")[0] for file in files]
    return row(", ".join(names), found, seen if len(seen) > options.draws else [])


def simulated(case: Case, options: argparse.Namespace, rng: np.random.Generator) -> str:
    p, q = distributions(case)
    lengths = case.length_a, case.length_b

    def draw(prompts: int) -> Counts:
        return counts_of(
            [replies(rng, d, prompts, n, case.burst) for d, n in zip((p, q), lengths, strict=True)]
        )

    def ranks(prompts: int) -> np.ndarray:
        return prompt_ranks([str(number) for number in range(prompts)])

    found, seen = [], []
    for _ in range(options.pilots):
        whole = draw(2000)
        pilot = part(whole, np.arange(options.pilot))
        found.append(stated(pilot, whole, ranks(2000)))
        for _ in range(options.draws):
            needed = found[-1][1]
            seen.append(p_of(draw(needed), ranks(needed)) < 0.05)
    return row(f"simulated, {case.length_a} symbols, burst {case.burst:.0f}", found, seen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--pilot", type=int, default=90)
    parser.add_argument("--pilots", type=int, default=10)
    parser.add_argument("--draws", type=int, default=20)
    options = parser.parse_args()
    rng = np.random.default_rng(SEED)
    print(
        "| pair | bits | prompts stated (10 to 90 %) | visible at the pilot | seen |\n|:--|--:|--:|--:|--:|"
    )
    for case in SIMULATED:
        print(simulated(case, options, rng), flush=True)
    for first, second in zip(options.files[::2], options.files[1::2], strict=True):
        print(real((first, second), options, rng), flush=True)


if __name__ == "__main__":
    main()
