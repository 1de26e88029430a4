"""What can be asked of the choices lens."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Measure = Literal["hamming", "violent", "sharpness"]


@dataclass(frozen=True, slots=True)
class Options:
    """The parameters of a comparison of choices; every report carries the ones that made it.

    `models` narrows what is shown, `topics` (the themes of the pairs), `prompts` (ids of pairs) and `envelopes` (ids)
    what is read; `period` reads one edition instead of all together. `measure` is what a matrix holds, `order` how its
    rows stand. `reclassify` reads every reply anew where the file holds a pick for it. `text` allows replies in the
    output.
    """

    models: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    envelopes: tuple[str, ...] = ()
    period: str | None = None
    measure: Measure = "hamming"
    order: Literal["cluster", "name", "file"] = "cluster"
    reclassify: bool = False
    seed: int = 0
    text: bool = True

    def params(self, *names: str) -> dict[str, Any]:
        """Return the parameters that every question shares, and `names`, for a report."""
        shared = ("topics", "prompts", "envelopes", "period", "reclassify", "seed")
        values = asdict(self)
        return {name: values[name] for name in (*shared, *names)}
