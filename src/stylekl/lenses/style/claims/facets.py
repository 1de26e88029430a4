"""Claims about where two near models differ: apart in some facets, not told apart in others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.lenses.claims import Claim, Control
from stylekl.lenses.style.claims.kinds import Kind
from stylekl.lenses.style.claims.pairs import key_of
from stylekl.lenses.style.study import Study
from stylekl.lenses.words import at_most, called, listed, prompts
from stylekl.measure.families import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from stylekl.lenses.style.claims.distances import Pair
    from stylekl.lenses.style.claims.ground import Ground
    from stylekl.lenses.words import Voice

FACETS = ("words", "marks", "layout", "rhythm", "openings")


def facet_p(ground: Ground, pairs: Sequence[Pair]) -> dict[Pair, list[float]]:
    """Return the exact p of each facet for each of the pairs; nan where a pair has none.

    Only beside tokens, which hold all that the facets part; nothing where facets are not asked for.
    """
    evidence = ground.evidence
    if not pairs or evidence.facet.NAME != "tokens" or not evidence.options.facets:
        return {}
    found: dict[Pair, list[float]] = {pair: [] for pair in pairs}
    for name in FACETS:
        comparisons = Study(evidence.in_facet(name, FACETS), pairs, only_wanted=True).comparisons
        for pair in pairs:
            found[pair].append(comparisons[pair].p if pair in comparisons else float("nan"))
    return found


def _claims(ground: Ground, control: Control) -> Iterator[Claim]:
    for pair, values in ground.facet_p.items():
        facets: list[dict[str, Any]] = [
            {"facet": name, "p": p, "q": q}
            for index, (name, p) in enumerate(zip(FACETS, values, strict=True))
            if (q := control.q(f"facets {key_of(pair)}", index)) is not None
        ]
        apart = [found["facet"] for found in facets if found["q"] < LEVEL]
        if not 0 < len(apart) < len(facets):
            continue
        q = max(found["q"] for found in facets if found["q"] < LEVEL)
        a, b = (ground.ids[model] for model in pair)
        facts = ground.facts(pair, a=a, b=b, facets=facets, differ=apart, q=q, **ground.base([pair]))
        yield Claim("facet", ground.sorted_ids(pair), facts, q, 1.0 - len(apart) / len(facets))


def _sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    both = called(facts, [facts["a"], facts["b"]], voice)
    apart = facts["differ"]
    rest = [found["facet"] for found in facts["facets"] if found["facet"] not in apart]
    return "Where they differ", (
        f"{both} differ in {listed(apart)} ({at_most('q', facts['q'])}); in {listed(rest)} they could not be told "
        f"apart, {prompts(facts)}."
    )


def _check(facts: Mapping[str, Any]) -> bool:
    facets, apart = facts["facets"], facts["differ"]
    return bool(
        apart == [found["facet"] for found in facets if found["q"] < LEVEL]
        and all(found["p"] <= found["q"] * (1 + 1e-9) for found in facets)
        and facts["q"] == max(found["q"] for found in facets if found["q"] < LEVEL)
        and len(apart) < len(facets)
    )


KINDS = {"facet": Kind(_claims, _sentence, _check)}
