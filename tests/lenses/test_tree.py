"""The tree of a file: its groups, their support, the calls on them, what it says where there is little to say."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from stylekl.errors import UnknownModelError, UsageError
from stylekl.lenses.style import StyleOptions, matrix
from stylekl.lenses.style.tree import TreeNode, TreeReport, tree
from stylekl.results import Results, load

from .make import make_results

WRITERS = {
    "delve-1": ("delve", 0.12),
    "delve-2": ("delve", 0.12),
    "honest-1": ("honestly", 0.12),
    "honest-2": ("honestly", 0.12),
    "none": ("delve", 0.0),
}


@pytest.fixture(scope="module")
def results() -> Results:
    return make_results(WRITERS, prompts=40, seed=1)


@pytest.fixture(scope="module")
def report(results: Results) -> TreeReport:
    return tree(results)


def group(report: TreeReport, *models: str) -> TreeNode:
    return next(node for node in report.nodes if set(node.members) == set(models))


def test_writers_of_one_habit_are_a_group_with_full_support(report):
    """Two writers that differ in nothing are joined, and the join says that they cannot be told apart."""
    for habit in ("delve", "honest"):
        found = group(report, f"{habit}-1", f"{habit}-2")

        assert found.support == 1.0
        assert found.call == "too close to call"
    assert report.nodes[0].call == "apart"
    assert set(report.nodes[0].members) == set(WRITERS)


def test_a_join_stands_at_the_mean_distance_between_its_sides(results, report):
    """In the numbers of the matrix, those below 0 taken for 0; two leaves are as far by branches as they are joined."""
    pairs = {frozenset((pair.a, pair.b)): pair.js.value for pair in matrix(results).pairs}
    for place, node in enumerate(report.nodes):
        sides = [below.members for below in report.nodes if below.parent == place]
        if sides:
            values = [max(pairs[frozenset((a, b))], 0.0) for a in sides[0] for b in sides[1]]

            assert node.height == pytest.approx(np.mean(values), abs=1e-12)
        if node.parent is not None:
            assert node.length == pytest.approx((report.nodes[node.parent].height - node.height) / 2)
    distances = {frozenset((pair.a, pair.b)): pair.distance.value for pair in report.pairs}
    assert distances == pytest.approx(pairs, rel=1e-10)


def test_models_are_drawn_in_the_order_of_the_rows(results, report):
    assert report.order == matrix(results, StyleOptions(measure="js")).order
    assert [node.model for node in report.nodes if node.model] == list(report.order)
    assert report.nodes[0].members == report.order


def test_nodes_come_before_those_below_them_and_hold_the_same_models(report):
    for place, node in enumerate(report.nodes):
        below = [under for under in report.nodes if under.parent == place]

        assert (node.parent is None) == (place == 0)
        assert node.parent is None or node.parent < place
        assert (node.model is None) == (len(below) == 2)
        assert not below or node.members == (*below[0].members, *below[1].members)


def test_the_order_of_the_file_changes_nothing(results, report):
    mixed = replace(results)
    for name in ("models", "prompts", "replies"):
        values = list(getattr(results, name))
        random.Random(name).shuffle(values)
        setattr(mixed, name, values)

    assert tree(mixed) == report


def test_another_seed_changes_the_support_alone(results, report):
    """And the same seed nothing at all."""
    again = tree(results, StyleOptions(measure="js", seed=1))
    without = [replace(node, support=None) for node in report.nodes]

    assert [replace(node, support=None) for node in again.nodes] == without
    assert tree(results) == report


def test_an_outgroup_stands_alone_and_every_distance_stays(results, report):
    """What was a group is one still, unless it held the outgroup; there are no heights any more."""
    turned = tree(results, outgroup="honest-1")
    first = [node for node in turned.nodes if node.parent == 0]

    assert turned.outgroup == turned.order[-1] == first[1].model == "honest-1"
    assert {node.height for node in turned.nodes} == {None}
    assert first[0].support is None
    assert turned.pairs == report.pairs
    assert turned.cophenetic == report.cophenetic
    assert group(turned, "delve-1", "delve-2").support == 1.0
    assert sum(node.length for node in turned.nodes) == pytest.approx(
        sum(node.length for node in report.nodes)
    )
    assert [node.call for node in turned.nodes] != [None] * len(turned.nodes)


def test_an_outgroup_that_stands_alone_already_changes_nothing(results):
    plain = tree(results, StyleOptions(measure="js", models=("delve-1", "delve-2", "none")))
    alone = tree(results, StyleOptions(measure="js", models=("delve-1", "delve-2", "none")), outgroup="none")

    assert alone.nodes == plain.nodes
    assert alone.outgroup == "none"


def test_kl_is_the_mean_of_both_directions(results):
    kl = {(p.a, p.b): (p.kl_ab.value + p.kl_ba.value) / 2 for p in matrix(results).pairs}
    found = tree(results, StyleOptions(measure="kl"))

    assert {(p.a, p.b): p.distance.value for p in found.pairs} == pytest.approx(kl)
    assert found.unit == "bits per token"


def test_kinship_is_taken_from_1(results):
    kappa = {(p.a, p.b): p.kinship for p in matrix(results, StyleOptions(measure="kinship")).pairs}
    found = tree(results, StyleOptions(measure="kinship"))

    assert found.unit == "1 - kinship"
    for pair in found.pairs:
        assert pair.distance.value == pytest.approx(1 - kappa[pair.a, pair.b].value)
        assert pair.distance.se == pytest.approx(kappa[pair.a, pair.b].se)


def test_models_without_a_common_prompt_are_the_farthest():
    """Their pair has no distance and says why; the tree has them last, and nothing is claimed of it."""
    parts = make_results({"a": ("delve", 0.1), "b": ("delve", 0.1)}), make_results({"c": ("delve", 0.1)})
    whole = replace(parts[0])
    for prompt in parts[1].prompts:
        whole.prompts.append(replace_id(prompt, f"other {prompt.id}"))
    whole.models += parts[1].models
    whole.replies += [replace_prompt(reply, f"other {reply.prompt}") for reply in parts[1].replies]
    found = tree(whole)
    missing = [pair for pair in found.pairs if pair.distance is None]

    assert [(pair.a, pair.b, pair.undefined) for pair in missing] == [
        ("a", "c", "no prompt in common"),
        ("b", "c", "no prompt in common"),
    ]
    assert group(found, "a", "b").support is None
    assert found.nodes[0].call == "cannot say"


def replace_id(prompt, name):
    return type(prompt)(id=name, text=f"Of others: {prompt.text}")


def replace_prompt(reply, name):
    return type(reply)(model=reply.model, prompt=name, text=reply.text)


def test_few_prompts_support_nothing():
    """Below 6 units there is no call, so there is no support either."""
    found = tree(make_results(WRITERS, prompts=4))

    assert {node.support for node in found.nodes} == {None}
    assert {pair.call for pair in found.pairs} == {"cannot say"}


def test_few_prompts_with_samples_are_compared_by_reply():
    found = tree(make_results(WRITERS, prompts=4, samples=6))

    assert {pair.unit for pair in found.pairs} == {"reply"}
    assert all(node.support is not None for node in found.nodes[1:] if node.model is None)


def test_two_models_are_a_tree_with_one_join(results):
    found = tree(results, StyleOptions(measure="js", models=("none", "delve-1")))

    assert [node.members for node in found.nodes] == [("delve-1", "none"), ("delve-1",), ("none",)]
    assert found.nodes[0].support is None
    assert found.cophenetic is None


def test_what_makes_no_tree_is_an_error(results):
    """One model, an unknown outgroup or one that is not shown, no distance at all."""
    with pytest.raises(UsageError, match="a tree of one model"):
        tree(results, StyleOptions(models=("none",)))
    with pytest.raises(UnknownModelError, match="nobody"):
        tree(results, outgroup="nobody")
    with pytest.raises(UsageError, match="not among the models"):
        tree(results, StyleOptions(models=("delve-1", "delve-2")), outgroup="none")
    with pytest.raises(UsageError, match="kinship needs 4 models"):
        tree(make_results({"a": ("x", 0.1), "b": ("x", 0.1)}), StyleOptions(measure="kinship"))


def test_real_siblings_are_groups(shared):
    """One model on two servers is joined as too close to call, and stands by its family before any other."""
    names = (
        "vicuna-13b-v1.5",
        "vicuna-13b-v1.5-togetherai",
        "zephyr-7b-alpha",
        "zephyr-7b-alpha-ExPO",
        "gpt-4o-2024-05-13",
    )
    found = tree(load(*(shared / "data" / "alpaca_eval" / f"{name}.json.gz" for name in names)))

    assert group(found, *names[:2]).call == "too close to call"
    assert group(found, *names[:2]).support == 1.0
    assert group(found, *names[2:4]).support > 0.99
    assert group(found, *names[2:4]).call == "apart"
