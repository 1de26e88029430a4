"""The reports of `drift`, `diff` and `matrix --baseline`: what moved between two bodies of replies, and the gate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from stylekl.lenses.reports import Call, Estimate, ModelRow, Vocabulary

Outcome = Literal["passed", "failed", "could not tell"]
SIZE = 0.01


@dataclass(frozen=True, slots=True)
class Change:
    """Two bodies of replies, an older and a newer one, compared by style. Divergences in bits per symbol.

    `old` and `new` are ids, `name` and `label` what to call the newer one, `against` what the older one is to it:
    "first", "previous" or both in a drift, "old" in a diff. `kl` is KL(new ‖ old). `p` is exact, `q` its
    Benjamini-Hochberg value over the comparisons of the report. `unit`, `units`, `groups`, `floor`, `se_prompts`,
    `length_ratio` (new over old), `length_rule` and `undefined` are as in a pair. `same` is how many of the `prompts`
    have a reply of the same text on both sides. `needed` is how many units a difference of the report's `size` would
    take, `visible` the least difference that these units show, both four times in five; null where the two are the same
    and where `length_rule` holds. `gate` is what the gate says of this comparison, null without one.
    """

    old: str
    new: str
    name: str
    label: str
    against: tuple[str, ...]
    prompts: int
    unit: str
    units: int
    groups: int
    kl: Estimate | None
    js: Estimate | None
    floor: float | None
    p: float | None
    q: float | None
    call: Call
    same: int
    needed: int | None
    visible: float | None
    length_ratio: float | None
    length_rule: bool
    se_prompts: float | None
    gate: Outcome | None = None
    reason: str | None = None
    undefined: str | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate: what makes it fail, and its outcome over all comparisons of a report.

    `fail_above` fails a comparison whose 95 % interval lies above it, and passes one whose one-sided 95 % limit does
    not exceed it; `fail_if_apart` fails one that is apart, and passes another where a difference of `size` would have
    been seen, or where every reply is the same text. With both, both must fail it, and either passes it. Neither failed
    nor passed is "could not tell".
    """

    fail_above: float | None
    fail_if_apart: bool
    size: float
    outcome: Outcome = "could not tell"

    @property
    def given(self) -> bool:
        """Whether anything can fail."""
        return self.fail_above is not None or self.fail_if_apart


@dataclass(frozen=True, slots=True)
class Sibling:
    """One of the siblings of a drift: its label (a date, an effort level, a period) and what it brings."""

    label: str
    model: ModelRow


@dataclass(frozen=True, slots=True)
class DriftReport:
    """One model over time (or over effort levels), each sibling against the first and the one before.

    `axis` says what orders the siblings: "date", "effort" or "period", and `unit` what the divergences are in.
    `changes` has each pair that was compared once, in the order of the newer and then of the older. `size` is the
    difference that `needed` speaks of.
    """

    model: str
    axis: str
    unit: str
    siblings: tuple[Sibling, ...]
    changes: tuple[Change, ...]
    size: float
    gate: Gate | None
    vocabulary: Vocabulary
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffReport:
    """The models that two files share, each in the one against itself in the other, the most changed first.

    `old` and `new` are the paths, `identical` whether the files are the same bytes; `only_old` and `only_new` the
    names of the models that one of them lacks.
    """

    old: str
    new: str
    identical: bool
    unit: str
    changes: tuple[Change, ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    size: float
    gate: Gate | None
    vocabulary: Vocabulary
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moved:
    """A cell of a matrix that differs from the baseline's, row and column by id, in the report's measure.

    `before` and `now` are both on the vocabulary of the matrix. `p` is of Student's t of the jackknifed difference,
    `q` its Benjamini-Hochberg value over all cells that both files have.
    """

    row: str
    column: str
    before: Estimate
    now: Estimate
    p: float
    q: float


@dataclass(frozen=True, slots=True)
class Baseline:
    """A matrix against an earlier file: the cells that moved (surest first), of how many that both have.

    `changes` compares the replies of each model that both files hold, as a diff does.
    """

    path: str
    sha256: str
    cells: int
    moved: tuple[Moved, ...]
    changes: tuple[Change, ...]


def judge(change: Change, gate: Gate) -> tuple[Outcome, str]:
    """Return what a gate says of one comparison, and why."""
    found = []
    if gate.fail_above is not None:
        found.append(_by_size(change, gate.fail_above))
    if gate.fail_if_apart:
        found.append(_by_call(change, gate.size))
    for outcome in ("passed", "could not tell"):
        for told in found:
            if told[0] == outcome:
                return told
    return found[-1]


def together(outcomes: list[Outcome]) -> Outcome:
    """Return what the outcomes of several comparisons come to: one failure fails, one doubt leaves a doubt."""
    if "failed" in outcomes:
        return "failed"
    return "passed" if outcomes and all(outcome == "passed" for outcome in outcomes) else "could not tell"


def _by_size(change: Change, limit: float) -> tuple[Outcome, str]:
    if change.call == "cannot say" or change.kl is None:
        return "could not tell", change.undefined or "too few prompts"
    if change.kl.low > limit:
        return "failed", f"surely above {_bits(limit)}"
    if change.kl.upper <= limit:
        return "passed", f"surely not above {_bits(limit)}"
    return "could not tell", f"{_bits(limit)} lie within the interval"


def _by_call(change: Change, size: float) -> tuple[Outcome, str]:
    if change.call == "cannot say":
        return "could not tell", change.undefined or "too few prompts"
    if change.call == "apart":
        return "failed", "apart"
    if change.visible is None and 0 < change.prompts == change.same:
        return "passed", "the same text throughout"
    if change.visible is None or change.visible > size:
        return "could not tell", f"too little text to see a difference of {_bits(size)}"
    return "passed", f"not apart, and {_bits(size)} would have been seen"


def _bits(size: float) -> str:
    text = f"{size:g}"
    return f"{text[1:] if text.startswith('0.') else text} bits"
