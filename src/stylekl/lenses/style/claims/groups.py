"""Claims about where models stand among all: groups of near ones, and the one that is farthest from the rest."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.lenses.claims import Claim, Control
from stylekl.lenses.style.claims.contests import p_of
from stylekl.lenses.style.claims.kinds import Kind
from stylekl.lenses.style.claims.pairs import settled
from stylekl.lenses.words import call, called, chance, number, plural, prompts
from stylekl.measure.families import Family

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from stylekl.lenses.style.claims.contests import Contest
    from stylekl.lenses.style.claims.distances import Distances
    from stylekl.lenses.style.claims.ground import Ground
    from stylekl.lenses.words import Voice


def hypotheses(ground: Ground) -> Iterator[Family]:
    """Yield a family for each group that the linkage proposes, and one for the outlier."""
    for index, (_, _, difference) in enumerate(ground.groups):
        yield Family(f"group {index}", np.array([p_of(difference)]))
    if ground.outlier is not None:
        yield Family("outlier", np.array([ground.outlier.p]))


def mean_distance(distances: Distances, models: Sequence[int], others: Sequence[int]) -> float:
    """Return the mean distance between the models and the others, or among the models where they are the same."""
    return fmean(distances.value(a, b) for a in models for b in others if a != b)


# Groups


def _group(ground: Ground, control: Control) -> Iterator[Claim]:
    for index, (inside, (member, stranger), difference) in enumerate(ground.groups):
        q = control.holds(f"group {index}")
        if q is None:
            continue
        outside = [model for model in ground.models if model not in inside]
        within = mean_distance(ground.distances, inside, inside)
        between = mean_distance(ground.distances, inside, outside)
        facts = ground.facts(
            {*inside, stranger},
            members=list(ground.sorted_ids(inside)),
            within=within,
            between=between,
            outside=len(outside),
            rival={"member": ground.ids[member], "stranger": ground.ids[stranger]},
            nearer_by=difference.value,
            t=difference.t,
            degrees=difference.degrees,
            p=p_of(difference),
            q=q,
            **ground.base([(a, b) for a in inside for b in inside if a < b]),
        )
        effect = 1.0 - max(within, 0.0) / between if between > 0 else 0.0
        yield Claim("group", ground.sorted_ids(inside), facts, q, effect)


def _group_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    members = facts["members"]
    each = "either" if len(members) == 2 else "each"
    rest = "the other" if facts["outside"] == 1 else f"the other {facts['outside']:,}"
    return "Group", (
        f"{called(facts, members, voice)} stand together: {number(max(facts['within'], 0.0))} bits per "
        f"{facts['counted']} between them on average, {number(facts['between'])} to {rest} (Jensen-Shannon). "
        f"On average {each} is surely nearer to the group than to any model outside it, {prompts(facts)} "
        f"({chance('q', facts['q'])})."
    )


def _group_check(facts: Mapping[str, Any]) -> bool:
    return settled(facts) and facts["within"] < facts["between"] and facts["nearer_by"] > 0


# The outlier


def _outlier(ground: Ground, control: Control) -> Iterator[Claim]:
    found, q = ground.outlier, control.holds("outlier")
    if found is None or q is None:
        return
    facts = {**outlier_facts(ground, found), "q": q}
    following = max(facts["next_distance"], 0.0)
    yield Claim("outlier", (ground.ids[found.winner],), facts, q, 1.0 - following / facts["distance"])


def outlier_facts(ground: Ground, found: Contest[int]) -> dict[str, Any]:
    """Return the facts of the model that is farthest from the rest: its mean distance, and the next one's."""
    rival, difference = found.rival

    def mean(model: int) -> float:
        return mean_distance(ground.distances, [model], ground.models)

    return ground.facts(
        {found.winner, found.runner_up, rival},
        model=ground.ids[found.winner],
        distance=mean(found.winner),
        next=ground.ids[found.runner_up],
        next_distance=mean(found.runner_up),
        rival=ground.ids[rival],
        others=len(ground.models) - 1,
        t=difference.t,
        degrees=difference.degrees,
        p=found.p,
        **ground.base(
            [(min(found.winner, m), max(found.winner, m)) for m in ground.models if m != found.winner]
        ),
    )


def _outlier_sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    return "Outlier", (
        f"{call(facts, facts['model'], voice)} is the farthest from the rest: {number(facts['distance'])} bits per "
        f"{facts['counted']} from the other {plural(facts['others'], 'model')} on average (Jensen-Shannon), the next, "
        f"{call(facts, facts['next'], voice)}, {number(facts['next_distance'])}, {prompts(facts)} "
        f"({chance('q', facts['q'])})."
    )


def _outlier_check(facts: Mapping[str, Any]) -> bool:
    return settled(facts) and facts["distance"] > facts["next_distance"]


KINDS = {
    "group": Kind(_group, _group_sentence, _group_check),
    "outlier": Kind(_outlier, _outlier_sentence, _outlier_check),
}
