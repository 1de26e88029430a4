"""Claims about time: a model whose replies of one date are apart from those of another."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from stylekl.lenses.claims import Claim, Control, estimate_facts
from stylekl.lenses.style.claims.kinds import Kind
from stylekl.lenses.style.claims.pairs import key_of
from stylekl.lenses.words import bits, chance, prompts
from stylekl.measure.families import LEVEL
from stylekl.results.nodes import node_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stylekl.lenses.style.claims.ground import Ground
    from stylekl.lenses.words import Voice


def dated(ground: Ground) -> list[tuple[str, int, int]]:
    """Return what one model came to on two dates, as its name and two indices: each date with the one before."""
    chains: dict[str, list[tuple[Any, str, int]]] = {}
    for model in ground.models:
        node = node_of(ground.evidence.models[model])
        if node.date is not None:
            chains.setdefault(node.chain("date"), []).append((node.date, ground.ids[model], model))
    return [
        (name, older[2], newer[2])
        for name, members in sorted(chains.items())
        for older, newer in pairwise(sorted(members))
    ]


def _claims(ground: Ground, control: Control) -> Iterator[Claim]:
    for name, older, newer in dated(ground):
        pair = min(older, newer), max(older, newer)
        q = control.holds(key_of(pair))
        if q is None:
            continue
        found = ground.study.pair(*pair, with_floor=False)
        dates = [node_of(ground.evidence.models[model]).label("date") for model in (older, newer)]
        facts = ground.facts(
            pair,
            model=name,
            old=ground.ids[older],
            new=ground.ids[newer],
            dates=dates,
            kl=estimate_facts(found.kl_ab if newer < older else found.kl_ba),
            p=found.p,
            q=q,
            **ground.base([pair]),
        )
        typical = ground.distances.estimates[ground.distances.nearest[-1]].value
        moved = ground.distances.value(*pair)
        yield Claim("drift", ground.sorted_ids(pair), facts, q, moved / typical if typical > 0 else 0.0)


def _sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    old, new = facts["dates"]
    return "Drift", (
        f"{voice.name(facts['model'])} changed between {old} and {new}: {bits(facts['kl'])} bits per "
        f"{facts['counted']} from the later replies to the earlier {prompts(facts)} ({chance('q', facts['q'])})."
    )


def _check(facts: Mapping[str, Any]) -> bool:
    return bool(facts["p"] <= facts["q"] < LEVEL and facts["dates"][0] <= facts["dates"][1])


KINDS = {"drift": Kind(_claims, _sentence, _check)}
