"""How far the judges agree: on the verdict, on each dimension, on the total."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, cast

import numpy as np

from stylekl.lenses.judgments.reports import Agreement
from stylekl.measure.krippendorff import krippendorff
from stylekl.measure.units import FEW_UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.judgments.items import Item
    from stylekl.measure.krippendorff import Level

_CODES = {"a": 0.0, "b": 1.0, "tie": 2.0, "split": 2.0, "half": 2.0}
VERDICT, TOTAL = "verdict", "total"


def agreement(found: Sequence[Item], names: Sequence[str]) -> tuple[Agreement, ...]:
    """Return alpha of verdicts, total and dimensions; nothing with fewer than two judges.

    A unit is two models on a prompt for verdicts and the difference of totals, one model there for a dimension. Judges
    asked in both orders give what the two come to.
    """
    judges = sorted({item.judge for item in found})
    if len(judges) < 2:
        return ()
    rows: list[Agreement] = []
    if any(item.outcome is not None for item in found):
        cells = [(_place(i), i.judge, _CODES[i.outcome]) for i in found if i.outcome is not None]
        rows.append(_alpha(VERDICT, "nominal", cells, judges))
    scored = [item for item in found if item.differences and item.scores]
    if scored:
        cells = [(_place(i), i.judge, (i.differences or {})[""]) for i in scored]
        rows.append(_alpha(TOTAL, "interval", cells, judges))
    for name in names if scored else ():
        cells = [
            ((i.prompt, i.turn, model, ""), i.judge, own[name])
            for i in scored
            for model, own in (i.scores or {}).items()
        ]
        rows.append(_alpha(name, "ordinal", cells, judges))
    return tuple(rows)


def _place(item: Item) -> tuple[str, ...]:
    return item.prompt, item.turn, item.a, item.b


def _alpha(
    what: str, level: str, cells: Sequence[tuple[tuple[str, ...], str, float]], judges: Sequence[str]
) -> Agreement:
    table: dict[tuple[str, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for place, judge, value in cells:
        table[place][judge].append(value)
    places = sorted(table)
    values = np.full((len(places), len(judges)), np.nan)
    for row, place in enumerate(places):
        for column, judge in enumerate(judges):
            given = table[place].get(judge)
            if given:
                values[row, column] = float(np.mean(given))
    _, clusters = np.unique([place[0] for place in places], return_inverse=True)
    found = krippendorff(values, cast("Level", level), clusters.astype(np.int64))
    wide = found.clusters >= FEW_UNITS
    return Agreement(
        what,
        level,
        found.value,
        found.low if wide else None,
        found.high if wide else None,
        found.units,
        found.clusters,
    )
