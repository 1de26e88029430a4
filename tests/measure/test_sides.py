"""One model's part: the same digits whichever way they are added up."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.measure.sides import Side, entries
from stylekl.measure.units import deal, slots_of
from tests.measure.strategies import files


@settings(max_examples=150, deadline=None)
@given(files(), st.permutations(range(14)), st.booleans(), st.booleans())
def test_what_is_added_to_a_table_is_what_a_table_of_its_own_would_hold(counts, ranks, parted, some) -> None:
    """To the last bit, whichever prompts take part and whatever part the model has in each."""
    ranks = np.array(ranks[: counts.prompts]).argsort()
    vocabulary = np.array([0, 2, 3, 5])
    table = entries(counts, vocabulary, 3 if some else None)
    samples = counts.samples()
    part = np.linspace(0.3, 1.0, counts.prompts) if parted else None
    for model in range(counts.models):
        units = deal(slots_of(samples[model], samples.max(axis=0)), ranks)
        if not units.count:
            continue
        side = Side(table, model, units, part)
        plain = np.linspace(0.0, 1.0, units.count)[:, None] * np.ones(len(vocabulary) + 1)
        added = plain.copy()
        plain += side.with_other(side.unit, units.count)[0]
        side.add_to(added)
        assert added.tobytes() == plain.tobytes()
