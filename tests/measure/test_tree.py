"""Trees by average linkage: known trees come back, roots move without harm, support is a probability."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from stylekl.measure.jackknife import jackknife
from stylekl.measure.ordering import link
from stylekl.measure.tree import (
    Tree,
    cophenetic,
    error_factor,
    from_linkage,
    members,
    preorder,
    reroot,
    support,
)

NAMES = list("abcdefghij")


@st.composite
def known_trees(draw: st.DrawFn) -> tuple[np.ndarray, dict[int, float]]:
    """Draw an ultrametric tree; return its distances and the height of each of its groups (a set of bits)."""
    count = draw(st.integers(2, 9))
    steps = draw(st.lists(st.integers(1, 40), min_size=count - 1, max_size=count - 1))
    groups, height, heights = [[leaf] for leaf in range(count)], 0.0, {}
    square = np.zeros((count, count))
    for step in steps:
        height += step / 100
        one = draw(st.integers(0, len(groups) - 2))
        other = draw(st.integers(one + 1, len(groups) - 1))
        lower, upper = groups.pop(other), groups.pop(one)
        square[np.ix_(upper, lower)] = square[np.ix_(lower, upper)] = height
        groups.append(upper + lower)
        heights[sum(1 << leaf for leaf in groups[-1])] = height
    return square, heights


@st.composite
def distances(draw: st.DrawFn, least: int = 3) -> np.ndarray:
    """Draw any symmetric distances, ties among them."""
    count = draw(st.integers(least, 8))
    pairs = count * (count - 1) // 2
    square = np.zeros((count, count))
    square[np.triu_indices(count, 1)] = draw(
        st.lists(st.integers(1, 30).map(lambda n: n / 10), min_size=pairs, max_size=pairs)
    )
    return square + square.T


def upper(square: np.ndarray) -> np.ndarray:
    return square[np.triu_indices(len(square), 1)]


def tree_of(square: np.ndarray) -> Tree:
    return from_linkage(link(square, NAMES[: len(square)]))


def splits(tree: Tree) -> set[frozenset[int]]:
    """Return the ways in which the branches part the leaves, whatever the root."""
    everything = (1 << tree.leaves) - 1
    found = members(tree).values()
    return {frozenset({mask, everything ^ mask}) for mask in found if mask not in (0, everything)}


def paths(tree: Tree) -> np.ndarray:
    """Return the length of the way from every leaf to every other."""
    depth = np.zeros(len(tree.length))
    found = np.zeros((tree.leaves, tree.leaves))
    below = {
        node: [leaf for leaf in range(tree.leaves) if mask >> leaf & 1]
        for node, mask in members(tree).items()
    }
    for node in preorder(tree):
        for child in tree.children.get(node, ()):
            depth[child] = depth[node] + tree.length[child]
    for node, (one, other) in tree.children.items():
        for a in below[one]:
            for b in below[other]:
                found[a, b] = found[b, a] = depth[a] + depth[b] - 2 * depth[node]
    return found


@settings(deadline=None)  # SciPy is imported by the first call
@given(known_trees())
def test_the_distances_of_a_known_tree_give_that_tree(known):
    """Its groups, their heights, ways between leaves as long as the distances, and all of it in every draw."""
    square, heights = known
    tree = tree_of(square)
    linked = link(square, NAMES[: len(square)])
    shares = support(tree, upper(square), [], draws=3)

    found = {mask: float(tree.height[node]) for node, mask in members(tree).items() if node >= tree.leaves}
    assert found == pytest.approx(heights)
    assert paths(tree) == pytest.approx(square)
    assert np.nanmin(shares, initial=1.0) == 1.0
    assert np.isnan(shares).sum() == tree.leaves + 1
    if len(heights) > 1:
        assert cophenetic(linked, np.ones(len(linked.condensed), bool)) == pytest.approx(1.0)


@settings(deadline=None)  # SciPy is imported by the first call
@given(known_trees(), st.randoms())
def test_the_order_of_the_models_does_not_matter(known, random):
    """Groups, heights and the order drawn, by name."""
    square, _ = known
    count = len(square)
    order = list(range(count))
    random.shuffle(order)

    def described(square: np.ndarray, names: list[str]) -> tuple[object, list[str]]:
        linked = link(square, names)
        tree = from_linkage(linked)
        by_name = [names[i] for i in linked.sequence]
        groups = {
            frozenset(by_name[leaf] for leaf in range(count) if mask >> leaf & 1): float(tree.height[node])
            for node, mask in members(tree).items()
        }
        return groups, [by_name[node] for node in preorder(tree) if node < count]

    names = NAMES[:count]
    assert described(square, names) == described(square[np.ix_(order, order)], [names[i] for i in order])


def test_leaves_are_drawn_in_the_order_of_the_rows():
    """As `by_linkage` orders them, so a matrix and a tree read alike."""
    points = [0.0, 9.0, 0.1, 9.2, 4.0]
    square = np.abs(np.subtract.outer(points, points))
    linked = link(square, list("abcde"))

    assert [node for node in preorder(from_linkage(linked)) if node < 5] == linked.leaves


@settings(deadline=None)  # SciPy is imported by the first call
@given(distances(), st.data())
def test_another_root_keeps_every_split_and_every_path(square, data):
    """The outgroup stands alone on one side; all else is as it was."""
    tree = tree_of(square)
    leaf = data.draw(st.integers(0, tree.leaves - 1))
    turned = reroot(tree, leaf)

    assert splits(turned) == splits(tree)
    assert paths(turned) == pytest.approx(paths(tree))
    assert leaf in turned.children[turned.root]
    assert (turned.length >= 0).all()
    assert sorted(preorder(turned)) == list(range(2 * tree.leaves - 1))
    if turned is not tree:
        assert turned.height is None
        assert turned.children[turned.root][1] == leaf
        around = [node for node in preorder(tree) if node < tree.leaves]
        start = around.index(leaf) + 1
        assert [node for node in preorder(turned) if node < tree.leaves] == around[start:] + around[:start]


def test_the_errors_of_distances_are_those_of_the_jackknife():
    """The diagonal of F Fᵀ is se², for unequal groups too; a sum of distances has the error of the sum."""
    random = np.random.default_rng(3)
    replicates, fractions = random.random((6, 11)), random.random(10) / 5
    factor = error_factor(replicates, fractions)
    total = jackknife(replicates.sum(axis=0), fractions).se

    assert (factor @ factor.T).diagonal() == pytest.approx(jackknife(replicates, fractions).se ** 2)
    assert (factor @ factor.T).sum() == pytest.approx(total**2)


@pytest.mark.parametrize("margin", [0.0, 0.5, 1.0, 2.0])
def test_support_is_the_probability_that_a_group_is_there(margin):
    """Two are nearer to each other than to the third by `margin` standard errors of their distance."""
    value = np.array([1.0, 1.0 + margin, 1.0 + margin])
    tree = tree_of(np.array([[0, 1.0, 2], [1, 0, 2], [2, 2, 0]]))
    shares = support(tree, value, [(np.array([0]), np.array([[0.6, 0.8]]))], draws=4000, seed=1)

    assert shares[3] == pytest.approx(ndtr(margin), abs=0.03)


def test_errors_that_go_together_cancel():
    """Where all distances move alike, or each with its copy, no group is in doubt."""
    square = np.array([[0, 1.0, 1.2], [1, 0, 1.2], [1.2, 1.2, 0]])
    tree, alike = tree_of(square), np.full((3, 1), 5.0)
    together = [(np.arange(3), alike)]
    apart = [(np.array([place]), alike[:1]) for place in range(3)]

    assert support(tree, upper(square), together)[3] == 1.0
    assert support(tree, upper(square), apart)[3] < 0.5


def test_names_do_not_support_a_group_that_nothing_else_does():
    """Distances of copies come out below 0 half of the time; each of three groups is as likely as the others."""
    errors = [(np.arange(3), np.eye(3))]
    tree = tree_of(np.zeros((3, 3)))

    assert support(tree, np.zeros(3), errors, draws=3000)[3] == pytest.approx(1 / 3, abs=0.03)


@settings(deadline=None)  # SciPy is imported by the first call
@given(distances(least=4), st.data())
def test_support_under_an_outgroup_is_that_of_the_varied_trees_rooted_by_it(square, data):
    """Against the plain way: each varied tree made, rooted, and searched for the group."""
    tree = tree_of(square)
    leaf = data.draw(st.integers(0, tree.leaves - 1))
    turned = reroot(tree, leaf)
    factor = np.random.default_rng(0).normal(size=(len(upper(square)), 3))
    shares = support(
        turned, upper(square), [(np.arange(len(factor)), factor)], draws=8, seed=5, outgroup=leaf
    )
    counted = dict.fromkeys(members(turned).values(), 0)
    for z in np.random.default_rng(5).standard_normal((8, 3)):
        varied = upper(square) + factor @ z
        moved = np.zeros_like(square)
        moved[np.triu_indices(len(square), 1)] = varied - varied.min()
        for mask in set(members(reroot(tree_of(moved + moved.T), leaf)).values()) & set(counted):
            counted[mask] += 1

    always = {mask for mask in members(turned).values() if mask.bit_count() in (1, tree.leaves)}
    always.add(((1 << tree.leaves) - 1) ^ (1 << leaf))
    for node, mask in members(turned).items():
        assert np.isnan(shares[node]) if mask in always else shares[node] == counted[mask] / 8


def test_one_seed_gives_one_support_in_any_number_of_draws_at_once():
    square = np.array([[0, 1.0, 1.2], [1, 0, 1.2], [1.2, 1.2, 0]])
    errors = [(np.arange(3), np.eye(3) * 0.2)]
    tree = tree_of(square)
    shares = [support(tree, upper(square), errors, seed=seed, draws=200)[3] for seed in (7, 7, 8)]

    assert shares[0] == shares[1] != shares[2]


def test_a_tree_as_deep_as_it_has_leaves_is_no_trouble():
    """Nothing here calls itself once a level."""
    count = 1500
    children = {count + i: ((count + i - 1) if i else 0, i + 1) for i in range(count - 1)}
    tree = Tree(children, np.ones(2 * count - 1), None, 2 * count - 2)
    turned = reroot(tree, 0)

    assert members(tree)[tree.root] == (1 << count) - 1
    assert turned.children[turned.root][1] == 0
    assert len(preorder(turned)) == 2 * count - 1


def test_constant_distances_agree_with_any_tree():
    """So there is no correlation to give."""
    linked = link(np.ones((4, 4)) - np.eye(4), list("abcd"))

    assert np.isnan(cophenetic(linked, np.ones(6, bool)))
