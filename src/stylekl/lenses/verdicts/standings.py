"""The models of an edition: pooled counts and medians, scores, regions, ranks, framing sensitivity, series."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from stylekl.lenses.frame import LensModel
from stylekl.lenses.verdicts.aggregate import spread
from stylekl.lenses.verdicts.reports import Point, Question, Series, Standing
from stylekl.lenses.verdicts.scores import Measured, score, sensitivity

if TYPE_CHECKING:
    from stylekl.lenses.verdicts.aggregate import Cell
    from stylekl.lenses.verdicts.material import Material
    from stylekl.lenses.verdicts.scores import Cuts, Scores


def standings(material: Material, period: str | None) -> tuple[dict[str, Standing], Cuts]:
    """Return every model of an edition by id, whether shown or not, and where the regions are cut.

    Scores are from the samples under the condition in view, and normalised over all models of the edition.
    """
    ids = material.in_edition(period)
    rows = {model: material.samples_of(model, material.condition, period) for model in ids}
    measured = {}
    for model, samples in rows.items():
        answers = [sample.answer for sample in samples if sample.answer is not None]
        slow = spread(sample.latency_ms for sample in samples if sample.answer is not None)
        long = spread(sample.output_tokens for sample in samples if sample.answer is not None)
        measured[model] = Measured(
            samples=len(answers),
            decided=sum(answer.verdict != "other" for answer in answers),
            one_word=sum(answer.one_word for answer in answers),
            latency_ms=None if slow is None else slow.median,
            output_tokens=None if long is None else long.median,
        )
    scores, cuts = score(measured)
    ranks = _ranks(scores)
    return {model: _standing(material, model, period, scores[model], ranks[model]) for model in ids}, cuts


def _ranks(scores: dict[str, Scores]) -> dict[str, int | None]:
    known = [each.composite for each in scores.values() if each.composite is not None]
    return {
        model: None if each.composite is None else 1 + sum(other > each.composite for other in known)
        for model, each in scores.items()
    }


def _standing(
    material: Material, model: str, period: str | None, scores: Scores, rank: int | None
) -> Standing:
    whole = material.pooled_cell(model, material.condition, period)
    framing = {
        condition: sensitivity(_majorities(material, model, condition, period))
        for condition in material.conditions
        if condition != material.control
    }
    pooled = [pair for condition in framing for pair in _majorities(material, model, condition, period)]
    why = None
    if not whole.samples:
        why = material.unavailable.get(model) or ("every call failed" if whole.failed else "not asked here")
    return Standing(
        model=model,
        name=material.model(model).label,
        rank=rank,
        decisiveness=scores.decisiveness,
        efficiency=scores.efficiency,
        composite=scores.composite,
        region=scores.region,
        asked=whole.asked,
        samples=whole.samples,
        yes=whole.yes,
        no=whole.no,
        other=whole.other,
        refused=whole.refused,
        empty=whole.empty,
        failed=whole.failed,
        available=whole.samples / whole.asked if whole.asked else None,
        unavailable=why,
        followed=whole.followed,
        followed_rate=whole.followed_rate,
        latency_ms=whole.latency_ms,
        first_content_ms=whole.first_content_ms,
        output_tokens=whole.output_tokens,
        tokens_per_second=whole.tokens_per_second,
        cost=whole.cost,
        currency=whole.currency,
        price_date=whole.price_date,
        sensitivity=framing,
        pooled=sensitivity(pooled),
    )


def _majorities(
    material: Material, model: str, condition: str, period: str | None
) -> list[tuple[str | None, str | None]]:
    return [
        _pair(
            material.cell(model, question.id, material.control, period),
            material.cell(model, question.id, condition, period),
        )
        for question in material.questions
    ]


def _pair(plain: Cell | None, framed: Cell | None) -> tuple[str | None, str | None]:
    return None if plain is None else plain.majority, None if framed is None else framed.majority


def series(material: Material, models: tuple[str, ...]) -> tuple[Series, ...]:
    """Return every model, question and condition over the editions that have a cell for it; none for one edition."""
    if len(material.periods) < 2:
        return ()
    found = []
    for model in models:
        for question in material.questions:
            for condition in material.conditions:
                cells = [material.cell(model, question.id, condition, period) for period in material.periods]
                points = tuple(_point(cell) for cell in cells if cell is not None)
                known = [point.majority for point in points if point.majority is not None]
                if len(points) > 1:
                    flips = sum(a != b for a, b in pairwise(known))
                    found.append(Series(model, question.id, condition, points, flips))
    return tuple(found)


def _point(cell: Cell) -> Point:
    return Point(cell.period, cell.majority, cell.samples, cell.yes, cell.no, cell.other)


def lens_model(material: Material, model: str, period: str | None) -> LensModel:
    """Return what a model brings to an edition: its questions, samples, and how the samples fell."""
    cells = list(material.of(model=model, period=period))
    names = ("samples", "yes", "no", "other", "refused", "empty", "failed")
    return LensModel(
        id=model,
        name=material.model(model).label,
        counts={
            "questions": len({cell.question for cell in cells}),
            "conditions": len({cell.condition for cell in cells}),
            **{name: sum(getattr(cell, name) for cell in cells) for name in names},
        },
        left_out=dict(material.left_out.get(model, {})),
    )


def questions(material: Material) -> tuple[Question, ...]:
    """Return the questions in the order of the file, their text where it may be shown."""
    return tuple(
        Question(each.id, each.text if material.options.text else None) for each in material.questions
    )
