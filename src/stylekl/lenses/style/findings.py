"""What a file supports about style and what not: sentences, each made from its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.lenses.claims import Inquiry
from stylekl.lenses.findings import FindingsReport, conclude
from stylekl.lenses.style.claims import HYPOTHESES, KINDS, MISSING
from stylekl.lenses.style.claims.ground import Ground
from stylekl.lenses.style.evidence import Evidence, gather_evidence
from stylekl.lenses.style.options import StyleOptions
from stylekl.lenses.style.study import Study

if TYPE_CHECKING:
    from stylekl.results import Results

NAME = "style"


def findings(
    results: Results, options: StyleOptions | None = None, *, evidence: Evidence | None = None
) -> FindingsReport:
    """Return the sentences that a file supports about style, strongest first, and those that it does not.

    All hypotheses are looked at on the whole file, and q counts all of them; `options.models` then leaves the sentences
    that speak of these models alone. `evidence` may carry what `gather_evidence` returned for the same results and
    options. Raises UsageError where fewer than two models have replies, UnknownModelError for a name in
    `options.models`.
    """
    return conclude([inquire(results, options, evidence=evidence)])


def inquire(
    results: Results, options: StyleOptions | None = None, *, evidence: Evidence | None = None
) -> Inquiry:
    """Return what the style lens brings to the findings; raises as `findings` does."""
    evidence = evidence or gather_evidence(results, options or StyleOptions())
    ground = Ground(Study(evidence))
    return Inquiry(
        lens=NAME,
        families=[family for propose in HYPOTHESES for family in propose(ground)],
        claims=lambda control: [claim for kind in KINDS.values() for claim in kind.claims(ground, control)],
        lacks=lambda control: [
            lack for missing in MISSING.values() for lack in missing.lacks(ground, control)
        ],
        kinds=KINDS,
        missing=MISSING,
        models=tuple(evidence.row(model) for model in evidence.shown()),
        vocabulary=evidence.vocabulary_report,
        params=evidence.options.params("models"),
        warnings=evidence.warnings,
    )
