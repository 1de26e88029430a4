"""Claims about what a difference is made of: one class of symbols that is more than half of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.lenses.claims import Claim, Control, share_effect, two_sided
from stylekl.lenses.style.claims.kinds import Kind
from stylekl.lenses.style.claims.pairs import key_of
from stylekl.lenses.style.contrast import sides_of_pair
from stylekl.lenses.words import call, chance, number, percent, prompts
from stylekl.measure.divergence import contributions
from stylekl.measure.families import LEVEL, Family
from stylekl.measure.jackknife import jackknife, replicates_by_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stylekl.lenses.style.claims.distances import Pair
    from stylekl.lenses.style.claims.ground import Ground
    from stylekl.lenses.words import Voice

MADE_UP = 3  # nearest pairs whose make-up is looked at


def _key(pair: Pair) -> str:
    return f"habit {key_of(pair)}"


def hypotheses(ground: Ground) -> Iterator[Family]:
    """Yield a family of all classes under each pair whose make-up is looked at."""
    for pair, found in ground.habits.items():
        p = np.array([two_sided(t, found["degrees"]) for t in found["t"].ravel().tolist()])
        yield Family(_key(pair), p, key_of(pair))


def habits(ground: Ground) -> dict[Pair, dict[str, Any]]:
    """Return, for the nearest pairs and the farthest, how far each class of symbols is above half of each direction.

    `t` (2, classes), `degrees`, and the bits of class and whole.
    """
    wanted = ground.near[:MADE_UP]
    if ground.distances.nearest and ground.distances.nearest[-1] not in wanted:
        wanted.append(ground.distances.nearest[-1])
    return {pair: _habit(ground, pair) for pair in wanted}


def _habit(ground: Ground, pair: Pair) -> dict[str, Any]:
    sides = sides_of_pair(ground.study, *pair)
    facet, skew = ground.evidence.facet, ground.evidence.options.skew
    kinds = [*(facet.kind(int(identifier)) for identifier in ground.evidence.vocabulary), "other"]
    classes = [kind for kind in facet.CLASSES if kind != "other"]
    member = np.array([[kind == each for kind in kinds] for each in classes], np.float64)
    p, q = (replicates_by_unit(table, sides.units) for table in sides.tables)
    parts, wholes, t = [], [], []
    for one, two in ((p, q), (q, p)):
        by_symbol = contributions(one, two, skew)  # (G + 1, V + 1)
        by_class, whole = member @ by_symbol.T, by_symbol.sum(axis=1)
        found = jackknife(np.vstack([by_class, whole, by_class - 0.5 * whole]), sides.units.fractions)
        size = len(classes)
        parts.append(found.value[:size])
        wholes.append(float(found.value[size]))
        over, error = found.value[size + 1 :], found.se[size + 1 :]
        t.append(np.divide(over, error, out=np.zeros(size), where=error > 0))
    return {
        "classes": classes,
        "parts": np.array(parts),
        "wholes": wholes,
        "t": np.array(t),
        "degrees": sides.units.degrees,
    }


def _claims(ground: Ground, control: Control) -> Iterator[Claim]:
    for pair, found in ground.habits.items():
        size = len(found["classes"])
        held = [
            (found["parts"][direction, kind] / found["wholes"][direction], direction, kind, q)
            for direction in (0, 1)
            for kind in range(size)
            if (q := control.holds(_key(pair), direction * size + kind)) is not None
            and found["wholes"][direction] > 0
        ]
        if not held:
            continue
        share, direction, kind, q = max(held, key=lambda each: (each[0], -each[1], -each[2]))
        t = float(found["t"][direction, kind])
        a, b = (ground.ids[model] for model in (pair if direction == 0 else pair[::-1]))
        facts = ground.facts(
            pair,
            a=a,
            b=b,
            **{"class": found["classes"][kind]},
            part=float(found["parts"][direction, kind]),
            whole=found["wholes"][direction],
            share=float(share),
            t=t,
            degrees=found["degrees"],
            p=two_sided(t, found["degrees"]),
            q=q,
            **ground.base([pair]),
        )
        yield Claim("habit", ground.sorted_ids(pair), facts, q, share_effect(float(share)))


def _sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    a, b = (call(facts, facts[side], voice) for side in "ab")
    divergence, part = f"the divergence of {a} from {b}", number(facts["part"])
    if facts["share"] <= 1:
        made = f"{percent(facts['share'])} of {divergence} is {facts['class']}: {part} of"
    else:
        made = f"{divergence[:1].upper()}{divergence[1:]} is more than made up by {facts['class']}: {part} against"
    made = f"{made} {number(facts['whole'])} bits per {facts['counted']}"
    return "One habit", f"{made}, surely more than half, {prompts(facts)} ({chance('q', facts['q'])})."


def _check(facts: Mapping[str, Any]) -> bool:
    p = two_sided(facts["t"], facts["degrees"])
    share = facts["part"] / facts["whole"]
    return bool(
        abs(share - facts["share"]) <= 1e-6 * share
        and share > 0.5
        and abs(p - facts["p"]) <= 1e-6 * p
        and facts["p"] <= facts["q"] * (1 + 1e-9)
        and facts["q"] < LEVEL
    )


KINDS = {"habit": Kind(_claims, _sentence, _check)}
