"""The four properties of the style lens: it adds up, it agrees with itself, it is paired, it admits ignorance."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace

import pytest

from stylekl.cli.settings import configurable
from stylekl.errors import UnknownModelError, UsageError
from stylekl.lenses.style import StyleOptions, focus, matrix, pair
from stylekl.lenses.style.evidence import gather_evidence, vocabulary_document
from stylekl.lenses.style.study import Study
from stylekl.measure.divergence import SKEW, contributions
from stylekl.measure.vocabulary import THRESHOLD
from stylekl.results import Model, Reply, load
from stylekl.results.default import sample_path
from stylekl.results.store import Places
from tests.lenses.make import APART, PLAIN, make_results


def only(results, **options):
    return matrix(results, StyleOptions(**options)).pairs[0]


def test_different_writers_are_apart_and_the_favourite_word_is_the_first_tell():
    report = pair(make_results(APART), "one", "two")

    assert report.style.pair.call == "apart"
    first = {side: next(t for t in report.style.tells if t.more == side) for side in ("one", "two")}
    assert first["one"].symbol == " delve"
    assert first["two"].symbol == " honestly"


def test_a_word_that_one_side_never_uses_has_no_lift_and_its_counts():
    report = pair(make_results(APART), "one", "two")
    tell = next(tell for tell in report.style.tells if tell.symbol == " delve")

    assert (tell.lift, tell.count_b, tell.prompts_b) == (None, 0, 0)
    assert tell.count_a > 100


def test_lift_is_the_ratio_of_the_rates_with_the_true_one_inside():
    """The writer "three" favours the word a fifth as often as "one"."""
    report = pair(make_results(APART, prompts=200), "one", "three")
    tell = next(tell for tell in report.style.tells if tell.symbol == " delve")

    assert tell.low < 5 < tell.high
    assert tell.low < tell.lift < tell.high


def test_examples_hold_the_symbol_where_the_span_says():
    report = pair(make_results(APART), "one", "two")

    for tell in report.style.tells:
        start, end = tell.span
        assert tell.example[start:end] == tell.symbol


def test_no_text_means_no_example():
    report = pair(make_results(APART), "one", "two", StyleOptions(text=False))

    assert all(tell.example is None and tell.span is None for tell in report.style.tells)


def test_the_same_writer_twice_is_too_close_to_call():
    found = only(make_results(PLAIN, prompts=60))

    assert found.call == "too close to call"
    assert found.kl_ab.low < 0 < found.kl_ab.high
    assert found.kl_ab.raw > found.kl_ab.value


def test_identical_writers_are_nought_apart_with_p_one():
    results = make_results({"one": ("delve", 0.1)})
    results.models.append(Model(id="copy"))
    results.replies += [Reply(model="copy", prompt=r.prompt, text=r.text) for r in list(results.replies)]
    found = only(results)

    assert (found.kl_ab.raw, found.p, found.copies) == (pytest.approx(0, abs=1e-12), 1.0, 40)


def test_class_totals_add_up_to_the_divergence_in_both_directions():
    report = pair(make_results(APART), "one", "two")

    assert math.fsum(total.bits_ab for total in report.style.classes) == pytest.approx(
        report.style.pair.kl_ab.value, abs=1e-12
    )
    assert math.fsum(total.bits_ba for total in report.style.classes) == pytest.approx(
        report.style.pair.kl_ba.value, abs=1e-12
    )


def test_matrix_pair_and_focus_give_the_same_numbers():
    results = make_results(APART)
    in_matrix = {(p.a, p.b): p for p in matrix(results, StyleOptions(floor=True)).pairs}
    in_pair = pair(results, "one", "two").style.pair
    in_focus = next(n for n in focus(results, "one").style.neighbours if n.model == "two")

    assert in_pair == in_matrix["one", "two"]
    assert (in_focus.kl, in_focus.js, in_focus.p, in_focus.q, in_focus.floor, in_focus.call) == (
        in_pair.kl_ab,
        in_pair.js,
        in_pair.p,
        in_pair.q,
        in_pair.floor,
        in_pair.call,
    )


def test_swapping_a_and_b_swaps_the_directions_and_nothing_else():
    results = make_results(APART)
    there, back = pair(results, "one", "two"), pair(results, "two", "one")

    swapped = replace(
        back.style.pair,
        a="one",
        b="two",
        kl_ab=back.style.pair.kl_ba,
        kl_ba=back.style.pair.kl_ab,
        length_ratio=there.style.pair.length_ratio,
    )
    assert swapped == there.style.pair
    assert {(t.symbol, t.more, t.bits) for t in there.style.tells} == {
        (t.symbol, t.more, t.bits) for t in back.style.tells
    }


def test_order_of_models_prompts_and_replies_in_the_file_does_not_matter():
    results = make_results(APART)
    before = matrix(results)
    random_ = random.Random(1)
    for records in (results.models, results.prompts, results.replies):
        random_.shuffle(records)
    results.places = Places()
    after = matrix(results)

    assert after.order == before.order
    for one, other in zip(before.pairs, after.pairs, strict=True):
        assert (other.p, other.call) == (one.p, one.call)
        assert other.kl_ab.value == pytest.approx(one.kl_ab.value, abs=1e-12)


@pytest.fixture
def vocabulary(tmp_path):
    """Return the path of a small vocabulary, so that a file's own does not come between two files."""
    path = tmp_path / "vocabulary.json"
    symbols = [" delve", " honestly", " the", " a", " of", " river", "."]
    path.write_text(json.dumps({"facet": "tokens", "symbols": symbols}), encoding="utf-8")
    return str(path)


