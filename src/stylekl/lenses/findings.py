"""What every lens's findings are: sentences that a file supports, each with its evidence, and those it does not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stylekl.lenses.reports import ModelRow, Vocabulary


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence that the file supports.

    `lead` names it in a word or two, `text` is the whole sentence; both are made from `evidence` alone, which holds
    plain values of JSON. `models` are the ids it speaks of, sorted. `q` is over all hypotheses of the list, null where
    the sentence counts or bounds and tests nothing. `strength`, from 0 to 4, orders the list.
    """

    kind: str
    lens: str
    lead: str
    text: str
    models: tuple[str, ...]
    evidence: dict[str, Any]
    q: float | None
    strength: float


@dataclass(frozen=True, slots=True)
class NotSupported:
    """A sentence that one would like to have and the file does not support, and `why` not; made from `evidence`."""

    kind: str
    lens: str
    text: str
    why: str
    models: tuple[str, ...]
    evidence: dict[str, Any]


@dataclass(frozen=True, slots=True)
class FindingsReport:
    """What a file supports, strongest first, and what it does not.

    `hypotheses` is how many were looked at, in `families` families: what q counts. `models` are those shown.
    """

    models: tuple[ModelRow, ...]
    findings: tuple[Finding, ...]
    not_supported: tuple[NotSupported, ...]
    hypotheses: int
    families: int
    vocabulary: Vocabulary
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
