"""What is in the files, and what is odd in it, before anything is compared. Not a lens: it compares no two models.

It stands among the lenses because it turns results into a report and needs `facets`, which know what is no part of a
reply; `results` may not ask them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.quality.reports import (
    Languages,
    ModelContents,
    QualityFinding,
    QualityReport,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.quality.tally import Ground
    from stylekl.results import Results

__all__ = ["Languages", "ModelContents", "QualityFinding", "QualityReport", "examine"]

EVIDENCE = ("choices", "votes", "judgments", "verdicts", "sessions", "pairs", "envelopes", "archive")
# The order in which kinds are told: what makes a model worthless first.
ORDER = (
    *(
        "conflict",
        "warning",
        "unavailable",
        "missing_replies",
        "version_changed",
        "near_empty",
        "constant",
        "error",
    ),
    *(
        "placeholder",
        "placeholder_text",
        "missing_prompts",
        "language",
        "reasoning",
        "special_tokens",
        "loop",
        "empty",
        "truncated",
    ),
    *(
        "filtered",
        "mojibake",
        "replacement",
        "nul",
        "escapes",
        "copies",
        "condition",
        "same_prompt",
        "near_prompts",
    ),
    *("unanswered", "far_longer", "leading_space"),
)


def examine(results: Results, conflicts: Sequence[str] = (), **params: Any) -> QualityReport:
    """Return the report on results; `conflicts` are sentences on what could not be joined, and was left out.

    Findings are ordered by severity, kind and model. The replies are read once here and twice in `results.check`.
    """
    from stylekl.lenses.quality.languages import Spoken
    from stylekl.lenses.quality.models import of_models
    from stylekl.lenses.quality.tally import Ground
    from stylekl.lenses.quality.whole import of_collection, of_conditions, of_copies, of_prompts, of_reading
    from stylekl.results.check import check
    from stylekl.results.check_files import files_read
    from stylekl.results.select import select

    selection = select(results)
    collection = check(results, selection)
    ground = Ground(results)
    spoken = Spoken(ground)
    asked = {model.id for model in collection.models if model.missing}
    warnings = [*results.warnings, *selection.warnings]
    findings = [
        *of_reading(warnings, conflicts),
        *of_collection(collection),
        *of_models(ground, spoken),
        *of_prompts(ground, asked),
        *of_copies(ground),
        *of_conditions(ground, selection.condition),
    ]
    return QualityReport(
        params=params,
        warnings=warnings,
        collection=collection,
        files=files_read(results.sources),
        contents=_contents(ground),
        conditions={each.id: ground.conditions[each.id] for each in results.conditions},
        evidence=_evidence(results),
        languages=spoken.report(),
        findings=tuple(sorted(findings, key=_rank)),
    )


def _rank(finding: QualityFinding) -> tuple[bool, int, int, tuple[str, ...]]:
    times = finding.replies or finding.prompts or 0
    return finding.severity == "note", ORDER.index(finding.kind), -times, finding.models


def _evidence(results: Results) -> dict[str, int]:
    found = {name: len(results.other.get(name, [])) for name in EVIDENCE if results.other.get(name)}
    one_word = sum(prompt.kind == "one_word" for prompt in results.prompts)
    return found | ({"one_word_prompts": one_word} if one_word else {})


def _contents(ground: Ground) -> tuple[ModelContents, ...]:
    from statistics import median

    found = []
    for model, tally in zip(ground.results.models, ground.tallies, strict=True):
        times = tally.samples.values()
        found.append(
            ModelContents(
                id=model.id,
                replies=tally.replies,
                prompts=len(tally.samples),
                samples=(min(times), max(times)) if times else None,
                characters=float(median(tally.lengths)) if tally.lengths else None,
            )
        )
    return tuple(sorted(found, key=lambda each: each.id))
