"""Many hypotheses in families, and families under a hypothesis: which of them hold, all counted together.

A family's p is Simes's combination of its members', or that of its head, where one test asks whether anything in it
can hold. Benjamini-Hochberg over the families selects R of m of them at the level α; in each selected family the same
is done again at the level α·R/m, and so on downwards. That keeps the expected share of false rejections, averaged over
the selected families, at α (Benjamini and Bogomolov 2014, doi:10.1111/rssb.12028; for trees Bogomolov, Peterson,
Benjamini and Sabatti 2021, doi:10.1093/biomet/asaa086). Where no hypothesis holds, the chance of any rejection is at
most α too. A family of thousands does not drown a family of one, as it would in one list.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stylekl.measure.exchange import benjamini_hochberg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

LEVEL = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Hypotheses that belong together: p (n,), nan where one could not be tested.

    `under` is the key of a family of one hypothesis that says all of these are true: they are looked at only where it
    is rejected.
    """

    key: str
    p: NDArray[np.float64]
    under: str | None = None


def simes(p: NDArray[np.float64]) -> float:
    """Return Simes's p-value of the hypothesis that all of p (n,) are true; nan are not counted, nan without any.

    Simes (1986), doi:10.1093/biomet/73.3.751. It is the least Benjamini-Hochberg q of the family.
    """
    known = p[~np.isnan(p)]
    return float(np.min(benjamini_hochberg(known))) if len(known) else float("nan")


def family_q(families: Sequence[Family], level: float = LEVEL) -> dict[str, NDArray[np.float64]]:
    """Return the q of every hypothesis of every family, by key; below `level` exactly where it is rejected.

    q is the greatest of those on the way down: that of the family among the families beside it, and that of the
    hypothesis within it, each over the share R/m of the families selected above. nan stays nan; a family of nan alone
    is not counted. For families of one hypothesis each this is Benjamini-Hochberg over all.
    """
    by_head: dict[str | None, list[Family]] = defaultdict(list)
    for family in families:
        by_head[family.under].append(family)
    return _below(by_head, None, 0.0, 1.0, level)


def _below(
    by_head: Mapping[str | None, list[Family]], under: str | None, above: float, share: float, level: float
) -> dict[str, NDArray[np.float64]]:
    """Return the q of the families under a key, whose own q is `above`; they are tested at `level` times `share`."""
    own = by_head[under]
    outer = np.maximum(benjamini_hochberg(np.array([simes(family.p) for family in own])) / share, above)
    counted = int(np.count_nonzero(~np.isnan(outer)))
    selected = int(np.count_nonzero(outer < level))
    inner = share * max(selected, 1) / max(counted, 1)
    found: dict[str, NDArray[np.float64]] = {}
    for family, q in zip(own, outer.tolist(), strict=True):
        within = benjamini_hochberg(family.p) / inner if len(family.p) > 1 else family.p * 0.0
        found[family.key] = np.minimum(np.maximum(within, q), 1.0)
        if family.key in by_head:
            found |= _below(by_head, family.key, min(q, 1.0), inner, level)
    return found
