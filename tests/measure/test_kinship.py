"""Kinship: nought for strangers, one for copies, and high for siblings."""

from __future__ import annotations

import json

import numpy as np
import pytest

from stylekl.measure.jackknife import jackknife
from stylekl.measure.kinship import kinship, likely_kin
from tests.measure.strategies import make_counts


def write(rng, model, prompt, habits, words=40):
    topic = np.random.default_rng(prompt).dirichlet(np.full(30, 0.3))
    p = 0.5 * topic + 0.5 * habits
    return (model, prompt, rng.choice(30, words, p=p / p.sum()).tolist())


def crowd(models=6, prompts=30, copy_of=None, kin=None):
    """Return replies of unrelated writers; model 1 may copy model 0, or take its departures for half its words."""
    rng = np.random.default_rng(5)
    replies = []
    for prompt in range(prompts):
        row = [write(rng, model, prompt, np.full(30, 1 / 30)) for model in range(models)]
        if copy_of is not None:
            row[1] = (1, prompt, row[copy_of][2])
        if kin is not None:
            row[1] = (1, prompt, row[kin][2][:20] + row[1][2][:20])
        replies += row
    replies.sort(key=lambda reply: reply[:2])
    return make_counts(replies, models=models, prompts=prompts, limit=30)


def plain_kappa(counts, a, b):
    """κ from its definition, prompt by prompt, without shortcuts."""
    values = []
    for prompt in range(counts.prompts):
        vectors = []
        for model in range(counts.models):
            rows = [
                r
                for r in range(counts.rows(model).start, counts.rows(model).stop)
                if counts.prompt[r] == prompt
            ]
            shares = np.zeros((len(rows), counts.limit))
            for i, r in enumerate(rows):
                entries = slice(counts.starts[r], counts.starts[r + 1])
                shares[i, counts.symbols[entries]] = counts.counts[entries] / counts.lengths[r]
            vectors.append(np.sqrt(shares.mean(axis=0)))
        centred = np.array(vectors) - np.mean(vectors, axis=0)
        cosine = centred[a] @ centred[b] / np.linalg.norm(centred[a]) / np.linalg.norm(centred[b])
        k = counts.models
        values.append((cosine + 1 / (k - 1)) * (k - 1) / k)
    return np.mean(values)


def test_kappa_is_its_definition():
    counts = crowd(models=5, prompts=7)
    found = kinship(counts, np.arange(7))

    for a, b in ((0, 1), (2, 4)):
        assert found.replicates[0, a, b] == pytest.approx(plain_kappa(counts, a, b), abs=1e-12)


def test_strangers_have_none_within_the_error():
    found = kinship(crowd(prompts=200), np.arange(200))
    result = jackknife(np.moveaxis(found.replicates, 0, -1), found.fractions)
    pairs = np.triu_indices(6, 1)

    assert np.abs(result.value[pairs] / result.se[pairs]).max() < 4
    assert np.abs(result.value[pairs]).max() < 0.05


def test_copies_have_all_and_siblings_much_of_it():
    copies, kin = kinship(crowd(copy_of=0), np.arange(30)), kinship(crowd(kin=0), np.arange(30))

    assert copies.replicates[0, 0, 1] == pytest.approx(1.0)
    assert 0.3 < kin.replicates[0, 0, 1] < 0.9
    assert likely_kin(float(kin.replicates[0, 0, 1]), 0.02, 6)


def test_it_is_symmetric():
    counts = crowd(models=4, prompts=9, kin=0)
    found = kinship(counts, np.arange(9)).replicates[0]

    assert found == pytest.approx(found.T)


def test_below_four_models_there_is_none():
    assert kinship(crowd(models=3), np.arange(30)) is None


def test_models_without_a_common_prompt_have_none():
    replies = [(m, p, [m, p, 5]) for m in range(8) for p in range(6) if (m < 4) == (p < 3)]
    counts = make_counts(replies, models=8, prompts=6, limit=8)

    assert np.isnan(kinship(counts, np.arange(6)).replicates[0, 0, 7])


def test_the_threshold_is_higher_in_large_files():
    assert likely_kin(0.15, 0.005, 22)
    assert not likely_kin(0.15, 0.005, 23)


def test_nearest_by_kinship_is_a_sibling_in_the_named_families(shared):
    """At least 95 % of the models whose lineage is known (74 real models)."""
    from stylekl.counts import count
    from stylekl.facets import facet
    from stylekl.facets.texts import Texts
    from stylekl.measure.units import prompt_ranks
    from stylekl.results import load, select

    selection = select(load(*sorted((shared / "data" / "alpaca_eval").glob("*.json.gz"))))
    model = {m.id: i for i, m in enumerate(selection.models)}
    prompt = {p.id: i for i, p in enumerate(selection.prompts)}
    places = [(model[r.model], prompt[r.prompt]) for r in selection.replies]
    table = count(
        Texts([r.text for r in selection.replies]),
        places,
        facet("tokens"),
        models=len(model),
        prompts=len(prompt),
    )
    kappa = kinship(table, prompt_ranks([p.text for p in selection.prompts])).replicates[0]
    np.fill_diagonal(kappa, -1)
    names = list(model)
    families = json.loads((shared / "data" / "alpaca_eval" / "lineage.json").read_text())["groups"].values()
    hits = [names[int(kappa[model[m]].argmax())] in family for family in families for m in family]

    assert len(hits) == 43
    assert np.mean(hits) >= 0.95
