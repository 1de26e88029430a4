"""What the judgments lens reports. Scores are in points of the rubric, shares are of decided verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from stylekl.lenses.frame import LensModel

Call = Literal["ahead", "too close to call", "cannot say"]
PositionCall = Literal["follows the position", "no sign of it", "cannot say"]


@dataclass(frozen=True, slots=True)
class Difference:
    """How much higher one model is scored than the other: the mean over prompts, each counting once.

    `low` and `high` are the 95 % interval over the prompts (Student's t), null with fewer than two; `p` is that of no
    difference, null with fewer than six; `q` is over all that stand beside it. `over_calls` is the mean over single
    judgments, as published tables give it, and `calls` how many these are.
    """

    value: float | None
    low: float | None
    high: float | None
    prompts: int
    p: float | None
    q: float | None
    call: Call
    over_calls: float | None
    calls: int


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension: the two means over prompts, and their difference. `name` is null for all dimensions together."""

    name: str | None
    mean_a: float | None
    mean_b: float | None
    difference: Difference


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the verdicts on two models come to, item by item: what one judge says of one prompt, in all orders asked.

    `split` are items whose two orders name different models, `half` those where one order is a tie: no preference.
    `share` is a's part of the decided ones with its 95 % interval over prompts, `prompts` how many these come from, and
    `p` that of no preference, null with fewer than six. `counts` are the verdicts of single judgments by model, and
    "tie".
    """

    wins_a: int
    wins_b: int
    ties: int
    split: int
    half: int
    incomplete: int
    share: float | None
    low: float | None
    high: float | None
    prompts: int
    p: float | None
    q: float | None
    call: Call
    counts: dict[str, int]

    @property
    def decided(self) -> int:
        """How many items have a preference."""
        return self.wins_a + self.wins_b


@dataclass(frozen=True, slots=True)
class Position:
    """Whether a judge's verdicts follow the position of a reply.

    `first`, `second` and `tie` count verdicts for the reply shown as A, for that shown as B, and none. Of `asked_twice`
    items asked in both orders `same` name one model or are ties both times, and `follows` name the same position.
    `share` is the part of decided verdicts for the first, with its 95 % interval over prompts, `p` that of one half.
    `basis` says what makes that a test: "both orders", or "drawn order"; null where the order was neither, and then
    position and model cannot be told apart.
    """

    judge: str
    first: int
    second: int
    tie: int
    asked_twice: int
    same: int
    follows: int
    share: float | None
    low: float | None
    high: float | None
    prompts: int
    p: float | None
    q: float | None
    basis: Literal["both orders", "drawn order"] | None
    call: PositionCall


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge: its valid replies, those invalid by reason, repairs by kind, and verdicts against its own totals.

    `family` is its own, null where it is not known; `related` are the models judged of the same family.
    `total_difference` is the sum of a's totals less b's over its judgments, null outside a pair.
    """

    judge: str
    judgments: int
    invalid: dict[str, int]
    repairs: dict[str, int]
    contradictions: int
    wrong_totals: int
    family: str | None
    related: tuple[str, ...]
    position: Position
    total_difference: float | None = None

    @property
    def replies(self) -> int:
        """How many replies there are, invalid ones included."""
        return self.judgments + sum(self.invalid.values())


@dataclass(frozen=True, slots=True)
class Agreement:
    """Krippendorff's alpha between judges: of verdicts (nominal), of a dimension (ordinal), of the total (interval).

    `what` is "verdict", "total" or the dimension. `value` is null where nothing can be compared, the interval with
    fewer than six prompts; `units` are what two judges or more judged.
    """

    what: str
    level: str
    value: float | None
    low: float | None
    high: float | None
    units: int
    prompts: int


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A verdict that its own totals speak against: the verdict stands."""

    judge: str
    prompt: str
    verdict: str
    total_a: float | None
    total_b: float | None


@dataclass(frozen=True, slots=True)
class PromptRow:
    """One prompt: a's mean total less b's over single judgments, and whom the items prefer."""

    prompt: str
    difference: float | None
    calls: int
    wins_a: int
    wins_b: int
    undecided: int


@dataclass(frozen=True, slots=True)
class Base:
    """What all figures rest on.

    `judgments` count, `invalid` replies do not; `items` are what they come to, `prompts` what was judged. `scale` are
    the least and the greatest score, null without scores; `left_out` counts all that does not count, by reason.
    """

    judgments: int
    invalid: int
    items: int
    prompts: int
    judges: int
    rubric: str | None
    dimensions: tuple[str, ...]
    scale: tuple[int, int] | None
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class JudgmentsPairReport:
    """Two models: scores by dimension, verdicts, judges, agreement. `totals` are sums over all judgments of the two."""

    a: LensModel
    b: LensModel
    base: Base
    total: Dimension | None
    dimensions: tuple[Dimension, ...]
    totals: tuple[float, float] | None
    verdicts: Verdicts | None
    judges: tuple[JudgeRow, ...]
    agreement: tuple[Agreement, ...]
    contradictions: tuple[Contradiction, ...]
    prompts: tuple[PromptRow, ...]
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rival:
    """Another model, seen from the one in focus: how much higher that one is scored, and whom the verdicts prefer."""

    model: str
    name: str
    difference: Difference | None
    verdicts: Verdicts | None


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean score over prompts, each counting once, with its 95 % interval (Student's t)."""

    name: str | None
    value: float
    low: float | None
    high: float | None
    prompts: int


@dataclass(frozen=True, slots=True)
class JudgmentsFocusReport:
    """One model: its means, and the others, the one it is furthest ahead of first."""

    model: LensModel
    base: Base
    means: tuple[Mean, ...]
    rivals: tuple[Rival, ...]
    judges: tuple[JudgeRow, ...]
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """One model in the ranking.

    `score` is Bradley-Terry on the preferences with its 95 % interval over prompts, `level_with_next` whether that
    overlaps the next one's; null without a preference, and `undefined` says why. `undecided` are ties and items whose
    two orders do not agree. `total` is the mean total, `dimensions` the mean of each.
    """

    model: str
    name: str
    rank: int | None
    score: float | None
    low: float | None
    high: float | None
    level_with_next: bool | None
    wins: int
    losses: int
    undecided: int
    total: Mean | None
    dimensions: tuple[Mean, ...]
    undefined: str | None = None


@dataclass(frozen=True, slots=True)
class JudgmentsRankReport:
    """The ranking: standings, those without a score last; `ranked_by` is "verdicts", or "scores" without any."""

    base: Base
    ranked_by: Literal["verdicts", "scores"]
    models: tuple[LensModel, ...]
    standings: tuple[Standing, ...]
    judges: tuple[JudgeRow, ...]
    agreement: tuple[Agreement, ...]
    pseudo_wins: float
    resamples: int
    gradient: float
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    by: str = "judgments"
