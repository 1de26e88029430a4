"""The parts that every question shares: a node's stand on a pair, its rates, two nodes against each other."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from stylekl.lenses.choices.reports import Asked, Rates, Share, Stand
from stylekl.lenses.frame import LensModel, LensPair
from stylekl.measure import choices as measure
from stylekl.measure.exchange import benjamini_hochberg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from stylekl.lenses.choices.table import Table

PICKS = {measure.CHOSE_A: "a", measure.CHOSE_B: "b", measure.NONE: "none", measure.NOT_ASKED: None}
FEW = 6  # pairs in common below which there is no call
LEVEL = 0.05
APART, CLOSE, CANNOT = "apart", "too close to call", "cannot say"
NO_PAIR = "no pair of words in common"


def names_of(found: Table) -> list[str]:
    """Return what each node is called, with the id where two share a name."""
    labels = [node.label for node in found.nodes]
    return [
        label if labels.count(label) == 1 else f"{label} ({node.id})"
        for label, node in zip(labels, found.nodes, strict=True)
    ]


def lens_model(found: Table, node: int) -> LensModel:
    """Return what a node brings."""
    model = found.nodes[node]
    asked = found.asked[node]
    counts = {
        "pairs": int((found.answered[node] > 0).sum()),
        "envelopes": int(asked.any(axis=0).sum()),
        "replies": int(found.replies[node]),
    }
    repeated = found.repeated.get(model.id)
    return LensModel(model.id, model.label, counts, {"repeated": repeated} if repeated else {})


def asked_of(found: Table) -> Asked:
    """Return what was asked."""
    return Asked(len(found.pairs), len(found.envelopes), found.distinct)


def stand(found: Table, node: int, pair: int) -> Stand:
    """Return how a node stands on a pair."""
    tally = found.tallies[node, pair]
    words = found.pairs[pair]
    sharp = float(found.sharp[node, pair])
    return Stand(
        pair=words.id,
        theme=words.theme,
        words=(words.a, words.b),
        pick=PICKS[int(found.prints[node, pair])],
        a=int(tally[measure.CHOSE_A]),
        b=int(tally[measure.CHOSE_B]),
        answered=int(found.answered[node, pair]),
        reasons={
            name: int(tally[i])
            for i, name in enumerate(measure.NAMES)
            if name in measure.REASONS and tally[i]
        },
        sharpness=None if math.isnan(sharp) else sharp,
    )


def stands(found: Table, node: int) -> tuple[Stand, ...]:
    """Return how a node stands on every pair that it was asked."""
    return tuple(
        stand(found, node, pair) for pair in np.flatnonzero(found.tallies[node].any(axis=-1)).tolist()
    )


def share(hits: NDArray[np.int64], trials: NDArray[np.int64]) -> Share:
    """Return a share whose unit is the pair of words."""
    value, low, high, units = measure.clustered_share(hits, trials)
    told = [None if math.isnan(each) else each for each in (value, low, high)]
    return Share(told[0], told[1], told[2], int(trials.sum()), units)


def simple_share(hits: int, n: int) -> Share:
    """Return a share of pairs, each of which counts once."""
    low, high = measure.wilson(hits, n)
    if not n:
        return Share(None, None, None, 0, 0)
    return Share(hits / n, low, high, n, n)


def rates(
    found: Table, node: int, envelopes: Sequence[int], *, name: str | None = None, family: str | None = None
) -> Rates:
    """Return the rates of a node in some envelopes; a text that several of them share counts once."""
    P, E = len(found.pairs), len(found.envelopes)
    wanted = np.zeros((P, E), np.bool_)
    if len(envelopes):
        wanted[np.arange(P)[:, None], found.same[:, list(envelopes)]] = True
    cells = found.cells
    own = (cells.node == node) & wanted[cells.pair, cells.envelope]
    pair, order, counts = cells.pair[own], cells.order[own], cells.counts[own]

    def by_pair(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(pair, values, minlength=P).astype(np.int64)

    chose = counts[:, measure.CHOSE_A] + counts[:, measure.CHOSE_B]
    first = np.where(order == 0, counts[:, measure.CHOSE_A], counts[:, measure.CHOSE_B])
    outcome = np.where(wanted, found.outcome[node], measure.NOT_ASKED)
    tally = measure.tally(outcome)
    questions = tally.sum(axis=-1)
    real = tally[:, measure.CHOSE_A] + tally[:, measure.CHOSE_B]
    total = tally.sum(axis=0)
    return Rates(
        id=name,
        family=family,
        envelopes=len(envelopes),
        commit=share(by_pair(chose), by_pair(counts.sum(axis=1))),
        order_bias=share(tally[:, measure.ORDER_BIAS], questions),
        real=share(real, questions),
        first=share(by_pair(first), by_pair(chose)),
        outcomes={name: int(total[i]) for i, name in enumerate(measure.NAMES) if total[i]},
    )


def all_rates(found: Table, node: int) -> tuple[Rates, tuple[Rates, ...], tuple[Rates, ...]]:
    """Return the rates of a node in all envelopes, by family and by envelope; only those that were asked."""
    places = range(len(found.envelopes))
    total = rates(found, node, places)
    by_family = sorted(places, key=lambda i: found.envelopes[i].family or "")
    families = [
        rates(found, node, list(group), family=family or None)
        for family, group in groupby(by_family, key=lambda i: found.envelopes[i].family or "")
    ]
    order = list(dict.fromkeys(each.family for each in found.envelopes))
    families.sort(key=lambda each: order.index(each.family) if each.family in order else len(order))
    single = [
        rates(found, node, [i], name=found.envelopes[i].id, family=found.envelopes[i].family) for i in places
    ]
    return (
        total,
        tuple(each for each in families if each.commit.n),
        tuple(each for each in single if each.commit.n),
    )


def compare(found: Table, nodes: Sequence[int], kind: str = "hamming") -> list[LensPair]:
    """Return every pair of these nodes: `kind` is "hamming" or "violent"; q is over all of them.

    p asks whether the two could be one responder (`measure.consistent_p`); below FEW pairs in common there is none.
    """
    picked = sorted(nodes)
    common, differ, opposite = measure.agreement(found.prints[picked])
    chose = found.prints[picked] < measure.NONE
    committed = (chose & (found.prints[picked] != measure.NOT_ASKED)).astype(np.int64)
    both_chose = committed @ committed.T
    raw: list[tuple[int, int, float]] = []
    for place, one in enumerate(picked[:-1]):
        others = picked[place + 1 :]
        p = measure.consistent_p(found.difference(one, others))
        raw += [(place, place + 1 + k, float(each)) for k, each in enumerate(p)]
    p_values = np.array([p if common[i, j] >= FEW else np.nan for i, j, p in raw])
    q_values = benjamini_hochberg(p_values)
    ids = [found.nodes[i].id for i in picked]
    result = []
    for (i, j, _), p, q in zip(raw, p_values.tolist(), q_values.tolist(), strict=True):
        n = int(common[i, j])
        hits = int((differ if kind == "hamming" else opposite)[i, j])
        told = simple_share(hits, n)
        agree = int(both_chose[i, j] - opposite[i, j])
        result.append(
            LensPair(
                ids[i],
                ids[j],
                told.value,
                told.low,
                told.high,
                n,
                None if math.isnan(p) else p,
                None if math.isnan(q) else q,
                CANNOT if math.isnan(q) else APART if q < LEVEL else CLOSE,
                undefined=None if n else NO_PAIR,
                detail={
                    "differ": int(differ[i, j]),
                    "opposite": int(opposite[i, j]),
                    "both_chose": int(both_chose[i, j]),
                    "same_word": agree,
                },
            )
        )
    return result


def verdict(one: Stand, other: Stand) -> str:
    """Return how two stands on one pair compare."""
    if one.pick is None or other.pick is None:
        return "not asked"
    chose = [each for each in (one.pick, other.pick) if each != "none"]
    if len(chose) == 2:
        return "agree" if chose[0] == chose[1] else "opposite"
    return "one chose" if chose else "neither chose"
