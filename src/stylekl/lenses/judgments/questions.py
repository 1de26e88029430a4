"""The questions to the judgments lens: all pairs, two models side by side, one among the others, the ranking."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any

from stylekl.errors import UsageError
from stylekl.lenses.frame import LensMatrix, LensPair
from stylekl.lenses.judgments.agreement import agreement
from stylekl.lenses.judgments.compare import (
    contradicts,
    difference,
    dimensions,
    total,
    verdicts,
)
from stylekl.lenses.judgments.ground import (
    Ground,
    base_of,
    ground_of,
    judge_rows,
    lens_model,
    sums_of,
    totals_of,
    warnings_of,
)
from stylekl.lenses.judgments.reports import (
    Contradiction,
    JudgmentsFocusReport,
    JudgmentsPairReport,
    JudgmentsRankReport,
    PromptRow,
    Rival,
)
from stylekl.lenses.judgments.standings import means, standings
from stylekl.lenses.words import plural
from stylekl.results.find import find_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.judgments.items import Item
    from stylekl.lenses.judgments.options import Options
    from stylekl.results import Results

WINS, SCORE = "win share", "score difference"


def matrix(results: Results, options: Options | None = None) -> LensMatrix:
    """Return how every two models fare before the judges.

    By wins a cell is the share of decided verdicts that the row has against the column; by score it is how many points
    their mean totals are apart, without a sign. Rows stand in the order of the ranking. Raises what `gather` raises,
    and UsageError with fewer than two models.
    """
    ground = ground_of(results, options)
    material = ground.material
    shown = material.shown
    if len(shown) < 2:
        raise UsageError("fewer than two models with judgments", "a matrix compares models")
    wins = material.options.measure == "wins" or (
        material.options.measure is None and any(each.decided for each in ground.verdicts.values())
    )
    placed, _ = standings(material, ground.items)
    cell = _by_wins if wins else _by_score
    return LensMatrix(
        by="judgments",
        measure=WINS if wins else SCORE,
        unit="share of decided verdicts" if wins else "points",
        models=tuple(lens_model(ground, model) for model in shown),
        order=tuple(row.model for row in placed if row.model in shown),
        pairs=tuple(cell(ground, a, b) for a, b in combinations(shown, 2)),
        notes=_matrix_notes(ground, wins=wins),
        params=material.options.params("models", "measure"),
        warnings=warnings_of(ground),
        diverging=wins,
    )


def _by_wins(ground: Ground, a: str, b: str) -> LensPair:
    found = ground.verdicts.get((a, b))
    if found is None:
        return LensPair(a, b, None, None, None, 0, undefined="never judged together")
    keys = ("wins_a", "wins_b", "ties", "split", "half", "incomplete", "prompts")
    return LensPair(
        *(a, b, found.share, found.low, found.high, found.decided),
        p=found.p,
        q=found.q,
        call=found.call,
        back=None if found.share is None else 1.0 - found.share,
        undefined=None if found.share is not None else "no preference",
        detail={key: getattr(found, key) for key in keys},
    )


def _by_score(ground: Ground, a: str, b: str) -> LensPair:
    found = ground.differences.get((a, b))
    if found is None or found.value is None:
        why = "never judged together" if (a, b) not in ground.verdicts else "no scores of both"
        return LensPair(a, b, None, None, None, 0, undefined=why)
    low = high = None
    if found.low is not None and found.high is not None:
        ends = sorted((abs(found.low), abs(found.high)))
        low, high = (ends[0] if found.low * found.high > 0 else 0.0), ends[1]
    return LensPair(
        *(a, b, abs(found.value), low, high, found.prompts),
        p=found.p,
        q=found.q,
        call=found.call,
        detail={"a_less_b": found.value, "low": found.low, "high": found.high, "calls": found.calls},
    )


def _matrix_notes(ground: Ground, *, wins: bool) -> tuple[str, ...]:
    base = base_of(ground)
    over = f"{plural(base.judgments, 'judgment')}, {plural(base.prompts, 'prompt')}; intervals over prompts."
    if wins:
        first = "A cell is the share of decided verdicts for the model of the row against that of the column."
        order = "Bradley-Terry score, strongest first"
    else:
        first = "A cell is how many points the mean totals of row and column are apart, whichever is higher."
        order = "score, highest first"
    return first, f"Rows by {order}. {over}"


def pair(results: Results, a: str, b: str, options: Options | None = None) -> JudgmentsPairReport:
    """Return how the models named `a` and `b` fare against each other before the judges.

    Raises what `gather` raises, UnknownModelError, and UsageError for one model twice or two never judged together.
    """
    first, second = find_model(results, a), find_model(results, b)
    if first.id == second.id:
        raise UsageError(f'"{a}" and "{b}" are the same model', "name two models")
    ground = ground_of(results, options)
    material = ground.material
    found = ground.of(first.id, second.id)
    if not found:
        raise _apart(ground, first.id, second.id)
    turned, key = first.id > second.id, (min(first.id, second.id), max(first.id, second.id))
    scored = [item for item in found if item.differences is not None]
    said = verdicts(found, turned=turned)
    if said is not None:
        known = ground.verdicts[key]
        said = replace(said, q=known.q, call=known.call)
    whole = total(found, turned=turned) if scored else None
    if whole is not None:
        known_total = ground.differences[key]
        whole = replace(whole, difference=replace(whole.difference, q=known_total.q, call=known_total.call))
    calls = [call for item in found for call in item.calls]
    return JudgmentsPairReport(
        a=lens_model(ground, first.id),
        b=lens_model(ground, second.id),
        base=base_of(ground, found),
        total=whole,
        dimensions=dimensions(found, material.dimensions, turned=turned) if scored else (),
        totals=sums_of(calls, first.id, second.id),
        verdicts=said,
        judges=judge_rows(material, found, (first.id, second.id)),
        agreement=agreement(found, material.dimensions),
        contradictions=tuple(
            Contradiction(call.judge, call.prompt, call.winner or "", *totals_of(call, first.id, second.id))
            for call in calls
            if contradicts(call)
        ),
        prompts=_prompt_rows(found, first.id, second.id),
        params=material.options.params("models"),
        warnings=warnings_of(ground),
    )


def _apart(ground: Ground, a: str, b: str) -> UsageError:
    names = ground.material.names
    met = [one if two == a else two for one, two in ground.pairs if a in (one, two)]
    known = ", ".join(names[model] for model in met[:6])
    return UsageError(
        f'"{names[a]}" and "{names[b]}" were never judged together',
        f"judged with {names[a]}: {known}" if met else "",
    )


def _prompt_rows(found: Sequence[Item], a: str, b: str) -> tuple[PromptRow, ...]:
    rows = []
    for prompt in sorted({item.prompt for item in found}):
        here = [item for item in found if item.prompt == prompt]
        calls = [call for item in here for call in item.calls]
        gaps = [
            one - two for call in calls if (both := totals_of(call, a, b))[0] is not None
            for one, two in ((both[0] or 0.0, both[1] or 0.0),)
        ]  # fmt: skip
        rows.append(
            PromptRow(
                prompt=prompt,
                difference=fmean(gaps) if gaps else None,
                calls=len(gaps),
                wins_a=sum(item.winner == a for item in here),
                wins_b=sum(item.winner == b for item in here),
                undecided=sum(item.outcome in ("tie", "split", "half") for item in here),
            )
        )
    return tuple(rows)


def focus(results: Results, model: str, options: Options | None = None) -> JudgmentsFocusReport:
    """Return one model among the others before the judges.

    Raises what `gather` raises, UnknownModelError, and UsageError where the model was never judged.
    """
    own = find_model(results, model)
    ground = ground_of(results, options)
    material = ground.material
    if own.id not in material.models:
        raise UsageError(f'"{own.label}" has no judgment that counts', "`stylekl judge` makes judgments")
    rivals = []
    for two in ground.pairs:
        other = two[1] if two[0] == own.id else two[0]
        if own.id not in two or (other not in material.shown):
            continue
        found, turned = ground.of(*two), two[0] != own.id
        said, gap = verdicts(found, turned=turned), difference(found, "", turned=turned)
        if said is not None:
            said = replace(said, q=ground.verdicts[two].q, call=ground.verdicts[two].call)
        gap = replace(gap, q=ground.differences[two].q, call=ground.differences[two].call)
        rivals.append(Rival(other, material.names[other], gap if gap.prompts else None, said))
    rivals.sort(key=_furthest)
    whole, parts = means(material, ground.items, own.id)
    return JudgmentsFocusReport(
        model=lens_model(ground, own.id),
        base=base_of(ground),
        means=() if whole is None else (whole, *parts),
        rivals=tuple(rivals),
        judges=judge_rows(material, [item for item in ground.items if own.id in (item.a, item.b)]),
        params=material.options.params("models"),
        warnings=warnings_of(ground),
    )


def _furthest(rival: Rival) -> tuple[float, float, str]:
    share = rival.verdicts.share if rival.verdicts and rival.verdicts.share is not None else 0.5
    gap = rival.difference.value if rival.difference and rival.difference.value is not None else 0.0
    return (-share, -gap, rival.model)


def rank(results: Results, options: Options | None = None) -> JudgmentsRankReport:
    """Return the ranking by the judges' preferences, with mean scores beside it. Raises what `gather` raises."""
    ground = ground_of(results, options)
    material = ground.material
    placed, gradient = standings(material, ground.items)
    shown = tuple(row for row in placed if row.model in material.shown)
    decided = any(item.winner for item in ground.items)
    return JudgmentsRankReport(
        base=base_of(ground),
        ranked_by="verdicts" if decided else "scores",
        models=tuple(lens_model(ground, row.model) for row in shown),
        standings=shown,
        judges=ground.judges,
        agreement=agreement(ground.items, material.dimensions),
        pseudo_wins=material.options.pseudo_wins,
        resamples=material.options.resamples,
        gradient=gradient,
        params=material.options.params("models"),
        warnings=(*warnings_of(ground), *_one_sided(ground, placed)),
    )


def _one_sided(ground: Ground, placed: Sequence[Any]) -> tuple[str, ...]:
    if ground.material.options.pseudo_wins == 0:
        return ()
    found = []
    for what, rows in (
        ("won", [row for row in placed if row.wins and not row.losses]),
        ("lost", [row for row in placed if row.losses and not row.wins]),
    ):
        if rows:
            names = ", ".join(row.name for row in rows[:5])
            more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
            found.append(
                f"{names}{more} {what} every decided verdict: how far the score lies from the others rests on the "
                "pseudo-wins"
            )
    return tuple(found)
