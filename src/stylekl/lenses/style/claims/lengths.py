"""Claims about length: whose replies are surely the longest, and whose the shortest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.lenses.claims import Claim, Control
from stylekl.lenses.style.claims.contests import Contest, contest
from stylekl.lenses.style.claims.distances import Difference
from stylekl.lenses.style.claims.kinds import Kind
from stylekl.lenses.style.claims.pairs import settled
from stylekl.lenses.words import call, chance, prompts, times
from stylekl.measure.families import Family
from stylekl.measure.units import FEW_PROMPTS, FEW_UNITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from stylekl.lenses.style.claims.ground import Ground
    from stylekl.lenses.words import Voice

_MEASURED = ("tokens", "words")  # facets whose symbols add up to a length


def hypotheses(ground: Ground) -> Iterator[Family]:
    """Yield a family for the longest replies and one for the shortest; of two models these are one question."""
    for name, found in ground.lengths.items():
        yield Family(name, np.array([found.p]), ground.only_pair)


def contests(ground: Ground) -> dict[str, Contest[int]]:
    """Return who writes longest, and who shortest, each against every other model; nothing but for words and tokens."""
    if ground.evidence.facet.NAME not in _MEASURED:
        return {}
    table, by_reply = _logarithms(ground)
    heights = {model: table[row] for row, model in enumerate(ground.models)}
    with np.errstate(invalid="ignore"):
        counted = np.maximum((~np.isnan(table)).sum(axis=0), 1)
        centred = table - np.nansum(table, axis=0) / counted
    mean = {model: float(np.nanmean(centred[row])) for row, model in enumerate(ground.models)}
    order = sorted(ground.models, key=lambda model: (-mean[model], ground.ids[model]))
    found = {}
    ends = {"longest replies": (order[0], 1.0), "shortest replies": (order[-1], -1.0)}
    for name, (winner, sign) in ends.items():
        if name == "shortest replies" and len(order) == 2:
            continue

        def ahead(one: int, other: int, sign: float = sign) -> Difference:
            return _paired(sign * (heights[one] - heights[other]), by_reply=by_reply)

        others = [model for model in ground.models if model != winner]
        result = contest(winner, others, ahead, lambda model: ground.ids[model])
        if result is not None and result.rival[1].degrees > 0:
            found[name] = result
    return found


def _logarithms(ground: Ground) -> tuple[NDArray[np.float64], bool]:
    """Return the log length of the replies, models × prompts × samples, nan where there is none.

    With 10 prompts or more the samples are averaged and their axis has length 1. The second value tells whether the
    unit is the reply.
    """
    counts = ground.evidence.counts
    logarithm = np.log(np.maximum(counts.lengths, 1))
    samples = counts.samples()
    by_reply = bool(np.count_nonzero(samples.any(axis=0)) < FEW_PROMPTS and (samples > 1).any())
    depth = int(samples.max()) if by_reply else 1
    place = counts.sample if by_reply else np.zeros_like(counts.sample)
    shape = (counts.models, counts.prompts, depth)
    total, number = np.zeros(shape), np.zeros(shape)
    np.add.at(total, (counts.model, counts.prompt, place), logarithm)
    np.add.at(number, (counts.model, counts.prompt, place), 1.0)
    table = np.divide(total, number, out=np.full(shape, np.nan), where=number > 0)
    return table[ground.models], by_reply


def _paired(difference: NDArray[np.float64], *, by_reply: bool) -> Difference:
    """Return the mean of paired differences (prompts, samples) and its error; prompts are strata by reply."""
    known = ~np.isnan(difference)
    used = known.any(axis=1)
    values, known = difference[used], known[used]
    count, strata = int(known.sum()), len(values) if by_reply else 1
    if count < FEW_UNITS or count - strata < 1:
        return Difference(0.0, 0.0, 0)
    mean = float(np.nansum(values) / count)
    centre = np.nansum(values, axis=1) / known.sum(axis=1) if by_reply else np.full(len(values), mean)
    spread = np.nansum(np.square(values - centre[:, None])) * count / (count - strata)
    return Difference(mean, math.sqrt(spread) / count, count - strata)


def _claims(ground: Ground, control: Control) -> Iterator[Claim]:
    from stylekl.measure.jackknife import student_quantiles

    for name, found in ground.lengths.items():
        q = control.holds(name)
        if q is None:
            continue
        rival, difference = found.rival
        following = next(gap for model, gap in found.ranked if model == found.runner_up)
        margin = student_quantiles(following.degrees)[0] * following.se
        facts = ground.facts(
            {found.winner, found.runner_up, rival},
            model=ground.ids[found.winner],
            end=name.split()[0],
            next=ground.ids[found.runner_up],
            rival=ground.ids[rival],
            ratio=math.exp(following.value),
            low=math.exp(following.value - margin),
            high=math.exp(following.value + margin),
            t=difference.t,
            degrees=difference.degrees,
            p=found.p,
            q=q,
            models=len(ground.models),
            **ground.base([(min(found.winner, found.runner_up), max(found.winner, found.runner_up))]),
        )
        yield Claim("length", (ground.ids[found.winner],), facts, q, 1.0 - 1.0 / facts["ratio"])


def _sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    model, next_ = call(facts, facts["model"], voice), call(facts, facts["next"], voice)
    several = facts["models"] > 2
    end = facts["end"] if several else {"longest": "longer", "shortest": "shorter"}[facts["end"]]
    those, ratio = (
        f"those of {next_}{', the next,' if several else ''}",
        f"{times(facts['ratio'])} times as long",
    )
    compared = f"{ratio} as {those}" if facts["end"] == "longest" else f"{those} are {ratio}"
    return f"{end.capitalize()} replies", (
        f"{model} writes the {end} replies: {compared}".rstrip(",")
        + f", in {facts['counted']}s and prompt by prompt (95% interval {times(facts['low'])} to "
        f"{times(facts['high'])}), {prompts(facts)} ({chance('q', facts['q'])})."
    )


def _check(facts: Mapping[str, Any]) -> bool:
    return settled(facts) and 1.0 <= facts["low"] <= facts["ratio"] <= facts["high"]


KINDS = {"length": Kind(_claims, _sentence, _check)}
