"""The frozen reports that every lens returns and that the terminal and `--json` both read.

Field order is the key order of the JSON output. A number that could not be computed is null and has its reason
beside it in `undefined`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from stylekl.lenses.style.changes import Baseline
    from stylekl.lenses.style.recognition_report import Recognised

Call = Literal["apart", "too close to call", "cannot say"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """One estimated number: bias-corrected `value` (signed), plug-in `raw`, and its uncertainty.

    `low` and `high` bound the two-sided 95 % interval, `upper` the one-sided 95 % limit; `se` is the
    jackknife standard error. All in the unit that the report states.
    """

    value: float
    raw: float
    low: float
    high: float
    se: float
    upper: float


@dataclass(frozen=True, slots=True)
class ModelRow:
    """What one model brings: how much of it counts, and what was left out for which reason.

    `removed` is the number of replies off which something was taken before counting, by what it was.
    """

    id: str
    name: str
    prompts: int
    replies: int
    symbols: int
    left_out: dict[str, int] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The style vocabulary: how many symbols, from which facet, the share that admits one, and what it covers.

    `threshold` is the share in force: the option's, or 12 (8, 3) prompts' worth where that is more; `unit` says of
    what it is a share, prompts or (where there are few prompts) replies. `coverage` is the mean over models of the
    share of a reply's symbols that the vocabulary holds; `source` is "file" where it was chosen from the results
    and the path where it was given.
    """

    facet: str
    size: int
    threshold: float
    coverage: float
    source: str
    unit: str = "prompts"


@dataclass(frozen=True, slots=True)
class StylePair:
    """Two models compared by style. Divergences in bits per symbol.

    `unit` names what was resampled ("prompt", or "reply" below 10 prompts), `units` how many the two share and
    `groups` how many groups the jackknife deleted in turn. `floor` is null unless asked for. `p` is exact, `q`
    its Benjamini-Hochberg value over all pairs of the file. `se_prompts` is the standard error of kl_ab
    over prompts where the unit is the reply, `se_prompts_ba` that of kl_ba. `kinship` is κ, and `likely_kin` what
    it calls; both depend on the other models of the file, and `kinship_undefined` says why there is none.
    `undefined` says why a null is null.
    """

    a: str
    b: str
    prompts: int
    unit: str
    units: int
    groups: int
    kl_ab: Estimate | None
    kl_ba: Estimate | None
    js: Estimate | None
    kinship: Estimate | None
    floor: float | None
    p: float | None
    q: float | None
    call: Call
    copies: int
    length_ratio: float | None
    length_rule: bool
    se_prompts: float | None
    se_prompts_ba: float | None = None
    likely_kin: bool | None = None
    kinship_undefined: str | None = None
    undefined: str | None = None


