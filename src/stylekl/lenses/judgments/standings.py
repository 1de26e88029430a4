"""The ranking: Bradley-Terry on the preferences, and the mean scores beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stylekl.lenses.judgments.compare import mean_of, scores_by_prompt
from stylekl.lenses.judgments.reports import Mean, Standing
from stylekl.measure import bradley_terry
from stylekl.measure.head_to_head import bootstrap, count_units, interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from stylekl.lenses.judgments.items import Item
    from stylekl.lenses.judgments.material import Judgment, Material

_NOTHING = "no verdict prefers it or another to it"
_OUTSIDE = "not scoreable: no chain of wins leads from it to the others and back"


def means(material: Material, found: Sequence[Item], model: str) -> tuple[Mean | None, tuple[Mean, ...]]:
    """Return a model's mean total and the mean of each dimension, over all that it was judged on."""
    own = [item for item in found if item.scores and model in item.scores]
    alone = [each for each in material.judgments if each.second is None and each.first == model]
    rows = []
    for name in ("", *material.dimensions):
        values = scores_by_prompt(own, model, name) or _alone(alone, model, name)
        if values:
            rows.append(_bounded(material, mean_of([values[p] for p in sorted(values)], name or None)))
    return (rows[0], tuple(rows[1:])) if rows else (None, ())


def _bounded(material: Material, mean: Mean) -> Mean:
    """Return a mean whose interval ends where the scale does."""
    scale = material.scale
    if scale is None or mean.low is None or mean.high is None:
        return mean
    parts = 1 if mean.name else len(scale.dimensions)
    return replace(mean, low=max(mean.low, parts * scale.low), high=min(mean.high, parts * scale.high))


def _alone(calls: Sequence[Judgment], model: str, name: str) -> dict[str, float]:
    """Return the mean score on each prompt where a model was judged alone, and no other there."""
    table: dict[str, list[float]] = {}
    for call in calls:
        if call.scores is not None:
            own = call.scores[model]
            table.setdefault(call.prompt, []).append(sum(own.values()) if name == "" else own[name])
    return {prompt: float(np.mean(values)) for prompt, values in table.items()}


def fitted(
    material: Material, found: Sequence[Item]
) -> tuple[bradley_terry.Fit, NDArray[np.float64], NDArray[np.float64]]:
    """Return the fit to the preferences and the ends of its intervals (N,), models as in `material.models`."""
    place = {model: index for index, model in enumerate(material.models)}
    prompts = {prompt: index for index, prompt in enumerate(sorted({item.prompt for item in found}))}
    decided = [(item, winner) for item in found if (winner := item.winner) is not None]
    won = np.array([place[winner] for _, winner in decided], np.int64)
    lost = np.array([place[i.b if winner == i.a else i.a] for i, winner in decided], np.int64)
    unit = np.array([prompts[item.prompt] for item, _ in decided], np.int64)
    size, pseudo = len(place), material.options.pseudo_wins
    counts = bradley_terry.count_wins(won, lost, size)
    fit = bradley_terry.fit(bradley_terry.with_pseudo(counts, pseudo) if pseudo > 0 else counts)
    none = np.full(size, np.nan)
    if not decided or not material.options.resamples or len(prompts) < 2 or not fit.scoreable.all():
        return fit, none, none
    samples = bootstrap(
        count_units(unit, won, lost, size, len(prompts)),
        fit.scores,
        pseudo=pseudo,
        resamples=material.options.resamples,
        seed=material.options.seed,
    )
    low, high = interval(samples)
    return fit, low, high


def standings(material: Material, found: Sequence[Item]) -> tuple[list[Standing], float]:
    """Return every model judged, in rank order (by mean total without a preference), and the gradient of the fit."""
    decided = any(item.winner for item in found)
    fit, low, high = fitted(material, found)
    rows = []
    for place, model in enumerate(material.models):
        own = [item for item in found if model in (item.a, item.b) and item.outcome is not None]
        wins = sum(item.winner == model for item in own)
        losses = sum(item.winner not in (None, model) for item in own)
        scored = decided and not np.isnan(fit.scores[place]) and wins + losses > 0
        total, dimensions = means(material, found, model)
        rows.append(
            Standing(
                model=model,
                name=material.names[model],
                rank=None,
                score=float(fit.scores[place]) if scored else None,
                low=None if not scored or np.isnan(low[place]) else float(low[place]),
                high=None if not scored or np.isnan(high[place]) else float(high[place]),
                level_with_next=None,
                wins=wins,
                losses=losses,
                undecided=len(own) - wins - losses,
                total=total,
                dimensions=dimensions,
                undefined=None if scored else _OUTSIDE if wins + losses else _NOTHING,
            )
        )
    return _placed(rows, decided=decided), fit.gradient if decided else 0.0


def _placed(rows: list[Standing], *, decided: bool) -> list[Standing]:
    def value(row: Standing) -> float | None:
        return row.score if decided else row.total.value if row.total else None

    known = sorted((r for r in rows if value(r) is not None), key=lambda r: (-(value(r) or 0.0), r.model))
    placed: list[Standing] = []
    for place, row in enumerate(known):
        following = known[place + 1] if place + 1 < len(known) else None
        equal = place > 0 and abs((value(row) or 0.0) - (value(known[place - 1]) or 0.0)) < 1e-9
        rank = placed[-1].rank if equal else place + 1
        placed.append(replace(row, rank=rank, level_with_next=_level(row, following, decided=decided)))
    return placed + [row for row in rows if value(row) is None]


def _level(row: Standing, following: Standing | None, *, decided: bool) -> bool | None:
    """Tell whether the intervals of two neighbours in rank overlap; null where either has none."""
    if following is None:
        return None
    one, two = (
        (each.low, each.high)
        if decided
        else (each.total.low, each.total.high)
        if each.total
        else (None, None)
        for each in (row, following)
    )
    if one[0] is None or one[1] is None or two[0] is None or two[1] is None:
        return None
    return two[1] >= one[0] and one[1] >= two[0]
