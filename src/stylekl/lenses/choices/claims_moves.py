"""Sentences about nodes against each other: effort, dates, and models that choose differently."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from stylekl.lenses.choices.saying import TOLD, key, over, preference_facts, some
from stylekl.lenses.claims import Claim, Kind, surety
from stylekl.lenses.words import at_most, call, chance, number, plural
from stylekl.measure.families import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stylekl.lenses.choices.ground import Ground
    from stylekl.lenses.choices.reports import Moved
    from stylekl.lenses.claims import Control
    from stylekl.lenses.words import Voice


def moves(ground: Ground, control: Control) -> Iterator[Claim]:
    """Yield the dates and effort levels between which a model's choices differ."""
    for axis, name, members in ground.chains:
        for place, (old, new) in enumerate(ground.steps(members)):
            q = control.holds(key(axis, name), place)
            if q is None:
                continue
            moved = ground.moved(old, new)
            counts = {
                kind: sum(each.kind == kind for each in moved)
                for kind in ("flip", "refusal", "lost", "gained")
            }
            facts = ground.facts(
                [old, new],
                old=ground.ids[old],
                new=ground.ids[new],
                old_label=ground.labels[axis, old],
                new_label=ground.labels[axis, new],
                pairs=sum(pair in ground.stands[new] for pair in ground.stands[old]),
                differ=len(moved),
                **counts,
                flips=_told(moved, "flip"),
                refusals=_told(moved, "refusal"),
                q=q,
            )
            share = len(moved) / max(facts["pairs"], 1)
            yield Claim(axis if axis == "effort" else "drift", _sorted(ground, old, new), facts, q, share)


def _sorted(ground: Ground, *nodes: int) -> tuple[str, ...]:
    return tuple(sorted(ground.ids[i] for i in nodes))


def _told(moved: tuple[Moved, ...], kind: str) -> list[dict[str, Any]]:
    return [preference_facts(each.old) | {"now": each.new.word} for each in moved if each.kind == kind][:TOLD]


def _moves_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    old, new = (call(facts, facts[side], voice) for side in ("old", "new"))
    parts = [f"{number(facts['differ'])} of {plural(facts['pairs'], 'pair')} come out otherwise"]
    if facts["flip"]:
        told = [f"{voice.symbol(each['word'])} to {voice.symbol(each['now'])}" for each in facts["flips"]]
        parts.append(f"{_turn(facts['flip'], 'flips', 'flip')} ({some(told, facts['flip'])})")
    if facts["refusal"]:
        told = [over(each, voice, counted=False) for each in facts["refusals"]]
        parts.append(
            f"{_turn(facts['refusal'], 'turns into a refusal', 'turn into a refusal')} ({some(told, facts['refusal'])})"
        )
    return "", f"{old} and {new} do not choose alike: {', '.join(parts)} ({chance('q', facts['q'])})."


def _turn(n: int, one: str, several: str) -> str:
    return f"{number(n)} {one if n == 1 else several}"


def _effort_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    return "Effort", _moves_sentence(facts, voice)[1]


def _drift_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    return "Drift", _moves_sentence(facts, voice)[1]


def _moves_check(facts: Mapping[str, Any]) -> bool:
    kinds = sum(facts[kind] for kind in ("flip", "refusal", "lost", "gained"))
    return bool(facts["q"] < LEVEL and kinds == facts["differ"] <= facts["pairs"])


# Nodes against each other


def apart(ground: Ground, control: Control) -> Iterator[Claim]:
    """Yield how many pairs of models choose differently."""
    tested = [i for i in range(len(ground.pairs)) if control.q(key("apart"), i) is not None]
    held = {i: q for i in tested if (q := control.holds(key("apart"), i)) is not None}
    if not held:
        return
    farthest = max(held, key=lambda i: (ground.pairs[i].value or 0.0, ground.pairs[i].a, ground.pairs[i].b))
    pair = ground.pairs[farthest]
    places = [ground.ids.index(each) for each in (pair.a, pair.b)]
    facts = ground.facts(
        places,
        models=len(ground.shown),
        pairs=len(tested),
        apart=len(held),
        greatest_q=max(held.values()),
        a=pair.a,
        b=pair.b,
        value=pair.value,
        n=pair.n,
        differ=pair.detail["differ"],
        opposite=pair.detail["opposite"],
    )
    models = tuple(sorted(ground.ids[i] for i in ground.shown)) if len(tested) > 1 else (pair.a, pair.b)
    yield Claim(
        "apart", models, facts, max(held.values()), len(held) / len(tested), surety(median(held.values()))
    )


def _apart_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    a, b = (call(facts, facts[side], voice) for side in "ab")
    differ = (
        f"{number(facts['differ'])} of {plural(facts['n'], 'pair')} of words, on {number(facts['opposite'])} of them "
        f"with "
        "opposite words"
    )
    q = at_most("q", facts["greatest_q"])
    if facts["pairs"] == 1:
        return "Choose differently", f"{a} and {b} differ on {differ} ({q})."
    which = "All" if facts["apart"] == facts["pairs"] else f"{number(facts['apart'])} of"
    return "Choose differently", (
        f"{which} {plural(facts['pairs'], 'pair')} of models choose differently ({q}); the farthest apart, {a} and "
        f"{b}, "
        f"differ on {differ}."
    )


def _apart_check(facts: Mapping[str, Any]) -> bool:
    return bool(
        0 < facts["apart"] <= facts["pairs"]
        and facts["greatest_q"] < LEVEL
        and facts["opposite"] <= facts["differ"] <= facts["n"]
    )


KINDS = {
    "effort": Kind(_effort_sentence, _moves_check),
    "drift": Kind(_drift_sentence, _moves_check),
    "apart": Kind(_apart_sentence, _apart_check),
}
