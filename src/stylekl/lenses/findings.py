"""What every lens's findings are: sentences that a file supports, each with its evidence, and those it does not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stylekl.lenses.claims import Control, plain_facts
from stylekl.lenses.registry import lens
from stylekl.lenses.words import PLAIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.lenses.claims import Claim, Inquiry, Lack, Sentence
    from stylekl.lenses.frame import LensModel
    from stylekl.lenses.reports import ModelRow, Vocabulary
    from stylekl.lenses.words import Voice


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
class Asked:
    """A lens that was asked: the models that it shows, and in a line what its findings rest on."""

    lens: str
    note: str
    models: tuple[ModelRow | LensModel, ...]


@dataclass(frozen=True, slots=True)
class FindingsReport:
    """What a file supports, strongest first, and what it does not.

    `hypotheses` is how many were looked at, in `families` families: what q counts, over all lenses. `models` are those
    shown, by the first of the lenses `asked`; `vocabulary` is the style lens's, null without it.
    """

    models: tuple[ModelRow | LensModel, ...]
    findings: tuple[Finding, ...]
    not_supported: tuple[NotSupported, ...]
    hypotheses: int
    families: int
    vocabulary: Vocabulary | None
    asked: tuple[Asked, ...] = ()
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def conclude(inquiries: Sequence[Inquiry]) -> FindingsReport:
    """Return what all lenses together support and do not, under one control of multiplicity.

    The parameters are those of the first lens, with those of the others under their names.
    """
    control = Control([family for inquiry in inquiries for family in inquiry.families])
    said = [(inquiry, *_shown(inquiry, control)) for inquiry in inquiries]
    found = [_finding(inquiry, claim) for inquiry, claims, _ in said for claim in claims]
    found.sort(key=lambda each: (-round(each.strength, 9), each.lens, each.kind, each.models, each.text))
    lacking = [_lacking(inquiry, lack) for inquiry, _, lacks in said for lack in lacks]
    first, *rest = inquiries
    return FindingsReport(
        models=first.models,
        findings=tuple(found),
        not_supported=tuple(lacking),
        hypotheses=control.hypotheses,
        families=control.families,
        vocabulary=next((each.vocabulary for each in inquiries if each.vocabulary is not None), None),
        asked=tuple(Asked(each.lens, each.note, each.models) for each in inquiries),
        params=first.params | {each.lens: each.params for each in rest},
        warnings=tuple(dict.fromkeys(warning for each in inquiries for warning in each.warnings)),
    )


def said(found: Finding | NotSupported, voice: Voice) -> tuple[str, str]:
    """Return the two parts of a sentence, lead and text or what and why not, made anew from its evidence."""
    home = lens(found.lens)
    kinds: Mapping[str, Sentence] = home.KINDS if isinstance(found, Finding) else home.MISSING
    return kinds[found.kind].sentence(found.evidence, voice)


def _shown(inquiry: Inquiry, control: Control) -> tuple[list[Claim], list[Lack]]:
    """Return what speaks of the models shown alone; what is not supported names no other either."""
    shown = {model.id for model in inquiry.models}
    lacks = [lack for lack in inquiry.lacks(control) if shown.issuperset(lack.models)]
    return (
        [claim for claim in inquiry.claims(control) if shown.issuperset(claim.models)],
        [lack for lack in lacks if shown.issuperset(each["model"] for each in lack.facts.get("names", ()))],
    )


def _finding(inquiry: Inquiry, claim: Claim) -> Finding:
    facts = plain_facts(claim.facts)
    lead, text = inquiry.kinds[claim.kind].sentence(facts, PLAIN)
    return Finding(claim.kind, inquiry.lens, lead, text, claim.models, facts, claim.q, claim.strength)


def _lacking(inquiry: Inquiry, lack: Lack) -> NotSupported:
    facts = plain_facts(lack.facts)
    text, why = inquiry.missing[lack.kind].sentence(facts, PLAIN)
    return NotSupported(lack.kind, inquiry.lens, text, why, lack.models, facts)
