"""Whose nearest neighbour is a sibling? Kinship and KL beside two usual measures, in one run.

    python bench/lineage.py LINEAGE.json FILE... [--files 4 8 16 40 74] [--draws 40]

LINEAGE.json holds {"groups": {name: [model, …]}, "distractors": [model, …]}. Prints the share of models in groups whose
nearest neighbour is a sibling, by kinship, KL and Jensen-Shannon, cosine Delta on the 5,000 most frequent words and
TF-IDF cosine (scikit-learn), and how often "likely kin" is called of siblings and of others in files of several sizes,
drawn at random from all models.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from itertools import combinations

import numpy as np

from stylekl.lenses.style import StyleOptions
from stylekl.lenses.style.evidence import Evidence, gather_evidence
from stylekl.lenses.style.study import Study
from stylekl.measure.jackknife import jackknife
from stylekl.measure.kinship import kinship, likely_kin
from stylekl.results import load

WORDS = 5000


def siblings(lineage: dict) -> dict[str, set[str]]:
    return {model: set(group) - {model} for group in lineage["groups"].values() for model in group}


def hits(distance: np.ndarray, names: list[str], kin: dict[str, set[str]]) -> tuple[int, int]:
    """Return how many models in groups have a sibling as the nearest, and how many there are."""
    nearest = np.where(np.eye(len(names), dtype=bool), np.inf, distance).argmin(axis=1)
    known = [place for place, name in enumerate(names) if name in kin]
    return sum(names[nearest[place]] in kin[names[place]] for place in known), len(known)


def divergences(study: Study, models: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return KL and Jensen-Shannon, corrected for bias, and the plug-in KL."""
    kl, js, raw = (np.zeros((models, models)) for _ in range(3))
    for (a, b), comparison in study.comparisons.items():
        fractions = comparison.units.fractions
        kl[a, b] = jackknife(comparison.kl_ab, fractions).value
        kl[b, a] = jackknife(comparison.kl_ba, fractions).value
        js[a, b] = js[b, a] = jackknife(comparison.js, fractions).value
        raw[a, b], raw[b, a] = comparison.kl_ab[0], comparison.kl_ba[0]
    return kl, js, raw


def by_model(evidence: Evidence) -> list[str]:
    texts: list[list[str]] = [[] for _ in evidence.models]
    for reply, text in zip(evidence.replies, evidence.texts, strict=True):
        texts[evidence.index[reply.model]].append(text)
    return ["\n".join(parts) for parts in texts]


def cosine_delta(texts: list[str]) -> np.ndarray:
    """Return 1 − cosine of z-scored relative frequencies of the most frequent words (Smith and Aldridge 2011)."""
    counts = [Counter(re.findall(r"\w+", text.lower())) for text in texts]
    words = [word for word, _ in sum(counts, Counter()).most_common(WORDS)]
    shares = np.array([[c[word] / c.total() for word in words] for c in counts])
    scores = (shares - shares.mean(axis=0)) / np.maximum(shares.std(axis=0), 1e-12)
    scores /= np.linalg.norm(scores, axis=1, keepdims=True)
    return 1 - scores @ scores.T


def tf_idf(texts: list[str]) -> np.ndarray | None:
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError:
        return None
    vectors = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
    return 1 - (vectors @ vectors.T).toarray()


def call_rates(evidence: Evidence, kin: dict[str, set[str]], size: int, draws: int) -> str:
    """Return how often siblings and others are called likely kin in files of `size` models drawn at random."""
    random = np.random.default_rng(size)
    names = [model.id for model in evidence.models]
    called = {True: [0, 0], False: [0, 0]}
    families = sorted({tuple(sorted({name, *kin[name]})) for name in kin})
    for _ in range(1 if size >= len(names) else draws):
        family = families[random.integers(len(families))]
        rest = random.permutation([name for name in names if name not in family]).tolist()
        chosen = sorted([*random.permutation(family).tolist()[:2], *rest][:size])
        rows = [evidence.index[name] for name in chosen]
        found = kinship(subset(evidence, rows), evidence.ranks)
        result = jackknife(np.moveaxis(found.replicates, 0, -1), found.fractions)
        for i, j in combinations(range(len(chosen)), 2):
            tally = called[chosen[j] in kin.get(chosen[i], ())]
            tally[0] += likely_kin(result.value[i, j], result.se[i, j], len(chosen))
            tally[1] += 1
    (true, siblings_), (false, others) = called[True], called[False]
    shares = (
        f"{true} of {siblings_} ({true / max(siblings_, 1):.0%})",
        f"{false} of {others} ({false / others:.2%})",
    )
    return f"| {size} | {shares[0]} | {shares[1]} |"


def subset(evidence: Evidence, rows: list[int]):
    """Return the counts of some models alone."""
    from dataclasses import replace

    counts = evidence.counts
    kept = np.concatenate([np.arange(counts.rows(m).start, counts.rows(m).stop) for m in rows])
    entries = np.concatenate([np.arange(counts.starts[r], counts.starts[r + 1]) for r in kept])
    sizes = np.diff(counts.starts)[kept]
    return replace(
        counts,
        symbols=counts.symbols[entries],
        counts=counts.counts[entries],
        starts=np.concatenate([[0], np.cumsum(sizes)]),
        lengths=counts.lengths[kept],
        model=np.searchsorted(rows, counts.model[kept]).astype(np.int32),
        prompt=counts.prompt[kept],
        sample=counts.sample[kept],
        models=len(rows),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lineage")
    parser.add_argument("results", nargs="+")
    parser.add_argument("--files", nargs="+", type=int, default=[4, 8, 16, 40, 74])
    parser.add_argument("--draws", type=int, default=40)
    options = parser.parse_args()
    with open(options.lineage, encoding="utf-8") as file:
        kin = siblings(json.load(file))
    evidence = gather_evidence(load(*options.results), StyleOptions())
    names = [model.id for model in evidence.models]
    study = Study(evidence)
    kl, js, raw = divergences(study, len(names))
    texts = by_model(evidence)
    measures = {"kinship": -study.kinship.replicates[0], "KL": kl, "KL, plug-in": raw}
    measures |= {"Jensen-Shannon": js}
    measures |= {"cosine Delta": cosine_delta(texts), "TF-IDF cosine": tf_idf(texts)}
    print("| nearest is a sibling, by | models | share |\n|:--|--:|--:|")
    for name, distance in measures.items():
        if distance is None:
            print(f"| {name} | scikit-learn is not installed | |")
            continue
        right, known = hits(distance, names, kin)
        print(f"| {name} | {right} of {known} | {right / known:.3f} |")
    print("\n| models in the file | siblings called | others called |\n|--:|--:|--:|")
    for size in options.files:
        print(call_rates(evidence, kin, size, options.draws))


if __name__ == "__main__":
    main()
