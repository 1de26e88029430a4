"""What can be asked of the votes lens."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from stylekl.errors import UsageError
from stylekl.results.select_votes import SOURCES

if TYPE_CHECKING:
    from stylekl.results.select_votes import Source


@dataclass(frozen=True, slots=True)
class Options:
    """The parameters of a comparison by votes; every report carries the ones that made it.

    `models` narrows what is shown (every figure still rests on all models), `topics` and `prompts` which votes are
    read. `source` says whose votes: null takes the panel's, else imported ones, else the arena's. `pseudo_wins` go each
    way to every pairing of models, or with `pairings` "met" to those that met; `draws` leaves fights without a winner
    out of Bradley-Terry and of the shares, or counts half a win each way. `resamples` of sessions make the intervals.
    `k` and `start` are Elo's. The arena stays sealed until every model has `seal_battles` battles and there are
    `seal_votes` votes in all.
    """

    models: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    seed: int = 0
    text: bool = True
    source: Source | None = None
    pseudo_wins: float = 0.1
    pairings: Literal["all", "met"] = "all"
    draws: Literal["out", "half"] = "out"
    resamples: int = 2_000
    k: float = 32.0
    start: float = 1500.0
    seal_battles: int = 100
    seal_votes: int = 1_000

    def params(self, *names: str) -> dict[str, Any]:
        """Return the parameters that every question shares, and `names`, for a report."""
        shared = (
            "topics",
            "prompts",
            "seed",
            "source",
            "pseudo_wins",
            "pairings",
            "draws",
            "resamples",
            "seal_battles",
            "seal_votes",
        )
        values = asdict(self)
        return {name: values[name] for name in (*shared, *names)}

    def check(self) -> None:
        """Raise UsageError for a source that is none, or a number that no ranking can be made with."""
        if self.source not in (None, *SOURCES):
            raise UsageError(f'no source of votes "{self.source}"', f"it is one of: {', '.join(SOURCES)}")
        if not 0 <= self.pseudo_wins < float("inf"):
            raise UsageError(f"{self.pseudo_wins} pseudo-wins: expected 0 or more", "the default is 0.1")
        if self.resamples < 0:
            raise UsageError(f"{self.resamples} resamples: expected 0 or more", "the default is 2000")
        if self.seal_battles < 0 or self.seal_votes < 0:
            raise UsageError("a sealing threshold below 0", "the defaults are 100 battles and 1000 votes")
