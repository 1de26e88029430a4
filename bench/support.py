"""Does the support of a tree mean what it says? Trees of some prompts, held against the tree of all the others.

    python bench/support.py FILE... [--prompts 100 200 402] [--repeats 8] [--models 16] [--sets 6]

For each repeat the prompts are parted at random; the vocabulary is that of the first part. A group in the tree of the
first part has a support; how often the tree of the second part holds it is counted by that support. Beside it stands
the share of leave-a-group-out trees that hold the group. Done on all models, and on sets of `--models` drawn at random.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from stylekl.lenses.style import StyleOptions
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.measure.comparison import blocks, divergences
from stylekl.measure.jackknife import jackknife
from stylekl.measure.kinship import kinship
from stylekl.measure.ordering import link
from stylekl.measure.sides import Side, entries
from stylekl.measure.tree import error_factor, from_linkage, members, support
from stylekl.measure.vocabulary import style_vocabulary
from stylekl.results import load

if TYPE_CHECKING:
    from stylekl.counts import Counts

BINS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01)
SKEW = 0.99


def part(counts: Counts, prompts: np.ndarray, models: np.ndarray | None = None) -> Counts:
    """Return the counts of some prompts (and some models) alone."""
    kept = prompts[counts.prompt]
    place = np.arange(counts.models)
    if models is not None:
        place = np.full(counts.models, -1)
        place[models] = np.arange(len(models))
        kept &= place[counts.model] >= 0
    rows = np.flatnonzero(kept)
    sizes = np.diff(counts.starts)[rows]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    at = np.repeat(counts.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])
    return replace(
        counts,
        symbols=counts.symbols[at],
        counts=counts.counts[at],
        starts=starts,
        lengths=counts.lengths[rows],
        model=place[counts.model[rows]].astype(np.int32),
        prompt=counts.prompt[rows],
        sample=counts.sample[rows],
        models=counts.models if models is None else len(models),
    )


def replicates(counts: Counts, vocabulary: np.ndarray, ranks: np.ndarray) -> dict:
    """Return (js, kl) replicates, fractions and the number of the block of each pair."""
    table, found = entries(counts, vocabulary, None), {}
    for number, (units, pairs) in enumerate(blocks(counts, ranks)):
        sides = {model: Side(table, model, units) for pair in pairs for model in pair}
        for a, b in pairs:
            kl_ab, kl_ba, js, _ = divergences(sides[a], sides[b], SKEW)
            found[a, b] = {"js": js, "kl": 0.5 * (kl_ab + kl_ba)}, units.fractions, number
    return found


def distances(found: dict, measure: str, models: np.ndarray) -> tuple[np.ndarray, list, list[np.ndarray]]:
    """Return values, errors for `support`, and the leave-a-group-out distances where all pairs share their groups."""
    value, together, left = [], defaultdict(lambda: ([], [])), []
    for place, (a, b) in enumerate(combinations(models.tolist(), 2)):
        of, fractions, number = found[a, b]
        value.append(float(jackknife(of[measure], fractions).value))
        together[number][0].append(place)
        together[number][1].append(error_factor(of[measure][None], fractions)[0])
        left.append(of[measure])
    errors = [(np.array(columns), np.array(factors)) for columns, factors in together.values()]
    return np.array(value), errors, list(np.array(left).T[1:])


def kinships(counts: Counts, ranks: np.ndarray) -> tuple[np.ndarray, list, list[np.ndarray]]:
    found = kinship(counts, ranks)
    upper = np.triu_indices(counts.models, 1)
    left = 1.0 - found.replicates[:, upper[0], upper[1]].T
    value = jackknife(left, found.fractions).value
    return value, [(np.arange(len(value)), error_factor(left, found.fractions))], list(left.T[1:])


def tree(value: np.ndarray, count: int):
    square = np.zeros((count, count))
    square[np.triu_indices(count, 1)] = value
    return from_linkage(link(square + square.T, [f"{i:04}" for i in range(count)]))


def groups(value: np.ndarray, count: int) -> set[int]:
    return set(members(tree(value, count)).values())


def tally(first: tuple, second: tuple, count: int, seed: int, into: dict) -> None:
    value, errors, left = first
    drawn, other = tree(value, count), groups(second[0], count)
    shares = support(drawn, value, errors, seed=seed)
    trees = [groups(one, count) for one in left]
    # Moved by the bias of the plug-in, so that the replicates are of the corrected distances.
    centred = [groups(one, count) for one in value + np.array(left) - np.mean(left, axis=0)]
    for node, mask in members(drawn).items():
        if not np.isnan(shares[node]):
            here = mask in other
            into["varied"].append((shares[node], here))
            into["left out"].append((np.mean([mask in one for one in trees]), here))
            into["left out, corrected"].append((np.mean([mask in one for one in centred]), here))


def show(title: str, found: list[tuple[float, bool]]) -> None:
    table = np.array(found, float)
    brier = np.mean((table[:, 0] - table[:, 1]) ** 2)
    mean, held = table.mean(axis=0)
    print(f"{title}: {len(table)} groups, mean {mean:.3f}, held {held:.3f}, Brier {brier:.3f}")
    for low, high in pairwise(BINS):
        chosen = table[(table[:, 0] >= low) & (table[:, 0] < high)]
        if len(chosen):
            mean, held = chosen.mean(axis=0)
            print(f"  {low:.2f} to {min(high, 1):.2f}  n {len(chosen):5}  mean {mean:.2f}  held {held:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--prompts", nargs="+", type=int, default=[100, 200, 402])
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--models", type=int, default=16)
    parser.add_argument("--sets", type=int, default=6)
    given = parser.parse_args()
    evidence = gather_evidence(load(*given.files), StyleOptions())
    counts, ranks = evidence.counts, evidence.ranks
    random = np.random.default_rng(0)
    everyone = np.arange(counts.models)
    for size in given.prompts:
        found: dict = defaultdict(lambda: defaultdict(list))
        for repeat in range(given.repeats):
            here = np.zeros(len(ranks), bool)
            here[random.permutation(len(ranks))[:size]] = True
            parts = part(counts, here), part(counts, ~here)
            vocabulary = style_vocabulary(parts[0], 0.02)
            sides = [replicates(one, vocabulary, ranks) for one in parts]
            sets = [everyone] + [
                np.sort(random.choice(everyone, given.models, replace=False)) for _ in range(given.sets)
            ]
            for models in sets:
                for measure in ("js", "kl"):
                    pair = [distances(side, measure, models) for side in sides]
                    tally(*pair, len(models), repeat, found[len(models), measure])
                pair = [kinships(part(one, np.ones(len(ranks), bool), models), ranks) for one in parts]
                tally(*pair, len(models), repeat, found[len(models), "kinship"])
        for (count, measure), ways in found.items():
            for way, table in ways.items():
                show(f"{size} prompts, {count} models, {measure}, {way}", table)


if __name__ == "__main__":
    main()
