"""What a file supports and what not: sentences, each made from its evidence, under one control of multiplicity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.lenses.findings import Finding, FindingsReport, NotSupported
from stylekl.lenses.style.claims import HYPOTHESES, KINDS, MISSING
from stylekl.lenses.style.claims.core import Control, plain_facts
from stylekl.lenses.style.claims.ground import Ground
from stylekl.lenses.style.claims.words import PLAIN
from stylekl.lenses.style.evidence import Evidence, gather_evidence
from stylekl.lenses.style.options import StyleOptions
from stylekl.lenses.style.study import Study

if TYPE_CHECKING:
    from stylekl.lenses.style.claims.core import Claim
    from stylekl.lenses.style.claims.words import Voice
    from stylekl.results import Results

LENS = "style"


def findings(
    results: Results, options: StyleOptions | None = None, *, evidence: Evidence | None = None
) -> FindingsReport:
    """Return the sentences that a file supports, strongest first, and those that it does not.

    All hypotheses are looked at on the whole file, and q counts all of them; `options.models` then leaves the sentences
    that speak of these models alone. `evidence` may carry what `gather_evidence` returned for the same results and
    options. Raises UsageError where fewer than two models have replies, UnknownModelError for a name in
    `options.models`.
    """
    evidence = evidence or gather_evidence(results, options or StyleOptions())
    ground = Ground(Study(evidence))
    control = Control([family for propose in HYPOTHESES for family in propose(ground)])
    claims = [claim for kind in KINDS.values() for claim in kind.claims(ground, control)]
    shown = {ground.ids[model] for model in ground.shown}
    found = [_finding(claim) for claim in claims if shown.issuperset(claim.models)]
    found.sort(key=lambda each: (-round(each.strength, 9), each.kind, each.models, each.text))
    lacks = [lack for missing in MISSING.values() for lack in missing.lacks(ground, control)]
    return FindingsReport(
        models=tuple(evidence.row(model) for model in evidence.shown()),
        findings=tuple(found),
        not_supported=tuple(
            _not_supported(lack.kind, lack.models, lack.facts)
            for lack in lacks
            if shown.issuperset(lack.models)
            and shown.issuperset(each["model"] for each in lack.facts.get("names", ()))
        ),
        hypotheses=control.hypotheses,
        families=control.families,
        vocabulary=evidence.vocabulary_report,
        params=evidence.options.params("models"),
        warnings=evidence.warnings,
    )


def said(found: Finding | NotSupported, voice: Voice) -> tuple[str, str]:
    """Return the two parts of a sentence, lead and text or what and why not, made anew from its evidence."""
    kinds = KINDS if isinstance(found, Finding) else MISSING
    return kinds[found.kind].sentence(found.evidence, voice)


def _finding(claim: Claim) -> Finding:
    facts = plain_facts(claim.facts)
    lead, text = KINDS[claim.kind].sentence(facts, PLAIN)
    return Finding(
        kind=claim.kind,
        lens=LENS,
        lead=lead,
        text=text,
        models=claim.models,
        evidence=facts,
        q=claim.q,
        strength=claim.strength,
    )


def _not_supported(kind: str, models: tuple[str, ...], given: dict[str, object]) -> NotSupported:
    facts = plain_facts(given)
    text, why = MISSING[kind].sentence(facts, PLAIN)
    return NotSupported(kind, LENS, text, why, models, facts)
