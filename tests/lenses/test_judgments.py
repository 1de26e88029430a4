"""The judgments lens: preferences, scores, position, agreement, and what cannot be said."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.errors import RecordError, UnknownChoiceError, UsageError
from stylekl.lenses import judgments
from stylekl.lenses.claims import plain_facts
from stylekl.lenses.findings import conclude
from stylekl.lenses.judgments.changes import compare_runs
from stylekl.lenses.judgments.compare import sign_flip_p
from stylekl.results import load
from stylekl.results.records import Reply

from .judgments_made import judged, results, row

if TYPE_CHECKING:
    from stylekl.results import Results

PUBLISHED = Path("/work/shared/data/formats/ejentum_eval")
Options = judgments.Options


def for_a(_judge: str, _first: str, _second: str, _number: int) -> str:
    """A judge that takes whatever stands first."""
    return "A"


def for_ant(_judge: str, first: str, _second: str, _number: int) -> str:
    """A judge that prefers one model, wherever it stands."""
    return "A" if first == "ant" else "B"


def test_a_judge_that_always_says_a_prefers_nobody_and_is_reported() -> None:
    report = judgments.pair(judged(for_a, both=True, prompts=8), "ant", "bee")
    said, where = report.verdicts, report.judges[0].position

    assert said is not None
    assert (said.wins_a, said.wins_b, said.ties, said.split) == (0, 0, 0, 8)
    assert (said.share, said.p, said.call) == (None, None, "cannot say")
    assert (where.call, where.share, where.basis) == ("follows the position", 1.0, "both orders")
    assert (where.asked_twice, where.follows, where.same) == (8, 8, 0)
    assert where.p == pytest.approx(2 * 0.5**8)
    assert report.total is not None
    assert report.total.difference.value == 0.0

    found = conclude([judgments.inquire(judged(for_a, both=True, prompts=8))])

    assert [each.kind for each in found.findings] == ["position"]
    assert judgments.rank(judged(for_a, both=True)).ranked_by == "scores"


def test_a_judge_that_always_says_a_in_a_drawn_order_is_reported_too() -> None:
    report = judgments.pair(judged(for_a, prompts=12), "ant", "bee")

    assert report.judges[0].position.basis == "drawn order"
    assert report.judges[0].position.call == "follows the position"
    assert report.verdicts is not None
    assert report.verdicts.call == "too close to call"


def test_where_the_order_is_fixed_position_and_model_cannot_be_told_apart() -> None:
    found = judged(for_a, prompts=12, order=None)
    where = judgments.pair(found, "ant", "bee").judges[0].position

    assert (where.basis, where.call, where.p) == (None, "cannot say", None)
    assert "position" in {each.kind for each in conclude([judgments.inquire(found)]).not_supported}


def test_a_preference_for_a_model_that_always_stood_in_one_place_says_so() -> None:
    found = conclude([judgments.inquire(judged(for_a, prompts=12, order=None))]).findings
    drawn = conclude([judgments.inquire(judged(for_ant, prompts=12))]).findings

    assert {each.kind for each in found} >= {"preferred", "scored", "dimension"}
    for each in found:
        assert "Ant was always shown as A: its place may be why." in each.text
    assert not any("always shown" in each.text for each in drawn)


def test_a_judge_that_prefers_a_model_does_so_in_both_orders() -> None:
    report = judgments.pair(judged(for_ant, both=True, prompts=8), "bee", "ant")
    said = report.verdicts

    assert said is not None
    assert (said.wins_a, said.wins_b, said.split, said.call) == (0, 8, 0, "ahead")
    assert said.share == 0.0
    assert said.p == pytest.approx(2 * 0.5**8)
    assert report.total is not None
    assert report.total.difference.value == -3.0
    assert report.judges[0].position.call == "no sign of it"


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        (("A", "B"), (1, 0, 0, 0, 0)),
        (("tie", "tie"), (0, 0, 1, 0, 0)),
        (("A", "A"), (0, 0, 0, 1, 0)),
        (("A", "tie"), (0, 0, 0, 0, 1)),
    ],
)
def test_what_two_orders_come_to(verdicts: tuple[str, str], outcome: tuple[int, ...]) -> None:
    """Wins of ant, of bee, ties, split by position, half a tie."""
    rows = [row("ref", 0, "ant", "bee", verdicts[0]), row("ref", 0, "bee", "ant", verdicts[1])]
    said = judgments.pair(results(rows), "ant", "bee").verdicts

    assert said is not None
    assert (said.wins_a, said.wins_b, said.ties, said.split, said.half) == outcome


def test_an_invalid_reply_is_neither_a_tie_nor_a_loss_and_makes_its_item_incomplete() -> None:
    rows = [row("ref", n, "ant", "bee", "A") for n in range(3)]
    lost = {k: v for k, v in rows[0].items() if k not in ("scores", "totals", "verdict")}
    rows.append(lost | {"id": "x", "A": "bee", "B": "ant", "invalid": "no_json"})
    report = judgments.pair(results(rows), "ant", "bee")

    assert report.verdicts is not None
    assert (report.verdicts.wins_a, report.verdicts.wins_b, report.verdicts.ties) == (2, 0, 0)
    assert report.verdicts.incomplete == 1
    assert report.total is not None
    assert report.total.difference.prompts == 2
    assert report.judges[0].invalid == {"no_json": 1}
    assert report.a.left_out == {"invalid: no_json": 1}


def test_a_verdict_against_its_totals_stands_and_is_listed() -> None:
    def score(_judge: str, model: str, _number: int) -> int:
        return 5 if model == "bee" else 2

    report = judgments.pair(judged(for_ant, score=score, prompts=7), "ant", "bee")

    assert report.verdicts is not None
    assert report.verdicts.wins_a == 7
    assert len(report.contradictions) == report.judges[0].contradictions == 7
    assert (report.contradictions[0].verdict, report.contradictions[0].total_a) == ("ant", 6.0)


def test_every_prompt_counts_once_however_many_judge_it() -> None:
    rows = [row(f"j{n}", 0, "ant", "bee", "A") for n in range(9)] + [row("j0", 1, "ant", "bee", "B")]
    report = judgments.pair(results(rows), "ant", "bee")

    assert report.total is not None
    assert report.total.difference.value == 0.0
    assert report.total.difference.over_calls == pytest.approx(3 * (9 - 1) / 10)
    assert report.totals == (9 * 12 + 9, 9 * 9 + 12)


def test_fewer_than_six_prompts_cannot_say() -> None:
    report = judgments.pair(judged(for_ant, both=True, prompts=5), "ant", "bee")

    assert report.verdicts is not None
    assert (report.verdicts.p, report.verdicts.call) == (None, "cannot say")
    assert {
        each.kind for each in conclude([judgments.inquire(judged(for_ant, prompts=5))]).not_supported
    } >= {
        "few",
        "one judge",
    }


def test_a_coin_is_seldom_called_a_preference() -> None:
    """At most about one in twenty of judges that throw a coin is said to prefer a model."""
    called = 0
    for seed in range(120):
        coin = random.Random(seed)
        said = judgments.pair(
            judged(lambda *_, coin=coin: coin.choice("AB"), prompts=14),
            "ant",
            "bee",  # type: ignore[misc]
        ).verdicts
        assert said is not None
        called += said.call == "ahead"

    assert called <= 10


def test_the_interval_of_a_mean_difference_covers_the_truth() -> None:
    random_of = np.random.default_rng(3)
    held = 0
    for _ in range(200):
        gaps = random_of.integers(-1, 3, 12)  # the mean is .5 a dimension
        given_to = dict(enumerate(gaps.tolist()))

        def score(_judge: str, model: str, number: int, gaps: dict[int, int] = given_to) -> int:
            return 3 + (gaps[number] if model == "ant" else 0)

        report = judgments.pair(judged(for_ant, prompts=12, score=score), "ant", "bee")
        assert report.total is not None
        low, high = report.total.difference.low, report.total.difference.high
        assert low is not None
        assert high is not None
        held += low <= 1.5 <= high

    assert 0.9 <= held / 200 <= 0.99


@given(st.lists(st.integers(-4, 4), min_size=6, max_size=11))
def test_the_sign_flip_test_is_that_of_all_signs(values: list[int]) -> None:
    signs = np.array(np.meshgrid(*[[1, -1]] * len(values))).reshape(len(values), -1)
    sums = np.abs(np.array(values) @ signs)

    assert sign_flip_p([float(v) for v in values]) == pytest.approx(float((sums >= abs(sum(values))).mean()))


@pytest.mark.parametrize("size", [16, 17])
def test_the_test_does_not_jump_where_it_is_no_longer_exact(size: int) -> None:
    values = np.random.default_rng(1).normal(0.4, 1.0, size).tolist()

    assert sign_flip_p(values) == pytest.approx(0.05, abs=0.1)
    assert (sign_flip_p([1.0] * size) or 1.0) < 1e-3


def models_of_four(_judge: str, first: str, second: str, number: int) -> str:
    order = ("ant", "bee", "cow", "dog")
    if number % 4 == 3:
        return "tie"
    return "A" if order.index(first) < order.index(second) else "B"


FOUR = ("ant", "bee", "cow", "dog")


def test_the_ranking_follows_the_verdicts_with_scores_beside_it() -> None:
    report = judgments.rank(judged(models_of_four, models=FOUR, prompts=12))

    assert [row.model for row in report.standings] == list(FOUR)
    assert [row.rank for row in report.standings] == [1, 2, 3, 4]
    assert np.mean([row.score or 0.0 for row in report.standings]) == pytest.approx(1500)
    assert abs(report.gradient) < 1e-6
    assert all(row.total is not None and row.undecided == 9 for row in report.standings)
    totals = [row.total.value for row in report.standings if row.total]
    assert totals == sorted(totals, reverse=True)


def test_a_matrix_is_by_wins_or_by_score() -> None:
    found = judged(models_of_four, models=FOUR, prompts=12)
    wins, score = judgments.matrix(found), judgments.matrix(found, Options(measure="score"))
    pair = next(each for each in score.pairs if (each.a, each.b) == ("ant", "dog"))

    assert (wins.measure, wins.diverging, wins.order) == ("win share", True, FOUR)
    assert all(each.value == 1.0 and each.back == 0.0 for each in wins.pairs)
    assert (score.measure, score.diverging) == ("score difference", False)
    assert pair.value == abs(pair.detail["a_less_b"])
    assert len(wins.pairs) == len(score.pairs) == 6


def renamed(found: Results, chance: random.Random) -> Results:
    models, rows = list(found.models), list(found.other["judgments"])
    chance.shuffle(models)
    chance.shuffle(rows)
    return replace(found, models=models, other={"judgments": rows})


def test_nothing_depends_on_the_order_of_the_file() -> None:
    found = judged(models_of_four, models=FOUR, prompts=9, both=True, judges=("ref", "umpire"))
    mixed = renamed(found, random.Random(1))

    assert judgments.rank(found) == judgments.rank(mixed)
    assert judgments.matrix(found) == judgments.matrix(mixed)
    one, other = (judgments.pair(each, "dog", "bee") for each in (found, mixed))
    assert replace(one, contradictions=()) == replace(other, contradictions=())
    said = [
        [each.text for each in conclude([judgments.inquire(each_file)]).findings]
        for each_file in (found, mixed)
    ]
    assert said[0] == said[1]


def test_judges_that_agree_and_judges_that_do_not() -> None:
    def apart(judge: str, first: str, _second: str, number: int) -> str:
        ant = number % 3 != 0 if judge == "ref" else number % 3 == 0
        return "A" if (first == "ant") == ant else "B"

    both = ("ref", "umpire")
    agreed = judgments.pair(judged(models_of_four, judges=both, prompts=12), "ant", "bee").agreement
    opposed = judgments.pair(judged(apart, judges=both, prompts=12), "ant", "bee").agreement

    assert [each.what for each in agreed] == ["verdict", "total", "breadth", "candour", "rigour"]
    assert [each.level for each in agreed][:3] == ["nominal", "interval", "ordinal"]
    assert agreed[0].value == 1.0
    assert (opposed[0].value or 0.0) < -0.5
    assert opposed[0].high is not None
    assert opposed[0].high < 0
    assert judgments.pair(judged(for_ant), "ant", "bee").agreement == ()


def test_focus_says_who_is_ahead_of_whom() -> None:
    report = judgments.focus(judged(models_of_four, models=FOUR, prompts=12), "bee")

    assert [(each.model, each.verdicts and each.verdicts.wins_a) for each in report.rivals] == [
        ("cow", 9),
        ("dog", 9),
        ("ant", 0),
    ]
    assert [each.name for each in report.means] == [None, "breadth", "candour", "rigour"]


def test_every_finding_and_lack_is_made_from_its_facts_and_bears_them_out() -> None:
    def told(judge: str, first: str, second: str, number: int) -> str:
        return "A" if judge == "umpire" else models_of_four(judge, first, second, number)

    found = judged(told, models=FOUR, prompts=12, both=True, judges=("ref", "umpire"))
    found.other["judgments"][0] |= {"verdict": None, "scores": None, "invalid": "empty"}
    inquiry = judgments.inquire(found)
    report = conclude([inquiry])

    assert {each.kind for each in report.findings} >= {"preferred", "position", "invalid", "agreement"}
    for each in report.findings:
        assert judgments.KINDS[each.kind].check(plain_facts(each.evidence)), each.kind
        assert each.text.isascii()
        assert each.text.endswith(".")


def test_the_models_own_family_is_named_in_a_warning() -> None:
    found = judged(for_ant, families={"ant": "Formica"})
    for each in found.other["judgments"]:
        each["judge_family"] = "formica"

    report = judgments.pair(found, "ant", "bee")

    assert report.judges[0].related == ("ant",)
    assert report.warnings == ("ref judges its own family: Ant",)


def test_what_does_not_count_is_counted_by_reason() -> None:
    found = judged(for_ant, prompts=8)
    found.prompts[0].retired = {"on": "2026-01-05", "why": "old"}
    found.replies = [Reply(model="bee", prompt="q1", text="", flags=["refusal"])]
    report = judgments.pair(found, "ant", "bee", Options(topics=("t0",)))

    assert report.base.left_out == {"flagged reply: refusal": 1, "retired prompt": 1, "topic": 3}
    assert report.base.prompts == 3


def test_of_two_rubrics_one_counts_and_the_other_is_named() -> None:
    rows = [row("ref", n, "ant", "bee", "A") for n in range(6)]
    rows[0] |= {"rubric": {"id": "other", "dimensions": ["breadth"], "low": 1, "high": 5}}
    found = results(rows)

    report = judgments.pair(found, "ant", "bee")

    assert report.base.left_out == {"other rubric": 1}
    assert report.warnings[0].startswith("5 judgments by the rubric made count")
    assert judgments.pair(found, "ant", "bee", Options(rubric="other")).base.judgments == 1
    with pytest.raises(UnknownChoiceError):
        judgments.pair(found, "ant", "bee", Options(rubric="third"))


def test_the_latest_edition_is_read_unless_another_is_named() -> None:
    rows = [row("ref", 0, "ant", "bee", verdict) | {"period": period, "id": period} for period, verdict in
            (("2026-W01", "A"), ("2026-W02", "B"))]  # fmt: skip

    latest = judgments.pair(results(rows), "ant", "bee").verdicts
    first = judgments.pair(results(rows), "ant", "bee", Options(period="2026-W01")).verdicts

    assert latest is not None
    assert first is not None
    assert (latest.wins_b, first.wins_a) == (1, 1)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"A": "fly"}, 'field A: no model "fly" in the file'),
        ({"verdict": "C"}, "field verdict"),
        ({"scores": {"A": {"breadth": 1}, "B": {}}}, "field scores"),
        ({"scores": {"A": {"breadth": True}, "B": {"breadth": 1}}}, "field scores"),
        ({"judge": None}, "field judge"),
    ],
)
def test_a_record_that_is_none_is_an_error_with_its_place(change: dict[str, Any], where: str) -> None:
    with pytest.raises(RecordError, match="judgment 1") as error:
        judgments.rank(results([row("ref", 0, "ant", "bee", "A") | change]))

    assert where in error.value.message


def test_two_never_judged_together_say_so() -> None:
    rows = [row("ref", 0, "ant", "bee", "A"), row("ref", 0, "cow", "bee", "A") | {"id": "2"}]
    found = results(rows, ("ant", "bee", "cow"))

    with pytest.raises(UsageError, match="never judged together"):
        judgments.pair(found, "ant", "cow")
    assert (
        next(p for p in judgments.matrix(found).pairs if (p.a, p.b) == ("ant", "cow")).undefined is not None
    )


def test_a_rerun_tells_same_bytes_other_words_and_other_verdicts() -> None:
    def said(raw: str, **more: Any) -> Results:
        return results([row("ref", 0, "ant", "bee", "A") | {"raw": raw} | more])

    first = said("x", request={"user": "u"}, returned="v1")
    invalid = {"verdict": None, "scores": None, "invalid": "empty"}

    assert compare_runs(first, said("x")).counts["same bytes"] == 1
    assert compare_runs(first, said("y")).counts["same verdict, other words"] == 1
    assert compare_runs(first, said("y", verdict="B")).counts["other verdict"] == 1
    assert compare_runs(first, said("y", **invalid)).counts["no judgment now"] == 1
    assert compare_runs(said("y", **invalid), first).counts["no judgment before"] == 1
    assert (
        compare_runs(first, said("x", request={"user": "w"}, returned="v1")).changed[0].same_request is False
    )
    assert compare_runs(first, results([])).only_before == 1


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published judgments are not here")
def test_the_published_menu_judgments_come_out_exactly() -> None:
    report = judgments.pair(load(PUBLISHED / "menu_rag_5q" / "judge_data.csv"), "augmented", "baseline")
    said, over = report.verdicts, {each.name: each.difference.over_calls for each in report.dimensions}

    assert report.totals == (426, 418)
    assert report.base.judgments == 19
    assert said is not None
    assert said.counts == {"augmented": 7, "baseline": 5, "tie": 7}
    assert {each.judge: each.total_difference for each in report.judges} == {
        "DEEPSEEK4FLASH": -5,
        "MINIMAX.2.5": 9,
        "SONNET 3.7": 7,
        "kimik2": -3,
    }
    assert {each.prompt: round(each.difference or 0.0, 4) for each in report.prompts} == {
        "Q15_compound_safety": 4.0,
        "Q16_egg_allergen_desserts": -3.5,
        "Q17_celiac_grade": -0.3333,
        "Q18_calorie_oos": 0.0,
        "Q19_chef_signature": 1.75,
    }
    assert {name: round(value or 0.0, 4) for name, value in over.items()} == {
        "citation_accuracy": 0.2105,
        "groundedness": 0.0526,
        "honesty_uncertainty": 0.4211,
        "conflict_handling": 0.1053,
        "specificity": -0.3684,
    }
    assert (report.contradictions, sum(each.wrong_totals for each in report.judges)) == ((), 0)
    assert said.call == "cannot say"


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published judgments are not here")
def test_the_published_medical_verdict_comes_out_exactly() -> None:
    report = judgments.pair(load(PUBLISHED / "medical-second-opinion" / "verdict.json"), "A", "B")

    assert report.totals == (16, 20)
    assert report.verdicts is not None
    assert (report.verdicts.counts, report.verdicts.call) == ({"A": 0, "B": 1, "tie": 0}, "cannot say")
    assert report.total is not None
    assert report.total.difference.low is None
