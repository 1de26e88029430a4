"""How many cores there are to use, and work spread over threads in order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.counts import cores


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu.max": "150000 100000\n"}, 2),
        ({"cpu.max": "50000 100000\n"}, 1),
        ({"cpu.max": "half a core"}, None),
        ({"cpu.max": ""}, None),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ({"cpu/cpu.cfs_quota_us": "400000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 4),
        ({}, None),
    ],
)
def test_the_quota_of_a_control_group_bounds_the_cores(tmp_path, files, expected):
    """In both versions of control groups; what cannot be read bounds nothing."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    assert cores._quota(tmp_path) == expected
    assert cores.cores() >= 1


@given(st.lists(st.integers(), max_size=50), st.integers(1, 4))
def test_results_come_in_the_order_of_the_items_whatever_the_threads(items, threads):
    """As from `map`."""
    assert list(cores.in_order(lambda item: item * 2, items, threads)) == [item * 2 for item in items]


def test_what_an_item_raises_is_raised_in_its_place():
    """After the results of those before it."""
    found = cores.in_order(lambda item: 1 // item, [1, 1, 0, 1], 2)

    assert [next(found), next(found)] == [1, 1]
    with pytest.raises(ZeroDivisionError):
        next(found)
