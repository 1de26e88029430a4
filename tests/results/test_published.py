"""Numbers that benchmarks publish, made anew from their files."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from stylekl.results import load
from stylekl.results.select_votes import select_votes

if TYPE_CHECKING:
    from pathlib import Path

_PROMPTS = 805  # the published divisor, whatever a file leaves out
_BOARDS = ("weighted_alpaca_eval_gpt4_turbo_leaderboard.csv", "alpaca_eval_gpt4_leaderboard.csv")


def published_lengths(folder: Path) -> dict[str, int]:
    """Return the average length of each model, the newer board before the older one."""
    found: dict[str, int] = {}
    for board in _BOARDS:
        with (folder / "leaderboard" / board).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found.setdefault(row[""], int(row["avg_length"]))
    return found


def test_average_lengths_of_alpaca_eval(shared: Path) -> None:
    """In code points, floored, a missing reply counting as one of length 0."""
    folder = shared / "data" / "formats" / "alpaca_eval"
    published = published_lengths(folder)
    compared = {}
    for path in (
        *sorted(folder.glob("*.json*")),
        *sorted((shared / "data" / "alpaca_eval").glob("*.json.gz")),
    ):
        name = path.name.split(".json")[0]
        if name in published:
            total = sum(len(each.text) for each in load(path).replies)
            compared[name] = (math.floor(total / _PROMPTS), published[name])

    assert len(compared) >= 70
    assert {name: pair for name, pair in compared.items() if pair[0] != pair[1]} == {}


@pytest.mark.parametrize(
    ("name", "rate"),
    [
        ("text_davinci_001.alpaca_eval_gpt4.json", 15.17412935323383),
        ("FuseChat-Llama-3.2-3B-Instruct.weighted.json.gz", 51.29667710101864),
    ],
)
def test_win_rates_of_alpaca_eval(name: str, rate: float, shared: Path) -> None:
    """The mean of the preferences less one, a draw being a half, over the votes that count: equal to every digit.

    In the benchmark's own order of summation, which numpy has.
    """
    results = load(shared / "data" / "formats" / "alpaca_eval" / "annotations" / name)
    wins = [1.5 if vote["preference"] in (0, 1.5) else vote["preference"] for vote in results.other["votes"]]
    counted = len(select_votes(results, "import").fights)

    assert counted == len(wins)
    assert float((np.array(wins) - 1).mean() * 100) == rate