def first(results, **options):
    return next(p for p in matrix(results, StyleOptions(**options)).pairs if (p.a, p.b) == ("one", "two"))


def test_pairs_are_compared_on_the_prompts_that_both_answered(vocabulary):
    """Dropping a prompt from one model gives the numbers of a file in which neither answered it."""
    results, without = make_results(APART), make_results(APART)
    results.replies = [r for r in results.replies if (r.model, r.prompt) != ("two", "p7")]
    without.replies = [r for r in without.replies if r.prompt != "p7"]

    there, back = first(results, vocabulary=vocabulary), first(without, vocabulary=vocabulary)
    assert there.prompts == 39
    assert (there.kl_ab.raw, there.kl_ab.se, there.p) == pytest.approx(
        (back.kl_ab.raw, back.kl_ab.se, back.p), abs=1e-12
    )


def test_a_repeated_sample_changes_no_divergence(vocabulary):
    """Each prompt counts once however often it was answered."""
    results, twice = make_results(APART), make_results(APART)
    twice.replies = [
        Reply(model=r.model, prompt=r.prompt, text=r.text, sample=sample)
        for r in twice.replies
        for sample in ((1, 2, 3) if r.model == "one" else (1,))
    ]

    there, back = first(twice, vocabulary=vocabulary).kl_ab, first(results, vocabulary=vocabulary).kl_ab
    assert (there.raw, there.value, there.se) == pytest.approx((back.raw, back.value, back.se), abs=1e-12)


def test_another_model_changes_no_number_of_a_pair_under_a_given_vocabulary(vocabulary):
    two = {name: APART[name] for name in ("one", "two")}
    small = first(make_results(two), vocabulary=vocabulary)
    large = first(make_results(APART), vocabulary=vocabulary)

    assert (large.kl_ab, large.kl_ba, large.js, large.p) == (small.kl_ab, small.kl_ba, small.js, small.p)


def test_the_models_shown_change_no_number():
    results = make_results(APART)
    shown = matrix(results, StyleOptions(models=("one", "three")))

    assert [m.id for m in shown.models] == ["one", "three"]
    assert shown.pairs[0] == next(p for p in matrix(results).pairs if (p.a, p.b) == ("one", "three"))


