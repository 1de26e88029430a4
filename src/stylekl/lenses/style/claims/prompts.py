"""Claims about single prompts: two models that no prompt tells apart.

Where a prompt was answered several times by both, a test of its own asks whether it separates them: the replies to
it change sides at random, and the statistic is that of the exchange test (measure/exchange.py). Where both gave
nothing but the same replies, no test is needed. That no prompt separates two models is not that they are one.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.lenses.claims import ABSENCE, COUNTED, Claim, Control
from stylekl.lenses.style.claims.kinds import Kind
from stylekl.lenses.words import called, chance, plural, prompts
from stylekl.measure.exchange import benjamini_hochberg
from stylekl.measure.families import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from stylekl.lenses.style.claims.distances import Pair
    from stylekl.lenses.style.claims.ground import Ground
    from stylekl.lenses.words import Voice

SHUFFLES = 1999
MOST_PROMPTS = 40  # more could not come below .05 one by one with so many shuffles
ROUNDING = 1e-12  # what it leaves of the divergence of equal replies
MOST_REPLIES = 2000  # to a prompt: with each other they make four million products
LEAST_HELD = 3  # replies to a prompt that must hold a symbol


def prompt_p(ground: Ground, pair: Pair) -> dict[str, Any] | None:
    """Return what each common prompt says alone: `by_prompt`, its p, and `replies`, the fewest a side.

    None where too few replies a prompt could never separate them, however different: the least p of a prompt, two
    assignments of all, has to be below .05 over the prompts. None above 40 prompts too, or 2,000 replies to one.
    """
    counts = ground.evidence.counts
    rows = [np.arange(counts.rows(model).start, counts.rows(model).stop) for model in pair]
    common = np.intersect1d(counts.prompt[rows[0]], counts.prompt[rows[1]])
    groups = [[own[counts.prompt[own] == prompt] for own in rows] for prompt in common]
    sizes = [tuple(map(len, sides)) for sides in groups]
    if not 0 < len(sizes) <= MOST_PROMPTS or max(map(sum, sizes)) > MOST_REPLIES:
        return None
    if any(2 / comb(a + b, a) * len(sizes) >= LEVEL for a, b in sizes):
        return None
    ids = [ground.evidence.material.prompts[int(prompt)].id for prompt in common]
    p = {}
    for prompt_id, prompt, sides in zip(ids, common, groups, strict=True):
        random = np.random.default_rng([ground.evidence.options.seed, int(ground.evidence.ranks[prompt])])
        p[prompt_id] = _exchange(ground, sides, random)
    least = min(min(pair_of) for pair_of in sizes)
    return {"by_prompt": [{"prompt": key, "p": p[key]} for key in sorted(p)], "replies": least}


def _exchange(ground: Ground, sides: list[NDArray[np.int64]], random: np.random.Generator) -> float:
    """Return the share of shuffles whose statistic is at least the observed one, that one included."""
    table = _frequencies(ground, np.concatenate(sides))
    signs = np.concatenate(
        [np.full(len(sides[0]), 1 / len(sides[0])), np.full(len(sides[1]), -1 / len(sides[1]))]
    )
    form = table @ table.T
    shuffled = random.permuted(np.tile(signs, (SHUFFLES, 1)), axis=1)
    observed = float(signs @ form @ signs)
    statistic = ((shuffled @ form) * shuffled).sum(axis=1)
    reached = statistic >= observed - 1e-9 * abs(form).max(initial=0.0)
    return (1 + int(np.count_nonzero(reached))) / (1 + SHUFFLES)


def _frequencies(ground: Ground, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the frequencies of some replies over the symbols that 3 of them hold, over the root of their mean."""
    counts = ground.evidence.counts
    spans = [slice(int(counts.starts[row]), int(counts.starts[row + 1])) for row in rows]
    symbols = np.concatenate([counts.symbols[span] for span in spans])
    used, place, holding = np.unique(symbols, return_inverse=True, return_counts=True)
    table = np.zeros((len(rows), len(used)))
    member = np.repeat(np.arange(len(rows)), [span.stop - span.start for span in spans])
    values = (
        np.concatenate([counts.counts[span] for span in spans]) / np.maximum(counts.lengths[rows], 1)[member]
    )
    table[member, place] = values
    table = table[:, holding >= LEAST_HELD]
    return np.asarray(table / np.sqrt(np.maximum(table.mean(axis=0), 1e-12)))


def _claims(ground: Ground, _control: Control) -> Iterator[Claim]:
    alike = [pair for pair, of in ground.study.comparisons.items() if abs(of.js[0]) < ROUNDING]
    for pair in dict.fromkeys([*ground.near, *alike]):
        found = identical(ground, pair) or _unseparated(ground, pair)
        if found is None:
            continue
        facts = ground.facts(
            pair, a=ground.ids[pair[0]], b=ground.ids[pair[1]], **found, **ground.base([pair])
        )
        sure = COUNTED if facts["identical"] else ABSENCE
        effect = 1.0 if facts["identical"] else facts["least_q"]
        yield Claim("no prompt separates", ground.sorted_ids(pair), facts, None, effect, sure)


def identical(ground: Ground, pair: Pair) -> dict[str, Any] | None:
    """Return the facts of two models that gave the same replies to every common prompt, else None."""
    evidence = ground.evidence
    given: list[dict[int, list[str]]] = []
    for model in pair:
        rows = evidence.counts.rows(model)
        texts: dict[int, list[str]] = {}
        for row in range(rows.start, rows.stop):
            texts.setdefault(int(evidence.counts.prompt[row]), []).append(evidence.replies[row].text)
        given.append({prompt: sorted(of) for prompt, of in texts.items()})
    common = given[0].keys() & given[1].keys()
    if not common or any(given[0][prompt] != given[1][prompt] for prompt in common):
        return None
    return {"identical": True, "replies": sum(len(given[0][prompt]) for prompt in common)}


def _unseparated(ground: Ground, pair: Pair) -> dict[str, Any] | None:
    found = prompt_p(ground, pair)
    if found is None:
        return None
    q = benjamini_hochberg(np.array([each["p"] for each in found["by_prompt"]]))
    if q.min() < LEVEL:
        return None
    return {"identical": False, "least_q": float(q.min()), **found}


def _sentence(facts: Mapping[str, Any], voice: Voice) -> tuple[str, str]:
    both = called(facts, [facts["a"], facts["b"]], voice)
    if facts["identical"]:
        return "No prompt separates", (
            f"{both} gave the same {plural(facts['replies'], 'reply')} word for word, {prompts(facts)}."
        )
    return "No prompt separates", (
        f"{both}: none of {plural(facts['prompts'], 'prompt')} tells one from the other by itself, with "
        f"{plural(facts['replies'], 'reply')} each (least {chance('q', facts['least_q'])} over these prompts)."
    )


def _check(facts: Mapping[str, Any]) -> bool:
    if facts["identical"]:
        return bool(facts["replies"] >= facts["prompts"] > 0)
    q = benjamini_hochberg(np.array([each["p"] for each in facts["by_prompt"]]))
    return bool(abs(q.min() - facts["least_q"]) < 1e-8 and facts["least_q"] >= LEVEL)


KINDS = {"no prompt separates": Kind(_claims, _sentence, _check)}
