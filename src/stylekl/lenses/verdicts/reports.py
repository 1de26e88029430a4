"""What the verdicts lens reports: the cells, one model, two models, and the ranking of one edition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stylekl.lenses.frame import LensModel, LensPair
    from stylekl.lenses.verdicts.aggregate import Cell, Spread
    from stylekl.lenses.verdicts.editions import Edition
    from stylekl.lenses.verdicts.scores import Cuts, Sensitivity
    from stylekl.lenses.verdicts.words import Words


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was asked; `text` is null where no text may be shown."""

    id: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Standing:
    """One model in one edition: what it said under one condition, its constructed scores, how the framing moves it.

    Counts and medians are over its samples under the condition, all questions together. `rank` is by composite, equal
    ones share it, and null where there is none. `available` is the share of replies with an answer, null where the
    model was listed and has no reply; `unavailable` is the reason where it has no samples. `sensitivity` has every
    condition but the control, `pooled` all of them together.
    """

    model: str
    name: str
    rank: int | None
    decisiveness: float
    efficiency: float | None
    composite: float | None
    region: str | None
    asked: int
    samples: int
    yes: int
    no: int
    other: int
    refused: int
    empty: int
    failed: int
    available: float | None
    unavailable: str | None
    followed: int
    followed_rate: float | None
    latency_ms: Spread | None
    first_content_ms: Spread | None
    output_tokens: Spread | None
    tokens_per_second: Spread | None
    cost: float | None
    currency: str | None
    price_date: str | None
    sensitivity: dict[str, Sensitivity]
    pooled: Sensitivity


@dataclass(frozen=True, slots=True)
class Point:
    """One edition in a series: the majority and the counts behind it."""

    period: str | None
    majority: str | None
    samples: int
    yes: int
    no: int
    other: int


@dataclass(frozen=True, slots=True)
class Series:
    """One model, question and condition over the editions, the earliest first; `flips` counts changes of majority.

    Editions in which the model has no samples are left out of `flips`.
    """

    model: str
    question: str
    condition: str
    points: tuple[Point, ...]
    flips: int


@dataclass(frozen=True, slots=True)
class VerdictsReport:
    """All cells, by edition, model, question and condition, with the editions and the series over them."""

    editions: tuple[Edition, ...]
    models: tuple[LensModel, ...]
    questions: tuple[Question, ...]
    conditions: tuple[str, ...]
    cells: tuple[Cell, ...]
    series: tuple[Series, ...]
    words: Words
    literal: bool
    not_comparable: tuple[str, ...]
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WordsReport:
    """The word lists in force."""

    words: Words
    literal: bool
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One question under one condition to both models, null where one was not asked.

    `differ` compares the majorities, null where either is. `moved_a` and `moved_b` say whether a majority differs from
    that under the control, null for the control and where either is null. `p` is the exact test that the samples of
    both come from one source, `least` the least p that so few could give.
    """

    question: str
    condition: str
    a: Cell | None
    b: Cell | None
    differ: bool | None
    moved_a: bool | None
    moved_b: bool | None
    p: float | None
    least: float | None


@dataclass(frozen=True, slots=True)
class VerdictsPairReport:
    """Two models in one edition: how often their majorities differ, question by question, and what moves each."""

    a: LensModel
    b: LensModel
    edition: Edition
    editions: tuple[Edition, ...]
    condition: str
    control: str
    disagreement: LensPair
    questions: tuple[Question, ...]
    rows: tuple[SideBySide, ...]
    standing_a: Standing
    standing_b: Standing
    constructed: dict[str, str]
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Near:
    """Another model, by how often its majorities differ; `pair` has this model's id on either side."""

    model: str
    name: str
    pair: LensPair


@dataclass(frozen=True, slots=True)
class VerdictsFocusReport:
    """One model in one edition: its answers, compliance, sensitivity, region, and the others by disagreement."""

    model: LensModel
    edition: Edition
    editions: tuple[Edition, ...]
    condition: str
    control: str
    questions: tuple[Question, ...]
    conditions: tuple[str, ...]
    cells: tuple[Cell, ...]
    standing: Standing
    of: int
    cuts: Cuts
    neighbours: tuple[Near, ...]
    series: tuple[Series, ...]
    constructed: dict[str, str]
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerdictsRankReport:
    """The leaderboard of one edition by composite, the best first; models without answers last."""

    by: str
    edition: Edition
    editions: tuple[Edition, ...]
    condition: str
    control: str
    conditions: tuple[str, ...]
    models: tuple[LensModel, ...]
    standings: tuple[Standing, ...]
    cuts: Cuts
    constructed: dict[str, str]
    not_comparable: tuple[str, ...]
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
