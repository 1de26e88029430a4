"""Which symbols belong to the style vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.measure import vocabulary as module
from stylekl.measure.vocabulary import coverage, style_vocabulary
from tests.measure.strategies import files, make_counts


def held_by(prompts: int, shares: dict[int, int]):
    """Return one model whose first `n` prompts hold each symbol; symbol 0 fills every reply."""
    return [(0, p, [0] + [symbol for symbol, n in shares.items() if p < n]) for p in range(prompts)]


def chosen(replies, prompts, models=1, threshold=0.02):
    return style_vocabulary(
        make_counts(replies, models=models, prompts=prompts, limit=16), threshold
    ).tolist()


def test_twelve_prompts_admit_a_symbol_and_eleven_do_not():
    assert chosen(held_by(100, {1: 12, 2: 11}), 100) == [0, 1]


def test_below_25_prompts_eight_are_enough():
    assert chosen(held_by(24, {1: 8, 2: 7}), 24) == [0, 1]


def test_two_percent_rule_binds_in_large_files():
    assert chosen(held_by(1000, {1: 20, 2: 19}), 1000) == [0, 1]


def test_shares_are_averaged_over_models():
    replies = held_by(100, {1: 24, 2: 22}) + [(1, p, [0]) for p in range(100)]
    assert chosen(replies, 100, models=2) == [0, 1]


def test_threshold_option_raises_the_share():
    assert chosen(held_by(100, {1: 30, 2: 29}), 100, threshold=0.3) == [0, 1]


def test_below_ten_prompts_eight_replies_in_three_prompts():
    """Symbol 1: 8 replies of 4 prompts; symbol 2: 7 replies; symbol 3: 10 replies of 2 prompts."""
    replies = [
        (
            0,
            p,
            [0]
            + [1] * (s < 2 and p < 4)
            + [2] * (s < 2 and p < 3)
            + [2] * (s == 9 and p == 4)
            + [3] * (p < 1),
        )
        for p in range(5)
        for s in range(10)
    ]
    assert chosen(replies, 5) == [0, 1]


def test_without_replies_there_is_no_vocabulary():
    assert chosen([], 0) == []


@given(files(), st.integers(1, 40))
def test_coverage_is_the_mean_share_of_symbols_counted_in_any_number_of_steps(counts, counted):
    vocabulary = np.array([1, 4])
    per_model = []
    for model in range(counts.models):
        rows = range(counts.rows(model).start, counts.rows(model).stop)
        shares = [
            sum(
                int(counts.counts[i])
                for i in range(counts.starts[r], counts.starts[r + 1])
                if counts.symbols[i] in (1, 4)
            )
            / int(counts.lengths[r])
            for r in rows
        ]
        per_model += [np.mean(shares)] if shares else []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_COUNTED", counted)
        assert coverage(counts, vocabulary) == pytest.approx(np.mean(per_model))
