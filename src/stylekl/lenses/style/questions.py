"""The questions that the style lens answers: all pairs, two models, one model among the others."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from stylekl.errors import UsageError
from stylekl.lenses.reports import (
    Estimate,
    FocusReport,
    MatrixReport,
    Neighbour,
    PairReport,
    StyleFocusReport,
    StylePair,
    StylePairReport,
)
from stylekl.lenses.style.contrast import contrast_others, contrast_pair
from stylekl.lenses.style.copies import copied
from stylekl.lenses.style.evidence import Evidence, gather_evidence
from stylekl.lenses.style.facet_lines import focus_lines, pair_lines
from stylekl.lenses.style.options import StyleOptions
from stylekl.lenses.style.ranks import rank_ranges
from stylekl.lenses.style.study import Study
from stylekl.measure.ordering import by_linkage

if TYPE_CHECKING:
    from stylekl.lenses.style.recognition_report import Recognised
    from stylekl.results import Results


def matrix(
    results: Results,
    options: StyleOptions | None = None,
    *,
    evidence: Evidence | None = None,
    study: Study | None = None,
) -> MatrixReport:
    """Return how far every model is from every other.

    `study` may carry the comparisons of all pairs shown, for who asks more than one question; so in `pair` and `focus`.

    Models without a reply that counts stay listed; pairs without a prompt in common are null with the reason.
    `evidence` may carry what `gather_evidence` returned for the same results and options. Raises UsageError where
    fewer than two models have replies or are named in `options.models`, UnknownModelError for a name there.
    """
    evidence = evidence or gather_evidence(results, options or StyleOptions())
    options = evidence.options
    shown = evidence.shown()
    if len(shown) < 2:
        raise UsageError("a matrix of one model has no cell", "name two models or more with --models")
    wanted = list(combinations(shown, 2))
    study = study or Study(evidence, wanted)
    if options.floor:
        study.find_floors(wanted)
    pairs = [study.pair(a, b, with_floor=options.floor) for a, b in wanted]
    ids = [evidence.models[i].id for i in shown]
    order, clusters = by_linkage(_distances(pairs, ids, options.measure), ids)
    if options.order != "cluster":
        position = {model.id: number for number, model in enumerate(results.models)}
        order, clusters = sorted(range(len(ids)), key=lambda i: position[ids[i]]), []
        if options.order == "name":
            order.sort(key=lambda i: (evidence.models[shown[i]].name or ids[i]).casefold())
    return MatrixReport(
        by="style",
        measure=options.measure,
        unit="kinship, 0 to 1" if options.measure == "kinship" else f"bits per {evidence.facet.UNIT}",
        models=tuple(evidence.row(i) for i in shown),
        order=tuple(ids[i] for i in order),
        pairs=tuple(pairs),
        vocabulary=evidence.vocabulary_report,
        clusters=tuple(tuple(ids[i] for i in cluster) for cluster in clusters),
        params=options.params("models", "measure", "order", "floor"),
        warnings=evidence.warnings,
    )


def _distances(pairs: list[StylePair], ids: list[str], measure: str) -> np.ndarray:
    """Return what the rows are ordered by: Jensen-Shannon, or 1 − κ where kinship is drawn."""
    place = {name: number for number, name in enumerate(ids)}
    square = np.full((len(ids), len(ids)), np.nan)
    for pair in pairs:
        if measure == "kinship":
            value = np.nan if pair.kinship is None else 1.0 - pair.kinship.value
        else:
            value = np.nan if pair.js is None else pair.js.value
        square[place[pair.a], place[pair.b]] = square[place[pair.b], place[pair.a]] = value
    return square


def pair(
    results: Results,
    a: str,
    b: str,
    options: StyleOptions | None = None,
    *,
    evidence: Evidence | None = None,
    study: Study | None = None,
) -> PairReport:
    """Return what separates two models, `a` and `b` in the order given.

    Raises UnknownModelError for a name that no model answers to, UsageError where both names mean one model.
    """
    evidence = evidence or gather_evidence(results, options or StyleOptions())
    options = evidence.options
    first, second = evidence.find(a), evidence.find(b)
    if first == second:
        raise UsageError(f'"{a}" and "{b}" are the same model', "name two models")
    key = min(first, second), max(first, second)
    study = study or Study(evidence, [key])
    found = study.pair(*key, with_floor=True)
    found = found if first < second else _swapped(found)
    shared = copied(evidence, *key) if found.copies else ()
    lines = pair_lines(study, first, second) if options.facets and found.prompts else ()
    if found.kl_ab is None:
        style = StylePairReport(found, (), (), 0, lines, shared)
    else:
        contrast = contrast_pair(study, first, second)
        style = StylePairReport(found, contrast.tells, contrast.classes, contrast.candidates, lines, shared)
    return PairReport(
        a=evidence.row(first),
        b=evidence.row(second),
        style=style,
        vocabulary=evidence.vocabulary_report,
        params=options.params("text", "tells", "classes"),
        warnings=evidence.warnings,
    )


def _swapped(found: StylePair) -> StylePair:
    """Return the same pair seen from the other side: the directions change places, nothing else does."""
    from dataclasses import replace

    return replace(
        found,
        a=found.b,
        b=found.a,
        kl_ab=found.kl_ba,
        kl_ba=found.kl_ab,
        length_ratio=None if found.length_ratio is None else 1.0 / found.length_ratio,
        se_prompts=found.se_prompts_ba,
        se_prompts_ba=found.se_prompts,
    )


def focus(
    results: Results,
    model: str,
    options: StyleOptions | None = None,
    *,
    evidence: Evidence | None = None,
    study: Study | None = None,
    nearest: int | None = None,
) -> FocusReport:
    """Return one model's neighbours, nearest first, and its tells against the mean of the others.

    With `nearest` only so many neighbours, the nearest ones, get a floor, and there are no lines for facets: both cost
    much in a file of many models.
    Raises UnknownModelError for a name that no model answers to, UsageError where `options.models` leaves it alone.
    """
    evidence = evidence or gather_evidence(results, options or StyleOptions())
    options = evidence.options
    index = evidence.find(model)
    others = [other for other in evidence.shown() if other != index]
    if not others:
        raise UsageError(
            f'"{model}" has no neighbour among the models of --models', "name another model there"
        )
    study = study or Study(evidence, [(min(index, other), max(index, other)) for other in others])
    contrast = contrast_others(study, index, others)
    known, warnings = _recognised(evidence, index) if options.recognise else (None, ())
    return FocusReport(
        model=evidence.row(index),
        style=StyleFocusReport(
            rank_by=options.rank,
            neighbours=_neighbours(study, index, others, nearest),
            tells=contrast.tells,
            classes=contrast.classes,
            against_others=contrast.estimate,
            candidates=contrast.candidates,
            facets=focus_lines(study, index, others) if options.facets and nearest is None else (),
            recognised=known,
        ),
        vocabulary=evidence.vocabulary_report,
        params=options.params("models", "rank", "text", "tells", "classes", "recognise"),
        warnings=(*evidence.warnings, *warnings),
    )


def _recognised(evidence: Evidence, index: int) -> tuple[Recognised | None, tuple[str, ...]]:
    """Return how well a model's single replies are recognised among the models shown, or a warning why not."""
    from stylekl.lenses.style.held_out import hold
    from stylekl.lenses.style.recognition import recognise, recognised

    try:
        report = recognise(hold(evidence.material, sorted({index, *evidence.shown()})))
        return recognised(report, evidence.models[index].id), report.warnings
    except (UsageError, KeyError) as error:
        reason = (
            error.args[0]
            if isinstance(error, UsageError)
            else "it has no reply to a prompt that others answered"
        )
        return None, (f"how well it is recognised cannot be said: {reason}",)