def test_a_saved_vocabulary_gives_the_same_numbers(tmp_path):
    results = make_results(APART)
    path = tmp_path / "saved.json"
    path.write_text(vocabulary_document(gather_evidence(results, StyleOptions())), encoding="utf-8")

    again = matrix(results, StyleOptions(vocabulary=str(path)))

    assert again.pairs == matrix(results).pairs
    assert again.vocabulary.source == str(path)


def test_below_six_prompts_nothing_can_be_said():
    found = only(make_results(PLAIN, prompts=5))

    assert (found.call, found.p, found.q) == ("cannot say", None, None)


def test_below_ten_prompts_the_unit_is_the_reply_and_the_error_over_prompts_stands_beside_it():
    results = make_results({"one": ("delve", 0.2), "two": ("honestly", 0.2)}, prompts=5, samples=10)
    report = matrix(results)
    found = report.pairs[0]

    assert (found.unit, found.units, found.prompts, found.call) == ("reply", 50, 5, "apart")
    assert found.se_prompts > 0
    assert any("5 prompts only" in warning for warning in report.warnings)


def test_models_without_a_common_prompt_are_null_with_the_reason():
    results = make_results(APART)
    results.replies = [
        r for r in results.replies if (r.model == "two") == (int(r.prompt[1:]) < 20) or r.model == "three"
    ]
    report = matrix(results)
    found = next(p for p in report.pairs if (p.a, p.b) == ("one", "two"))

    assert (found.kl_ab, found.js, found.call, found.undefined) == (
        None,
        None,
        "cannot say",
        "no prompt in common",
    )
    neighbour = focus(results, "one").style.neighbours[-1]
    assert (neighbour.model, neighbour.rank, neighbour.undefined) == ("two", None, "no prompt in common")
    assert pair(results, "one", "two").style.tells == ()


def test_a_model_without_replies_stays_listed():
    results = make_results(APART)
    results.models.append(Model(id="silent"))
    report = matrix(results)

    assert {m.id: m.replies for m in report.models}["silent"] == 0
    assert "silent" in report.order


def test_one_model_alone_is_refused_with_what_was_left_out():
    results = make_results({"one": ("delve", 0.1)})
    with pytest.raises(UsageError, match="1 of 1"):
        matrix(results)


def test_names_are_found_and_near_misses_suggested():
    results = make_results(APART)

    assert pair(results, "ONE", "tw").b.id == "two"
    with pytest.raises(UnknownModelError, match="thre_"):
        pair(results, "one", "thre_")
    with pytest.raises(UsageError, match="same model"):
        pair(results, "one", "One")


def test_plain_leaves_nothing_of_markdown():
    """Two writers who differ in bold alone are apart, and too close to call once layout is removed."""
    results = make_results(PLAIN, prompts=60)
    for reply in results.replies:
        if reply.model == "one":
            reply.text = "**" + reply.text.replace(" the ", " **the** ") + "**"

    assert only(results).call == "apart"
    assert only(results, plain=True).call == "too close to call"


def test_neighbours_are_ranked_by_divergence_with_ranges_around_the_rank():
    report = focus(make_results(APART, prompts=80), "one")
    neighbours = report.style.neighbours

    assert [(n.model, n.rank) for n in neighbours] == [("three", 1), ("two", 2)]
    assert all(n.rank_low <= n.rank <= n.rank_high for n in neighbours)
    assert neighbours[0].rank_high == 1


def test_focus_compares_with_the_mean_of_the_others():
    report = focus(make_results(APART), "two")

    assert next(t.symbol for t in report.style.tells if t.more == "two") == " honestly"
    assert next(t for t in report.style.tells if t.more == "others").symbol == " delve"
    assert math.fsum(total.bits_ab for total in report.style.classes) == pytest.approx(
        report.style.against_others.value, abs=1e-12
    )


