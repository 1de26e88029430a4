"""What recognition reports: how well replies tell who wrote them, and who wrote a given text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from stylekl.measure.attribution import Rate  # noqa: TC001  (part of the reports)

Verdict = Literal["named", "none of these", "could not tell", "too short to say", "too few prompts to say"]
Told = Literal["told apart", "could not tell"]


@dataclass(frozen=True, slots=True)
class Confused:
    """Another model whose name replies get, and which share of them."""

    model: str
    share: float


@dataclass(frozen=True, slots=True)
class RecognisedModel:
    """How one model's replies are recognised when their prompts were held out.

    `recall` is the share of its replies that get its name, `precision` the share of those with its name that are its
    own. `most_confused_with` is the other model whose name its replies get most often; null where none does.
    `stranger` is how often its replies get a name at 0.9 or more when the model itself was left out; null where that
    cannot be tried.
    """

    model: str
    name: str
    prompts: int
    replies: int
    recall: Rate
    precision: Rate
    most_confused_with: Confused | None
    stranger: Rate | None


@dataclass(frozen=True, slots=True)
class Recognised:
    """How well one model is recognised among the others: the recall of its replies, `accuracy`, with its interval.

    `most_confused_with` is the id of the model whose name its replies get most often; null where none does.
    """

    accuracy: float | None
    low: float | None
    high: float | None
    chance: float
    most_confused_with: str | None


@dataclass(frozen=True, slots=True)
class RecognisedPair:
    """How well two models are told apart, by a fit to these two alone: the share of their replies put right.

    `p` is one-sided, by exchanging the two within prompts; `q` is over all pairs of the report.
    """

    a: str
    b: str
    accuracy: Rate
    p: float
    q: float
    call: Told


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers given at a probability of 0.9 or more: of how many replies, and how many of those answers are right."""

    given: Rate
    right: Rate


@dataclass(frozen=True, slots=True)
class Bin:
    """Replies whose best probability lies from `low` up to `high`: the mean claimed, and the share that is right."""

    low: float
    high: float
    replies: int
    claimed: float | None
    right: float | None


@dataclass(frozen=True, slots=True)
class ByLength:
    """Held-out replies cut to so many characters: how many are longer, put right, answered, and answered rightly."""

    characters: int
    replies: int
    accuracy: float | None
    answered: float | None
    right: float | None


@dataclass(frozen=True, slots=True)
class RecognitionReport:
    """How well single replies tell which model wrote them, on prompts that were held out.

    `accuracy` is the mean of the models' recalls and `chance` what guessing gives. `answers` are those of
    `stylekl who-wrote`, which count with strangers; `answers_closed` those if it is known to be one of the models.
    `strangers` is how often a reply gets a name when its writer was left out of the file; null, with the reason in
    `undefined`, where that cannot be tried. `confusion[i][j]` counts replies of `order[i]` that get the name
    `order[j]`. `least_length` is how long a text must be, in characters; null where no length is enough.
    """

    models: tuple[RecognisedModel, ...]
    order: tuple[str, ...]
    prompts: int
    replies: int
    folds: int
    columns: int
    accuracy: Rate
    chance: float
    answers: Answers
    answers_closed: Answers
    strangers: Rate | None
    confusion: tuple[tuple[int, ...], ...]
    pairs: tuple[RecognisedPair, ...]
    calibration: tuple[Bin, ...]
    lengths: tuple[ByLength, ...]
    least_length: int | None
    undefined: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model and the probability that it wrote the text."""

    model: str
    name: str
    probability: float


@dataclass(frozen=True, slots=True)
class Attribution:
    """Who wrote a text.

    `call` is "named" where one candidate reaches 0.9; `model` is its id then, and null otherwise. `characters` is how
    long the text is after cleaning, `read` how much of it was looked at. `none` is the probability that none of the
    models wrote it. `unlike` is a conformal p: the share of replies of like length that are at least as unlike all
    others. `candidates` are all models, the most probable first.
    """

    call: Verdict
    model: str | None
    probability: float | None
    characters: int
    read: int
    none: float
    unlike: float
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class WhoWroteReport:
    """The answer of `stylekl who-wrote`: how well the file's models are recognised, and who wrote the text.

    `text` is null where no text was given.
    """

    recognition: RecognitionReport
    text: Attribution | None
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
