"""What gives a model away, and what does not."""

from __future__ import annotations

import numpy as np
import pytest

from stylekl.measure.tells import compare_usage


def test_a_symbol_used_more_is_found_with_its_lift():
    rng = np.random.default_rng(0)
    a = rng.poisson(6, (200, 3)) / 200.0
    b = rng.poisson([2, 6, 6], (200, 3)) / 200.0

    usage = compare_usage(a, b)

    assert usage.q[0] < 0.001 < usage.q[1:].min()
    assert usage.low[0] < 3 < usage.high[0]


def test_a_symbol_that_one_side_never_uses_has_no_lift():
    a, b = np.full((50, 1), 0.02), np.zeros((50, 1))
    usage = compare_usage(a, b)

    assert np.isnan(usage.low[0])
    assert usage.q[0] < 0.05


def test_a_symbol_that_nobody_uses_is_no_candidate():
    assert np.isnan(compare_usage(np.zeros((9, 1)), np.zeros((9, 1))).q[0])


def test_swapping_the_sides_inverts_the_interval():
    rng = np.random.default_rng(1)
    a, b = rng.random((40, 2)), rng.random((40, 2))
    there, back = compare_usage(a, b), compare_usage(b, a)

    assert there.low == pytest.approx(1 / back.high)
    assert there.z == pytest.approx(-back.z)


def test_intervals_of_the_lift_cover_it():
    """Coverage over 400 files with a lift of 2 and bursty replies is near 95 %."""
    rng = np.random.default_rng(2)
    covered = []
    for _ in range(400):
        rates = rng.gamma(2.0, 0.5, (60, 1))
        a, b = rng.poisson(4 * rates) / 60.0, rng.poisson(2 * rates) / 60.0
        usage = compare_usage(a, b)
        covered.append(usage.low[0] <= 2 <= usage.high[0])

    assert np.mean(covered) == pytest.approx(0.95, abs=0.035)


def test_no_false_tells_where_there_is_no_difference():
    """Any tell at q < .05 in at most 6.5 % of 400 files of 300 symbols."""
    rng = np.random.default_rng(3)
    base = 1.0 / np.arange(1, 301)
    alarms = 0
    for _ in range(400):
        a, b = (rng.multinomial(60, rng.dirichlet(30 * base / base.sum(), 100)) / 100.0 for _ in range(2))
        alarms += np.nanmin(compare_usage(a, b).q) < 0.05

    assert alarms / 400 <= 0.065
