"""`--by`: which lenses a file can be asked by, and what is said where it cannot."""

from __future__ import annotations

import json

import pytest

from . import made
from .run import call


@pytest.mark.parametrize("command", [("matrix",), ("pair", "smollm2-plain", "smollm2-lists"), ("findings",)])
def test_a_lens_without_evidence_is_refused_with_those_that_have_some(command: tuple[str, ...]) -> None:
    result = call(*command, "--by", "votes", "--quiet")

    assert (result.code, result.out) == (2, "")
    assert "error: the results hold nothing for --by votes" in result.err
    assert "they hold evidence for style" in result.err


def test_a_lens_that_nobody_knows_is_refused_with_all_there_are() -> None:
    result = call("matrix", "--by", "stylo", "--quiet")

    assert result.code == 2
    assert result.err.splitlines() == [
        'error: no lens is called "stylo"',
        "hint: there are style, choices, verdicts, votes, judgments",
    ]


def test_an_option_of_another_lens_is_refused() -> None:
    result = call("matrix", "--by", "style", "--source", "panel", "--quiet")

    assert result.code == 2
    assert result.err.startswith("error: --source says nothing to --by style")


def test_a_measure_of_another_lens_is_refused() -> None:
    result = call("matrix", "--measure", "violent", "--quiet")

    assert result.code == 2
    assert result.err.startswith("error: style has no measure violent\nhint: it has kl, js, kinship")


def test_what_has_no_better_and_worse_is_not_ranked() -> None:
    result = call("rank", "--quiet")

    assert result.code == 2
    assert result.err.startswith("error: the results hold nothing to rank models by")


@pytest.mark.parametrize("gate", [("--fail-if-apart",), ("--fail-above", ".1"), ("--size", ".1")])
def test_a_gate_of_style_is_refused_rather_than_passed_by_another_lens(gate: tuple[str, ...]) -> None:
    made.provide(["asked-again.json"])
    result = call("drift", "smollm2", "asked-again.json", "--by", "choices", *gate)

    assert (result.code, result.out) == (2, "")
    assert "says nothing to --by choices" in result.err


def test_a_drift_of_choices_may_be_that_of_the_last_date_alone() -> None:
    """The dates are three: the last against the first and the one before, without the pair in between."""
    dated = made.EXAMPLES["asked-again.json"]()
    third = [
        row | {"model": "smollm2@2026-03-02"} for row in dated["choices"] if row["model"].endswith("01-05")
    ]
    made.write(
        dated
        | {
            "models": [*dated["models"], {"id": "smollm2@2026-03-02"}],
            "choices": [*dated["choices"], *third],
        },
        "three.json",
    )
    asked = ("drift", "smollm2", "three.json", "--by", "choices", "--json")
    every, last = (json.loads(call(*asked, *more).out)["data"]["steps"] for more in ((), ("--last",)))

    assert (len(every), len(last)) == (3, 2)


@pytest.mark.parametrize("option", [("--baseline", "votes.json"), ("--floor",), ("--order", "name")])
def test_what_a_matrix_of_votes_has_not_is_refused(option: tuple[str, ...]) -> None:
    made.provide(["votes.json"])
    result = call("matrix", "votes.json", *option)

    assert result.code == 2
    assert "says nothing to --by votes" in result.err


def test_a_measure_of_style_in_the_settings_disturbs_no_other_lens() -> None:
    made.provide(["votes.json"])
    plain = call("matrix", "votes.json", "--by", "votes")

    assert plain.code == 0
    assert call("matrix", "votes.json", "--by", "votes", env={"STYLEKL_RANK": "js"}) == plain


def test_a_pair_is_shown_by_every_lens_that_the_file_holds() -> None:
    """Each under its title; one lens alone has none."""
    made.provide(["votes.json", "choices.json"])
    asked = (
        "pair",
        "smollm2-plain",
        "smollm2-formal",
        "votes.json",
        "choices.json",
        "--rank",
        "js",
        "--quiet",
    )
    both = call(*asked)

    assert both.code == 0
    assert [line for line in both.out.splitlines() if "(--by " in line] == [
        "What they choose (--by choices)",
        "What people prefer (--by votes)",
    ]
    assert "(--by " not in call(*asked, "--by", "votes").out
    assert list(json.loads(call(*asked, "--json").out)["data"]["lenses"]) == ["choices", "votes"]
    assert "the table is that of --by choices" in call(*asked[:-1], "--csv").err
