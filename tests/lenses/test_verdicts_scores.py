"""Cells, constructed scores and sensitivity against known answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.lenses.verdicts import Options, rank, verdicts
from stylekl.lenses.verdicts.aggregate import majority
from stylekl.lenses.verdicts.scores import Measured, Scores, rounded, score, sensitivity
from stylekl.results import Model, Prompt, Reply, Results

from .verdicts_made import make

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def edition(shared: Path) -> tuple[Results, dict]:
    """Twelve models asked one question, and what their scores should be."""
    folder = shared / "reference" / "answers" / "hotdog_w40_control"
    given_ = json.loads((folder / "input.json").read_text())
    expected = json.loads((folder / "expected.json").read_text())["models"]
    results = Results(prompts=[Prompt(id="q", text=given_["question"], kind="one_word")])
    for row in given_["samples"]:
        results.models.append(Model(id=row["model"]))
        for number, sample in enumerate(row["samples"], 1):
            unknown = {"latency_ms": sample["total_ms"], "usage": {"output": sample["output_tokens"]}}
            reply = Reply(model=row["model"], prompt="q", text=sample["text"], sample=number, unknown=unknown)
            results.replies.append(reply)
    results.other["collection"] = [{"prompts": ["q"], "models": [model.id for model in results.models]}]
    return results, expected


def test_an_edition_of_twelve_models_has_its_scores(edition: tuple[Results, dict]) -> None:
    """Verdict, medians, decisiveness, efficiency and composite to the fourth decimal; two models have no answers."""
    results, expected = edition
    cells = {cell.model: cell for cell in verdicts(results).cells}
    found = {}
    for each in rank(results).standings:
        cell = cells.get(each.model)
        found[each.model] = {
            "verdict": cell.majority if cell else None,
            "median_ms": each.latency_ms.median if each.latency_ms else None,
            "median_output_tokens": each.output_tokens.median if each.output_tokens else None,
            "decisiveness": each.decisiveness,
            "efficiency": each.efficiency,
            "composite": each.composite,
        }

    assert len(expected) == 12
    wanted = {model: {k: v for k, v in row.items() if k != "status"} for model, row in expected.items()}
    assert found == wanted


def test_models_without_answers_stay_listed_last_and_have_no_region(edition: tuple[Results, dict]) -> None:
    results, expected = edition
    standings = rank(results).standings
    silent = {model for model, row in expected.items() if row["verdict"] is None}

    assert {each.model for each in standings[-2:]} == silent
    assert [each.region for each in standings[-2:]] == [None, None]
    assert [each.latency_ms for each in standings[-2:]] == [None, None]
    assert all(each.region for each in standings[:-2])


@given(st.tuples(*[st.integers(0, 5)] * 3))
def test_the_majority_is_the_one_verdict_with_the_most(counts: tuple[int, int, int]) -> None:
    found = majority(counts)
    by_name = dict(zip(("yes", "no", "other"), counts, strict=True))

    if not sum(counts):
        assert found is None
    elif sorted(counts)[-1] == sorted(counts)[-2]:
        assert found == "other"
    else:
        assert by_name[found] == max(counts)


def test_a_half_is_rounded_upwards() -> None:
    """As JavaScript's Math.round does; Python's round goes to the even one."""
    halves = {0.00005: 0.0001, 0.93345: 0.9335, 0.87665: 0.8767, 0.83795: 0.838, 1.0: 1.0, 0.0: 0.0}

    assert {value: rounded(value) for value in halves} == halves


measured = st.builds(
    lambda n, decided, one, latency, tokens: Measured(n, min(decided, n), min(one, n), latency, tokens),
    st.integers(1, 9),
    st.integers(0, 9),
    st.integers(0, 9),
    st.floats(1, 1e5),
    st.integers(0, 10_000),
)


@given(st.dictionaries(st.text("abc", min_size=1), measured, min_size=1, max_size=8))
def test_scores_lie_between_nought_and_one_and_ignore_models_without_samples(models: dict) -> None:
    """A model that gave nothing changes no other's score, region or the cuts."""
    found, cuts = score(models)
    more, same = score({**models, "silent": Measured(0, 0, 0, None, None)})

    assert {name: more[name] for name in models} == found
    assert same == cuts
    assert more["silent"] == Scores(0.0, 0.0, 0.0, None)
    for each in found.values():
        assert min(each.decisiveness, each.efficiency, each.composite) >= 0
        assert max(each.decisiveness, each.efficiency, each.composite) <= 1
    # at or above a median is at least half of them
    high = sum(each.efficiency >= cuts.efficiency for each in found.values())
    assert 2 * high >= len(found)


def test_equal_models_have_full_efficiency() -> None:
    found, _ = score({name: Measured(3, 3, 3, 800.0, 5) for name in "ab"})

    assert [each.efficiency for each in found.values()] == [1.0, 1.0]
    assert {each.region for each in found.values()} == {"Category Definers"}


