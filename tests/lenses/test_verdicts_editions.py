"""Editions: in order, never pooled, a series over them, made-up ones apart from real ones."""

from __future__ import annotations

import pytest

from stylekl.errors import UnknownChoiceError, UsageError
from stylekl.lenses.verdicts import Options, focus, matrix, pair, rank, verdicts
from stylekl.lenses.verdicts.editions import in_order

from .verdicts_made import editions, make

FIRST = {"a": {"q": {"control": "yyy"}}, "b": {"q": {"control": "nnn"}}}
SECOND = {"a": {"q": {"control": "nnn"}}, "b": {"q": {"control": "nnn"}}}


def test_periods_are_ordered_by_the_numbers_in_them() -> None:
    assert in_order(["2026-W10", "2026-W9", None, "2025-W52", "v10", "v9"]) == [
        None,
        "2025-W52",
        "2026-W9",
        "2026-W10",
        "v9",
        "v10",
    ]


def test_each_verb_looks_at_the_latest_edition_alone() -> None:
    """And says which; another is named by period."""
    results = editions({"2026-W10": SECOND, "2026-W9": FIRST})
    found = matrix(results)
    (only,) = found.pairs

    assert (only.value, only.n) == (0.0, 1)
    assert found.params["period"] == "2026-W10"
    assert any("2026-W10, the latest of 2" in note for note in found.notes)
    assert matrix(results, Options(period="2026-W9")).pairs[0].value == 1.0
    for report in (pair(results, "a", "b"), focus(results, "a"), rank(results)):
        assert report.edition.period == "2026-W10"
        assert [edition.period for edition in report.editions] == ["2026-W9", "2026-W10"]
        assert report.edition.samples == 6


def test_an_unknown_period_names_those_there_are() -> None:
    with pytest.raises(UnknownChoiceError, match="2026-W11") as error:
        rank(editions({"2026-W9": FIRST}), Options(period="2026-W11"))

    assert "2026-W9" in error.value.hint


def test_a_series_counts_the_flips_of_a_majority() -> None:
    results = editions({"1": FIRST, "2": SECOND, "3": {"a": {"q": {"control": "xxx"}}}, "4": FIRST})
    found = {each.model: each for each in verdicts(results).series}

    assert [point.majority for point in found["a"].points] == ["yes", "no", None, "yes"]
    assert [each.flips for each in found.values()] == [2, 0]
    assert verdicts(results).not_comparable == ("efficiency", "composite", "region")


def test_the_efficiency_of_an_edition_ignores_other_editions() -> None:
    """The same model is quickest in one edition and slowest in the next, at the same latency."""
    results = editions({"1": FIRST, "2": SECOND})
    latency = {("a", "1"): 500.0, ("b", "1"): 900.0, ("a", "2"): 500.0, ("b", "2"): 100.0}
    for reply in results.replies:
        reply.unknown = {"latency_ms": latency[reply.model, reply.period], "usage": {"output": 2}}
    found = [
        {each.model: each.efficiency for each in rank(results, Options(period=period)).standings}
        for period in "12"
    ]

    assert found == [{"a": 1.0, "b": 0.3}, {"b": 1.0, "a": 0.3}]


def row(period: str | None, mock: bool, models: str = "ab") -> dict:
    return {
        "period": period,
        "mock": mock,
        "prompts": ["q"],
        "models": list(models),
        "conditions": ["control"],
    }


def test_a_mock_edition_is_left_out_beside_a_real_one() -> None:
    results = editions({"1": FIRST, "2": SECOND})
    results.other["collection"] = [row("1", False), row("2", True)]
    found = verdicts(results)

    assert [(edition.period, edition.mock) for edition in found.editions] == [("1", False)]
    assert found.warnings == ("made-up replies (mock) never mix with real ones; left out: edition 2",)
    assert [model.left_out for model in found.models] == [{"mock": 3}, {"mock": 3}]


def test_a_mock_edition_alone_says_so() -> None:
    results = editions({"1": FIRST, "2": SECOND})
    results.other["collection"] = [row("1", False), row("2", True)]
    found = rank(results, Options(period="2"))

    assert found.edition.mock
    assert [edition.period for edition in found.editions] == ["2"]
    assert found.warnings == ("made-up replies (mock): nothing here says anything about a model",)


def test_an_edition_of_both_kinds_is_an_error() -> None:
    results = make(FIRST)
    results.other["collection"] = [row(None, False, "a"), row(None, True, "b")]

    with pytest.raises(UsageError, match="made-up"):
        verdicts(results)


def test_an_even_number_of_samples_is_a_warning() -> None:
    found = verdicts(make({"a": {"q": {"control": "yn"}}}))

    assert [cell.majority for cell in found.cells] == ["other"]
    assert "even number of samples (2)" in found.warnings[0]


def test_samples_from_two_files_without_a_period_are_a_warning() -> None:
    results = make(FIRST)
    results.places = [("old.json: reply", 1), ("new.json: reply", 1)] + [("new.json: reply", 2)] * 4

    assert "1 question with samples from more than one file" in verdicts(results).warnings[0]
