"""`--by`: which lenses a file can be asked by, and what is said where it cannot."""

from __future__ import annotations

import pytest

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
