"""The page on votes, and the fields of their JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from stylekl.lenses.findings import conclude
from stylekl.lenses.votes import KINDS, MISSING, Options, focus, inquire, matrix, pair, rank
from stylekl.results.readers.battles import WINNERS
from stylekl.results.select_votes import PICKS, TOO_FAST
from stylekl.show import votes
from stylekl.show.findings import findings_data
from stylekl.show.json import plain
from stylekl.show.lens_matrix import matrix_data
from tests.votes import simulated

ROOT = Path(__file__).parents[2]
JSON = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "votes.md").read_text(encoding="utf-8")
TRUTH = {"ash": 1650.0, "birch": 1560.0, "cedar": 1350.0}


def keys(value) -> set[str]:
    if isinstance(value, dict):
        own = set(value) - set(TRUTH)
        return own.union(*(keys(item) for key, item in value.items() if key != "left_out"))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("source", ["panel", "arena"])
def test_every_field_of_the_json_is_documented(source):
    results, options = simulated(TRUTH, sessions=40, source=source), Options(resamples=50)
    results.other["votes"][0]["check"] = "plain"
    documents = [
        votes.rank_data(rank(results, options)),
        votes.pair_data(pair(results, "ash", "birch", options)),
        votes.focus_data(focus(results, "ash", options)),
        matrix_data(matrix(results, options)),
        findings_data(conclude([inquire(results, options)])),
        rank(results, options).params,
    ]
    named = set(re.findall(r"`([\w.]+)`", JSON))

    for document in documents:
        assert keys(json.loads(json.dumps(plain(document)))) - named == set()


def test_every_kind_of_sentence_is_documented():
    assert {*KINDS, *MISSING} <= set(re.findall(r"`([\w ]+)`", JSON))


def test_the_page_has_the_labels_numbers_and_options_in_force():
    flat = " ".join(PAGE.split())
    options = Options()

    assert all(f"`{label}`" in flat for label in (*WINNERS, "both_weak", "both_good"))
    assert set(PICKS) >= {"left", "right", "both_weak", "both_good"}
    assert f"above {TOO_FAST:.0f} words per second" in flat
    assert f"{options.seal_battles} battles and there are {options.seal_votes:,} votes" in flat
    assert f"{options.pseudo_wins} pseudo-wins each way" in flat
    assert f"{options.resamples:,} resamples" in flat
    assert f"K {options.k:.0f}, start {options.start:.0f}" in flat
    assert all(f"`{name}`" in flat for name in options.params("models", "k", "start"))
