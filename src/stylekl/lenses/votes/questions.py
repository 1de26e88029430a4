"""The questions to the votes lens: the ranking, all pairs, two models side by side, one among the others."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from stylekl.errors import UsageError
from stylekl.lenses.frame import LensMatrix, LensModel, LensPair
from stylekl.lenses.votes.ballots import Ballots, turned
from stylekl.lenses.votes.options import Options
from stylekl.lenses.votes.reports import (
    Gap,
    Record,
    Sealed,
    VotesFocusReport,
    VotesPairReport,
    VotesRankReport,
)
from stylekl.lenses.votes.seal import opened, progress_notes
from stylekl.lenses.votes.standings import one_sided, shown_of, standings
from stylekl.lenses.votes.topics import topics_of
from stylekl.measure import bradley_terry
from stylekl.measure.head_to_head import interval
from stylekl.measure.jackknife import two_sided_p
from stylekl.results.find import find_model

if TYPE_CHECKING:
    from stylekl.results import Results

MEASURE = "win share"
UNIT = "share of decided fights won"


def rank(results: Results, options: Options | None = None) -> VotesRankReport | Sealed:
    """Return the ranking of one source: Elo in the arena, Bradley-Terry of the others, and what stands beside it.

    While the arena is sealed, how far it is. Raises UsageError where no vote counts, UnknownModelError for a name in
    `options.models`.
    """
    ballots = opened(results, options or Options())
    if isinstance(ballots, Sealed):
        return ballots
    rows = shown_of(ballots, standings(ballots))
    shown = {row.model for row in rows}
    return VotesRankReport(
        source=ballots.selection.source,
        base=ballots.base(),
        standings=rows,
        records=tuple(record for pair, record in sorted(ballots.records.items()) if shown.issuperset(pair)),
        pseudo_wins=ballots.options.pseudo_wins,
        resamples=len(ballots.resampled),
        gradient=ballots.fit.gradient,
        params=ballots.params("models", "k", "start"),
        warnings=(*warnings_of(ballots), *one_sided(ballots)),
    )


def matrix(results: Results, options: Options | None = None) -> LensMatrix:
    """Return the share of decided fights that each model won against each other, strongest model first.

    While the arena is sealed: the models by id, and no pair has a value. Errors as for `rank`.
    """
    ballots = opened(results, options or Options())
    if isinstance(ballots, Sealed):
        return _sealed_matrix(ballots)
    rows = shown_of(ballots, standings(ballots))
    if len(rows) < 2:
        raise UsageError("fewer than two models with votes", "a matrix compares models")
    models = tuple(sorted((lens_model(ballots, row.model) for row in rows), key=lambda each: each.id))
    ids = [model.id for model in models]
    how = "Elo" if ballots.selection.source == "arena" else "Bradley-Terry score"
    return LensMatrix(
        by="votes",
        measure=MEASURE,
        unit=UNIT,
        models=models,
        order=tuple(row.model for row in rows),
        pairs=tuple(_cell(a, b, ballots.records.get((a, b))) for a, b in combinations(ids, 2)),
        notes=(
            "A cell is the share of decided fights that the model of the row won against that of the column.",
            f"Rows by {how}, strongest first. {_rests_on(ballots)}",
            *left_out_note(ballots),
        ),
        params=ballots.params("models"),
        warnings=(*warnings_of(ballots), *one_sided(ballots)),
        diverging=True,
    )


def pair(results: Results, a: str, b: str, options: Options | None = None) -> VotesPairReport | Sealed:
    """Return how the models named `a` and `b` fared against each other.

    Raises UnknownModelError for a name, UsageError for one model twice or one that no vote names; while the arena is
    sealed, how far it is.
    """
    first, second = find_model(results, a), find_model(results, b)
    if first.id == second.id:
        raise UsageError(f'"{a}" and "{b}" are the same model', "name two models")
    ballots = opened(results, options or Options())
    if isinstance(ballots, Sealed):
        battles = {model.id: model for model in ballots.models}
        return replace(ballots, a=battles[first.id], b=battles[second.id])
    for model in (first, second):
        _check_fought(ballots, model.id)
    one, two = ballots.index[first.id], ballots.index[second.id]
    rows = np.flatnonzero(
        ((ballots.first == one) & (ballots.second == two))
        | ((ballots.first == two) & (ballots.second == one))
    )
    found = ballots.records.get((min(first.id, second.id), max(first.id, second.id)))
    record = _never_met(first.id, second.id) if found is None else found
    record = record if record.a == first.id else turned(record)
    return VotesPairReport(
        a=lens_model(ballots, first.id),
        b=lens_model(ballots, second.id),
        source=ballots.selection.source,
        base=ballots.base(),
        record=record,
        odds=_odds(record.share),
        odds_low=_odds(record.low),
        odds_high=_odds(record.high),
        gap=gap(ballots, one, two),
        topics=topics_of(ballots, one, rows, against_half=True),
        params=ballots.params("models"),
        warnings=warnings_of(ballots),
    )


def focus(results: Results, model: str, options: Options | None = None) -> VotesFocusReport | Sealed:
    """Return one model among the others: its standing, its record against each, and its topics.

    Errors as for `pair`.
    """
    found = find_model(results, model)
    ballots = opened(results, options or Options())
    if isinstance(ballots, Sealed):
        return replace(ballots, model={each.id: each for each in ballots.models}[found.id])
    _check_fought(ballots, found.id)
    rows = standings(ballots)
    own = [
        record if record.a == found.id else turned(record)
        for ids, record in ballots.records.items()
        if found.id in ids
    ]
    wanted = {row.model for row in shown_of(ballots, rows)}
    rivals = sorted(
        (each for each in own if each.b in wanted),
        key=lambda each: (-(each.share if each.share is not None else -1.0), each.b),
    )
    return VotesFocusReport(
        model=lens_model(ballots, found.id),
        source=ballots.selection.source,
        base=ballots.base(),
        standing=next(row for row in rows if row.model == found.id),
        ranked=sum(row.rank is not None for row in rows),
        rivals=tuple(rivals),
        names={each.b: ballots.names[each.b] for each in rivals},
        topics=topics_of(ballots, ballots.index[found.id], ballots.of(found.id)),
        params=ballots.params("models"),
        warnings=(*warnings_of(ballots), *one_sided(ballots)),
    )


def lens_model(ballots: Ballots, model: str) -> LensModel:
    """Return what a model brings: its fights, those decided, its wins.

    What was left out is counted for all together, in `Base`: a vote has two models.
    """
    place, rows = ballots.index[model], ballots.of(model)
    counts = {
        "fights": len(rows),
        "decided": int(ballots.decided[rows].sum()),
        "wins": int(np.count_nonzero(ballots.winner == place)),
    }
    return LensModel(model, ballots.names[model], counts, unit="vote")


def gap(ballots: Ballots, one: int, two: int) -> Gap | None:
    """Return how far model `one` is above `two` (indices); null where either has no score.

    The interval is that of the resampled difference. p is from Student's t with the standard error of the resamples;
    where the fights alone would not give both a score, only those between the two decide: the rest would rest on the
    pseudo-wins.
    """
    points = float(ballots.scores[one] - ballots.scores[two])
    if np.isnan(points):
        return None
    low = high = p = None
    if len(ballots.resampled):
        samples = ballots.resampled[:, one] - ballots.resampled[:, two]
        low, high = (float(end) for end in interval(samples))
        p = _gap_p(ballots, one, two, points, float(samples.std(ddof=1)))
    return Gap(
        points,
        low,
        high,
        _win_odds(points),
        None if low is None else _win_odds(low),
        None if high is None else _win_odds(high),
        p,
    )


def _gap_p(ballots: Ballots, one: int, two: int, points: float, error: float) -> float:
    if ballots.real[one] and ballots.real[two]:
        return two_sided_p(abs(points), error, ballots.units - 1) if error > 0 else 1.0
    a, b = sorted((ballots.models[one], ballots.models[two]))
    record = ballots.records.get((a, b))
    if record is None or record.p is None:
        return 1.0
    lead = (record.wins_a - record.wins_b) * (1 if a == ballots.models[one] else -1)
    return record.p if lead * points > 0 else 1.0


def _win_odds(points: float) -> float:
    return float(np.exp(np.clip(points / bradley_terry.POINTS, -700.0, 700.0)))


def _odds(share: float | None) -> float | None:
    return None if share is None or not 0.0 < share < 1.0 else share / (1.0 - share)


def _sealed_matrix(sealed: Sealed) -> LensMatrix:
    ids = [model.id for model in sealed.models]
    return LensMatrix(
        by="votes",
        measure=MEASURE,
        unit=UNIT,
        models=sealed.models,
        order=tuple(ids),
        pairs=tuple(LensPair(a, b, None, None, None, 0, undefined="sealed") for a, b in combinations(ids, 2)),
        notes=progress_notes(sealed),
        params=sealed.params,
        warnings=sealed.warnings,
        diverging=True,
    )


def _cell(a: str, b: str, record: Record | None) -> LensPair:
    if record is None:
        return LensPair(a, b, None, None, None, 0, undefined="they never met")
    keys = ("wins_a", "wins_b", "direct_a", "direct_b", "neither", "both_weak", "both_good", "units")
    return LensPair(
        a,
        b,
        record.share,
        record.low,
        record.high,
        record.decided,
        p=record.p,
        q=record.q,
        call=record.call,
        back=None if record.share is None else 1.0 - record.share,
        undefined=record.undefined,
        detail={key: getattr(record, key) for key in keys},
    )


def _never_met(a: str, b: str) -> Record:
    return Record(a, b, 0, 0, 0, 0, 0, 0, 0, None, None, None, 0, undefined="they never met")


def _check_fought(ballots: Ballots, model: str) -> None:
    if model not in ballots.index:
        name, source = ballots.names[model], ballots.selection.source
        reasons = ", ".join(
            f"{k} ({n:,})" for k, n in ballots.selection.left_out_by_model.get(model, {}).items()
        )
        raise UsageError(
            f'"{name}" has no {source} vote that counts', f"left out: {reasons}" if reasons else ""
        )


def _rests_on(ballots: Ballots) -> str:
    base = ballots.base()
    over = f"{base.units:,} {base.unit}s"
    return f"{base.decided:,} decided fights of {base.fights:,}; intervals over {over}."


def left_out_note(ballots: Ballots) -> tuple[str, ...]:
    """Return how many votes do not count and why, in a sentence; nothing where all do."""
    left_out = ballots.selection.left_out
    listed = "; ".join(f"{reason}: {number:,}" for reason, number in left_out.items())
    return (f"Votes left out: {listed}.",) if left_out else ()


def warnings_of(ballots: Ballots) -> tuple[str, ...]:
    """Return what the file, the selection and the fights give warning of."""
    return (*ballots.results.warnings, *ballots.selection.warnings, *ballots.warnings)
