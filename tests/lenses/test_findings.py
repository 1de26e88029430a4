"""Findings: every sentence follows from its evidence, no order of the file matters, and nothing is found in nothing."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import stylekl
from stylekl.errors import UnknownModelError, UsageError
from stylekl.lenses.findings import said
from stylekl.lenses.style import StyleOptions, findings
from stylekl.lenses.style.claims import KINDS, MISSING
from stylekl.lenses.style.claims.contests import p_of
from stylekl.lenses.style.claims.distances import Difference
from stylekl.lenses.style.claims.ground import Ground
from stylekl.lenses.style.claims.prompts import prompt_p
from stylekl.lenses.style.claims.sides import sides_of_each
from stylekl.lenses.style.contrast import sides_of_focus
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.lenses.style.study import Study
from stylekl.lenses.words import PLAIN
from stylekl.measure.jackknife import jackknife
from stylekl.results import Model, Reply, load
from stylekl.results.default import sample_path
from stylekl.show.findings import findings_data
from stylekl.show.json import plain
from tests.lenses.make import APART, make_results
from tests.lenses.make import PLAIN as ALIKE

PLAIN_AGAIN = ("smollm2-plain", "smollm2-plain-again")


def copied(results, old="one", new="copy"):
    """Return the results with one more model whose replies are those of another, word for word."""
    results.models.append(Model(id=new))
    results.replies += [replace_model(reply, new) for reply in list(results.replies) if reply.model == old]
    return results


def replace_model(reply, model):
    return Reply(model=model, prompt=reply.prompt, text=reply.text, sample=reply.sample)


DATED = {
    "m@2026-01-05": ("delve", 0.0),
    "m@2026-02-05": ("delve", 0.1),
    "m@2026-03-05": ("delve", 0.1),
    "far": ("honestly", 0.3),
}
SPREAD = {"near": ("delve", 0.0), "nearer": ("delve", 0.3), "far": ("honestly", 0.7)}
FILES = {
    "sample": lambda: load(sample_path()),
    "two": lambda: make_results({"one": ("delve", 0.2), "two": ("honestly", 0.1)}),
    "alike": lambda: make_results(ALIKE, prompts=60),
    "samples": lambda: make_results({**ALIKE, "three": ("garden", 0.3)}, prompts=4, samples=10),
    "dated": lambda: make_results(DATED),
    "spread": lambda: make_results(SPREAD),
    "copies": lambda: copied(make_results(APART)),
    "single": lambda: make_results(APART, prompts=1),
    "apart": lambda: make_results(APART, prompts=7),
}


@cache
def report(name):
    return findings(FILES[name]())


def kinds(name):
    return {found.kind for found in report(name).findings}


@pytest.mark.parametrize("name", FILES)
def test_every_sentence_recomputes_from_its_own_evidence(name):
    """From the JSON alone: lead, text and why are made anew from the evidence, which bears each claim out."""
    document = json.loads(json.dumps(plain(findings_data(report(name)))))

    for found in document["findings"]:
        kind = KINDS[found["kind"]]
        assert kind.sentence(found["evidence"], PLAIN) == (found["lead"], found["text"])
        assert kind.check(found["evidence"]), found["text"]
        assert found["q"] is None or found["q"] == found["evidence"].get("q", found["q"])
    for lacking in document["not_supported"]:
        made = MISSING[lacking["kind"]].sentence(lacking["evidence"], PLAIN)
        assert made == (lacking["text"], lacking["why"])


def test_every_kind_of_sentence_is_made_by_some_file():
    """So that none of the other tests passes for want of sentences."""
    assert set().union(*map(kinds, FILES)) == set(KINDS)
    assert {lack.kind for name in FILES for lack in report(name).not_supported} == set(MISSING)


UNTRUE = {
    "apart": [{"greatest_q": 0.2}, {"apart": 0}, {"pairs": 2}],
    "closest pair": [{"q": 0.2}, {"t": 0.1}, {"js": {"value": 9.0}}],
    "farthest pair": [{"q": 0.2}, {"t": 0.1}, {"js": {"value": 0.0}}],
    "group": [{"q": 0.2}, {"t": 0.1}, {"within": 9.0}, {"nearer_by": -0.1}],
    "outlier": [{"q": 0.2}, {"t": 0.1}, {"distance": 0.0}],
    "tell": [{"q": 0.2}, {"prompts_more": 2}, {"lift": 0.5}, {"p": 0.1}],
    "habit": [{"q": 0.2}, {"t": 0.1}, {"share": 0.9}, {"part": 0.0}],
    "length": [{"q": 0.2}, {"t": 0.1}, {"low": 0.9}, {"ratio": 99.0}],
    "facet": [{"differ": []}, {"q": 0.2}, {"facets": []}],
    "drift": [{"q": 0.2}, {"dates": ["2026-02-05", "2026-01-05"]}],
    "kin": [{"models": 99}, {"kinship": {"value": 0.1, "se": 0.0}}],
    "copies": [{"copies": 0}],
    "not told apart": [{"q": 0.01}, {"js": {"value": 1.0, "upper": 0.5}}],
    "no prompt separates": [{"least_q": 0.01}, {"by_prompt": [{"prompt": "p0", "p": 0.01}]}],
}


@pytest.mark.parametrize(("kind", "lie"), [(kind, lie) for kind, lies in UNTRUE.items() for lie in lies])
def test_evidence_that_was_tampered_with_does_not_bear_the_claim_out(kind, lie):
    every = [each.evidence for name in FILES for each in report(name).findings if each.kind == kind]
    facts = next(each for each in every if lie.keys() <= each.keys() and each.get("lift", 1.0) is not None)

    assert KINDS[kind].check(facts)
    assert not KINDS[kind].check({**facts, **lie})


@pytest.mark.parametrize("name", ["sample", "samples", "dated"])
def test_the_order_of_the_file_does_not_matter(name):
    """Models and replies stand in another order, the replies of one model to one prompt in their own."""
    results = shuffled(FILES[name](), prompts=False)
    other = findings(results)

    assert other.findings == report(name).findings
    assert other.not_supported == report(name).not_supported


@pytest.mark.parametrize("name", ["sample", "samples", "dated"])
def test_the_order_of_the_prompts_changes_no_sentence(name):
    """What sums over prompts may differ in the last bits; no word does."""
    other = findings(shuffled(FILES[name](), prompts=True))

    assert [found.text for found in other.findings] == [found.text for found in report(name).findings]
    assert [(lack.text, lack.why) for lack in other.not_supported] == [
        (lack.text, lack.why) for lack in report(name).not_supported
    ]


def shuffled(results, *, prompts):
    """Return the results in another order."""
    shuffle = random.Random(4).shuffle
    shuffle(results.models)
    if prompts:
        shuffle(results.prompts)
    groups = {}
    for reply in results.replies:
        groups.setdefault((reply.model, reply.prompt), []).append(reply)
    together = list(groups.values())
    shuffle(together)
    results.replies[:] = [reply for group in together for reply in group]
    return results


def test_strongest_first():
    strengths = [found.strength for found in report("sample").findings]

    assert strengths == sorted(strengths, reverse=True)
    assert 0 <= strengths[-1] < strengths[0] <= 4


def test_models_leaves_the_sentences_that_speak_of_these_alone():
    """The q and the words of what is left are those of the whole file, whose hypotheses it counts."""
    whole, part = report("sample"), findings(FILES["sample"](), StyleOptions(models=PLAIN_AGAIN))
    kept = [found for found in whole.findings if set(found.models) <= set(PLAIN_AGAIN)]

    assert [found for found in part.findings if found.kind != "apart"] == kept
    assert {found.kind for found in kept} >= {"closest pair", "tell", "not told apart"}
    assert [model.id for model in part.models] == list(PLAIN_AGAIN)
    assert part.hypotheses == whole.hypotheses


def test_what_the_sample_was_made_to_show_is_found():
    """Two writers that differ in nothing but their seeds are the closest pair and not told apart; lists stand out."""
    found = {each.kind: each for each in reversed(report("sample").findings)}

    assert found["closest pair"].models == PLAIN_AGAIN
    assert found["not told apart"].models == PLAIN_AGAIN
    assert found["outlier"].models == ("smollm2-lists",)
    assert found["apart"].evidence["apart"] == 14


def test_the_favourite_words_of_two_writers_are_their_tells():
    tells = [found.evidence for found in report("two").findings if found.kind == "tell"]

    assert {(facts["model"], facts["symbol"]) for facts in tells[:2]} == {
        ("one", " delve"),
        ("two", " honestly"),
    }
    assert all(facts["lift"] is None and facts["count_less"] == 0 for facts in tells[:2])


def test_a_change_between_two_dates_is_drift_and_none_is_not():
    drifts = [found for found in report("dated").findings if found.kind == "drift"]

    assert [found.evidence["dates"] for found in drifts] == [["2026-01-05", "2026-02-05"]]
    assert "m changed between 2026-01-05 and 2026-02-05" in drifts[0].text


def test_models_that_give_the_same_replies_are_counted_not_tested():
    found = {each.kind: each for each in report("copies").findings if each.models == ("copy", "one")}

    assert found["copies"].evidence["copies"] == 40
    assert found["no prompt separates"].evidence["identical"]
    assert found["copies"].q is None
    assert found["no prompt separates"].q is None


def test_too_close_to_call_bounds_the_difference_and_claims_no_equality():
    found = next(each for each in report("alike").findings if each.kind == "not told apart")

    assert f"at most .00{round(1e4 * found.evidence['js']['upper'])}" in found.text
    assert "same" not in found.text
    assert found.q is None
    assert found.strength < 1.0


def test_few_prompts_say_that_they_speak_of_these_alone():
    assert "on these 4 prompts" in next(f.text for f in report("samples").findings if f.kind == "apart")
    assert any(lack.kind == "other prompts" for lack in report("samples").not_supported)


def test_in_two_models_without_a_difference_next_to_nothing_is_found():
    """At most 6 of 50 files: more come once in a hundred times at the level of .05."""
    options = StyleOptions(facets=False)
    alarms = 0
    for seed in range(50):
        made = findings(make_results(ALIKE, prompts=25, seed=seed), options)
        alarms += any(found.q is not None for found in made.findings)

    assert alarms <= 6


def test_a_prompt_separates_different_writers_and_equal_ones_as_often_as_chance_does():
    """Every prompt tells the third from the first; of 80 prompts between equals some 8 have p < .1."""
    apart, equal = [], []
    for seed in range(20):
        made = make_results({**ALIKE, "three": ("garden", 0.5)}, prompts=4, samples=10, seed=seed)
        ground = Ground(Study(gather_evidence(made, StyleOptions(facets=False))))
        apart += [each["p"] for each in prompt_p(ground, (0, 1))["by_prompt"]]
        equal += [each["p"] for each in prompt_p(ground, (0, 2))["by_prompt"]]

    assert max(apart) < 0.01
    assert 2 <= sum(p < 0.1 for p in equal) <= 15


@pytest.mark.parametrize("name", ["sample", "samples", "single"])
def test_the_sides_of_all_models_are_those_of_each(name):
    """The mean of the others as the sum less the model is the mean that `focus` takes, unit by unit."""
    study = Study(gather_evidence(FILES[name](), StyleOptions()))
    models = range(len(study.evidence.models))

    for model, sides in sides_of_each(study, models):
        alone = sides_of_focus(study, model, [other for other in models if other != model])
        if alone is None:
            assert sides is None
            continue
        assert (sides.units.group == alone.units.group).all()
        assert sides.units.fractions.tolist() == alone.units.fractions.tolist()
        for one, other in zip(sides.tables, alone.tables, strict=True):
            assert np.allclose(one, other, rtol=0, atol=1e-15)


def test_a_difference_on_the_same_prompts_is_the_jackknifed_one():
    ground = Ground(Study(gather_evidence(make_results(APART), StyleOptions())))
    comparisons = ground.study.comparisons
    found = ground.distances.difference([(0, 1)], [(0, 2)])
    known = jackknife(comparisons[0, 1].js - comparisons[0, 2].js, comparisons[0, 1].units.fractions)

    assert (found.value, found.se) == (float(known.value), float(known.se))


def test_a_difference_across_prompts_is_no_surer_than_its_parts_allow():
    """Between pairs on different prompts: the root of the sum of squares; the mean of several has no less than each."""
    ground = Ground(Study(gather_evidence(FILES["sample"](), StyleOptions())))
    distances = ground.distances
    (a, b), (c, d) = distances.nearest[0], distances.nearest[-1]
    errors = [distances.estimates[pair].se for pair in ((a, b), (c, d))]
    found = distances.difference([(c, d)], [(a, b)])

    assert found.se == pytest.approx(np.hypot(*errors))
    mean = distances.difference(distances.nearest[-2:], [])
    assert mean.se == pytest.approx(
        np.mean([distances.estimates[pair].se for pair in distances.nearest[-2:]])
    )


def test_a_winner_is_tested_two_sided_against_the_least_sure():
    """A t of 2.093 on 19 degrees has p = .05; behind or without an error it is 1."""
    assert p_of(Difference(2.093024, 1.0, 19)) == pytest.approx(0.05, abs=1e-6)
    assert p_of(Difference(-1.0, 1.0, 19)) == 1.0
    assert p_of(Difference(1.0, 0.0, 19)) == 1.0
    contest = Ground(Study(gather_evidence(make_results(APART), StyleOptions()))).closest

    assert contest.p == max(p_of(difference) for _, difference in contest.ranked)


def test_the_api_has_the_fourth_verb():
    assert stylekl.findings is findings


def test_sentences_say_what_the_voice_says():
    found = next(each for each in report("two").findings if each.kind == "tell")
    loud = replace(PLAIN, name=str.upper, symbol=lambda text: f"<{text}>")

    assert f"uses <{found.evidence['symbol']}>" in said(found, loud)[1]
    assert found.models[0].upper() in said(found, loud)[1]


def test_a_name_that_is_not_in_the_file_is_an_error():
    with pytest.raises(UnknownModelError):
        findings(make_results(APART), StyleOptions(models=("four",)))


def test_one_model_alone_is_an_error():
    with pytest.raises(UsageError):
        findings(make_results({"one": ("delve", 0.1)}))
