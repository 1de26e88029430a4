"""Every model beside the mean of the others: the sides of `focus` for all models at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stylekl.lenses.style.contrast import OTHERS, Sides, sides_of_focus
from stylekl.measure.sides import Side
from stylekl.measure.units import deal, slots_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stylekl.lenses.style.study import Study

ROUNDING = 1e-12


def sides_of_each(study: Study, models: Sequence[int]) -> Iterator[tuple[int, Sides | None]]:
    """Yield each of `models` with its sides, as `sides_of_focus` has them: itself, and the mean of all the others.

    Where the unit is the prompt, the mean of the others is the sum over all models less the model itself, so that the
    work is linear in the models.
    """
    samples = study.evidence.counts.samples()
    answered = samples > 0
    if not len(study.evidence.vocabulary):
        yield from ((model, None) for model in models)
        return
    slots = {
        model: slots_of(samples[model], np.delete(samples, model, axis=0).max(axis=0)) for model in models
    }
    if any((found > 1).any() for found in slots.values()):
        for model in models:
            yield model, sides_of_focus(study, model, [m for m in range(len(samples)) if m != model])
        return
    units = deal((answered.sum(axis=0) > 1).astype(np.int64), study.evidence.ranks)
    if not units.count:
        yield from ((model, None) for model in models)
        return
    prompts = np.argsort(study.evidence.ranks, kind="stable")
    prompts = prompts[units.slots[prompts] > 0]  # the prompt of each unit
    total = np.zeros((units.count, len(study.evidence.vocabulary) + 1))
    lengths = {}
    for model in range(len(samples)):
        side = Side(study.entries, model, units)
        total += side.with_other(side.unit, units.count)[0]
        lengths[model] = side.mean_length
    number = answered.sum(axis=0)
    of_all = [lengths[model] for model in range(len(samples)) if answered[model].any()]
    for model in models:
        taken = slots[model][prompts] > 0
        if not taken.any():
            yield model, None
            continue
        side = Side(study.entries, model, units)
        own = side.with_other(side.unit, units.count)[0]
        # The side weighs each prompt as one of all; here the weights of those taken add up to 1.
        scale = units.prompts / int(taken.sum())
        others = (total[taken] - own[taken]) * (scale / (number[prompts[taken]] - 1)[:, None])
        mine = own[taken] * scale
        # What rounding leaves of nothing is no difference, however regular it is.
        others = np.where(np.abs(others - mine) <= ROUNDING * (others + mine), mine, np.maximum(others, 0.0))
        length = (sum(of_all) - lengths[model]) / max(len(of_all) - 1, 1)
        yield (
            model,
            Sides(
                study,
                deal(slots[model], study.evidence.ranks),
                ([model], [m for m in range(len(samples)) if m != model and answered[m].any()]),
                (study.evidence.models[model].id, OTHERS),
                (mine, others),
                (lengths[model], length),
            ),
        )