def _ranked_by(found: StylePair, rank: str) -> Estimate | None:
    return {"kl": found.kl_ab, "js": found.js, "kinship": found.kinship}[rank]


def _neighbours(
    study: Study, index: int, others: list[int], nearest: int | None = None
) -> tuple[Neighbour, ...]:
    evidence = study.evidence

    def of(other: int, *, with_floor: bool) -> StylePair:
        found = study.pair(min(index, other), max(index, other), with_floor=with_floor)
        return found if index < other else _swapped(found)

    if nearest is None:
        study.find_floors([(min(index, other), max(index, other)) for other in others])
    pairs = {other: of(other, with_floor=nearest is None) for other in others}
    known = [other for other in others if _ranked_by(pairs[other], evidence.options.rank) is not None]
    ranges = rank_ranges(study, index, known)
    if nearest is not None:
        near = sorted(known, key=lambda other: ranges[other][0])[:nearest]
        study.find_floors([(min(index, other), max(index, other)) for other in near])
        pairs |= {other: of(other, with_floor=True) for other in near}
    rows = [
        Neighbour(
            model=evidence.models[other].id,
            name=evidence.models[other].name or evidence.models[other].id,
            rank=ranges[other][0] if other in ranges else None,
            rank_low=ranges[other][1] if other in ranges else None,
            rank_high=ranges[other][2] if other in ranges else None,
            kl=found.kl_ab,
            js=found.js,
            kinship=found.kinship,
            floor=found.floor,
            p=found.p,
            q=found.q,
            call=found.call,
            prompts=found.prompts,
            copies=found.copies,
            unit=found.unit,
            se_prompts=found.se_prompts,
            likely_kin=found.likely_kin,
            undefined=found.undefined
            or (found.kinship_undefined if evidence.options.rank == "kinship" else None),
        )
        for other, found in pairs.items()
    ]
    return tuple(sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.model)))
