"""A tree of all models: who is near to whom, group by group, and how far each group can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stylekl.errors import UsageError
from stylekl.lenses.style.evidence import Evidence, gather_evidence
from stylekl.lenses.style.options import StyleOptions
from stylekl.lenses.style.study import Study, estimate_of, estimates
from stylekl.measure.ordering import FARTHEST, link
from stylekl.measure.tree import (
    DRAWS,
    Tree,
    cophenetic,
    error_factor,
    from_linkage,
    members,
    preorder,
    reroot,
    support,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.lenses.reports import Call, Estimate, ModelRow, Vocabulary
    from stylekl.results import Results


@dataclass(frozen=True, slots=True)
class TreePair:
    """How far two models are from each other in the measure of the tree, and the call on them.

    `distance` is null where they have none; `undefined` says why, and the tree takes them for the farthest.
    `unit` names what was resampled.
    """

    a: str
    b: str
    prompts: int
    unit: str
    distance: Estimate | None
    q: float | None
    call: Call
    undefined: str | None = None


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One model, or the group of models that a join brings together.

    `members` are the models below, in the order drawn; `model` is the model of a leaf, null for a group. `parent` is
    the place of the node above among the nodes. `length` is the branch to it: the path along branches between two
    models is the height at which they meet. `height` is the mean distance between the two sides of a join, null
    where the tree is rooted by an outgroup. `support` is the share of varied trees that hold the group; null for a
    leaf, for what every tree holds, and where too little can be said of the distances. `call` is "apart" where some
    model of one side is apart from some model of the other.
    """

    members: tuple[str, ...]
    model: str | None
    parent: int | None
    length: float
    height: float | None
    support: float | None
    call: Call | None


@dataclass(frozen=True, slots=True)
class TreeReport:
    """A tree of models by average linkage.

    `order` lists the model ids as drawn, `nodes` all nodes, each before those below it. `draws` is how many varied
    trees support was counted in. `cophenetic` is the correlation of the distances with the heights at which their
    models meet, null below three models. `pairs` has every pair once, sorted by ids.
    """

    by: str
    measure: str
    unit: str
    models: tuple[ModelRow, ...]
    order: tuple[str, ...]
    nodes: tuple[TreeNode, ...]
    outgroup: str | None
    draws: int
    cophenetic: float | None
    pairs: tuple[TreePair, ...]
    vocabulary: Vocabulary
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class _Distances(NamedTuple):
    """All pairs with their errors: `errors` as for `support`."""

    pairs: list[TreePair]
    errors: list[tuple[NDArray[np.int64], NDArray[np.float64]]]

    def values(self) -> NDArray[np.float64]:
        """Return the distances, nan where there is none; raises UsageError where there is none at all."""
        found = np.array([np.nan if pair.distance is None else pair.distance.value for pair in self.pairs])
        if np.isnan(found).all():
            raise UsageError(
                f"no two of these models have a distance: {self.pairs[0].undefined}",
                "a tree needs prompts that several models answered",
            )
        return found

    def support(self, drawn: Tree, root: int | None, seed: int) -> NDArray[np.float64]:
        """Return the support of each node of a tree of these distances, whose leaf `root` is its outgroup."""
        value = self.values()
        farthest = FARTHEST * max(float(np.nanmax(value)), 0.0) or 1.0
        filled = np.where(np.isnan(value), farthest, value)
        turned = root if drawn.height is None else None
        return support(drawn, filled, self.errors, seed=seed, outgroup=turned)


def tree(
    results: Results,
    options: StyleOptions | None = None,
    *,
    outgroup: str | None = None,
    evidence: Evidence | None = None,
) -> TreeReport:
    """Return the tree of all models by the measure of the options: js, kl (mean of both directions) or kinship (1 − κ).

    `outgroup` roots it so that this model stands alone against all others. `evidence` may carry what `gather_evidence`
    returned for the same results and options. Without options the measure is js. Raises UsageError where fewer than
    two models have replies or are shown, where no two of them have a distance, and where the outgroup is not shown;
    UnknownModelError for a name that no model answers to.
    """
    evidence = evidence or gather_evidence(results, options or StyleOptions(measure="js"))
    options = evidence.options
    shown = evidence.shown()
    if len(shown) < 2:
        raise UsageError("a tree of one model has no branch", "name two models or more with --models")
    root = _place_of(outgroup, evidence, shown)
    study = Study(evidence, list(combinations(shown, 2)))
    found = _kinships(study, shown) if options.measure == "kinship" else _divergences(study, shown)
    value = found.values()
    ids = [evidence.models[i].id for i in shown]
    linked = link(_square(value, len(ids)), ids)
    drawn = from_linkage(linked)
    drawn = drawn if root is None else reroot(drawn, root)
    fit = cophenetic(linked, ~np.isnan(value))
    return TreeReport(
        by="style",
        measure=options.measure,
        unit="1 - kinship" if options.measure == "kinship" else f"bits per {evidence.facet.UNIT}",
        models=tuple(evidence.row(i) for i in shown),
        order=tuple(ids[node] for node in preorder(drawn) if node < len(ids)),
        nodes=_nodes(drawn, ids, found.support(drawn, root, options.seed), found.pairs),
        outgroup=None if root is None else ids[root],
        draws=DRAWS,
        cophenetic=None if np.isnan(fit) else fit,
        pairs=tuple(found.pairs),
        vocabulary=evidence.vocabulary_report,
        params={**options.params("models", "measure"), "outgroup": None if root is None else ids[root]},
        warnings=evidence.warnings,
    )


