"""What can be asked of the judgments lens."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from stylekl.errors import UsageError

Measure = Literal["wins", "score"]
MEASURES = ("wins", "score")


@dataclass(frozen=True, slots=True)
class Options:
    """The parameters of a comparison by judgments; every report carries the ones that made it.

    `models` narrows what is shown (every figure still rests on all), `topics`, `prompts` and `judges` which judgments
    are read, of one edition (`period`, the latest without it). `rubric` names the one whose judgments count where the
    file has several (the most frequent without it). `measure` is what a cell of the matrix is: "wins", the share of
    decided verdicts, or "score", how far the mean scores are apart; without it wins where there are verdicts on pairs.
    `resamples` of prompts make the intervals of the ranking.
    """

    models: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    rubric: str | None = None
    period: str | None = None
    measure: Measure | None = None
    pseudo_wins: float = 0.1
    resamples: int = 2_000
    seed: int = 0
    text: bool = True

    def params(self, *names: str) -> dict[str, Any]:
        """Return the parameters that every question shares, and `names`, for a report."""
        shared = ("topics", "prompts", "judges", "rubric", "period", "pseudo_wins", "resamples", "seed")
        values = asdict(self)
        return {name: values[name] for name in (*shared, *names)}

    def check(self) -> None:
        """Raise UsageError for what no answer can be made with."""
        if self.measure not in (None, *MEASURES):
            raise UsageError(
                f"judgments have no measure {self.measure}", f"they have {' and '.join(MEASURES)}"
            )
        if not 0 <= self.pseudo_wins < float("inf"):
            raise UsageError(f"{self.pseudo_wins} pseudo-wins: expected 0 or more", "the default is 0.1")
        if self.resamples < 0:
            raise UsageError(f"{self.resamples} resamples: expected 0 or more", "the default is 2000")
