"""What one would like to claim and the file does not support: why not, and how many prompts it would roughly take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.claims import Lack
from stylekl.lenses.style.claims.contests import factor_to_settle
from stylekl.lenses.style.claims.drift import dated
from stylekl.lenses.style.claims.kinds import Missing
from stylekl.lenses.style.claims.pairs import key_of
from stylekl.lenses.words import call, called, chance, number, plural, prompts, wanted
from stylekl.measure.families import LEVEL
from stylekl.measure.kinship import LEAST_MODELS
from stylekl.measure.power import spread, units_needed
from stylekl.measure.units import FEW_PROMPTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from stylekl.lenses.claims import Control
    from stylekl.lenses.style.claims.contests import Contest
    from stylekl.lenses.style.claims.distances import Pair
    from stylekl.lenses.style.claims.ground import Ground
    from stylekl.lenses.words import Voice

CONTENDERS = 3  # named beside a foremost one that is not settled


def _needed(facts: Mapping[str, Any]) -> str:
    if facts["p"] < LEVEL:
        return f"Sure by itself ({chance('p', facts['p'])}), but not among all that was looked at."
    if facts["t"] <= 0:
        return "No difference between them is estimated."
    if facts["factor"] is None:
        return "A hundred times as much text might not settle it."
    needed = wanted(facts)
    return f"{needed[:1].upper()}{needed[1:]} would settle it, if the difference stays as it is."


# Other prompts


def _few(ground: Ground, _control: Control) -> Iterator[Lack]:
    counts = ground.evidence.counts
    number_of = int((counts.samples() > 0).any(axis=0).sum())
    if number_of < FEW_PROMPTS:
        unit = "reply" if counts.samples().max() > 1 else "prompt"
        yield Lack("other prompts", (), {"prompts": number_of, "least": FEW_PROMPTS, "unit": unit})


def _few_sentence(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    these = "this one" if facts["prompts"] == 1 else f"these {facts['prompts']}"
    why = f"So few stand for no others; {facts['least']} or more would."
    if facts["unit"] == "reply":
        why = f"Errors are over replies; from {facts['least']} prompts on they are over prompts, and speak of more."
    return f"Anything about other prompts than {these}.", why


# Pairs


def _untested(ground: Ground, control: Control) -> Iterator[Lack]:
    missing: dict[str, list[Pair]] = {}
    for place, a in enumerate(ground.models):
        for b in ground.models[place + 1 :]:
            if control.q(key_of((a, b))) is None:
                reason = ground.study.pair(a, b, with_floor=False).undefined or "fewer than 6 units in common"
                missing.setdefault(reason, []).append((a, b))
    for reason, pairs in sorted(missing.items()):
        first = pairs[0]
        facts = ground.facts(
            first, a=ground.ids[first[0]], b=ground.ids[first[1]], pairs=len(pairs), reason=reason
        )
        yield Lack("untested", ground.sorted_ids(first) if len(pairs) == 1 else (), facts)


def _untested_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    both = called(facts, [facts["a"], facts["b"]], voice)
    rest = f", and {plural(facts['pairs'] - 1, 'other pair')}" if facts["pairs"] > 1 else ""
    return f"Whether {both} differ{rest}.", f"{facts['reason'][:1].upper()}{facts['reason'][1:]}."


def _close(ground: Ground, control: Control) -> Iterator[Lack]:
    found = []
    for pair in ground.study.comparisons:
        q = control.q(key_of(pair))
        if q is None or q < LEVEL:
            continue
        comparison = ground.study.pair(*pair, with_floor=False)
        if comparison.kl_ab is None or comparison.kl_ba is None:
            continue
        size = 0.5 * (comparison.kl_ab.value + comparison.kl_ba.value)
        facts = ground.facts(
            pair,
            a=comparison.a,
            b=comparison.b,
            size=size,
            factor=_factor_to_see(ground, pair, size),
            units=ground.study.comparisons[pair].units.count,
            p=comparison.p,
            q=q,
            **ground.base([pair]),
        )
        found.append((q, Lack("apart", ground.sorted_ids(pair), facts)))
    found.sort(key=lambda each: (each[0], each[1].models))
    yield from (lack for _, lack in found)


def _factor_to_see(ground: Ground, pair: Pair, size: float) -> float | None:
    """Return how many times as much text shows a difference of `size` four times in five; None for nothing to see.

    None for unlike lengths too, where the test leaves symbols out (docs/method.md, Drift).
    """
    comparison = ground.study.comparisons[pair]
    units = comparison.units
    if comparison.kept is not None:
        return None
    found = spread(*ground.study.paired(*pair, units), units.stratum, ground.evidence.options.skew)
    if found is None or size <= 0:
        return None
    return units_needed(found, size) / units.count


def _close_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    both = called(facts, [facts["a"], facts["b"]], voice)
    seen = f"{chance('p', facts['p'])}, {chance('q', facts['q'])}, {prompts(facts)}"
    if facts["size"] <= 0:
        return f"That {both} differ.", f"No difference is estimated ({seen})."
    if facts["factor"] is None:
        return f"That {both} differ.", f"A difference of {number(facts['size'])} bits is estimated ({seen})."
    return f"That {both} differ.", (
        f"The {number(facts['size'])} bits per {facts['counted']} estimated may be chance ({seen}); to see as "
        f"much would take {wanted(facts)}."
    )


# Who is foremost


def _contest_facts(ground: Ground, found: Contest[Any], names: Callable[[Any], list[int]]) -> dict[str, Any]:
    difference = found.rival[1]
    units = difference.units
    assert units is not None
    # One that is sure by itself, and not over the whole list, has its rival beside it.
    behind = found.open or [found.rival[0]]
    contenders = [found.winner, *sorted(behind, key=lambda each: _gap(found, each))]
    told = contenders[: CONTENDERS + 1]
    models = {model for each in told for model in names(each)}
    return ground.facts(
        models,
        contenders=[[ground.ids[model] for model in names(each)] for each in told],
        open=len(contenders),
        factor=factor_to_settle(difference),
        t=difference.t,
        degrees=difference.degrees,
        p=found.p,
        units=units.count,
        **ground.rests_on([units]),
    )


def _gap(found: Contest[Any], candidate: Any) -> float:
    return next(difference.value for each, difference in found.ranked if each == candidate)


def _unsettled(kind: str, ground: Ground, control: Control) -> Iterator[Lack]:
    contests: dict[str, Contest[Any] | None]
    contests = {"closest": ground.closest, "farthest": ground.farthest, "outlier": ground.outlier}
    found = contests[kind]
    if found is None or control.holds(kind) is not None:
        return
    facts = _contest_facts(ground, found, (lambda each: [each]) if kind == "outlier" else list)
    yield Lack({"closest": "closest pair", "farthest": "farthest pair"}.get(kind, kind), (), facts)


def _contenders(facts: Mapping[str, Any], voice: Voice) -> str:
    told = [called(facts, each, voice) for each in facts["contenders"]]
    rest = facts["open"] - len(told)
    more = "" if rest < 1 else ", or one more" if rest == 1 else f", or one of {number(rest)} more"
    return ", or ".join(told) + more


def _contest_sentence(what: str) -> Callable[[Mapping[str, Any], Voice], tuple[str, str]]:
    def sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
        return f"{what}: {_contenders(facts, voice)}.", _needed(facts)

    return sentence


def _closest(ground: Ground, control: Control) -> Iterator[Lack]:
    return _unsettled("closest", ground, control)


def _farthest(ground: Ground, control: Control) -> Iterator[Lack]:
    return _unsettled("farthest", ground, control)


def _outlier(ground: Ground, control: Control) -> Iterator[Lack]:
    return _unsettled("outlier", ground, control)


def _neighbours(ground: Ground, _control: Control) -> Iterator[Lack]:
    unsettled = {model: found for model, found in ground.nearest_of.items() if found.open}
    if not unsettled or len(ground.models) < 4:
        return
    # The example is the one that the fewest prompts more would settle.
    first = min(unsettled, key=lambda model: (-unsettled[model].rival[1].t, ground.ids[model]))
    found = unsettled[first]
    facts = _contest_facts(ground, found, lambda each: [each])
    if all(each["model"] != ground.ids[first] for each in facts["names"]):
        facts["names"].append({"model": ground.ids[first], "name": ground.names[ground.ids[first]]})
    facts |= {"model": ground.ids[first], "unsettled": len(unsettled), "models": len(ground.nearest_of)}
    yield Lack("nearest neighbour", (), facts)


def _neighbours_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    model, unsettled = call(facts, facts["model"], voice), facts["unsettled"]
    every = f"of {plural(facts['models'], 'model')}"
    text = (
        f"The nearest neighbour of {model}: {_contenders(facts, voice)}."
        if unsettled == 1
        else f"The nearest neighbour of {number(unsettled)} {every}, {model}'s for one: {_contenders(facts, voice)}."
    )
    return text, _needed(facts)


# Tells, prompts, kinship, descent


def _no_tells(ground: Ground, control: Control) -> Iterator[Lack]:
    silent = []
    for model, found in ground.tells.items():
        held = any(control.holds(f"tells {model}", place) is not None for _, place in found.tells)
        if not held:
            silent.append(model)
    if not silent or len(ground.models) == 2:
        silent = [] if not silent else ground.models
    if silent:
        told = sorted(silent, key=ground.ids.__getitem__)
        facts = ground.facts(told, silent=[ground.ids[model] for model in told])
        yield Lack("tell", ground.sorted_ids(silent), facts)


def _no_tells_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    return f"What gives {called(facts, facts['silent'], voice)} away.", (
        "No symbol of the style vocabulary is surely used more or less than by the others, on 3 prompts or more."
    )


def _single(ground: Ground, _control: Control) -> Iterator[Lack]:
    samples = ground.evidence.counts.samples()
    if samples.max(initial=0) == 1 and (samples > 0).any(axis=0).sum() >= FEW_PROMPTS:
        yield Lack("single prompts", (), {"replies": 1, "wanted": 8})


def _single_sentence(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    return "Which single prompts tell models apart.", (
        "Each was answered once, so how much a model varies on one prompt is not known; "
        f"{facts['wanted']} replies to each of a few would show it."
    )


def _no_kinship(ground: Ground, _control: Control) -> Iterator[Lack]:
    if len(ground.models) < LEAST_MODELS and ground.evidence.facet.NAME == "tokens":
        yield Lack("kin", (), {"models": len(ground.models), "least": LEAST_MODELS})


def _no_kinship_sentence(facts: Mapping[str, Any], _voice: Voice) -> tuple[str, str]:
    return "Who is kin to whom.", (
        f"Kinship is measured against a crowd of {facts['least']} models or more; the file has {facts['models']}."
    )


def _descent(ground: Ground, _control: Control) -> Iterator[Lack]:
    same = {(min(old, new), max(old, new)) for _, old, new in dated(ground)}
    kin = [pair for pair in ground.study.comparisons if pair not in same and ground.study.kin(*pair)[1]]
    weight = {pair: _likeness(ground, pair, by_kin=bool(kin)) for pair in kin or ground.study.copies}
    close = sorted(weight, key=lambda pair: (-weight[pair], ground.ids[pair[0]], ground.ids[pair[1]]))
    if close:
        a, b = close[0]
        facts = ground.facts(
            (a, b), a=ground.ids[a], b=ground.ids[b], pairs=len(close), by="kin" if kin else "copies"
        )
        yield Lack("descent", ground.sorted_ids((a, b)) if len(close) == 1 else (), facts)


def _likeness(ground: Ground, pair: Pair, *, by_kin: bool) -> float:
    kinship = ground.study.kin(*pair)[0] if by_kin else None
    return ground.study.copies[pair] if kinship is None else kinship.value


def _descent_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    a, b = (call(facts, facts[side], voice) for side in "ab")
    rest = f", or so for {plural(facts['pairs'] - 1, 'other pair')}" if facts["pairs"] > 1 else ""
    seen = "Likely kin is a likeness" if facts["by"] == "kin" else "Copies are a likeness"
    return f"That {a} was made from {b}, or {b} from {a}{rest}.", (
        f"{seen}: shared weights, shared training data and a common teacher all leave it, and it has no direction."
    )


MISSING = {
    "other prompts": Missing(_few, _few_sentence),
    "untested": Missing(_untested, _untested_sentence),
    "closest pair": Missing(_closest, _contest_sentence("Which pair is the closest")),
    "farthest pair": Missing(_farthest, _contest_sentence("Which pair is the farthest")),
    "outlier": Missing(_outlier, _contest_sentence("Which model is the farthest from the rest")),
    "apart": Missing(_close, _close_sentence),
    "nearest neighbour": Missing(_neighbours, _neighbours_sentence),
    "tell": Missing(_no_tells, _no_tells_sentence),
    "descent": Missing(_descent, _descent_sentence),
    "kin": Missing(_no_kinship, _no_kinship_sentence),
    "single prompts": Missing(_single, _single_sentence),
}