def _place_of(outgroup: str | None, evidence: Evidence, shown: list[int]) -> int | None:
    if outgroup is None:
        return None
    index = evidence.find(outgroup)
    if index not in shown:
        raise UsageError(f'the outgroup "{outgroup}" is not among the models of --models', "name it there")
    return shown.index(index)


def _square(value: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    square = np.zeros((count, count))
    upper = np.triu_indices(count, 1)
    square[upper] = value
    return square + square.T


def _divergences(study: Study, shown: list[int]) -> _Distances:
    """Return the pairs by their divergence; the errors of pairs compared on the same units go together."""
    pairs: list[TreePair] = []
    together: dict[int, tuple[list[int], list[NDArray[np.float64]]]] = {}
    for place, (a, b) in enumerate(combinations(shown, 2)):
        comparison = study.comparisons.get((a, b))
        if comparison is None or not len(study.evidence.vocabulary):
            reason = "no prompt in common" if comparison is None else "no symbol is common enough"
            pairs.append(_pair(study, a, b, None, reason))
            continue
        both = study.evidence.options.measure == "kl"
        replicates = 0.5 * (comparison.kl_ab + comparison.kl_ba) if both else comparison.js
        (value,) = estimates(replicates[None], comparison.units)
        pairs.append(_pair(study, a, b, value, None if value else "one unit has no error"))
        if value is not None:
            columns, factors = together.setdefault(id(comparison.units), ([], []))
            columns.append(place)
            factors.append(error_factor(replicates[None], comparison.units.fractions)[0])
    return _Distances(
        pairs, [(np.array(columns), np.array(factors)) for columns, factors in together.values()]
    )


def _kinships(study: Study, shown: list[int]) -> _Distances:
    """Return the pairs by 1 − κ, whose errors all go together."""
    kinship = study.kinship
    pairs, columns, replicates = [], [], []
    for place, (a, b) in enumerate(combinations(shown, 2)):
        value, _, reason = study.kin(a, b)
        if value is not None and kinship is not None:
            columns.append(place)
            replicates.append(1.0 - kinship.replicates[:, a, b])
            value = estimate_of(replicates[-1], kinship.fractions, len(kinship.fractions) - 1)
        pairs.append(_pair(study, a, b, value, reason))
    if kinship is None or not columns:
        return _Distances(pairs, [])
    return _Distances(pairs, [(np.array(columns), error_factor(np.array(replicates), kinship.fractions))])


def _pair(study: Study, a: int, b: int, value: Estimate | None, reason: str | None) -> TreePair:
    names = study.evidence.models[a].id, study.evidence.models[b].id
    comparison = study.comparisons.get((a, b))
    if comparison is None:
        return TreePair(*names, 0, "prompt", value, None, "cannot say", reason or "no prompt in common")
    call, q = study.call(comparison)
    units = comparison.units
    return TreePair(*names, units.prompts, units.kind, value, q, call, reason)


def _nodes(
    drawn: Tree, ids: list[str], shares: NDArray[np.float64], pairs: list[TreePair]
) -> tuple[TreeNode, ...]:
    order = preorder(drawn)
    place = {node: number for number, node in enumerate(order)}
    parent = {child: node for node, below in drawn.children.items() for child in below}
    calls = _Calls(pairs, len(ids))
    leaves = {node: _leaves(mask) for node, mask in members(drawn).items()}
    rank = [node for node in order if node < len(ids)]
    found = []
    for node in order:
        below = leaves[node]
        sides = drawn.children.get(node)
        call = calls.between(leaves[sides[0]], leaves[sides[1]]) if sides else None
        known = sides is not None and call != "cannot say" and calls.known_around(below)
        found.append(
            TreeNode(
                members=tuple(ids[leaf] for leaf in sorted(below, key=rank.index)),
                model=None if sides else ids[node],
                parent=place[parent[node]] if node in parent else None,
                length=float(drawn.length[node]),
                height=None if drawn.height is None else float(drawn.height[node]),
                support=float(shares[node]) if known and not np.isnan(shares[node]) else None,
                call=call,
            )
        )
    return tuple(found)


def _leaves(mask: int) -> list[int]:
    return [leaf for leaf in range(mask.bit_length()) if mask >> leaf & 1]


class _Calls:
    """The calls on all pairs, to be asked of groups."""

    def __init__(self, pairs: list[TreePair], count: int) -> None:
        level = {"cannot say": 0, "too close to call": 1, "apart": 2}
        self._level = _square(np.array([level[pair.call] for pair in pairs], np.float64), count)

    def between(self, one: list[int], other: list[int]) -> Call:
        """Return the strongest call on a model of one side and a model of the other."""
        strongest = self._level[np.ix_(np.array(one), np.array(other))].max()
        return "apart" if strongest == 2 else "too close to call" if strongest == 1 else "cannot say"

    def known_around(self, group: list[int]) -> bool:
        """Tell whether anything can be said of a model of the group and one outside."""
        outside = np.delete(np.arange(len(self._level)), group)
        return not len(outside) or bool(self._level[np.ix_(np.array(group), outside)].max() > 0)
