"""A tree of models by average linkage, how far each group in it can be trusted, and its root moved to an outgroup.

Average linkage (UPGMA: Sokal and Michener 1958) joins the two nearest groups, again and again. The height of a join
is the mean distance between its two sides, and a branch is half the difference of two heights, so that the path
between two models is the height at which they meet.

The support of a group is the share of trees that hold it among those of distances varied by their jackknife error:

    d + Σ_g F_g z_g,   F_g = √(1 − f_g)·(θ₍g₎ − mean),   z standard normal,

where F Fᵀ is the jackknife covariance of all distances (see `jackknife`). Counting the leave-a-group-out trees
themselves, as a bootstrap's replicates are counted (Felsenstein 1985, doi:10.2307/2408678), would claim far too much:
each of them differs by one group of prompts only. What was measured of both is in docs/method.md.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from stylekl.measure.ordering import Linkage

DRAWS = 1000
_AT_ONCE = 64  # sets of distances made at a time: thousands of models' pairs must not all be held


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A rooted binary tree of N leaves, numbered 0 … N − 1, and N − 1 joins after them.

    `children` gives the upper and the lower child of each join in the order drawn; `length` (2N − 1,) is the branch
    above each node, 0 for the root; `height` (2N − 1,) the mean distance between the two sides of a join and 0 for
    a leaf, or None where the root was moved and leaves no longer end at one height.
    """

    children: dict[int, tuple[int, int]]
    length: NDArray[np.float64]
    height: NDArray[np.float64] | None
    root: int

    @property
    def leaves(self) -> int:
        """How many leaves there are."""
        return len(self.children) + 1


def from_linkage(linked: Linkage) -> Tree:
    """Return the tree of an average linkage; leaf i is place i of its sequence, drawn in the order of its leaves."""
    count = len(linked.sequence)
    height = np.concatenate([np.zeros(count), linked.merges[:, 2]])
    pairs = linked.merges[:, :2].astype(np.int64).tolist()
    length = np.zeros(2 * count - 1)
    for node, pair in enumerate(pairs, count):
        length[pair] = 0.5 * np.maximum(height[node] - height[pair], 0.0)
    rank = np.argsort(linked.leaves).tolist()
    children = {node: (upper, lower) for node, (upper, lower) in enumerate(pairs, count)}
    return Tree(_ordered(children, 2 * count - 2, rank), length, height, 2 * count - 2)


def cophenetic(linked: Linkage, known: NDArray[np.bool_]) -> float:
    """Return the correlation of the `known` distances with the heights at which their models meet.

    1 where a tree can hold the distances exactly (Sokal and Rohlf 1962, doi:10.2307/1217208); nan where either of the
    two is constant.
    """
    from scipy.cluster.hierarchy import cophenet

    met, distances = cophenet(linked.merges)[known], linked.condensed[known]
    if len(met) < 2 or np.ptp(met) == 0 or np.ptp(distances) == 0:
        return float("nan")
    return float(np.corrcoef(met, distances)[0, 1])


def preorder(tree: Tree) -> list[int]:
    """Return the nodes as they are drawn, each before its children: the root first."""
    stack, found = [tree.root], []
    while stack:
        node = stack.pop()
        found.append(node)
        stack += reversed(tree.children.get(node, ()))
    return found


def members(tree: Tree) -> dict[int, int]:
    """Return the leaves below each node as a set of bits."""
    found = {leaf: 1 << leaf for leaf in range(tree.leaves)}
    for node in reversed(preorder(tree)):
        if node in tree.children:
            upper, lower = tree.children[node]
            found[node] = found[upper] | found[lower]
    return found


