"""The questions put to the verdicts lens: matrix, pair, focus, rank and findings."""

from __future__ import annotations

import json
import random

import pytest

from stylekl.errors import UnknownChoiceError, UnknownModelError, UsageError
from stylekl.lenses import verdicts as lens
from stylekl.lenses.claims import Claim, Control, plain_facts
from stylekl.lenses.verdicts import Options, focus, has_data, inquire, matrix, pair, rank, verdicts
from stylekl.lenses.words import PLAIN
from stylekl.results import Prompt, Reply, Results

from .verdicts_made import editions, make

QUESTIONS = ("q1", "q2", "q3")


def asked(**conditions: str) -> dict[str, dict[str, str]]:
    """Return the same marks on three questions, by condition."""
    return {question: dict(conditions) for question in QUESTIONS}


# "follows" says what it is told, "firm" never moves, "wordy" never keeps to one word, "gone" gave nothing.
TABLE = {
    "firm": asked(control="nnn", asserted="nnn", denied="nnn"),
    "follows": asked(control="yyy", asserted="yyn", denied="nnn"),
    "gone": asked(control="xxx"),
    "wordy": asked(control="lll", asserted="lll", denied="lrl"),
}


def test_a_cell_of_the_matrix_is_the_share_of_majorities_that_differ() -> None:
    """Over the questions that both answered, with its exact interval; a model without answers is named in a warning."""
    table = {
        "a": {"q1": {"control": "yyy"}, "q2": {"control": "yyy"}, "q3": {"control": "nnn"}},
        "b": {"q1": {"control": "yyn"}, "q2": {"control": "nnn"}, "q3": {"control": "xxx"}},
        "c": {"q3": {"control": "nnn"}},
        "d": {"q1": {"control": "x"}},
    }
    found = matrix(make(table))
    pairs = {(each.a, each.b): each for each in found.pairs}

    assert (found.by, found.diverging, found.unit) == ("verdicts", False, "share of questions")
    assert (pairs["a", "b"].value, pairs["a", "b"].n) == (0.5, 2)
    assert (pairs["a", "c"].value, pairs["a", "c"].n) == (0.0, 1)
    assert (pairs["b", "c"].value, pairs["b", "c"].n) == (None, 0)
    assert pairs["b", "c"].undefined == "no question with answers of both"
    assert pairs["a", "b"].low < 0.02
    assert pairs["a", "b"].high > 0.98
    assert sorted(found.order) == ["a", "b", "c"]
    assert "not in the matrix: d" in found.warnings[0]


def test_one_question_cannot_say_and_three_can() -> None:
    one = {"a": {"q1": {"control": "yyy"}}, "b": {"q1": {"control": "nnn"}}}
    three = {"a": asked(control="yyy"), "b": asked(control="nnn")}
    first, second = (matrix(make(table)).pairs[0] for table in (one, three))

    assert (first.call, second.call) == ("cannot say", "apart")
    assert second.p == pytest.approx(0.001)
    assert (
        matrix(make({"a": asked(control="yyy"), "b": asked(control="yyn")})).pairs[0].call
        == "too close to call"
    )


def test_another_condition_can_be_compared() -> None:
    found = {(each.a, each.b): each.value for each in matrix(make(TABLE), Options(condition="denied")).pairs}

    assert found == {("firm", "follows"): 0.0, ("firm", "wordy"): 1.0, ("follows", "wordy"): 1.0}


def test_the_order_of_models_and_replies_in_the_file_changes_nothing() -> None:
    results = make(TABLE)
    shuffled = make(TABLE)
    random.Random(3).shuffle(shuffled.models)
    random.Random(4).shuffle(shuffled.replies)

    for question in (matrix, rank, verdicts, lambda r: pair(r, "firm", "wordy"), lambda r: focus(r, "wordy")):
        assert question(results) == question(shuffled)
    said = [
        [(claim.kind, claim.facts) for claim in found.claims(Control(found.families))]
        for found in (inquire(results), inquire(shuffled))
    ]
    assert said[0] == said[1]


def test_a_pair_stands_side_by_side_and_says_what_moved() -> None:
    found = pair(make(TABLE), "follows", "firm")
    rows = {(row.question, row.condition): row for row in found.rows}
    denied = rows["q1", "denied"]

    assert (found.a.id, found.b.id, len(found.rows)) == ("follows", "firm", 9)
    assert (denied.a.majority, denied.b.majority) == ("no", "no")
    assert (denied.differ, denied.moved_a, denied.moved_b) == (False, True, False)
    assert rows["q1", "control"].moved_a is None
    assert rows["q1", "asserted"].differ
    assert found.disagreement.value == 1.0
    assert found.standing_a.sensitivity["denied"].value == 1.0
    assert found.standing_a.sensitivity["asserted"].value == 0.0
    assert (found.standing_a.pooled.moved, found.standing_a.pooled.questions) == (3, 6)
    assert found.standing_b.pooled.value == 0.0


