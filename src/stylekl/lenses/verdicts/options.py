"""What can be asked of the verdicts lens."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Options:
    """The parameters of a comparison of verdicts; every report carries the ones that made it.

    `models` narrows what is shown, `topics` and `prompts` what is read. `condition` is the one whose majorities are
    compared and whose samples are scored (the control without it), `period` the edition (the latest without it).
    `words` is a file of word lists; `literal` classifies by the words of the method alone. `text` allows the answers
    themselves in the output. Nothing here is drawn at random, so `seed` changes nothing.
    """

    models: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    condition: str | None = None
    period: str | None = None
    words: str | None = None
    literal: bool = False
    seed: int = 0
    text: bool = True

    def params(self, *names: str) -> dict[str, Any]:
        """Return the parameters that every command shares, and `names`, for a report."""
        shared = ("topics", "prompts", "condition", "period", "words", "literal")
        values = asdict(self)
        return {name: values[name] for name in (*shared, *names)}
