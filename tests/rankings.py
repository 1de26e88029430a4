"""The battle sets beside the checkout, with figures from code that is not ours."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

SETS = ("evalica_food", "baseball_1987", "llmfao_crowd")
RESULTS = {"a": 1.0, "b": 0.0, "tie": 0.5, "tie_bad": 0.5}


@dataclass(frozen=True)
class BattleSet:
    """Battles as arrays over sorted models, and the figures expected of them."""

    models: list[str]
    first: np.ndarray
    second: np.ndarray
    winner: list[str]
    session: np.ndarray | None
    expected: dict[str, Any]

    @property
    def result(self) -> np.ndarray:
        """1 for a win of the first, 0 for one of the second, half for a draw."""
        return np.array([RESULTS[each] for each in self.winner])

    @property
    def decided(self) -> tuple[np.ndarray, np.ndarray]:
        """Winner and loser of each battle that had one."""
        won = self.result == 1.0
        kept = self.result != 0.5
        return np.where(won, self.first, self.second)[kept], np.where(won, self.second, self.first)[kept]

    def scores(self, name: str) -> np.ndarray:
        """Return the expected scores of a variant, by model."""
        return np.array([self.expected[name]["scores"][model] for model in self.models])


def battle_set(shared: Path, name: str) -> BattleSet:
    folder = shared / "reference" / "rankings" / name
    given = json.loads((folder / "input.json").read_text())
    rows = given["battles"]
    return BattleSet(
        given["models"],
        np.array([row[0] for row in rows]),
        np.array([row[1] for row in rows]),
        [row[2] for row in rows],
        np.array([row[3] for row in rows]) if len(rows[0]) > 3 else None,
        json.loads((folder / "expected.json").read_text()),
    )
