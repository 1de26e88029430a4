"""One model along dates, effort levels or periods: which choices flip, and which turn into a refusal."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from stylekl.errors import UsageError
from stylekl.lenses.choices.options import Options
from stylekl.lenses.choices.questions import loaded
from stylekl.lenses.choices.reports import ChoicesDriftReport, Moved, Sibling, Step
from stylekl.lenses.choices.sides import (
    APART,
    CANNOT,
    CLOSE,
    LEVEL,
    asked_of,
    compare,
    lens_model,
    rates,
    stand,
)
from stylekl.measure.exchange import benjamini_hochberg
from stylekl.results.find import find_model
from stylekl.results.nodes import siblings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.choices.reports import Stand
    from stylekl.lenses.choices.table import Table
    from stylekl.lenses.frame import LensPair
    from stylekl.results.records import Results

Axis = Literal["date", "effort", "period"]


def drift(
    results: Results, model: str, options: Options | None = None, *, axis: Axis = "date", last: bool = False
) -> ChoicesDriftReport:
    """Return each sibling of a model against the first and against the one before.

    `axis` says what orders the siblings (`results.nodes.siblings`, which raises where there are none): dates, the
    effort levels of one date in the order of their prefixes, or periods. With `last` the last sibling alone is
    compared. q is over the comparisons made.
    """
    options = options or Options()
    chain = siblings(results, model, axis)
    found = loaded(chain.results, options)
    wanted = {find_model(chain.results, name).id for name in options.models}
    members = [
        (place, label)
        for name, label in chain.members
        if (place := found.place(name)) is not None and (not wanted or name in wanted)
    ]
    if len(members) < 2:
        raise UsageError(
            f'"{chain.name}" has fewer than two siblings with choices',
            "`stylekl matrix --by choices` shows who has, --models narrows them",
        )
    labels = dict(members)
    pairs = _compared([place for place, _ in members], last=last)
    measured = _with_q([_measure(found, old, new) for old, new in pairs])
    everything = range(len(found.envelopes))
    return ChoicesDriftReport(
        model=chain.name,
        axis=chain.by,
        siblings=tuple(
            Sibling(lens_model(found, place), label, rates(found, place, everything))
            for place, label in members
        ),
        steps=tuple(
            Step(
                found.nodes[old].id,
                found.nodes[new].id,
                labels[new],
                against,
                pair,
                moved_between(found, old, new),
            )
            for ((old, new), against), pair in zip(pairs.items(), measured, strict=True)
        ),
        asked=asked_of(found),
        params={"model": model, "axis": axis, "last": last, **options.params("models")},
        warnings=(*results.warnings, *found.warnings),
    )


def _compared(places: Sequence[int], *, last: bool) -> dict[tuple[int, int], tuple[str, ...]]:
    """Return who is compared with whom: against the first, the one before, or both in one."""
    first = places[0]
    pairs: dict[tuple[int, int], tuple[str, ...]] = {}
    for before, place in list(pairwise(places))[-1 if last else 0 :]:
        pairs[first, place] = ("first",)
        pairs[before, place] = ("first", "previous") if before == first else ("previous",)
    return pairs


def _measure(found: Table, old: int, new: int) -> LensPair:
    (pair,) = compare(found, [old, new])
    return pair


def _with_q(pairs: list[LensPair]) -> list[LensPair]:
    """Return the comparisons with q over all of them."""
    from dataclasses import replace

    p = np.array([math.nan if pair.p is None else pair.p for pair in pairs])
    return [
        replace(
            pair,
            q=None if math.isnan(q) else q,
            call=CANNOT if math.isnan(q) else APART if q < LEVEL else CLOSE,
        )
        for pair, q in zip(pairs, benjamini_hochberg(p).tolist(), strict=True)
    ]


def moved_between(found: Table, old: int, new: int) -> tuple[Moved, ...]:
    """Return the pairs on which two nodes differ: flips first, then what turns into a refusal, is lost, is gained."""
    moved = []
    for i in range(len(found.pairs)):
        before, after = stand(found, old, i), stand(found, new, i)
        kind = kind_of(before, after)
        if kind is not None:
            moved.append(Moved(kind, before, after))
    order = ("flip", "refusal", "lost", "gained")
    return tuple(sorted(moved, key=lambda each: (order.index(each.kind), each.old.pair)))


def kind_of(before: Stand, after: Stand) -> str | None:
    """Return how a preference changed; a refusal is a choice lost where refusing is the most frequent reason."""
    if before.pick is None or after.pick is None or before.pick == after.pick:
        return None
    if before.pick == "none":
        return "gained"
    if after.pick != "none":
        return "flip"
    refused = after.reasons.get("refused", 0)
    most = max((n for name, n in after.reasons.items() if name != "error"), default=0)
    return "refusal" if refused and refused == most else "lost"
