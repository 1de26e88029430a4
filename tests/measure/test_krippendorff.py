"""Krippendorff's alpha against published values, a slow form, and properties."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.measure.krippendorff import Level, krippendorff

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAN = float("nan")
# Four observers, twelve units: the example that Krippendorff works through.
WORKED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_the_published_one(level: Level, alpha: float) -> None:
    found = krippendorff(WORKED, level)

    assert found.value == pytest.approx(alpha, abs=5e-4)
    assert (found.units, found.values) == (11, 40)


def slow(values: NDArray[np.float64], level: Level) -> float | None:
    """Return alpha from all pairs of values, one by one."""
    units = [row[~np.isnan(row)].tolist() for row in values]
    units = [row for row in units if len(row) > 1]
    every = [value for row in units for value in row]

    def distance(a: float, b: float) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        low, high = sorted((a, b))
        between = sum(low <= value <= high for value in every)
        return (between - (every.count(low) + every.count(high)) / 2) ** 2 if a != b else 0.0

    if not every:
        return None
    seen = sum(distance(a, b) / (len(row) - 1) for row in units for a, b in permutations(row, 2)) / len(every)
    chance = sum(distance(a, b) for a, b in permutations(every, 2)) / (len(every) * (len(every) - 1))
    return 1 - seen / chance if chance else None


tables = st.integers(1, 7).flatmap(
    lambda units: st.integers(2, 4).flatmap(
        lambda judges: st.lists(
            st.sampled_from([NAN, 1.0, 2.0, 3.0, 5.0]), min_size=units * judges, max_size=units * judges
        ).map(lambda cells: np.array(cells).reshape(units, judges))
    )
)


@settings(deadline=None)
@given(tables, st.sampled_from(LEVELS))
def test_alpha_is_that_of_all_pairs_one_by_one(values: NDArray[np.float64], level: Level) -> None:
    found, wanted = krippendorff(values, level).value, slow(values, level)

    assert (found is None) == (wanted is None)
    if found is not None and wanted is not None:
        assert found == pytest.approx(wanted, abs=1e-9)


@settings(deadline=None)
@given(tables, st.sampled_from(LEVELS))
def test_neither_judges_nor_units_have_an_order(values: NDArray[np.float64], level: Level) -> None:
    mixed = values[::-1, ::-1]

    one, other = krippendorff(values, level), krippendorff(mixed, level)

    assert (one.value is None) == (other.value is None)
    if one.value is not None:
        assert one.value == pytest.approx(other.value)
    if one.low is not None:
        assert one.low == pytest.approx(other.low)


@pytest.mark.parametrize("level", LEVELS)
def test_full_agreement_is_1_and_one_value_alone_is_nothing(level: Level) -> None:
    agreed = krippendorff(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]), level)

    assert (agreed.value, agreed.low, agreed.high) == (1.0, 1.0, 1.0)
    assert krippendorff(np.ones((4, 2)), level).value is None
    assert krippendorff(np.array([[1.0, NAN], [NAN, 2.0]]), level).value is None
    assert krippendorff(np.empty((0, 2)), level).value is None


def test_opposed_judges_are_below_0() -> None:
    assert (krippendorff(np.array([[1.0, 5.0], [5.0, 1.0]] * 4), "interval").value or 0.0) < -0.5


def test_units_of_one_cluster_stand_or_fall_together() -> None:
    """The same units ten times over, in their clusters, have the interval of one copy; each for itself a narrower."""
    many, once = np.tile(WORKED[:9], (10, 1)), krippendorff(WORKED[:9], "interval")
    clusters = np.tile(np.arange(9), 10)

    together, apart = krippendorff(many, "interval", clusters), krippendorff(many, "interval")

    assert once.low is not None
    assert together.low == pytest.approx(once.low, abs=0.08)
    assert apart.low is not None
    assert apart.low > once.low + 0.15
    assert together.clusters == 9


@pytest.mark.parametrize(("clusters", "least"), [(8, 0.86), (20, 0.91)])
def test_the_interval_covers_the_truth(clusters: int, least: float) -> None:
    """Three judges whose values share half their variance: alpha is .5 in truth. Few clusters cover a little less."""
    random = np.random.default_rng(7)
    held = 0
    for _ in range(300):
        values = random.normal(size=(clusters, 1)) + random.normal(size=(clusters, 3))
        found = krippendorff(values, "interval")
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.5 <= found.high

    assert least <= held / 300 <= 0.99


def test_one_cluster_has_no_interval() -> None:
    found = krippendorff(WORKED, "interval", np.zeros(12, np.int64))

    assert (found.low, found.high) == (None, None)
    assert found.value is not None
