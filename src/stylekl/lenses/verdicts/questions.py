"""The questions put to this lens: overview, matrix, pair, focus, rank. Each looks at one edition, and says which."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.errors import UsageError
from stylekl.lenses.frame import LensMatrix, LensPair
from stylekl.lenses.verdicts.editions import NOT_COMPARABLE
from stylekl.lenses.verdicts.exact import differ, interval
from stylekl.lenses.verdicts.material import KIND, Material, gather
from stylekl.lenses.verdicts.options import Options
from stylekl.lenses.verdicts.reports import (
    Near,
    SideBySide,
    Standing,
    VerdictsFocusReport,
    VerdictsPairReport,
    VerdictsRankReport,
    VerdictsReport,
    WordsReport,
)
from stylekl.lenses.verdicts.scores import CONSTRUCTED
from stylekl.lenses.verdicts.standings import lens_model, questions, series, standings
from stylekl.lenses.verdicts.words import load_words
from stylekl.lenses.words import number, plural
from stylekl.measure.exchange import benjamini_hochberg
from stylekl.measure.families import LEVEL
from stylekl.measure.ordering import by_linkage
from stylekl.results import find_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.verdicts.aggregate import Cell
    from stylekl.lenses.verdicts.editions import Edition
    from stylekl.results import Results

MEASURE = "disagreement"
UNIT = "share of questions"


def has_data(results: Results) -> bool:
    """Tell whether two models or more have answers to one-word questions."""
    one_word = {p.id for p in results.prompts if p.kind == KIND and p.retired is None}
    if not one_word:
        return False
    return len({r.model for r in results.replies if r.prompt in one_word and "error" not in r.flags}) > 1


def lists(options: Options | None = None) -> WordsReport:
    """Return the word lists in force. Raises InputError for a bad file of lists."""
    options = options or Options()
    return WordsReport(
        load_words(options.words), options.literal, {"words": options.words, "literal": options.literal}
    )


def verdicts(results: Results, options: Options | None = None) -> VerdictsReport:
    """Return every cell of the file, of all editions unless `options.period` names one.

    The order is that of the editions, then of the models' ids, then of questions and conditions in the file.
    Raises what `gather` raises.
    """
    material = gather(results, options or Options())
    periods = material.periods if material.options.period is None else (material.period,)
    kept = [
        cell
        for period in periods
        for cell in material.of(period=period)
        if cell.model in material.shown and material.options.condition in (None, cell.condition)
    ]
    return VerdictsReport(
        editions=tuple(material.edition(period) for period in periods),
        models=tuple(lens_model(material, model, material.period) for model in material.shown),
        questions=questions(material),
        conditions=material.conditions,
        cells=tuple(kept),
        series=tuple(
            each
            for each in (series(material, material.shown) if len(periods) > 1 else ())
            if material.options.condition in (None, each.condition)
        ),
        words=material.words,
        literal=material.options.literal,
        not_comparable=NOT_COMPARABLE,
        params=material.options.params("models"),
        warnings=material.warnings,
    )


def matrix(results: Results, options: Options | None = None) -> LensMatrix:
    """Return how often the majorities of every two models differ, in one edition and under one condition.

    Models without samples there are left out of the matrix, with a warning. Raises what `gather` raises, and UsageError
    where fewer than two models have answers.
    """
    material = gather(results, options or Options())
    pairs = disagreements(material)
    shown = [model for model in material.shown if _answered(material, model)]
    missing = [material.model(model).label for model in material.shown if model not in shown]
    if len(shown) < 2:
        raise UsageError(
            f"{_view(material)}: fewer than two models have answers",
            "name another --period or --condition, or more models",
        )
    by_ids = {(pair.a, pair.b): pair for pair in pairs}
    between = [by_ids[a, b] for a, b in combinations(shown, 2)]
    square = np.zeros((len(shown), len(shown)))
    for pair in between:
        i, j = shown.index(pair.a), shown.index(pair.b)
        square[i, j] = square[j, i] = np.nan if pair.value is None else pair.value
    order, clusters = by_linkage(square, shown)
    silent = [f"no answers in {_view(material)}, not in the matrix: {', '.join(missing)}"] if missing else []
    return LensMatrix(
        by="verdicts",
        measure=MEASURE,
        unit=UNIT,
        models=tuple(lens_model(material, model, material.period) for model in shown),
        order=tuple(shown[place] for place in order),
        pairs=tuple(between),
        clusters=tuple(tuple(shown[place] for place in cluster) for cluster in clusters),
        notes=_notes(material, between),
        params=_params(material),
        warnings=(*material.warnings, *silent),
    )


def pair(results: Results, a: str, b: str, options: Options | None = None) -> VerdictsPairReport:
    """Return two models side by side, question by question and condition by condition.

    Raises what `gather` raises, UnknownModelError, and UsageError where the two are one or one of them has no replies
    in the edition.
    """
    material = gather(results, options or Options())
    first, second = (_known(material, find_model(results, name).id) for name in (a, b))
    if first == second:
        raise UsageError(f'"{a}" and "{b}" are the same model', "name two models")
    found, _ = standings(material, material.period)
    return VerdictsPairReport(
        a=lens_model(material, first, material.period),
        b=lens_model(material, second, material.period),
        **_seen(material),
        disagreement=next(each for each in disagreements(material) if {each.a, each.b} == {first, second}),
        questions=questions(material),
        rows=tuple(_rows(material, first, second)),
        standing_a=found[first],
        standing_b=found[second],
        constructed=dict(CONSTRUCTED),
        params=_params(material, "text"),
        warnings=material.warnings,
    )


def focus(results: Results, model: str, options: Options | None = None) -> VerdictsFocusReport:
    """Return one model: its answers, compliance, sensitivity, region, and the others, the most like it first.

    Raises what `gather` raises, UnknownModelError, and UsageError where the model has no replies in the edition.
    """
    material = gather(results, options or Options())
    own = _known(material, find_model(results, model).id)
    found, cuts = standings(material, material.period)
    shown = {*material.shown, own}
    near = [
        Near(other, material.model(other).label, each)
        for each in disagreements(material)
        if own in (each.a, each.b) and each.a in shown and each.b in shown
        for other in (each.b if each.a == own else each.a,)
    ]
    near.sort(key=lambda each: (each.pair.value is None, each.pair.value or 0.0, -each.pair.n, each.model))
    return VerdictsFocusReport(
        model=lens_model(material, own, material.period),
        **_seen(material),
        questions=questions(material),
        conditions=material.conditions,
        cells=tuple(material.of(model=own, period=material.period)),
        standing=found[own],
        of=len(found),
        cuts=cuts,
        neighbours=tuple(near),
        series=series(material, (own,)),
        constructed=dict(CONSTRUCTED),
        params=_params(material, "text"),
        warnings=material.warnings,
    )


def rank(results: Results, options: Options | None = None) -> VerdictsRankReport:
    """Return the leaderboard of one edition by composite: a constructed score, normalised within the edition.

    Raises what `gather` raises.
    """
    material = gather(results, options or Options())
    found, cuts = standings(material, material.period)
    shown = [found[model] for model in material.shown if model in found]
    shown.sort(key=_place)
    return VerdictsRankReport(
        by="verdicts",
        **_seen(material),
        conditions=material.conditions,
        models=tuple(lens_model(material, each.model, material.period) for each in shown),
        standings=tuple(shown),
        cuts=cuts,
        constructed=dict(CONSTRUCTED),
        not_comparable=NOT_COMPARABLE,
        params=_params(material),
        warnings=material.warnings,
    )


def _place(found: Standing) -> tuple[Any, ...]:
    """Return what orders the leaderboard: composite, else decisiveness; models without answers last; then the id."""
    if not found.samples:
        return (2, 0.0, found.model)
    if found.composite is None:
        return (1, -found.decisiveness, found.model)
    return (0, -found.composite, found.model)


def _seen(material: Material) -> dict[str, Any]:
    """Return which edition and condition a report speaks of."""
    editions: tuple[Edition, ...] = tuple(material.edition(period) for period in material.periods)
    return {
        "edition": material.edition(material.period),
        "editions": editions,
        "condition": material.condition,
        "control": material.control,
    }


def _params(material: Material, *more: str) -> dict[str, Any]:
    """Return the options with what they came to."""
    found = material.options.params("models", *more)
    return found | {"condition": material.condition, "period": material.period}


def _known(material: Material, model: str) -> str:
    if model not in material.in_edition(material.period):
        raise UsageError(
            f"{material_name(material, model)} was not asked in {_view(material, condition=False)}",
            "name another --period, or a model that was",
        )
    return model


def material_name(material: Material, model: str) -> str:
    """Return the name of a model, its id where it has no reply here."""
    return next((each.label for each in material.models if each.id == model), model)


def _view(material: Material, *, condition: bool = True) -> str:
    edition = "the file" if material.period is None else f"edition {material.period}"
    return f"{edition}, condition {material.condition}" if condition else edition


def _answered(material: Material, model: str) -> bool:
    return any(
        cell.samples
        for cell in material.of(model=model, condition=material.condition, period=material.period)
    )


def disagreements(material: Material) -> list[LensPair]:
    """Return every two models of the edition in view, by id, with q over all pairs.

    The value is the share of questions on which the majorities differ, over those on which both have one; the interval
    is exact over questions. p is the exact test that both answer alike, sample by sample. The call is "apart" where q
    is below .05, "cannot say" where so few samples could not have shown it, else "too close to call".
    """
    models = material.in_edition(material.period)
    bare = [_compared(material, a, b) for a, b in combinations(models, 2)]
    q = benjamini_hochberg(np.array([np.nan if pair.p is None else pair.p for pair in bare], np.float64))
    return [_called(pair, float(value)) for pair, value in zip(bare, q, strict=True)]


def _compared(material: Material, a: str, b: str) -> LensPair:
    cells = [
        [material.cell(model, question.id, material.condition, material.period) for model in (a, b)]
        for question in material.questions
    ]
    both = [(x, y) for x, y in cells if x and y and x.majority is not None and y.majority is not None]
    if not both:
        return LensPair(a, b, None, None, None, 0, undefined="no question with answers of both")
    unlike = sum(x.majority != y.majority for x, y in both)
    test = differ((x.counts, y.counts) for x, y in both)
    low, high = interval(unlike, len(both))
    detail = {"differ": unlike, "least": test.least}
    return LensPair(a, b, unlike / len(both), low, high, len(both), p=test.p, detail=detail)


def _called(found: LensPair, q: float) -> LensPair:
    least = found.detail.get("least")
    call = None
    if found.value is not None:
        close = "cannot say" if least is None or least >= LEVEL else "too close to call"
        call = "apart" if q < LEVEL else close
    return LensPair(
        found.a,
        found.b,
        found.value,
        found.low,
        found.high,
        found.n,
        p=found.p,
        q=None if np.isnan(q) else q,
        call=call,
        undefined=found.undefined,
        detail=found.detail,
    )


def _rows(material: Material, a: str, b: str) -> list[SideBySide]:
    found = []
    for question in material.questions:
        for condition in material.conditions:
            one, other = (material.cell(model, question.id, condition, material.period) for model in (a, b))
            if one is None and other is None:
                continue
            test = differ([(one.counts, other.counts)] if one and other else [])
            found.append(
                SideBySide(
                    question=question.id,
                    condition=condition,
                    a=one,
                    b=other,
                    differ=_unlike(one, other),
                    moved_a=_moved(material, a, one),
                    moved_b=_moved(material, b, other),
                    p=test.p,
                    least=test.least,
                )
            )
    return found


def _unlike(one: Cell | None, other: Cell | None) -> bool | None:
    if one is None or other is None or one.majority is None or other.majority is None:
        return None
    return one.majority != other.majority


def _moved(material: Material, model: str, cell: Cell | None) -> bool | None:
    if cell is None or cell.condition == material.control:
        return None
    return _unlike(material.cell(model, cell.question, material.control, material.period), cell)


def _notes(material: Material, pairs: Sequence[LensPair]) -> tuple[str, ...]:
    most = max((pair.n for pair in pairs), default=0)
    samples = sorted(
        {
            cell.samples
            for cell in material.of(condition=material.condition, period=material.period)
            if cell.samples
        }
    )
    each = plural(samples[-1], "sample") if samples else "none"
    if len(samples) > 1:
        each = f"{samples[0]} to {each}"
    notes = [
        "A cell is the share of questions on which the majority answers of row and column differ, over the questions "
        f"that both answered: at most {most}, {each} each, under {material.condition}."
    ]
    if len(material.periods) > 1:
        which = "the latest" if material.period == material.periods[-1] else "one"
        notes.append(
            f"Edition {material.period}, {which} of {len(material.periods)}: editions are not pooled."
        )
    few = sum(pair.call == "cannot say" for pair in pairs)
    if few:
        least = min((pair.detail["least"] for pair in pairs if pair.call == "cannot say"), default=None)
        if least is not None:
            said = f"{few} of {plural(len(pairs), 'pair')}: cannot say. So few samples give no p below {number(least)}"
            notes.append(f"{said} even where every answer differs.")
    return tuple(notes)
