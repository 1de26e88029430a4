"""Claims about what gives a model away: its strongest tells, and one habit that is most of a difference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.lenses.claims import Claim, Control, share_effect
from stylekl.lenses.style.claims.kinds import Kind
from stylekl.lenses.style.claims.sides import sides_of_each
from stylekl.lenses.style.contrast import OTHERS
from stylekl.lenses.style.study import Study
from stylekl.lenses.style.tells import LEAST_PROMPTS, tells
from stylekl.lenses.words import call, chance, percent, plural, times
from stylekl.measure.families import LEVEL, Family
from stylekl.measure.units import FEW_UNITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from stylekl.lenses.reports import Tell
    from stylekl.lenses.style.claims.ground import Ground
    from stylekl.lenses.style.evidence import Evidence
    from stylekl.lenses.words import Voice
    from stylekl.measure.units import Units

MOST = 3  # tells of a model that become sentences
TRIED = 4  # tells of a model and side that are looked at for these


@dataclass(frozen=True, slots=True, eq=False)
class ModelTells:
    """The p of every symbol of one model against the others, and the strongest tells with their place in it."""

    p: NDArray[np.float64]
    z: NDArray[np.float64]
    units: Units
    tells: tuple[tuple[Tell, int], ...]


def tells_of_each(ground: Ground) -> dict[int, ModelTells]:
    """Return what gives each model away; of two models the first alone, since its tells are the other's as well."""
    models = ground.models[:1] if len(ground.models) == 2 else ground.models
    study = Study(_quiet(ground.evidence), [], only_wanted=True)
    facet, vocabulary = study.evidence.facet, study.evidence.vocabulary.tolist()
    places = {facet.symbol(identifier): place for place, identifier in enumerate(vocabulary)}
    found = {}
    for model, sides in sides_of_each(study, models):
        if sides is not None and sides.units.count >= FEW_UNITS:
            strongest, _ = tells([sides])
            found[model] = ModelTells(
                _p(sides.usage.p, sides.tables),
                sides.usage.z,
                sides.units,
                tuple((tell, places[tell.symbol]) for tell in strongest),
            )
    return found


def _quiet(evidence: Evidence) -> Evidence:
    """Return the evidence with options under which tells come without examples, of all classes."""
    return replace(evidence, options=replace(evidence.options, tells=TRIED, text=False, classes=()))


def _p(
    p: NDArray[np.float64], tables: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the p-values, none less than the least that exchanging the signs of so many differences allows."""
    different = np.count_nonzero(tables[0][:, :-1] != tables[1][:, :-1], axis=0)
    return np.asarray(np.maximum(p, 2.0 ** (1 - np.maximum(different, 1))))


def hypotheses(ground: Ground) -> Iterator[Family]:
    """Yield a family of all symbols for each model; of two models it stands under their pair."""
    for model, found in ground.tells.items():
        yield Family(f"tells {model}", found.p, ground.only_pair)


# Tells


def _tells(ground: Ground, control: Control) -> Iterator[Claim]:
    for model, found in ground.tells.items():
        for own in (True, False) if len(ground.models) == 2 else (None,):
            held = [
                (tell, place, q)
                for tell, place in found.tells
                if (q := control.holds(f"tells {model}", place)) is not None
                and own in (None, tell.more != OTHERS)
                and tell.share is not None
            ]
            held.sort(key=lambda each: (-(each[0].share or 0.0), each[0].symbol))
            for tell, place, q in held[:MOST]:
                yield _tell(ground, model, tell, place, q)


def _tell(ground: Ground, model: int, tell: Tell, place: int, q: float) -> Claim:
    found = ground.tells[model]
    two = len(ground.models) == 2
    other = next(m for m in ground.models if m != model)
    more = tell.more != OTHERS
    said, unsaid = (tell.rate_a, tell.rate_b) if more else (tell.rate_b, tell.rate_a)
    counts = (tell.count_a, tell.count_b) if more else (tell.count_b, tell.count_a)
    held = (tell.prompts_a, tell.prompts_b) if more else (tell.prompts_b, tell.prompts_a)
    about = other if two and not more else model
    facts = ground.facts(
        {model, other} if two else {model},
        model=ground.ids[about],
        others=len(ground.models) - 1,
        other=ground.ids[model + other - about] if two else None,
        more=bool(more or two),
        symbol=tell.symbol,
        facet=tell.facet,
        **{"class": tell.kind},
        lift=tell.lift,
        low=tell.low,
        high=tell.high,
        rate_more=said,
        rate_less=unsaid,
        count_more=counts[0],
        count_less=counts[1],
        prompts_more=held[0],
        prompts_less=held[1],
        share=tell.share,
        bits=tell.bits,
        z=abs(float(found.z[place])),
        p=float(found.p[place]),
        q=q,
        **ground.rests_on([found.units]),
    )
    return Claim("tell", (ground.ids[about],), facts, q, share_effect(float(tell.share or 0.0)))


def _tell_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    model, symbol, more = call(facts, facts["model"], voice), voice.symbol(facts["symbol"]), facts["more"]
    two = facts["other"] is not None
    others = call(facts, facts["other"], voice) if two else "the others"
    divergence = f"its divergence from {others}" if more else "the divergence of the others from it"
    part = f"is {percent(facts['share'])} of" if facts["share"] <= 1 else "alone exceeds"
    carries = f"That {part} {divergence} ({chance('q', facts['q'])})."
    counted = (
        f"{facts['count_more']:,} times on {facts['prompts_more']:,} of {plural(facts['prompts'], 'prompt')}"
    )
    if facts["lift"] is None:
        if more:
            return "Tell", f"Only {model} uses {symbol}, {counted}; {others} never. {carries}"
        return "Tell", f"{model} never uses {symbol}, which the others use {counted}. {carries}"
    interval = f"95% interval {times(facts['low'])} to {times(facts['high'])}"
    if more:
        average = "" if two else " on average"
        return "Tell", (
            f"{model} uses {symbol} {times(facts['lift'])} times as often as {others}{average} ({interval}), "
            f"{counted}. {carries}"
        )
    return "Tell", (
        f"{model} uses {symbol} less: the others use it {times(facts['lift'])} times as often on average "
        f"({interval}). {carries}"
    )


def _tell_check(facts: Mapping[str, Any]) -> bool:
    if not (
        facts["p"] <= facts["q"] * (1 + 1e-9)
        and facts["q"] < LEVEL
        and facts["prompts_more"] >= LEAST_PROMPTS
    ):
        return False
    if facts["lift"] is None:
        return bool(facts["count_less"] == 0 and facts["rate_less"] == 0 and facts["count_more"] > 0)
    ratio = facts["rate_more"] / facts["rate_less"]
    return bool(
        abs(facts["lift"] - ratio) <= 1e-6 * ratio
        and ratio > 1
        and facts["low"] <= facts["lift"] <= facts["high"]
        and facts["p"] >= _normal(facts["z"]) * (1 - 1e-6)
    )


def _normal(z: float) -> float:
    from scipy.special import erfc

    return float(erfc(z / np.sqrt(2.0)))


KINDS = {"tell": Kind(_tells, _tell_sentence, _tell_check)}