def test_a_seed_makes_the_floor_the_same_and_another_seed_nearly():
    results = make_results(PLAIN, prompts=60)
    floors = [pair(results, "one", "two", StyleOptions(seed=seed)).style.pair.floor for seed in (1, 1, 2)]

    assert floors[0] == floors[1]
    assert floors[2] == pytest.approx(floors[0], rel=0.2)


def test_the_sample_that_ships_has_one_pair_too_close_to_call_and_fourteen_apart():
    report = matrix(load(sample_path()))
    close = [(p.a, p.b) for p in report.pairs if p.call != "apart"]

    assert close == [("smollm2-plain", "smollm2-plain-again")]
    assert len(report.pairs) == 15


def test_raw_contributions_add_up_to_the_raw_divergence():
    results = make_results(APART)
    evidence = gather_evidence(results, StyleOptions())
    study = Study(evidence)
    tables = study.paired(0, 1, study.comparisons[0, 1].units)
    p, q = (table.sum(axis=0) for table in tables)

    assert contributions(p, q).sum() == pytest.approx(float(study.comparisons[0, 1].kl_ab[0]), abs=1e-12)


def test_kinship_needs_four_models_and_says_so():
    found = only(make_results(PLAIN))

    assert (found.kinship, found.likely_kin) == (None, None)
    assert "4 models" in found.kinship_undefined


def test_a_copy_is_likely_kin_and_the_first_neighbour_by_kinship():
    writers = {
        name: (word, 0.1)
        for name, word in zip("abcde", ["delve", "honestly", "very", "indeed", "so"], strict=True)
    }
    results = make_results(writers)
    results.models.append(Model(id="copy"))
    results.replies += [Reply(model="copy", prompt=r.prompt, text=r.text) for r in list(results.replies)[:40]]
    report = matrix(results, StyleOptions(measure="kinship"))
    neighbours = focus(results, "a", StyleOptions(rank="kinship")).style.neighbours

    assert [(p.a, p.b) for p in report.pairs if p.likely_kin] == [("a", "copy")]
    assert abs(report.order.index("a") - report.order.index("copy")) == 1
    assert (neighbours[0].model, neighbours[0].rank_high) == ("copy", 1)
    assert neighbours[0].kinship.value == pytest.approx(1.0)


def test_symbols_folded_for_unlike_lengths_are_no_candidates():
    """Where replies differ over threefold in length, only the symbols left in the comparison are tested."""
    results = make_results(APART, prompts=60)
    for reply in results.replies:
        if reply.model == "two":
            reply.text = " ".join(reply.text.split()[:9])
    report = pair(results, "one", "two")
    study = Study(gather_evidence(results, StyleOptions()))
    comparison = study.comparisons[0, 2]

    assert report.style.pair.length_rule
    assert 0 < comparison.kept.sum() < len(comparison.kept)
    assert report.style.candidates <= comparison.kept.sum()


def test_defaults_of_the_options_are_those_of_the_measures_and_of_the_command_line():
    options, settings = StyleOptions(), configurable()

    assert (options.threshold, options.skew) == (THRESHOLD, SKEW)
    for name in ("threshold", "skew", "facet", "plain", "seed", "rank"):
        assert settings[name] == getattr(options, name)


@pytest.mark.parametrize(("prompts", "added"), [(40, True), (8, False)])
def test_replies_added_up_by_prompt_give_the_same_matrix(prompts, added):
    """To the last bit; where a pair looks at single replies nothing is added up."""
    results = make_results(APART | {"four": ("delve", 0.1)}, prompts=prompts, samples=2)
    evidence = gather_evidence(results, StyleOptions())
    together = evidence.by_prompt()

    assert (together.counts.replies is not None) == added
    assert (together is evidence) != added
    assert matrix(results, evidence=together) == matrix(results, evidence=evidence)
