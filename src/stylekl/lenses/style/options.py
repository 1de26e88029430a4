"""What can be asked of the style lens."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Measure = Literal["kl", "js", "kinship"]


@dataclass(frozen=True, slots=True)
class StyleOptions:
    """The parameters of a style comparison; every report carries the ones that made it.

    `models`, `topics`, `prompts` narrow what is shown or read (the vocabulary is chosen before `models`, after the
    others); `threshold` is the share of prompts that admits a symbol; `vocabulary` a file to take it from; `rank`
    orders neighbours, `measure` is drawn in the matrix and `order` orders its rows; `floor` computes the floor of
    every pair of a matrix; `plain` removes layout before counting, `keep_thinking` leaves reasoning, leading white
    space and leaked special tokens in, `match_length` cuts the replies to a prompt to a common length; `text` allows
    examples; `tells` is how many a side, of the classes `classes` where any is named; `facets` asks for a line for
    each facet, and for tells that are phrases; `recognise` asks `focus` how well the model's single replies are
    recognised; `cache` keeps the counts of large files on disk for the next run, and `jobs`
    is how many processes count the tokens of large files (null for one on each core, 8 at most; 1 for none beside this
    one); both change no result and are no part of `params`.
    """

    facet: str = "tokens"
    plain: bool = False
    keep_thinking: bool = False
    match_length: bool = False
    models: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    condition: str | None = None
    threshold: float = 0.02
    skew: float = 0.99
    vocabulary: str | None = None
    measure: Measure = "kl"
    rank: Measure = "kl"
    order: Literal["cluster", "name", "file"] = "cluster"
    floor: bool = False
    seed: int = 0
    text: bool = True
    tells: int = 12
    classes: tuple[str, ...] = ()
    facets: bool = True
    recognise: bool = False
    cache: bool = True
    jobs: int | None = None

    def params(self, *names: str) -> dict[str, Any]:
        """Return the parameters that every command shares, and `names`, for a report."""
        shared = (
            "facet",
            "plain",
            "keep_thinking",
            "match_length",
            "topics",
            "prompts",
            "condition",
            "threshold",
            "skew",
            "vocabulary",
            "seed",
        )
        values = asdict(self)
        return {name: values[name] for name in (*shared, *names)}