def reroot(tree: Tree, leaf: int) -> Tree:
    """Return the tree with its root on the branch of one leaf, which stands alone against all others, drawn last.

    That branch is split in the middle, and the two branches at the old root become one: every path between two
    leaves stays as long as it was, and the tree splits the leaves in the same ways. Unchanged where the leaf stands
    alone already.
    """
    parent = {child: node for node, pair in tree.children.items() for child in pair}
    if parent[leaf] == tree.root:
        return tree
    path = [leaf]
    while path[-1] != tree.root:
        path.append(parent[path[-1]])
    children, length = dict(tree.children), tree.length.copy()
    for below, node, above in zip(path, path[1:], path[2:], strict=False):
        other = _sibling(tree, below, node)
        if above == tree.root:
            above = _sibling(tree, node, tree.root)  # noqa: PLW2901 - the old root is passed by
            length[above] += tree.length[node]
        else:
            length[above] = tree.length[node]
        children[node] = (other, above)
    children[tree.root] = (path[1], leaf)
    length[path[1]] = length[leaf] = 0.5 * tree.length[leaf]
    # Leaves keep their order around the tree, read from behind the outgroup.
    order = [node for node in preorder(tree) if node < tree.leaves]
    start = order.index(leaf) + 1
    rank = np.argsort(order[start:] + order[:start]).tolist()
    return replace(tree, children=_ordered(children, tree.root, rank), length=length, height=None)


def _sibling(tree: Tree, node: int, parent: int) -> int:
    upper, lower = tree.children[parent]
    return lower if node == upper else upper


def _ordered(children: dict[int, tuple[int, int]], root: int, rank: list[int]) -> dict[int, tuple[int, int]]:
    """Return the children, that with the leaf of lesser rank first."""
    stack, down = [root], []
    while stack:
        node = stack.pop()
        if node in children:
            down.append(node)
            stack += children[node]
    least = dict(enumerate(rank))
    found = {}
    for node in reversed(down):
        upper, lower = sorted(children[node], key=least.__getitem__)
        found[node] = (upper, lower)
        least[node] = least[upper]
    return found


def error_factor(replicates: NDArray[np.float64], fractions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return F (n, G) of n jackknifed numbers: F Fᵀ is their jackknife covariance, of one number `jackknife`'s se².

    `replicates` (n, G + 1) and `fractions` (G,) as for `jackknife`.
    """
    weights = 1.0 - fractions
    change = replicates[:, 1:] - replicates[:, :1]
    centre = (change @ weights) / weights.sum()
    return np.asarray((change - centre[:, None]) * np.sqrt(weights))


def support(
    tree: Tree,
    value: NDArray[np.float64],
    errors: Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    outgroup: int | None = None,
) -> NDArray[np.float64]:
    """Return for each node of the tree the share of `draws` varied trees that hold its group of leaves, (2N − 1,).

    `value` (N·(N − 1)/2,) are the distances, below 0 where they came out so: clamped, all that came out below 0 would
    be equally near, and the order of names would join them in every draw alike. `errors` lists distances (columns of
    `value`) whose errors go together with their `error_factor`; those in different entries vary independently. With
    an `outgroup` (the leaf that the tree was rooted by) the varied trees are rooted by it as well. nan for leaves, for
    the root, and for the group of all but the outgroup: these are in every tree.
    """
    count = tree.leaves
    everything = (1 << count) - 1
    alone = 0 if outgroup is None else 1 << outgroup
    tally: Counter[int] = Counter()
    for distances in _varied(value, errors, draws, seed):
        tally.update(_groups(distances, count, everything, alone))
    found = np.full(2 * count - 1, np.nan)
    for node, mask in members(tree).items():
        if node >= count and mask not in (everything, everything ^ alone):
            found[node] = tally[mask] / draws
    return found


def _varied(
    value: NDArray[np.float64],
    errors: Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]],
    draws: int,
    seed: int,
) -> Iterator[NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    normal = [random.standard_normal((draws, factor.shape[1])) for _, factor in errors]
    for start in range(0, draws, _AT_ONCE):
        table = np.tile(value, (min(_AT_ONCE, draws - start), 1))
        for (columns, factor), z in zip(errors, normal, strict=True):
            table[:, columns] += z[start : start + _AT_ONCE] @ factor.T
        # Adding one number to all distances changes no join; SciPy wants none below 0.
        table -= table.min(axis=1, keepdims=True)
        yield from np.round(table, 12)


def _groups(distances: NDArray[np.float64], count: int, everything: int, alone: int) -> set[int]:
    """Return the groups of an average linkage as sets of bits; those that hold the leaf `alone` turned inside out.

    So turned, the two sides of the root are one group.
    """
    from scipy.cluster.hierarchy import linkage

    masks = [1 << leaf for leaf in range(count)]
    for one, other in linkage(distances, "average")[:, :2].astype(np.int64).tolist():
        masks.append(masks[one] | masks[other])
    return {everything ^ mask if mask & alone else mask for mask in masks[count:]}