def test_what_was_not_measured_is_null_and_not_nought() -> None:
    """Without latency there is no efficiency, composite, rank or region; decisiveness there is."""
    (first, second) = rank(make({"a": {"q": {"control": "yyn"}}, "b": {"q": {"control": "loo"}}})).standings

    assert (first.model, first.decisiveness, second.decisiveness) == ("a", 1.0, rounded(0.4 * 2 / 3))
    for each in (first, second):
        assert (each.efficiency, each.composite, each.rank, each.region) == (None, None, None, None)
        assert (each.latency_ms, each.output_tokens, each.cost) == (None, None, None)


def test_the_four_regions_are_cut_at_the_medians() -> None:
    """Decisive and quick, decisive and slow, undecided and quick, undecided and slow."""
    found, cuts = score(
        {
            "sure quick": Measured(4, 4, 4, 100.0, 5),
            "sure slow": Measured(4, 4, 4, 900.0, 5),
            "unsure quick": Measured(4, 1, 4, 100.0, 5),
            "unsure slow": Measured(4, 1, 4, 900.0, 5),
        }
    )

    assert {name: each.region for name, each in found.items()} == {
        "sure quick": "Category Definers",
        "sure slow": "Considered Voices",
        "unsure quick": "Rapid Responders",
        "unsure slow": "Emerging Participants",
    }
    assert (cuts.decisiveness, cuts.efficiency) == (rounded((1.0 + 0.55) / 2), 0.65)


def test_sensitivity_compares_other_and_leaves_out_null() -> None:
    found = sensitivity([("yes", "no"), ("yes", "yes"), ("no", "other"), (None, "yes"), ("yes", None)])

    assert (found.moved, found.questions, found.value) == (2, 3, 0.6667)
    assert sensitivity([(None, "yes")]).value is None


def test_a_cell_counts_refused_empty_and_failed_replies() -> None:
    """Refused and empty ones are samples on no side; a failed one is no sample, and counts."""
    (cell,) = verdicts(make({"a": {"q": {"control": "yrexlo"}}, "b": {}})).cells

    assert (cell.asked, cell.samples, cell.failed, cell.refused, cell.empty) == (6, 5, 1, 1, 1)
    assert (cell.yes, cell.no, cell.other, cell.majority) == (1, 0, 4, "other")
    assert (cell.followed, cell.followed_rate) == (2, 0.4)
    assert cell.said == {"perhaps": 1, "yes": 1}


def test_only_failed_replies_are_a_null_and_not_a_verdict() -> None:
    cells = verdicts(make({"a": {"q": {"control": "xxx"}}, "b": {"q": {"control": "yyy"}}})).cells

    assert [(cell.majority, cell.followed_rate, cell.samples) for cell in cells] == [
        (None, None, 0),
        ("yes", 1.0, 3),
    ]


def test_a_refusal_takes_no_side_even_where_it_says_no() -> None:
    results = make({"a": {"q": {"control": "nnn"}}})
    results.replies[0].flags = ["refusal"]
    (cell,) = verdicts(results).cells

    assert (cell.no, cell.other, cell.refused, cell.followed) == (2, 1, 1, 3)


def test_no_text_keeps_answers_and_questions_out() -> None:
    found = verdicts(make({"a": {"q": {"control": "yno"}}}), Options(text=False))

    assert [cell.said for cell in found.cells] == [{}]
    assert [question.text for question in found.questions] == [None]


def test_a_cost_is_an_upper_bound_with_its_date_and_null_where_a_price_is_unknown() -> None:
    results = make({"a": {"q": {"control": "yyx", "denied": "yy"}}}, cost=0.25)
    results.models[0].price = {"input": 1, "output": 2, "currency": "EUR", "read": "2026-05-04"}
    del results.replies[3].unknown["cost"]
    priced, unpriced = verdicts(results).cells

    assert (priced.cost, priced.currency, priced.price_date) == (0.75, "EUR", "2026-05-04")
    assert unpriced.cost is None


def test_medians_leave_nulls_out_and_take_the_middle_of_two() -> None:
    results = make({"a": {"q": {"control": "yyy"}}})
    for reply, latency, tokens in zip(results.replies, (100.0, None, 200.0), (4, 8, None), strict=True):
        reply.unknown = {"latency_ms": latency, "usage": {"output": tokens, "input": None}}
    (cell,) = verdicts(results).cells

    assert (cell.latency_ms.median, cell.latency_ms.n) == (150.0, 2)
    assert (cell.output_tokens.median, cell.output_tokens.n) == (6.0, 2)
    assert (cell.tokens_per_second.median, cell.tokens_per_second.n) == (40.0, 1)
    assert (cell.input_tokens, cell.first_content_ms) == (None, None)
