"""How many units a difference takes to see."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.measure.divergence import LN2, SKEW
from stylekl.measure.exchange import floor
from stylekl.measure.power import POWER, Spread, size_visible, spread, units_needed

C = SKEW**2 / (2 * LN2)
ONE_STRATUM = np.zeros(200, np.int64)

spreads = st.builds(
    lambda trace, dimensions, along: Spread(trace, trace * trace / dimensions, along * trace / dimensions),
    st.floats(0.01, 20),
    st.floats(1, 2000),
    st.floats(0.1, 50),
)


def tables(seed: int, units: int = 200, symbols: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Return weighted frequencies of two sides that one writer made."""
    random = np.random.default_rng(seed)
    base = random.dirichlet(np.ones(symbols) * 3)
    drawn = random.dirichlet(base * 40, (2, units))
    return drawn[0] / units, drawn[1] / units


@settings(deadline=None)
@given(spreads, st.integers(10, 100_000))
def test_what_some_units_show_takes_as_many_units(found: Spread, units: int) -> None:
    """The two questions are each other's inverse."""
    assert units_needed(found, size_visible(found, units)) == pytest.approx(units, abs=1)


@settings(deadline=None)
@given(spreads, st.floats(1e-4, 1.0), st.floats(1.01, 10))
def test_a_larger_difference_takes_no_more_units(found: Spread, size: float, times: float) -> None:
    assert 6 <= units_needed(found, size * times) <= units_needed(found, size)


@settings(deadline=None)
@given(spreads, st.integers(6, 10_000))
def test_a_difference_that_is_seen_lies_above_what_chance_reaches(found: Spread, units: int) -> None:
    assert size_visible(found, units) > found.chance / units


@pytest.mark.parametrize("size", [0.002, 0.01, 0.05])
def test_a_normal_difference_is_seen_as_often_as_stated(size: float) -> None:
    """Means of normal vectors with a known covariance, drawn 4,000 times at the stated number of units."""
    random = np.random.default_rng(1)
    variances = np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.05, 0.05, 0.02])
    direction = np.sqrt(variances) * random.choice([-1.0, 1.0], 8)
    direction *= np.sqrt(size / C) / np.linalg.norm(direction)
    along = (direction**2 * variances).sum() / (direction**2).sum()
    found = Spread(C * variances.sum(), C**2 * (variances**2).sum(), C * along)

    units = units_needed(found, size)
    means = direction + random.standard_normal((4000, 8)) * np.sqrt(variances / units)
    corrected = C * np.square(means).sum(axis=1) - found.trace / units

    assert np.mean(corrected > found.chance / units) == pytest.approx(POWER, abs=0.05)


def test_the_spread_is_that_of_the_paired_differences() -> None:
    """Against the covariance matrix written out; means over 40 files, since one file's trace of Σ² varies."""
    random = np.random.default_rng(0)
    factor = random.standard_normal((6, 6)) * 0.02
    estimated, true = [], []
    m = np.full(6, 1 / 6)
    for _ in range(40):
        a = m + random.standard_normal((200, 6)) @ factor
        b = m + random.standard_normal((200, 6)) @ factor
        sigma = (
            2 * factor.T @ factor / (0.5 * (a + b).mean(axis=0))
        )  # dividing by √m on both sides, m being level
        found = spread(a / 200, b / 200, ONE_STRATUM, SKEW)
        assert found is not None
        estimated.append((found.trace, found.square))
        true.append((C * np.trace(sigma), C**2 * np.trace(sigma @ sigma)))

    assert np.mean(estimated, axis=0) == pytest.approx(np.mean(true, axis=0), rel=0.03)


def test_chance_is_the_floor_of_exchanges() -> None:
    """The χ² with the same two moments against exchanges that are drawn."""
    ratios = []
    for seed in range(10):
        a, b = tables(seed)
        found = spread(a, b, ONE_STRATUM, SKEW)
        signs = np.where(np.random.default_rng(seed).integers(0, 2, (2000, 200)) > 0, 1.0, -1.0)
        assert found is not None
        ratios.append(found.chance / 200 / floor(a - b, 0.5 * (a + b).sum(axis=0), SKEW, signs))

    assert np.mean(ratios) == pytest.approx(1.0, abs=0.05)


def test_a_difference_that_there_is_does_not_widen_the_spread() -> None:
    """What the two sides differ in throughout is no spread."""
    a, b = tables(3)
    shifted = b + np.eye(30)[4] * 0.2 / 200
    same, apart = spread(a, b, ONE_STRATUM, SKEW), spread(a, shifted, ONE_STRATUM, SKEW)

    assert same is not None
    assert apart is not None
    assert apart.trace < same.trace * 1.02
    assert apart.square < same.square * 1.05


def test_within_strata_the_differences_between_them_do_not_count() -> None:
    a, b = tables(5)
    stratum = np.arange(200) % 4
    moved = b + (stratum[:, None] == np.arange(4)) @ np.eye(30)[:4] * 0.05 / 200
    plain, strata = spread(a, moved, ONE_STRATUM, SKEW), spread(a, moved, stratum, SKEW)

    assert plain is not None
    assert strata is not None
    assert strata.trace < plain.trace


def test_without_spread_there_is_no_answer() -> None:
    """The same replies on both sides, and fewer than three units to a stratum."""
    a, _ = tables(0)

    assert spread(a, a, ONE_STRATUM, SKEW) is None
    assert spread(a[:2], a[1:3], ONE_STRATUM[:2], SKEW) is None
    assert spread(a[:5], a[5:10], np.array([0, 0, 1, 1, 1]), SKEW) is None
