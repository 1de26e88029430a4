"""What the votes lens reports. Shares are of decided fights, times in ms, scores in displayed points.

`Sealed` is what every question returns while the arena is sealed: it has no place for a score, a share or an order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from stylekl.lenses.frame import LensModel
    from stylekl.results.select_votes import Source

Call = Literal["ahead", "too close to call", "cannot say"]
Unit = Literal["session", "vote"]


@dataclass(frozen=True, slots=True)
class Sealed:
    """The arena before its ranking is opened: how many battles each model has, and how many votes there are.

    Every model needs `battles_needed`, and all together `votes_needed` votes. `models` are in the order of their ids,
    their `counts` {"battles"}. `a`, `b` and `model` are those asked about, null where none was. `others` counts the
    votes of the other sources, which are not sealed.
    """

    source: Source
    votes: int
    votes_needed: int
    battles_needed: int
    models: tuple[LensModel, ...]
    others: dict[str, int]
    a: LensModel | None = None
    b: LensModel | None = None
    model: LensModel | None = None
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    sealed: bool = True


@dataclass(frozen=True, slots=True)
class Record:
    """How two models fared against each other, a < b by id.

    `wins_*` count direct and forced picks, `direct_*` first picks alone. `neither` are those without a forced pick;
    `both_weak` and `both_good` the two kinds of draw. `share` is a's part of the decided fights with its 95 % interval,
    `units` how many sessions (or votes) these come from. `p` is that of no preference, `q` over all pairs.
    """

    a: str
    b: str
    wins_a: int
    wins_b: int
    direct_a: int
    direct_b: int
    neither: int
    both_weak: int
    both_good: int
    share: float | None
    low: float | None
    high: float | None
    units: int
    p: float | None = None
    q: float | None = None
    call: Call = "cannot say"
    undefined: str | None = None

    @property
    def decided(self) -> int:
        """How many fights had a winner."""
        return self.wins_a + self.wins_b

    @property
    def fights(self) -> int:
        """How many fights there were."""
        return self.decided + self.neither + self.both_weak + self.both_good


@dataclass(frozen=True, slots=True)
class Standing:
    """One model in the ranking.

    `rank` goes by Elo in the arena and by Bradley-Terry elsewhere; null where the model has no score, `undefined` says
    why. `score` is Bradley-Terry with its 95 % interval, `level_with_next` whether that overlaps the interval of the
    next in rank (null where either is missing). `win_share` counts direct and forced picks over decided fights,
    `direct_win_share` first picks alone. `shown` are replies shown, `mark_rate` the share of them with a mark, and
    `onset_ms` the median time of the `onsets` marks made before the pick could be. `refusal_rate` is refused replies
    over replies asked for. A null rate was not recorded.
    """

    model: str
    name: str
    rank: int | None
    elo: float | None
    score: float | None
    low: float | None
    high: float | None
    level_with_next: bool | None
    fights: int
    decided: int
    wins: int
    win_share: float | None
    direct_win_share: float | None
    neither: int
    both_weak: int
    both_good: int
    shown: int
    mark_rate: float | None
    onset_ms: float | None
    onsets: int
    replies: int
    refused: int
    refusal_rate: float | None
    undefined: str | None = None


@dataclass(frozen=True, slots=True)
class ExcludedSession:
    """A session that does not count, why, and how many of its votes would have been fights."""

    session: str
    reason: str
    fights: int


@dataclass(frozen=True, slots=True)
class Base:
    """What all figures rest on.

    `votes` in the file of this source, `fights` of them that count, `decided` of these with a winner. `left_out` counts
    the other votes by reason. `sessions` of the source are in the file, `valid` of them count, `excluded` do not.
    `unit` is what was resampled, `units` how many there are. `others` counts votes of other sources.
    """

    votes: int
    fights: int
    decided: int
    left_out: dict[str, int]
    sessions: int
    valid: int
    excluded: tuple[ExcludedSession, ...]
    unit: Unit
    units: int
    others: dict[str, int]


@dataclass(frozen=True, slots=True)
class VotesRankReport:
    """The ranking by votes: standings in rank order (those without a score last), and every pair that met."""

    source: Source
    base: Base
    standings: tuple[Standing, ...]
    records: tuple[Record, ...]
    pseudo_wins: float
    resamples: int
    gradient: float
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    by: str = "votes"
    sealed: bool = False


@dataclass(frozen=True, slots=True)
class TopicRecord:
    """How two models, or one against all others, fared on the prompts of a topic; as in `Record`.

    `expected` is the share that the scores over all topics lead to expect. `p` is that of no preference in a pair, and
    of nothing but the overall strength in a focus; `q` is over the topics listed.
    """

    topic: str
    wins: int
    losses: int
    undecided: int
    share: float | None
    low: float | None
    high: float | None
    expected: float | None
    units: int
    p: float | None
    q: float | None


@dataclass(frozen=True, slots=True)
class Gap:
    """How far a is above b in score, with its 95 % interval; `odds` of a win are what that gap means."""

    points: float
    low: float | None
    high: float | None
    odds: float
    odds_low: float | None
    odds_high: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class VotesPairReport:
    """Two models by votes: their record, the odds of a win of the first, the gap in score, and each topic.

    `record` and `topics` have the first model's wins first, in the order in which the two were named. `odds` are wins
    over losses between the two, null where either is 0 (an end of their interval too: beyond any number).
    """

    a: LensModel
    b: LensModel
    source: Source
    base: Base
    record: Record
    odds: float | None
    odds_low: float | None
    odds_high: float | None
    gap: Gap | None
    topics: tuple[TopicRecord, ...]
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    sealed: bool = False


@dataclass(frozen=True, slots=True)
class VotesFocusReport:
    """One model by votes: its standing, its record against each other (most won first), and its topics.

    In `rivals` the model in focus is `a`, whatever the ids.
    """

    model: LensModel
    source: Source
    base: Base
    standing: Standing
    ranked: int
    rivals: tuple[Record, ...]
    names: dict[str, str]
    topics: tuple[TopicRecord, ...]
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    sealed: bool = False
