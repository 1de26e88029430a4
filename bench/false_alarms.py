"""How often does `findings` find something where there is nothing?

    python bench/false_alarms.py [--repeats 1000] [--shared ../shared] [--only freeflow]

Real replies, counted once, are dealt to "models" that cannot differ:

- freeflow: one model's ten replies to each of five prompts, five to either of two models;
- crowd: the same two halves beside eight other models of the file;
- swapped: 100 prompts, one reply each of two real models, which of the two is whose drawn prompt by prompt;
- six: the same with six models.

Printed are the shares of files in which the two have p < .05 (in `six`, the share of pairs), in which `pair` has a tell
of theirs with q < .05, in which `findings` has one, and in which any of its sentences tells them (in `six`, any two)
apart. The bar is 6.5 %.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import stylekl
from stylekl.facets.texts import Texts
from stylekl.lenses.style.claims.facets import FACETS
from stylekl.lenses.style.contrast import contrast_pair
from stylekl.lenses.style.evidence import Evidence, gather_evidence
from stylekl.lenses.style.findings import findings
from stylekl.lenses.style.material import Material
from stylekl.lenses.style.options import StyleOptions
from stylekl.lenses.style.study import Study
from stylekl.measure.families import LEVEL
from stylekl.measure.vocabulary import style_vocabulary
from stylekl.results import Model

if TYPE_CHECKING:
    from collections.abc import Callable

    from stylekl.counts import Counts
    from stylekl.lenses.findings import FindingsReport

SEED = 20261130
PROMPTS = 100
MODELS = (
    "gpt4",
    "gpt-4o-2024-05-13",
    "claude-3-5-sonnet-20240620",
    "gemini-pro",
    "mistral-large-2402",
    "Qwen2-72B-Instruct",
    "Yi-34B-Chat",
    "zephyr-7b-beta",
    "vicuna-13b-v1.5",
    "alpaca-7b",
    "text_davinci_003",
    "Starling-LM-7B-alpha",
)
BAR = 0.065
JOINING = ("closest pair", "group")  # say of halves among others that they are near


def dealt(evidence: Evidence, rows: np.ndarray, models: np.ndarray, names: list[str]) -> Evidence:
    """Return evidence of some rows, given to `models` (an index for each), in every facet."""
    order = np.lexsort((evidence.counts.prompt[rows], models))
    rows, models = rows[order], models[order]
    source = evidence.material
    material = Material(
        results=source.results,
        models=[Model(id=name) for name in names],
        prompts=source.prompts,
        replies=[source.replies[row] for row in rows],
        texts=Texts([source.texts.texts[row] for row in rows]),
        places=list(zip(models.tolist(), evidence.counts.prompt[rows].tolist(), strict=True)),
        left_out={},
        removed={},
    )
    others: dict[str, Evidence] = {}
    for name in (evidence.facet.NAME, *FACETS, "phrases"):
        found = evidence.in_facet(name)
        counts = taken(found.counts, rows, models, len(names))
        others[name] = replace(
            found,
            material=material,
            counts=counts,
            vocabulary=style_vocabulary(counts, found.options.threshold),
            others=others,
        )
    return others[evidence.facet.NAME]


def taken(counts: Counts, rows: np.ndarray, models: np.ndarray, number: int) -> Counts:
    """Return the counts of some rows, as they come, given to `models`."""
    sizes = counts.starts[rows + 1] - counts.starts[rows]
    ends = np.cumsum(sizes)
    entries = np.repeat(counts.starts[rows] - ends + sizes, sizes) + np.arange(ends[-1])
    prompt = counts.prompt[rows]
    new = np.flatnonzero((np.diff(models, prepend=-1) != 0) | (np.diff(prompt, prepend=-1) != 0))
    sample = np.arange(len(rows)) - np.repeat(new, np.diff(new, append=len(rows)))
    return replace(
        counts,
        symbols=counts.symbols[entries],
        counts=counts.counts[entries],
        starts=np.concatenate([[0], ends]).astype(np.int64),
        lengths=counts.lengths[rows],
        model=models.astype(np.int32),
        prompt=prompt,
        sample=sample.astype(np.int32),
        models=number,
    )


def halves(evidence: Evidence, random: np.random.Generator, others: int) -> Evidence:
    """Return one model drawn at random, its replies to each prompt halved at random, beside some other models."""
    counts = evidence.counts
    chosen = random.choice(counts.models, 1 + others, replace=False)
    rows = np.arange(counts.rows(chosen[0]).start, counts.rows(chosen[0]).stop)
    side = np.zeros(len(rows), np.int64)
    for prompt in np.unique(counts.prompt[rows]):
        own = np.flatnonzero(counts.prompt[rows] == prompt)
        side[random.permutation(own)[: len(own) // 2]] = 1
    rest = [np.arange(counts.rows(model).start, counts.rows(model).stop) for model in chosen[1:]]
    models = [side, *(np.full(len(own), 2 + place) for place, own in enumerate(rest))]
    names = ["half one", "half two", *(f"other {place}" for place in range(others))]
    return dealt(evidence, np.concatenate([rows, *rest]), np.concatenate(models), names)


def swapped(evidence: Evidence, random: np.random.Generator, models: int) -> Evidence:
    """Return some models on 100 prompts, whose replies change places at random on every prompt."""
    counts = evidence.counts
    place = np.full((counts.models, counts.prompts), -1)
    place[counts.model, counts.prompt] = np.arange(len(counts.model))
    chosen = random.choice(counts.models, models, replace=False)
    answered = np.flatnonzero((place[chosen] >= 0).all(axis=0))
    prompts = random.choice(answered, PROMPTS, replace=False)
    rows = random.permuted(place[np.ix_(chosen, prompts)], axis=0)
    whose = np.repeat(np.arange(models), PROMPTS)
    return dealt(evidence, rows.ravel(), whose, [f"half {place}" for place in range(models)])


def alarms(report: FindingsReport) -> tuple[bool, bool, set[str]]:
    """Return whether a tell parts two halves, whether any sentence does, and the kinds of those that do.

    Where there are others besides, a tell or a length of a half is against all of these; what parts the halves is then
    what is said of the two.
    """
    halved = sorted(model.id for model in report.models if model.id.startswith("half"))
    alone = len(halved) == len(report.models)
    tested = [found for found in report.findings if found.q is not None]
    told = [
        found for found in tested if alone or (set(found.models) == set(halved) and found.kind not in JOINING)
    ]
    kinds = {found.kind for found in told}
    close = {found.models for found in report.findings if found.kind == "not told apart"}
    parted = any(pair not in close for pair in combinations(halved, 2))
    return "tell" in kinds, bool(kinds) or parted, kinds | ({"a pair"} if parted else set())


def run(name: str, draw: Callable[[np.random.Generator], Evidence], repeats: int) -> bool:
    """Print the four shares over `repeats` files; return whether all of them meet the bar."""
    counted, kinds = np.zeros(4), Counter[str]()
    started = time.monotonic()
    for number in range(repeats):
        evidence = draw(np.random.default_rng([SEED, number, *name.encode()]))
        halved = [place for place, model in enumerate(evidence.models) if model.id.startswith("half")]
        study = Study(evidence, list(combinations(halved, 2)), only_wanted=True)
        pairs = study.comparisons
        own = bool(contrast_pair(study, *halved[:2]).tells)
        tell, parted, of = alarms(findings(evidence.results, evidence=evidence))
        counted += (np.mean([found.p < LEVEL for found in pairs.values()]), own, tell, parted)
        kinds.update(of)
    shares = counted / repeats
    told = ", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items())) or "none"
    meets = bool(shares.max() <= BAR)
    print(
        f"{name:8} {repeats:5} files: p < .05 {shares[0]:.3f}, a tell {shares[1]:.3f}, one in findings "
        f"{shares[2]:.3f}, any sentence {shares[3]:.3f}, "
        f"{'ok' if meets else 'above the bar'} ({told}; {time.monotonic() - started:.0f} s)",
        flush=True,
    )
    return meets


def main() -> int:
    """Run the cases asked for; 1 where one of them is above the bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--shared", type=Path, default=Path(__file__).parents[2] / "shared")
    parser.add_argument("--only", choices=("freeflow", "crowd", "swapped", "six"), action="append")
    asked = parser.parse_args()
    cases = asked.only or ["freeflow", "crowd", "swapped", "six"]
    meet = []
    if {"freeflow", "crowd"} & set(cases):
        path = asked.shared / "data" / "freeflow_all_models.derived.jsonl.gz"
        replies = gather_evidence(stylekl.load(path), StyleOptions(text=False))
        for name, others in (("freeflow", 0), ("crowd", 8)):
            if name in cases:
                meet.append(run(name, partial(halves, replies, others=others), asked.repeats))
    if {"swapped", "six"} & set(cases):
        paths = [asked.shared / "data" / "alpaca_eval" / f"{model}.json.gz" for model in MODELS]
        replies = gather_evidence(stylekl.load(*paths), StyleOptions(text=False))
        for name, models in (("swapped", 2), ("six", 6)):
            if name in cases:
                meet.append(run(name, partial(swapped, replies, models=models), asked.repeats))
    return 0 if all(meet) else 1


if __name__ == "__main__":
    raise SystemExit(main())
