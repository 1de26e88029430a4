"""Average linkage, and an order of models in which the near ones stand together.

Average linkage (Sokal and Michener 1958), then the order of leaves that makes neighbours nearest (Bar-Joseph,
Gifford and Jaakkola 2001, doi:10.1093/bioinformatics/17.suppl_1.S22), both from SciPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FARTHEST = 1.5  # times the greatest known distance: how far those are of whom none is known


@dataclass(frozen=True, slots=True, eq=False)
class Linkage:
    """Average linkage of N models; ties are broken by name.

    `sequence` lists the models (indices) by name; all else speaks of places in it. `condensed` (N·(N − 1)/2,) are
    the distances used, `merges` (N − 1, 4) SciPy's table, and `leaves` the places in the order that makes neighbours
    nearest, the end with the lesser name first.
    """

    sequence: list[int]
    condensed: NDArray[np.float64]
    merges: NDArray[np.float64]
    leaves: list[int]


def link(distances: NDArray[np.float64], names: Sequence[str]) -> Linkage:
    """Return the average linkage of two models or more.

    `distances` (N, N) is symmetric; nan (no prompt in common) counts as farther than anything, below 0 as 0.
    """
    from scipy.cluster.hierarchy import linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    count = len(names)
    sequence = sorted(range(count), key=names.__getitem__)
    square = np.array(distances, np.float64)[np.ix_(sequence, sequence)]
    np.fill_diagonal(square, 0.0)
    known = square[~np.isnan(square)]
    farthest = float(known.max(initial=0.0)) or 1.0
    filled = squareform(np.where(np.isnan(square), FARTHEST * farthest, square))
    # Rounding keeps the order the same where two machines differ in the last bits.
    condensed = np.round(np.maximum(filled, 0.0), 12)
    merges = optimal_leaf_ordering(linkage(condensed, "average"), condensed)
    leaves = _leaves(merges, count)
    return Linkage(sequence, condensed, merges, leaves[::-1] if leaves[0] > leaves[-1] else leaves)


def by_linkage(distances: NDArray[np.float64], names: Sequence[str]) -> tuple[list[int], list[list[int]]]:
    """Return the order of N models and the clusters in it, both as indices.

    `distances` (N, N) as for `link`. The order of the input does not matter. A cluster is two or more models that
    average linkage joins at no more than half the median distance.
    """
    from scipy.cluster.hierarchy import fcluster

    count = len(names)
    if count < 3:
        return sorted(range(count), key=names.__getitem__), []
    linked = link(distances, names)
    flat = fcluster(linked.merges, 0.5 * float(np.median(linked.condensed)), "distance")
    order = [linked.sequence[leaf] for leaf in linked.leaves]
    members: dict[int, list[int]] = {}
    for leaf in linked.leaves:
        members.setdefault(int(flat[leaf]), []).append(linked.sequence[leaf])
    return order, [cluster for cluster in members.values() if len(cluster) > 1]


def _leaves(tree: NDArray[np.float64], count: int) -> list[int]:
    stack, found = [2 * count - 2], []
    while stack:
        node = stack.pop()
        if node < count:
            found.append(node)
        else:
            stack += [int(tree[node - count, 1]), int(tree[node - count, 0])]
    return found
