"""What the choices lens reports: frozen, each with the parameters that made it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stylekl.lenses.frame import LensModel, LensPair


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % interval (null where there is none), of `n` things in `units` independent units."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    units: int


@dataclass(frozen=True, slots=True)
class Stand:
    """How one node stands on one pair.

    `pick` is the cross-envelope preference ("a", "b", "none", or null where nothing was answered), by the `a` and `b`
    envelopes with a real preference; `answered` envelopes answered in both orders, and `reasons` count those without a
    preference. `sharpness` is |a − b| over `answered`.
    """

    pair: str
    theme: str | None
    words: tuple[str, str]
    pick: str | None
    a: int
    b: int
    answered: int
    reasons: dict[str, int]
    sharpness: float | None

    @property
    def real(self) -> int:
        """How many envelopes gave a real preference."""
        return self.a + self.b

    @property
    def word(self) -> str | None:
        """The word that is preferred, null without one."""
        return {"a": self.words[0], "b": self.words[1]}.get(self.pick or "")


@dataclass(frozen=True, slots=True)
class Rates:
    """One envelope, or a family of envelopes, under one node or under all that are shown.

    `commit` is the share of replies that chose a word, `order_bias` the share of questions asked in both orders that
    came out by position, `real` the share with a real preference. `first` is how often the word that stands first was
    taken where one was. `outcomes` count the questions by outcome. `family` is null for the rates of an envelope of no
    family; `id` is null for those of a family.
    """

    id: str | None
    family: str | None
    envelopes: int
    commit: Share
    order_bias: Share
    real: Share
    first: Share
    outcomes: dict[str, int]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked: envelopes, and how many distinct texts of them a pair has, at least and at most."""

    pairs: int
    envelopes: int
    distinct: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Both:
    """One pair of words under two nodes.

    `verdict` is "agree", "opposite", "one chose", "neither chose" or "not asked".
    """

    pair: str
    theme: str | None
    words: tuple[str, str]
    a: Stand
    b: Stand
    verdict: str


@dataclass(frozen=True, slots=True)
class Theme:
    """How two nodes compare on the pairs of one theme: counts by verdict, and the share on which they differ."""

    theme: str | None
    pairs: int
    agree: int
    opposite: int
    one_chose: int
    neither_chose: int
    firm: int
    differ: Share


@dataclass(frozen=True, slots=True)
class ChoicesPairReport:
    """Two nodes: how far they are apart (`pair`, Hamming), how violently, and on what.

    A word pair is firm where both have a real preference in at least half of the envelopes that they answered.
    """

    a: LensModel
    b: LensModel
    pair: LensPair
    violent: Share
    themes: tuple[Theme, ...]
    stands: tuple[Both, ...]
    rates: tuple[Rates, Rates]
    asked: Asked
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another node by its distance: rank, Hamming with its interval, opposite choices."""

    model: str
    name: str
    rank: int
    pair: LensPair


@dataclass(frozen=True, slots=True)
class Triple:
    """Three words of which each is preferred to the next, and the last to the first; `pairs` are the ids, in order."""

    words: tuple[str, str, str]
    pairs: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class ChoicesFocusReport:
    """One node: its fingerprint, where it is firm and where not, who is near, and how much it goes by position.

    `sharpest` and `softest` are ids of pairs; a softest one has a preference. `triples_possible` counts the triples of
    words of which all three pairs are decided.
    """

    model: LensModel
    fingerprint: tuple[Stand, ...]
    sharpest: tuple[str, ...]
    softest: tuple[str, ...]
    neighbours: tuple[Neighbour, ...]
    triples: tuple[Triple, ...]
    triples_possible: int
    total: Rates
    families: tuple[Rates, ...]
    envelopes: tuple[Rates, ...]
    asked: Asked
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SharpnessReport:
    """How far the picks of the envelopes agree: a row for each model, a column for each pair of words.

    `order` lists the ids of the models and `columns` those of the pairs, the sharpest first. `stands` holds every node
    and pair that was answered, by model then pair in these orders. `mean` is over the pairs of a model.
    """

    measure: str
    unit: str
    models: tuple[LensModel, ...]
    order: tuple[str, ...]
    columns: tuple[str, ...]
    mean: dict[str, float]
    stands: dict[str, tuple[Stand, ...]]
    rates: dict[str, Rates]
    asked: Asked
    notes: tuple[str, ...] = ()
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moved:
    """A word pair on which a later sibling differs; `kind` is "flip", "refusal", "lost" or "gained"."""

    kind: str
    old: Stand
    new: Stand


@dataclass(frozen=True, slots=True)
class Step:
    """A later sibling against the first or the one before it; `against` says which, or both."""

    old: str
    new: str
    label: str
    against: tuple[str, ...]
    pair: LensPair
    moved: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Sibling:
    """One node of a chain, with what tells it from the others."""

    model: LensModel
    label: str
    total: Rates


@dataclass(frozen=True, slots=True)
class ChoicesDriftReport:
    """One model along dates, effort levels or periods: what flips, and what turns into a refusal."""

    model: str
    axis: str
    siblings: tuple[Sibling, ...]
    steps: tuple[Step, ...]
    asked: Asked
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