@dataclass(frozen=True, slots=True)
class MatrixReport:
    """How far every model is from every other.

    `order` lists the model ids by average linkage on Jensen-Shannon, `pairs` every pair once, sorted by ids.
    `baseline` says what moved since an earlier file, null where none was given.
    """

    by: str
    measure: str
    unit: str
    models: tuple[ModelRow, ...]
    order: tuple[str, ...]
    pairs: tuple[StylePair, ...]
    vocabulary: Vocabulary
    clusters: tuple[tuple[str, ...], ...] = ()
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    baseline: Baseline | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """One place where a symbol stands: whose reply to which prompt, the text around, and the symbol's span in it.

    `text` is cut between words about 90 characters to either side; `start` and `end` count characters of it.
    """

    model: str
    prompt: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Tell:
    """A symbol that one model uses more than the other.

    `more` is the id of the model that does. `lift` is the ratio of the two rates (null where the other never uses
    it), `low` and `high` its 95 % interval. `bits` is its jackknifed contribution to the divergence from the model
    that says more to the other, `share` that contribution over the whole divergence (null where that may be 0).
    `rate_a` and `rate_b` are its frequencies, balanced over prompts. Counts are of the symbol, `prompts_*` of
    prompts that hold it. `q` is over all candidates of both sides. `example` is the sentence of a reply that holds
    it, `span` its place there; `example_other` and `span_other` the same of the other side, null where that never
    uses it. `contexts` are places in replies to different prompts: first those of the side that says more, then those
    of the other. None of these under --no-text.
    """

    symbol: str
    facet: str
    kind: str
    more: str
    lift: float | None
    low: float | None
    high: float | None
    bits: float
    share: float | None
    rate_a: float
    rate_b: float
    count_a: int
    count_b: int
    prompts_a: int
    prompts_b: int
    q: float
    example: str | None
    span: tuple[int, int] | None
    example_other: str | None = None
    span_other: tuple[int, int] | None = None
    contexts: tuple[Context, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassTotal:
    """What one class of symbols adds to the divergence, in both directions; the classes add up to it exactly.

    The shares of a direction are null where its divergence may be 0: parts of nothing say nothing.
    """

    kind: str
    bits_ab: float
    bits_ba: float
    share_ab: float | None
    share_ba: float | None


@dataclass(frozen=True, slots=True)
class Copy:
    """A long text that two models both gave to one prompt.

    `characters` is its length without white space at the ends, `text` its first 200 characters; null under
    --no-text.
    """

    prompt: str
    characters: int
    text: str | None


@dataclass(frozen=True, slots=True)
class FacetLine:
    """How far two models are apart in one facet, in bits per `unit`, over `symbols` symbols of its vocabulary.

    Facets count different symbols, so their bits do not compare with each other; a divergence over its `floor`
    does. `kl_ba` is null in a focus, where the other side is the mean of the others. `q` is over the facets listed.
    `undefined` says why a null is null.
    """

    facet: str
    unit: str
    symbols: int
    coverage: float
    kl_ab: Estimate | None
    kl_ba: Estimate | None
    floor: float | None
    p: float | None
    q: float | None
    call: Call
    undefined: str | None = None


@dataclass(frozen=True, slots=True)
class StylePairReport:
    """What separates two models: the pair, the tells of each side (strongest first) and the class totals.

    `facets` has a line for each facet, in their fixed order, and `copied` the long replies that both gave.
    """

    pair: StylePair
    tells: tuple[Tell, ...]
    classes: tuple[ClassTotal, ...]
    candidates: int
    facets: tuple[FacetLine, ...] = ()
    copied: tuple[Copy, ...] = ()


@dataclass(frozen=True, slots=True)
class PairReport:
    """Two models side by side, by every lens that has data."""

    a: ModelRow
    b: ModelRow
    style: StylePairReport
    vocabulary: Vocabulary
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One neighbour of the model in focus.

    `rank` orders by the chosen measure; the true rank lies surely between `rank_low` and `rank_high`. `kl` is
    the divergence from the model in focus to this neighbour, `js` the symmetric one; `unit` is what was resampled
    and `se_prompts` the standard error of `kl` over prompts where that is the reply.
    """

    model: str
    name: str
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    kl: Estimate | None
    js: Estimate | None
    kinship: Estimate | None
    floor: float | None
    p: float | None
    q: float | None
    call: Call
    prompts: int
    copies: int
    unit: str = "prompt"
    se_prompts: float | None = None
    likely_kin: bool | None = None
    undefined: str | None = None


@dataclass(frozen=True, slots=True)
class StyleFocusReport:
    """One model among the others by style: neighbours (nearest first) and its tells against their mean.

    In the tells, side a is the model in focus and side b the mean of the others (`more` is null's stand-in
    "others" where they say more).
    """

    rank_by: str
    neighbours: tuple[Neighbour, ...]
    tells: tuple[Tell, ...]
    classes: tuple[ClassTotal, ...]
    against_others: Estimate | None
    candidates: int
    recognised: Recognised | None = None
    facets: tuple[FacetLine, ...] = ()


@dataclass(frozen=True, slots=True)
class FocusReport:
    """One model among the others, by every lens that has data."""

    model: ModelRow
    style: StyleFocusReport
    vocabulary: Vocabulary
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
