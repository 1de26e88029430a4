"""An order of models in which the near ones stand together.

Average linkage (Sokal and Michener 1958), then the order of leaves that makes neighbours nearest (Bar-Joseph,
Gifford and Jaakkola 2001, doi:10.1093/bioinformatics/17.suppl_1.S22), both from SciPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def by_linkage(distances: NDArray[np.float64], names: Sequence[str]) -> tuple[list[int], list[list[int]]]:
    """Return the order of N models and the clusters in it, both as indices.

    `distances` (N, N) is symmetric; nan (no prompt in common) counts as farther than anything. Ties are broken
    by name and the end with the lesser name comes first, so the order of the input does not matter. A cluster is
    two or more models that average linkage joins at no more than half the median distance.
    """
    from scipy.cluster.hierarchy import fcluster, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    count = len(names)
    if count < 3:
        return sorted(range(count), key=names.__getitem__), []
    sequence = sorted(range(count), key=names.__getitem__)
    square = np.array(distances, np.float64)[np.ix_(sequence, sequence)]
    np.fill_diagonal(square, 0.0)
    known = square[~np.isnan(square)]
    farthest = float(known.max(initial=0.0)) or 1.0
    # Rounding keeps the order the same where two machines differ in the last bits.
    condensed = np.round(np.maximum(squareform(np.where(np.isnan(square), 1.5 * farthest, square)), 0.0), 12)
    tree = optimal_leaf_ordering(linkage(condensed, "average"), condensed)
    leaves = _leaves(tree, count)
    if names[sequence[leaves[0]]] > names[sequence[leaves[-1]]]:
        leaves.reverse()
    flat = fcluster(tree, 0.5 * float(np.median(condensed)), "distance")
    order = [sequence[leaf] for leaf in leaves]
    members: dict[int, list[int]] = {}
    for leaf in leaves:
        members.setdefault(int(flat[leaf]), []).append(sequence[leaf])
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
