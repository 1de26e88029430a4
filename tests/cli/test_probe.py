"""`stylekl probe` as a user runs it."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from tests.gather.fake import Asked, Reply, provider, said

from .run import bare, call

PROBE = ("probe", "few.yaml", "--models", "models.yaml", "-o", "choices.json")
PAIRS = """
id: few
version: 1
cap: 64
pairs:
  - {id: tea-milk, theme: drinks, words: {en: [tea, milk], fr: [thé, lait]}}
  - {id: up-down, words: [up, down]}
"""
SERVER = "provider: local, base_url: 'http://127.0.0.1:9/v1', requested: m"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("few.yaml").write_text(PAIRS, encoding="utf-8")
    price = "price: {input: 1, output: 2, currency: USD, read: 2026-01-05}"
    Path("models.yaml").write_text(
        f"models:\n  - {{id: one, {SERVER}, temperature: 0, {price}}}\n  - {{id: two, {SERVER}, {price}}}\n",
        encoding="utf-8",
    )


def test_a_dry_run_says_texts_calls_and_cost_and_asks_nothing() -> None:
    done = call(*PROBE, "--dry-run")

    assert (done.code, done.err) == (0, "")
    out = " ".join(done.out.split())
    assert "few version 1: 2 pairs of words in 29 envelopes, both orders." in out
    assert "106 distinct texts (26 to 27 envelopes a pair that differ), 1 sample or 5 samples each." in out
    assert "636 questions to ask, 0 answered already." in out
    assert "Cost: at most USD " in out
    assert "Cap 64 tokens" in out
    assert sorted(os.listdir()) == ["few.yaml", "models.yaml"]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_dry_run_fits_its_width(width: int) -> None:
    lines = bare(call(*PROBE, "--dry-run", env={"COLUMNS": str(width)}).out)

    assert max(map(len, lines)) <= width


def test_a_mock_run_writes_choices_and_again_does_nothing() -> None:
    done = call(*PROBE, "--mock", "-q")
    assert (done.code, done.err) == (0, "")
    assert "636 questions answered, 636 of 636 in all" in done.out
    held = json.loads(Path("choices.json").read_text(encoding="utf-8"))
    assert len(held["choices"]) == 636
    assert [len(held[name]) for name in ("pairs", "envelopes", "models")] == [2, 29, 2]
    assert "replies" not in held or held["replies"] == []

    again = call(*PROBE, "--mock", "-q")
    assert (again.code, again.out) == (0, "nothing to ask: all 636 questions answered: choices.json\n")
    check = call("check", "choices.json", "-q", "--json")
    assert json.loads(check.out)["data"]["choices"] == 636
    assert {model["replies"] for model in json.loads(check.out)["data"]["models"]} == {106, 530}
    assert call("check", "choices.json", "-q").out.startswith("2 models: 636 choices of a probe\n")


def test_the_pairs_that_ship_and_one_of_them() -> None:
    done = call(
        *("probe", "pairs", "--models", "models.yaml", "-o", "dogs.json", "--pair", "dog-cat"),
        *("--envelope", "en_vs", "--samples", "1", "--only", "one", "--mock", "-q"),
    )

    assert done.code == 0
    assert {row["pair"] for row in json.loads(Path("dogs.json").read_text())["choices"]} == {"dog-cat"}


def test_what_is_left_open_is_said_with_the_command_that_resumes() -> None:
    with provider() as server:
        server.answer = lambda _: Reply('{"error": {"message": "no such key"}}', 401)
        text = Path("models.yaml").read_text(encoding="utf-8")
        Path("models.yaml").write_text(text.replace("http://127.0.0.1:9/v1", server.url), encoding="utf-8")
        done = call(
            *PROBE, "--envelope", "en_vs", "--pair", "up-down", "--samples", "1", "--only", "two", "-q"
        )

    assert done.code == 1
    (line,) = [line for line in done.err.splitlines() if line.startswith("resume: ")]
    words = shlex.split(line.removeprefix("resume: "))
    assert words[:2] == ["stylekl", "probe"]
    for option, value in (
        ("--envelope", "en_vs"),
        ("--pair", "up-down"),
        ("--samples", "1"),
        ("--only", "two"),
    ):
        assert words[words.index(option) + 1] == value


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--envelope", "en_versus"), 'error: no envelope "en_versus" among the envelopes'),
        (("--pair", "tea"), 'error: no pair "tea" in the pairs file'),
        (("--redo", "tea-milk"), "error: --redo needs a reason"),
        (("--redo", "tea", "--why", "x"), 'error: no pair "tea" in the pairs file'),
        (("--envelopes", "none.yaml"), "error: none.yaml: no such file"),
        (("--only", "three"), 'error: no model "three" in the models file'),
    ],
)
def test_what_cannot_be_meant_is_an_error_with_a_hint(arguments: tuple[str, ...], told: str) -> None:
    done = call(*PROBE, *arguments, "--mock")

    assert done.code == 2
    assert done.err.splitlines()[0] == told
    assert done.err.splitlines()[1].startswith("hint: ")
    assert not Path("choices.json").exists()


def test_envelopes_of_ones_own() -> None:
    Path("own.yaml").write_text(
        "envelopes:\n  - {id: letters, template: 'A: {a}, B: {b}. One letter.', slots: [A, B]}\n",
        encoding="utf-8",
    )

    assert call(*PROBE, "--envelopes", "own.yaml", "--samples", "1", "--mock", "-q").code == 0
    held = json.loads(Path("choices.json").read_text(encoding="utf-8"))
    assert held["envelopes"][0]["slots"] == ["A", "B"]
    assert len(held["choices"]) == 8


def test_one_command_asks_five_times_where_temperature_zero_is_not_taken() -> None:
    with provider() as server:

        def answer(asked: Asked) -> Reply:
            if "temperature" in asked.body:
                return Reply('{"error": {"message": "Unsupported value", "param": "temperature"}}', 400)
            return Reply(said("up"))

        server.answer = answer
        text = Path("models.yaml").read_text(encoding="utf-8")
        Path("models.yaml").write_text(text.replace("http://127.0.0.1:9/v1", server.url), encoding="utf-8")
        done = call(*PROBE, "--envelope", "en_vs", "--pair", "up-down", "--only", "one", "-q")

    assert done.code == 0
    assert "10 questions answered, 10 of 10 in all" in done.out
    held = json.loads(Path("choices.json").read_text(encoding="utf-8"))
    assert [choice["sample"] for choice in held["choices"]] == [1, 2, 3, 4, 5] * 2
    assert held["models"][0]["node"] == {"protocol": "distributional", "not_applied": ["temperature"]}
    shown = call("focus", "one", "choices.json", "--by", "choices", "-q")
    assert "one takes the same word in both orders in 100% of 1 question." in " ".join(shown.out.split())
