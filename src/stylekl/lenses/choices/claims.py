"""Sentences about choices: what survives the phrasing, what position, language, effort and time do to it."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from stylekl.lenses.choices import claims_language, claims_moves
from stylekl.lenses.choices.claims_language import languages
from stylekl.lenses.choices.claims_moves import apart, moves
from stylekl.lenses.choices.questions import triples_of
from stylekl.lenses.choices.saying import (
    TOLD,
    key,
    over,
    percent,
    preference_facts,
    share_facts,
    share_text,
)
from stylekl.lenses.claims import COUNTED, Claim, Kind, surety
from stylekl.lenses.words import at_most, call, chance, listed, number, plural
from stylekl.measure.families import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stylekl.lenses.choices.ground import Ground
    from stylekl.lenses.claims import Control
    from stylekl.lenses.words import Voice


def claims(ground: Ground, control: Control) -> Iterator[Claim]:
    """Yield what holds, given every q."""
    for node in ground.shown:
        yield from _survives(ground, control, node)
        yield from _phrasing(ground, node)
        yield from _position(ground, control, node)
        yield from _kept(ground, node)
        yield from languages(ground, control, node)
        yield from _triples(ground, node)
    yield from moves(ground, control)
    yield from apart(ground, control)


# What survives every envelope


def _survives(ground: Ground, control: Control, node: int) -> Iterator[Claim]:
    name = ground.ids[node]
    kept: list[dict[str, Any]] = []
    holding: list[dict[str, Any]] = []
    decided = 0
    for place, pair in enumerate(ground.found.pairs):
        stand = ground.stands[node].get(pair.id)
        if stand is None or stand.pick not in ("a", "b"):
            continue
        decided += 1
        q = control.holds(key("across", name), place)
        if q is None:
            continue
        told = preference_facts(stand, q)
        (kept if told["for"] == stand.answered else holding).append(told)
    found = kept + holding
    if not found:
        return
    found.sort(key=lambda each: (-each["for"] / each["answered"], each["q"], each["pair"]))
    greatest = max(each["q"] for each in found)
    facts = ground.facts(
        [node],
        model=name,
        pairs=len(ground.stands[node]),
        decided=decided,
        every=len(kept),
        most=len(holding),
        preferences=found[:TOLD],
        greatest_q=greatest,
        families=len(ground.families),
        envelopes=max(each["answered"] for each in found),
    )
    share = len(found) / len(ground.stands[node])
    typical = surety(median(each["q"] for each in found))
    yield Claim("survives", (name,), facts, greatest, share, typical)


def _survives_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    who = call(facts, facts["model"], voice)
    held = facts["every"] + facts["most"]
    told = [over(each, voice) for each in facts["preferences"]]
    rest = held - len(told)
    names = listed(told) if not rest else f"{', '.join(told)} and {number(rest)} more"
    every = (
        f"in every envelope on {number(facts['every'])}" if facts["every"] else "on none in every envelope"
    )
    return "Survives the phrasing", (
        f"{who} keeps its choice across phrasings, in both orders, on {number(held)} of "
        f"{plural(facts['pairs'], 'pair')}, "
        f"{every}: {names} envelopes ({at_most('q', facts['greatest_q'])}, {facts['families']} families of envelopes)."
    )


def _survives_check(facts: Mapping[str, Any]) -> bool:
    told = facts["preferences"]
    held = facts["every"] + facts["most"]
    return bool(
        0 < held <= facts["decided"] <= facts["pairs"]
        and facts["greatest_q"] < LEVEL
        and all(each["for"] <= each["real"] <= each["answered"] for each in told)
        and all(2 * each["for"] > each["real"] and each["q"] <= facts["greatest_q"] for each in told)
    )


# What lives in one phrasing


def _phrasing(ground: Ground, node: int) -> Iterator[Claim]:
    held = [stand for stand in ground.stands[node].values() if stand.pick in ("a", "b")]
    single = [stand for stand in held if stand.real == 1 and stand.answered > 1]
    if not single:
        return
    single.sort(key=lambda each: (-each.answered, each.pair))
    facts = ground.facts(
        [node],
        model=ground.ids[node],
        decided=len(held),
        single=len(single),
        least=min(each.answered for each in single),
        preferences=[preference_facts(each) for each in single[:TOLD]],
    )
    yield Claim("one phrasing", (ground.ids[node],), facts, None, len(single) / len(held), COUNTED)


def _phrasing_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    told = [over(each, voice, counted=False) for each in facts["preferences"]]
    rest = facts["single"] - len(told)
    names = listed(told) if not rest else f"{', '.join(told)} and {number(rest)} more"
    verb = "lives" if facts["single"] == 1 else "live"
    return "Lives in one phrasing", (
        f"{number(facts['single'])} of the {plural(facts['decided'], 'preference')} of "
        f"{call(facts, facts['model'], voice)} {verb} in a single envelope of {number(facts['least'])} or more: "
        f"{names}."
    )


def _phrasing_check(facts: Mapping[str, Any]) -> bool:
    told = facts["preferences"]
    return 0 < facts["single"] <= facts["decided"] and all(
        each["real"] == each["for"] == 1 < each["answered"] for each in told
    )


# Position


def _position(ground: Ground, control: Control, node: int) -> Iterator[Claim]:
    name = ground.ids[node]
    q = control.holds(key("position", name))
    first = ground.rates[node].first
    if q is None or first.value is None:
        return
    bias = ground.rates[node].order_bias
    facts = ground.facts([node], model=name, first=share_facts(first), order_bias=share_facts(bias), q=q)
    yield Claim("position", (name,), facts, q, abs(2 * first.value - 1))


def _position_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    first = facts["first"]
    which, share = ("first", first) if first["value"] >= 0.5 else ("second", _turned(first))
    return "Goes by position", (
        f"{call(facts, facts['model'], voice)} takes the {which} word in {share_text(share)} of {number(first['n'])} "
        f"choices, "
        f"whichever it is ({plural(first['units'], 'pair')}, {chance('q', facts['q'])}); "
        f"{percent(facts['order_bias']['value'])} of its questions in both orders come out by position."
    )


def _turned(share: Mapping[str, Any]) -> dict[str, Any]:
    low, high = share["high"], share["low"]
    return {
        **share,
        "value": 1 - share["value"],
        "low": None if low is None else 1 - low,
        "high": None if high is None else 1 - high,
    }


def _position_check(facts: Mapping[str, Any]) -> bool:
    return bool(facts["q"] < LEVEL and facts["first"]["value"] != 0.5 and facts["first"]["n"] > 0)


# How much is left of the questions


def _kept(ground: Ground, node: int) -> Iterator[Claim]:
    rates = ground.rates[node]
    asked = rates.real.n
    if not asked or rates.real.value is None:
        return
    lost = {name: n for name, n in rates.outcomes.items() if name not in ("a", "b")}
    facts = ground.facts(
        [node],
        model=ground.ids[node],
        real=share_facts(rates.real),
        lost=[
            {"reason": name, "n": n} for name, n in sorted(lost.items(), key=lambda each: (-each[1], each[0]))
        ],
        undecided=sum(stand.pick == "none" for stand in ground.stands[node].values()),
        pairs=len(ground.stands[node]),
    )
    yield Claim("kept", (ground.ids[node],), facts, None, abs(1 - rates.real.value), COUNTED)


REASONS = {
    "order_bias": "went by position",
    "one_sided": "chose in one order only",
    "no_choice": "chose neither word",
    "both": "took both",
    "refused": "were refused",
    "empty": "were empty",
    "error": "failed",
}


def _kept_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    n = facts["real"]["n"]
    lost = [
        f"{percent(each['n'] / n)} {REASONS.get(each['reason'], each['reason'])}"
        for each in facts["lost"][:3]
    ]
    tail = f"; {listed(lost)}" if lost else ""
    return "What is left", (
        f"{call(facts, facts['model'], voice)} takes the same word in both orders in {share_text(facts['real'])} of "
        f"{plural(n, 'question')}{tail}. On {number(facts['undecided'])} of {plural(facts['pairs'], 'pair')} no word "
        f"has a "
        "majority."
    )


def _kept_check(facts: Mapping[str, Any]) -> bool:
    real = facts["real"]
    lost = sum(each["n"] for each in facts["lost"])
    return bool(real["n"] > 0 and round(real["value"] * real["n"]) + lost == real["n"])


# Intransitive triples


def _triples(ground: Ground, node: int) -> Iterator[Claim]:
    found, possible = triples_of(list(ground.stands[node].values()))
    if found:
        facts = ground.facts(
            [node],
            model=ground.ids[node],
            triples=len(found),
            possible=possible,
            first=list(found[0].words),
        )
        yield Claim("triples", (ground.ids[node],), facts, None, len(found) / possible, COUNTED)


def _triples_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    x, y, z = (voice.symbol(word) for word in facts["first"])
    return "Intransitive", (
        f"{call(facts, facts['model'], voice)} goes round in a circle on {number(facts['triples'])} of "
        f"{plural(facts['possible'], 'triple')} of words: {x} over {y}, {y} over {z}, {z} over {x}."
    )


def _triples_check(facts: Mapping[str, Any]) -> bool:
    return bool(0 < facts["triples"] <= facts["possible"])


KINDS = {
    "survives": Kind(_survives_sentence, _survives_check),
    "one phrasing": Kind(_phrasing_sentence, _phrasing_check),
    "position": Kind(_position_sentence, _position_check),
    "kept": Kind(_kept_sentence, _kept_check),
    "triples": Kind(_triples_sentence, _triples_check),
    **claims_language.KINDS,
    **claims_moves.KINDS,
}
