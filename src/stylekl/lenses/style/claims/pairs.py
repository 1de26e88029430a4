"""Claims about pairs: apart, closest, farthest, not told apart, likely kin, copies."""

from __future__ import annotations

from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.facets.taking import LONG
from stylekl.lenses.claims import ABSENCE, COUNTED, RULE, Claim, Control, estimate_facts, surety, two_sided
from stylekl.lenses.style.claims.kinds import Kind
from stylekl.lenses.style.evidence import LITTLE
from stylekl.lenses.words import at_most, bits, call, called, chance, number, plural, prompts
from stylekl.measure.families import LEVEL, Family
from stylekl.measure.kinship import MANY_MODELS, likely_kin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stylekl.lenses.style.claims.contests import Contest
    from stylekl.lenses.style.claims.distances import Pair
    from stylekl.lenses.style.claims.ground import Ground
    from stylekl.lenses.words import Voice


def key_of(pair: Pair) -> str:
    """Return the key of a pair's family, its exchange test alone; what else is asked of the pair stands under it."""
    return f"pair {pair[0]} {pair[1]}"


def hypotheses(ground: Ground) -> Iterator[Family]:
    """Yield a family for each pair, under it one of its facets, and one each for the closest and the farthest."""
    for pair, comparison in ground.study.comparisons.items():
        yield Family(key_of(pair), np.array([comparison.p if len(ground.evidence.vocabulary) else np.nan]))
    for pair, p in ground.facet_p.items():
        yield Family(f"facets {key_of(pair)}", np.array(p), key_of(pair))
    for name, found in (("closest", ground.closest), ("farthest", ground.farthest)):
        if found is not None:
            yield Family(name, np.array([found.p]))


# Apart


def _apart(ground: Ground, control: Control) -> Iterator[Claim]:
    pairs = [pair for pair in combinations(ground.shown, 2) if control.q(key_of(pair)) is not None]
    held = {pair: q for pair in pairs if (q := control.holds(key_of(pair))) is not None}
    if not held:
        return
    if len(ground.shown) == 2:
        yield _two(ground, pairs[0], held[pairs[0]])
        return
    facts = {
        "models": len(ground.shown),
        "pairs": len(pairs),
        "apart": len(held),
        "greatest_q": max(held.values()),
        **ground.base(pairs),
    }
    share = len(held) / len(pairs)
    # As sure as the typical pair, however near the last of so many is to the edge.
    sure = surety(median(held.values()))
    yield Claim("apart", ground.sorted_ids(ground.shown), facts, max(held.values()), share, sure)


def _two(ground: Ground, pair: Pair, q: float) -> Claim:
    found = ground.study.pair(*pair, with_floor=False)
    facts = ground.facts(
        pair,
        a=found.a,
        b=found.b,
        kl_ab=estimate_facts(found.kl_ab),
        kl_ba=estimate_facts(found.kl_ba),
        p=found.p,
        q=q,
        **ground.base([pair]),
    )
    return Claim("apart", (found.a, found.b), facts, q, 1.0)


def _apart_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    if "pairs" in facts:
        count, pairs = facts["apart"], facts["pairs"]
        which = "All" if count == pairs else f"{number(count)} of"
        return "Apart", (
            f"{which} {plural(pairs, 'pair')} of models write differently {prompts(facts)} "
            f"({at_most('q', facts['greatest_q'])})."
        )
    a, b = (call(facts, facts[side], voice) for side in "ab")
    return "Apart", (
        f"{a} and {b} write differently: {bits(facts['kl_ab'])} bits per {facts['counted']} from the first to the "
        f"second, {bits(facts['kl_ba'])} back, {prompts(facts)} ({chance('p', facts['p'])}, "
        f"{chance('q', facts['q'])})."
    )


def _apart_check(facts: Mapping[str, Any]) -> bool:
    if "pairs" in facts:
        return bool(0 < facts["apart"] <= facts["pairs"] and facts["greatest_q"] < LEVEL)
    return bool(facts["p"] <= facts["q"] < LEVEL)


# Closest and farthest


def _extreme(kind: str, ground: Ground, control: Control) -> Iterator[Claim]:
    found = ground.closest if kind == "closest pair" else ground.farthest
    q = control.holds("closest" if kind == "closest pair" else "farthest")
    if found is None or q is None:
        return
    facts = extreme_facts(ground, found)
    value, following = facts["js"]["value"], facts["next"]["js"]["value"]
    near, far = (value, following) if kind == "closest pair" else (following, value)
    yield Claim(
        kind,
        ground.sorted_ids(found.winner),
        {**facts, "q": q},
        q,
        1.0 - max(near, 0.0) / far if far > 0 else 0.0,
    )


def extreme_facts(ground: Ground, found: Contest[Pair]) -> dict[str, Any]:
    """Return the facts of the closest or farthest pair: its distance, the next one's, the least sure comparison."""
    rival, difference = found.rival
    named = {*found.winner, *found.runner_up, *rival}
    return ground.facts(
        named,
        **_measured(ground, found.winner),
        next=_measured(ground, found.runner_up),
        rival=_measured(ground, rival),
        t=difference.t,
        degrees=difference.degrees,
        p=found.p,
        pairs=len(found.ranked) + 1,
        **ground.base([found.winner]),
    )


def _measured(ground: Ground, pair: Pair) -> dict[str, Any]:
    estimate = ground.distances.estimates[pair]
    return {"a": ground.ids[pair[0]], "b": ground.ids[pair[1]], "js": estimate_facts(estimate)}


def _both(facts: Mapping[str, Any], pair: Mapping[str, Any], voice: Voice) -> str:
    return called(facts, [pair["a"], pair["b"]], voice)