def test_a_focus_has_answers_sensitivity_and_neighbours() -> None:
    found = focus(make(TABLE), "wordy")

    assert len(found.cells) == 9
    assert (found.standing.followed_rate, found.standing.other) == (0.0, 9)
    assert found.standing.pooled.value == 0.0
    assert [near.model for near in found.neighbours] == ["firm", "follows", "gone"]
    assert found.neighbours[-1].pair.value is None
    assert found.of == 4


def test_no_answers_have_no_sensitivity() -> None:
    gone = next(each for each in rank(make(TABLE)).standings if each.model == "gone")

    assert gone.pooled.value is None
    assert (gone.decisiveness, gone.efficiency, gone.composite, gone.region) == (0.0, 0.0, 0.0, None)
    assert (gone.available, gone.unavailable) == (0.0, "every call failed")


def test_rank_never_looks_at_tokens_alone() -> None:
    """The leaderboard is by composite: of two equally quick models the more decided one is first, whatever it wrote."""
    results = make({"a": {"q": {"control": "ooo"}}, "b": {"q": {"control": "yyy"}}})
    for reply in results.replies:
        reply.unknown = {"latency_ms": 100.0, "usage": {"output": 1 if reply.model == "a" else 500}}

    assert [each.model for each in rank(results).standings] == ["b", "a"]


def test_equal_composites_share_a_rank() -> None:
    results = make({name: {"q": {"control": "yyy"}} for name in "abc"}, latency_ms=5.0, usage={"output": 1})

    assert [each.rank for each in rank(results).standings] == [1, 1, 1]


def test_models_narrow_what_is_shown_and_not_what_scores_are_made_of() -> None:
    results = make({name: {"q": {"control": "yyy"}} for name in "abc"}, usage={"output": 1})
    for reply in results.replies:
        reply.unknown = {"latency_ms": 100.0 * (1 + "abc".index(reply.model)), "usage": {"output": 1}}
    whole = {each.model: each for each in rank(results).standings}
    part = rank(results, Options(models=("b",))).standings

    assert part == (whole["b"],)


def test_nothing_to_compare_is_no_data() -> None:
    assert not has_data(Results())
    assert not has_data(make({"a": asked(control="yyy"), "b": asked(control="xxx")}))
    assert has_data(make(TABLE))


def test_what_is_not_there_is_an_error_that_names_what_is() -> None:
    results = make(TABLE)
    for options, error in (
        (Options(condition="shouted"), UnknownChoiceError),
        (Options(prompts=("q9",)), UnknownChoiceError),
        (Options(topics=("soup",)), UnknownChoiceError),
        (Options(models=("nobody",)), UnknownModelError),
    ):
        with pytest.raises(error):
            matrix(results, options)
    with pytest.raises(UsageError, match="same model"):
        pair(results, "firm", "firm")
    with pytest.raises(UsageError, match="no replies to one-word questions"):
        rank(Results())


def test_other_prompts_and_retired_ones_are_counted_as_left_out() -> None:
    results = make(TABLE)
    results.prompts += [
        Prompt(id="essay", text="Write."),
        Prompt(id="old", text="?", kind="one_word", retired={}),
    ]
    results.replies += [Reply(model="firm", prompt=prompt, text="No") for prompt in ("essay", "old")]
    found = {model.id: model.left_out for model in verdicts(results).models}

    assert found["firm"] == {"kind open": 1, "retired prompt": 1}
    assert found["wordy"] == {}


def said(results: Results, options: Options | None = None) -> tuple[dict[str, list], dict[str, list]]:
    """Return the findings and the lacks by kind: facts with their sentence, made from JSON alone."""
    found = inquire(results, options)
    control = Control(found.families)
    supported: dict[str, list] = {}
    for claim in found.claims(control):
        facts = json.loads(json.dumps(plain_facts(claim.facts)))
        assert found.kinds[claim.kind].check(facts), claim.kind
        assert set(claim.models) >= {each["model"] for each in facts["names"]}
        assert isinstance(claim, Claim)
        supported.setdefault(claim.kind, []).append((facts, found.kinds[claim.kind].sentence(facts, PLAIN)))
    lacking: dict[str, list] = {}
    for lack in found.lacks(control):
        facts = json.loads(json.dumps(plain_facts(lack.facts)))
        lacking.setdefault(lack.kind, []).append((facts, found.missing[lack.kind].sentence(facts, PLAIN)))
    return supported, lacking


