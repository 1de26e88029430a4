"""A real model's choices: six pairs of words in all 29 envelopes and both orders, and what is left of them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from .test_local_model import PYTHON, model, stylekl

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    not PYTHON, reason="no real model here: `scripts/test --real` fetches one and runs this"
)
PAIRS = """
id: six
version: 1
cap: 24
pairs:
  - {id: tea-milk, theme: drinks, words: {en: [tea, milk], fr: [thé, lait], zh: [茶, 牛奶]}}
  - {id: milk-water, theme: drinks, words: [milk, water]}
  - {id: tea-water, theme: drinks, words: [tea, water]}
  - {id: river-lake, theme: places, words: [river, lake]}
  - {id: early-late, theme: hours, words: [early, late]}
  - {id: hot-cold, theme: hours, words: [hot, cold]}
"""
MODEL = "smollm2-t0@2026-01-05"
PROBE = ("probe", "six.yaml", "--models", "models.yaml", "-o", "choices.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ask every question once, at temperature 0."""
    place = tmp_path_factory.mktemp("probe")
    (place / "six.yaml").write_text(PAIRS, encoding="utf-8")
    with model() as url:
        writer = f"provider: local, base_url: '{url}', requested: SmolLM2-135M-Instruct, temperature: 0"
        (place / "models.yaml").write_text(
            f"models:\n  - {{id: '{MODEL}', name: SmolLM2, {writer}}}\n", encoding="utf-8"
        )
        done = stylekl(*PROBE, folder=place)
        assert done.returncode == 0, done.stderr
    return place


def choices(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "choices.json").read_text(encoding="utf-8"))["choices"]


def test_every_distinct_text_is_asked_once(folder: Path) -> None:
    """26 envelopes of a pair without other languages differ; two of them have French or Chinese ones too."""
    found = choices(folder)
    places = [(c["pair"], c["envelope"], c["order"]) for c in found]

    assert len(places) == len(set(places))
    counts = Counter(pair for pair, _, order in places if order == "ab")
    assert counts == {pair: 28 if pair == "tea-milk" else 26 for pair in counts}
    assert len(counts) == 6


def test_what_is_known_of_each_reply_is_recorded(folder: Path) -> None:
    for choice in choices(folder):
        assert choice["version"] == "SmolLM2-135M-Instruct"
        assert choice["usage"]["output"] > 0
        assert (choice["pick"] is None) == (choice["reason"] is not None)
        assert "error" not in choice.get("flags", [])
    held = json.loads((folder / "choices.json").read_text(encoding="utf-8"))
    assert held["models"][0]["node"]["protocol"] == "deterministic"


def test_the_report_shows_how_little_survives(folder: Path) -> None:
    done = stylekl("focus", "smollm2", "choices.json", "--by", "choices", "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)["data"]["lenses"]["choices"]
    total = report["total"]

    assert report["asked"] == {"pairs": 6, "envelopes": 29, "distinct": [26, 28]}
    assert sum(total["outcomes"].values()) == total["real"]["n"] == 5 * 26 + 28
    assert total["real"]["value"] < 0.5
    assert len(report["fingerprint"]) == 6
    told = stylekl("focus", "smollm2", "choices.json", "--by", "choices", "--width", "100", folder=folder)
    text = " ".join(told.stdout.split())
    assert "SmolLM2 takes the same word in both orders in " in text
    assert "By family of envelopes" in text


@pytest.mark.parametrize("command", ["findings", "matrix"])
def test_the_other_questions_run(command: str, folder: Path) -> None:
    done = stylekl(command, "choices.json", "--by", "choices", folder=folder)

    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_again_asks_nothing(folder: Path) -> None:
    """The server is gone by now."""
    done = stylekl(*PROBE, folder=folder)

    assert (done.returncode, done.stdout) == (
        0,
        "nothing to ask: all 316 questions answered: choices.json\n",
    )