def _extreme_sentence(
    facts: Mapping[str, Any], voice: Voice, lead: str, most: str, other: str
) -> tuple[str, str]:
    return lead, (
        f"{_both(facts, facts, voice)} write {most} of all {facts['pairs']:,} pairs: {bits(facts['js'])} bits per "
        f"{facts['counted']} (Jensen-Shannon) {prompts(facts)}. Every other pair is surely {other}, the next, "
        f"{_both(facts, facts['next'], voice)}, at {bits(facts['next']['js'])} ({chance('q', facts['q'])})."
    )


def _closest_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    return _extreme_sentence(facts, voice, "Closest pair", "most alike", "farther apart")


def _farthest_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    return _extreme_sentence(facts, voice, "Farthest pair", "least alike", "nearer")


def settled(facts: Mapping[str, Any]) -> bool:
    """Tell whether the p of a foremost one follows from its t, and q allows the claim."""
    p = two_sided(facts["t"], facts["degrees"])
    return bool(
        abs(p - facts["p"]) <= 1e-6 * p and facts["p"] <= facts["q"] * (1 + 1e-9) and facts["q"] < LEVEL
    )


def _closest_check(facts: Mapping[str, Any]) -> bool:
    value = facts["js"]["value"]
    return settled(facts) and value < facts["next"]["js"]["value"] <= facts["rival"]["js"]["value"]


def _farthest_check(facts: Mapping[str, Any]) -> bool:
    value = facts["js"]["value"]
    return settled(facts) and value > facts["next"]["js"]["value"] >= facts["rival"]["js"]["value"]


# Not told apart


def _close(ground: Ground, control: Control) -> Iterator[Claim]:
    typical = median([found.value for found in ground.distances.estimates.values()] or [0.0])
    for pair, comparison in ground.study.comparisons.items():
        q = control.q(key_of(pair))
        if q is None or q < LEVEL or pair not in ground.distances.estimates:
            continue
        covered = ground.evidence.vocabulary_report.coverage
        facts = ground.facts(
            pair, **_measured(ground, pair), p=comparison.p, q=q, coverage=covered, **ground.base([pair])
        )
        bound = facts["js"]["upper"]
        yield Claim(
            "not told apart",
            ground.sorted_ids(pair),
            facts,
            None,
            1.0 - bound / typical if typical > 0 else 0.0,
            ABSENCE,
        )


def _close_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    limit = (
        f"{number(max(facts['js']['upper'], 0.0001))} bits per {facts['counted']} (Jensen-Shannon, 95% limit)"
    )
    bound = f"If they differ, then by at most {limit}."
    if facts["coverage"] < LITTLE:
        bound = "The style vocabulary covers too little of the text to bound the difference."
    return "Not told apart", (
        f"{_both(facts, facts, voice)} could not be told apart {prompts(facts)} ({chance('p', facts['p'])}, "
        f"{chance('q', facts['q'])}). {bound}"
    )


def _close_check(facts: Mapping[str, Any]) -> bool:
    js = facts["js"]
    return bool(facts["q"] >= LEVEL and js["value"] <= js["upper"])


# Likely kin


def _kin(ground: Ground, _control: Control) -> Iterator[Claim]:
    for pair in ground.study.comparisons:
        estimate, kin, _ = ground.study.kin(*pair)
        if estimate is None or not kin:
            continue
        facts = ground.facts(
            pair,
            a=ground.ids[pair[0]],
            b=ground.ids[pair[1]],
            kinship=estimate_facts(estimate),
            models=len(ground.models),
            **ground.base([pair]),
        )
        yield Claim("kin", ground.sorted_ids(pair), facts, None, estimate.value, RULE)


def _kin_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    least = ".16" if facts["models"] > MANY_MODELS else ".13"
    kinship = facts["kinship"]
    return "Likely kin", (
        f"{_both(facts, facts, voice)} depart from the other models in the same way, prompt by prompt: kinship "
        f"{number(kinship['value'])}, standard error {number(kinship['se'])}, surely above {least}. A rule with "
        "measured errors, not a test: up to 2% of unrelated pairs pass it."
    )


def _kin_check(facts: Mapping[str, Any]) -> bool:
    return likely_kin(facts["kinship"]["value"], facts["kinship"]["se"], facts["models"])


# Copies


def _copies(ground: Ground, _control: Control) -> Iterator[Claim]:
    for pair, copied in sorted(ground.study.copies.items()):
        facts = ground.facts(
            pair,
            a=ground.ids[pair[0]],
            b=ground.ids[pair[1]],
            copies=copied,
            characters=LONG,
            **ground.base([pair]),
        )
        yield Claim("copies", ground.sorted_ids(pair), facts, None, copied / facts["prompts"], COUNTED)


def _copies_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    return "Copies", (
        f"{_both(facts, facts, voice)} share {plural(facts['copies'], 'reply')} word for word, of at least "
        f"{facts['characters']} characters, {prompts(facts)}."
    )


def _copies_check(facts: Mapping[str, Any]) -> bool:
    return bool(facts["copies"] > 0)


def _closest(ground: Ground, control: Control) -> Iterator[Claim]:
    return _extreme("closest pair", ground, control)


def _farthest(ground: Ground, control: Control) -> Iterator[Claim]:
    return _extreme("farthest pair", ground, control)


KINDS = {
    "apart": Kind(_apart, _apart_sentence, _apart_check),
    "closest pair": Kind(_closest, _closest_sentence, _closest_check),
    "farthest pair": Kind(_farthest, _farthest_sentence, _farthest_check),
    "not told apart": Kind(_close, _close_sentence, _close_check),
    "kin": Kind(_kin, _kin_sentence, _kin_check),
    "copies": Kind(_copies, _copies_sentence, _copies_check),
}
