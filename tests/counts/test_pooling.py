"""Counts of several replies to a prompt, added up exactly."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.counts import pooling
from stylekl.counts.table import SHARE_BITS, fixed_shares
from tests.measure.strategies import files


def cells(counts):
    """Return (model, prompt) -> symbol -> (count, shares, holders), from the definitions."""
    found: dict[tuple[int, int], dict[int, tuple[int, int, int]]] = {}
    for row in range(len(counts.model)):
        cell = found.setdefault((int(counts.model[row]), int(counts.prompt[row])), {})
        for entry in range(counts.starts[row], counts.starts[row + 1]):
            number, length = int(counts.counts[entry]), int(counts.lengths[row])
            old = cell.get(int(counts.symbols[entry]), (0, 0, 0))
            share = round(Fraction(number << SHARE_BITS, length))
            cell[int(counts.symbols[entry])] = (old[0] + number, old[1] + share, old[2] + 1)
    return found


@settings(deadline=None)
@given(files(), st.integers(1, 40))
def test_pooled_counts_are_the_sums_over_the_replies_whatever_is_added_at_a_time(counts, together):
    """Counts, shares, and how many replies hold each symbol; each row ascends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooling, "_TOGETHER", together)
        found = pooling.pooled(counts)
    if found is counts:
        assert max(Counter(zip(counts.model.tolist(), counts.prompt.tolist(), strict=True)).values()) == 1
        return
    expected = cells(counts)
    assert list(zip(found.model.tolist(), found.prompt.tolist(), strict=True)) == list(expected)
    for row, cell in enumerate(expected.values()):
        held = slice(found.starts[row], found.starts[row + 1])
        table = zip(
            *(part[held].tolist() for part in (found.counts, found.shares, found.holders)), strict=True
        )
        assert dict(zip(found.symbols[held].tolist(), table, strict=True)) == cell
        assert (np.diff(found.symbols[held]) > 0).all()
    np.testing.assert_array_equal(found.samples(), counts.samples())
    assert found.lengths.sum() == counts.lengths.sum()


@given(st.integers(1, 1 << 31), st.integers(1, 1 << 31))
def test_a_fixed_share_is_within_half_a_unit_of_the_share(number, length):
    """And of a few units of the last place of a floating number, where a share is large."""
    share = int(fixed_shares(np.array([min(number, length)]), np.array([max(number, length)]))[0])
    exact = Fraction(min(number, length) << SHARE_BITS, max(number, length))
    assert abs(share - exact) <= Fraction(1, 2) + exact / (1 << 52)


def test_pooling_pooled_counts_changes_nothing():
    """They are returned as they are."""
    from tests.measure.strategies import make_counts

    counts = make_counts([(0, 0, [1, 2]), (0, 0, [2]), (1, 0, [])], models=2, prompts=1, limit=4)
    once = pooling.pooled(counts)

    assert once.replies is not None
    assert pooling.pooled(once) is once
    assert once.replies.tolist() == [2, 1]
