"""Tells: phrases and words compete, rare and prompted words stay out, every line of evidence is kept."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from stylekl.errors import UnknownChoiceError, UsageError
from stylekl.facets import FACETS
from stylekl.facets.tokens import encoding
from stylekl.lenses.style import StyleOptions, focus, matrix, pair
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.lenses.style.study import Study
from stylekl.results import Model, Prompt, Reply, Results, load
from tests.lenses.make import APART, POOL, make_results


def write(phrase: str, chance: float, words: int, random_: random.Random) -> str:
    """Return a reply in which `phrase` stands in a sentence of its own with the chance given."""
    text = " ".join(random_.choice(POOL) for _ in range(words)) + "."
    return f"{text} {phrase} {random_.choice(POOL)}." if random_.random() < chance else text


def results_with(
    phrases: dict[str, tuple[str, float]], *, prompts: int = 80, prompt_text: str = "Prompt"
) -> Results:
    random_ = random.Random(5)
    results = Results(
        models=[Model(id=name) for name in phrases],
        prompts=[Prompt(id=f"p{i}", text=f"{prompt_text} {i}.") for i in range(prompts)],
    )
    for name, (phrase, chance) in phrases.items():
        for i in range(prompts):
            results.replies.append(Reply(model=name, prompt=f"p{i}", text=write(phrase, chance, 30, random_)))
    return results


HABIT = {"one": ("the river of the engine that you bread", 0.6), "two": ("", 0.0)}


def test_a_phrase_replaces_the_words_it_is_made_of():
    report = pair(results_with(HABIT), "one", "two")
    own = [tell for tell in report.style.tells if tell.more == "one"]

    assert own[0].facet == "phrases"
    assert len(own[0].symbol.split()) >= 3
    words = set(own[0].symbol.split())
    assert not [tell.symbol for tell in own[1:] if tell.symbol.strip() in words]


def test_the_counts_of_a_model_and_of_the_others_are_those_of_their_replies():
    """Asked of one model after the other, as a page does."""
    results = results_with(HABIT | {"three": ("of the grain", 0.5), "four": ("", 0.0)}, prompts=40)
    evidence = gather_evidence(results, StyleOptions())
    study = Study(evidence)
    said = {model.id: Counter() for model in results.models}
    for reply in results.replies:
        said[reply.model].update(encoding().encode(reply.text))
    compared = 0
    for name in said:
        for tell in focus(results, name, evidence=evidence, study=study).style.tells:
            if tell.facet == "tokens":
                (token,) = encoding().encode(tell.symbol)
                assert tell.count_a == said[name][token]
                assert tell.count_b == sum(said[other][token] for other in said if other != name)
                compared += 1
    assert compared > 3


def test_without_the_facets_only_tokens_are_tells():
    report = pair(results_with(HABIT), "one", "two", StyleOptions(facets=False))

    assert {tell.facet for tell in report.style.tells} == {"tokens"}
    assert report.style.facets == ()


def test_a_word_that_says_more_than_its_phrases_stays():
    """The favourite word stands beside anything, so no phrase with it carries what it carries."""
    report = pair(make_results(APART), "one", "two")
    first = {side: next(t for t in report.style.tells if t.more == side) for side in ("one", "two")}

    assert first["one"].symbol == " delve"
    assert first["two"].symbol == " honestly"


def test_a_word_that_its_prompts_hold_is_no_tell():
    said = {"one": ("mirror", 0.9), "two": ("", 0.0)}
    free = pair(results_with(said), "one", "two")
    prompted = pair(results_with(said, prompt_text="Tell of a mirror"), "one", "two")

    assert any("mirror" in tell.symbol for tell in free.style.tells)
    assert not any("mirror" in tell.symbol for tell in prompted.style.tells)


def test_a_tell_stands_in_replies_to_three_prompts_at_least():
    """A name that one model uses in all its replies to two prompts is no habit."""
    results = make_results({"one": ("delve", 0.0), "two": ("delve", 0.0)}, prompts=8, samples=10, seed=3)
    for reply in results.replies:
        if reply.model == "one" and reply.prompt in ("p1", "p2"):
            reply.text = reply.text.replace(" the ", " Elara ")
    report = pair(results, "one", "two")

    assert not any("Elara" in tell.symbol or "elara" in tell.symbol for tell in report.style.tells)


def test_classes_narrow_the_tells_and_nothing_else():
    results = make_results(APART)
    whole, some = (
        pair(results, "one", "two", StyleOptions(classes=names)) for names in ((), ("content words",))
    )

    assert {tell.kind for tell in some.style.tells} == {"content words"}
    assert some.style.candidates == whole.style.candidates
    assert some.style.classes == whole.style.classes


def test_an_unknown_class_is_refused_with_the_known_ones():
    with pytest.raises(UnknownChoiceError, match="verbs"):
        pair(make_results(APART), "one", "two", StyleOptions(classes=("verbs",)))


def test_both_sides_are_quoted_and_the_contexts_come_from_different_prompts():
    report = pair(make_results(APART), "one", "three")
    tell = next(tell for tell in report.style.tells if tell.symbol == " delve")
    low, high = tell.span_other

    assert tell.example_other[low:high] == " delve"
    assert [context.model for context in tell.contexts] == ["one"] * 3 + ["three"]
    assert len({context.prompt for context in tell.contexts if context.model == "one"}) == 3
    assert all(context.text[context.start : context.end] == " delve" for context in tell.contexts)


def test_pair_and_focus_have_a_line_for_every_facet():
    results = make_results(APART)
    lines = pair(results, "one", "two").style.facets

    assert [line.facet for line in lines] == list(FACETS)
    assert [line.facet for line in focus(results, "one").style.facets] == list(FACETS)
    words = next(line for line in lines if line.facet == "words")
    assert words.call == "apart"
    assert words.kl_ab.low > 0


@pytest.mark.parametrize("name", [name for name in FACETS if name != "layout"])
def test_the_line_of_a_facet_is_what_the_facet_alone_gives(name):
    results = make_results(APART)
    line = next(line for line in pair(results, "one", "two").style.facets if line.facet == name)
    alone = pair(results, "one", "two", StyleOptions(facet=name))

    assert line.kl_ab == alone.style.pair.kl_ab
    assert line.kl_ba == alone.style.pair.kl_ba
    assert (line.floor, line.p) == (alone.style.pair.floor, alone.style.pair.p)


@pytest.mark.parametrize("name", FACETS)
def test_class_totals_of_every_facet_add_up_to_its_divergence(name):
    report = pair(make_results(APART), "one", "two", StyleOptions(facet=name))

    if report.style.pair.kl_ab is not None:
        assert sum(total.bits_ab for total in report.style.classes) == pytest.approx(
            report.style.pair.kl_ab.value, abs=1e-12
        )


@pytest.mark.parametrize("name", FACETS)
def test_every_facet_draws_a_matrix(name):
    report = matrix(make_results(APART), StyleOptions(facet=name))

    assert report.unit.startswith("bits per ")
    assert report.vocabulary.facet == name


def test_kinship_is_of_tokens_alone():
    with pytest.raises(UsageError, match="calibrated on tokens"):
        matrix(make_results(APART), StyleOptions(facet="words", measure="kinship"))
    pair_ = matrix(make_results(APART), StyleOptions(facet="words")).pairs[0]
    assert (pair_.kinship, pair_.kinship_undefined) == (None, "kinship is calibrated on tokens alone")


def test_reasoning_is_removed_and_counted_unless_it_is_kept():
    results = make_results(APART)
    for reply in results.replies:
        if reply.model == "one":
            reply.text = f"<think>let me see</think>\n\n{reply.text}"
    plain = make_results(APART)
    removed, kept = matrix(results), matrix(results, StyleOptions(keep_thinking=True))

    assert removed.models[0].removed == {"leading white space": 40, "reasoning": 40} or removed.models[
        0
    ].removed == {"reasoning": 40}
    assert removed.pairs == matrix(plain).pairs
    assert kept.models[0].removed == {}
    assert kept.pairs != removed.pairs


def test_a_reply_that_is_only_reasoning_is_left_out():
    results = make_results(APART)
    results.replies[0].text = "<think>I never came to an end"
    report = matrix(results)

    assert next(model for model in report.models if model.id == "one").left_out == {"only reasoning": 1}


def test_matched_lengths_are_compared_and_said():
    results = make_results(APART)
    for reply in results.replies:
        if reply.model == "two":
            reply.text = " ".join([reply.text] * 5)
    report = matrix(results, StyleOptions(match_length=True))
    symbols = {model.id: model.symbols for model in report.models}

    assert symbols["two"] < 1.1 * symbols["one"]
    assert any("cut to a common length" in warning for warning in report.warnings)


def test_no_tell_of_the_free_writing_file_is_a_name_of_a_story(shared):
    """Each model against another alone, where a name that one of them likes could pass for a habit."""
    names = {
        "elara",
        "mara",
        "elias",
        "thorne",
        "lena",
        "eleanor",
        "clara",
        "theo",
        "marcus",
        "sarah",
        "maya",
        "lila",
    }
    results = load(shared / "data" / "freeflow_all_models.derived.jsonl.gz")
    chosen = [model.id for model in results.models][::6]
    found = set()
    for a, b in itertools.pairwise(chosen):
        two = Results(
            models=[model for model in results.models if model.id in (a, b)],
            prompts=results.prompts,
            replies=[reply for reply in results.replies if reply.model in (a, b)],
        )
        evidence = gather_evidence(two, StyleOptions(text=False, tells=1000))
        for tell in pair(two, a, b, evidence=evidence).style.tells:
            found |= {word for word in tell.symbol.lower().split() if word in names}

    assert found == set()