def test_the_findings_name_who_moves_who_refuses_and_who_is_gone() -> None:
    supported, lacking = said(make(TABLE))

    ((facts, (lead, text)),) = supported["moved"]
    assert (facts["model"], facts["condition"], facts["moved"]) == ("follows", "denied", 3)
    assert lead == "Moved by the framing"
    assert text.startswith(
        "follows answers otherwise under denied than under control: yes 9 under control; no 9 under denied; "
        "the majority moves on 3 of 3 questions (p = "
    )
    ((facts, (_, text)),) = supported["form"]
    assert (facts["model"], facts["followed"], facts["replies"]) == ("wordy", 0, 27)
    assert text.startswith(
        "wordy answers in one word in 0 of 27 replies, the other models in 54 of 54 (p < .001"
    )
    ((facts, (_, text)),) = supported["steady"]
    assert text.startswith(
        "No majority of firm and wordy moves under 2 framings, on these 3 questions, 3 samples each"
    )
    ((_, (_, text)),) = supported["unavailable"]
    assert text == "1 of 4 models gave no answer: gone (every call failed)."
    ((_, (_, text)),) = supported["wavering"]
    assert text.endswith("follows on 3 of 9 questions under a condition.")
    assert "editions" in lacking
    assert "framing" not in lacking


def test_three_samples_of_one_question_cannot_say() -> None:
    """Every answer changes, and still nothing is claimed: the lacks say why."""
    table = {
        "a": {"q": {"control": "yyy", "asserted": "nnn"}},
        "b": {"q": {"control": "nnn", "asserted": "nnn"}},
    }
    supported, lacking = said(make(table))

    assert set(supported) == {"steady"}
    ((_, (what, why)),) = lacking["moved, few"]
    assert what == "Whether asserted moves 2 models (1 of 2 have another majority)."
    assert (
        why == "3 samples each cannot say: 1 question gives no p below .10 even where every answer differs."
    )
    ((_, (what, why)),) = lacking["apart"]
    assert what == "Whether any models answer differently."
    ((_, (what, why)),) = lacking["divided"]
    assert what == "That question q divides a (yes) from b (no)."
    assert "p = .10" in why


def test_a_flip_between_editions_is_found_and_one_that_chance_explains_is_not() -> None:
    first = {"a": asked(control="yyy"), "b": asked(control="yyn"), "c": asked(control="nnn")}
    second = {"a": asked(control="nnn"), "b": asked(control="ynn"), "c": asked(control="nnn")}
    supported, lacking = said(editions({"2026-W9": first, "2026-W10": second}))

    ((facts, (lead, text)),) = supported["flipped"]
    assert (facts["model"], facts["first"], facts["second"], facts["moved"]) == (
        "a",
        "2026-W9",
        "2026-W10",
        3,
    )
    assert lead == "Changed between editions"
    assert "answers otherwise in edition 2026-W10 than in 2026-W9: yes 9 in 2026-W9; no 9 in 2026-W10" in text
    ((facts, (what, _)),) = lacking["flipped"]
    assert what == "That the majority of b (3 of 3 questions) changed from edition 2026-W9 to 2026-W10."
    assert [row["model"] for row in facts["of"]] == ["b"]


def test_a_question_that_divides_the_models_names_both_sides() -> None:
    table = {name: {"q": {"control": "yyy" if name < "d" else "nnn"}} for name in "abcdef"}
    supported, _ = said(make(table))
    ((facts, (_, text)),) = supported["divided"]

    assert (facts["yes"], facts["no"]) == (["a", "b", "c"], ["d", "e", "f"])
    assert text.startswith("Question q divides the models: yes for a, b and c, no for d, e and f (p < .001")


def test_nothing_is_found_where_nothing_differs() -> None:
    """Twenty files of six models that draw every answer from one distribution: at most one tested claim in all."""
    tested = 0
    for seed in range(20):
        chance = random.Random(seed)
        table = {
            name: {
                question: {
                    condition: "".join(chance.choices("yno", (5, 3, 1), k=3))
                    for condition in ("control", "asserted", "denied")
                }
                for question in QUESTIONS
            }
            for name in "abcdef"
        }
        supported, _ = said(make(table))
        tested += sum(kind not in ("steady", "wavering", "unavailable") for kind in supported)

    assert tested <= 1


def test_the_lens_exports_what_a_lens_has() -> None:
    assert lens.NAME == "verdicts"
    assert {"has_data", "matrix", "pair", "focus", "inquire", "rank", "KINDS", "MISSING", "Options"} <= set(
        lens.__all__
    )
    assert Options(condition="denied").params("models") == {
        "topics": (),
        "prompts": (),
        "condition": "denied",
        "period": None,
        "words": None,
        "literal": False,
        "models": (),
    }
