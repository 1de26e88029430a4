"""The order of rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stylekl.measure.ordering import by_linkage


def distances(points: list[float]) -> np.ndarray:
    return np.abs(np.subtract.outer(points, points))


def test_near_models_stand_together():
    order, clusters = by_linkage(distances([0.0, 9.0, 0.1, 9.2, 4.0]), list("abcde"))

    assert order in ([0, 2, 4, 1, 3], [2, 0, 4, 1, 3], [0, 2, 4, 3, 1], [2, 0, 4, 3, 1])
    assert sorted(map(sorted, clusters)) == [[0, 2], [1, 3]]


@given(st.permutations(range(7)))
def test_order_does_not_depend_on_the_order_of_the_file(permutation):
    """Ties included: all models here are equally far from each other but two."""
    names = list("gcaebfd")
    square = np.ones((7, 7)) - np.eye(7)
    square[0, 3] = square[3, 0] = 0.5
    order, _ = by_linkage(square, names)
    shuffled = [names[i] for i in permutation]
    again, _ = by_linkage(square[np.ix_(permutation, permutation)], shuffled)

    assert [names[i] for i in order] == [shuffled[i] for i in again]


def test_unknown_distances_count_as_farthest():
    square = distances([0.0, 1.0, 2.0])
    square[0, 1] = square[1, 0] = np.nan

    assert by_linkage(square, list("abc"))[0] in ([0, 2, 1], [1, 2, 0])


def test_two_models_stand_by_name():
    assert by_linkage(distances([0.0, 1.0]), ["b", "a"]) == ([1, 0], [])
