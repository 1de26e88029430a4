"""Partials merge as sets of splits do: in any order and in any groups, to the same bits."""

from __future__ import annotations

import dataclasses
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.counts.scale.engine import require_all
from stylekl.counts.scale.mapping import Counting, map_partition
from stylekl.counts.scale.partial import Partial, merge, no_partial, without
from stylekl.counts.scale.plan import planned
from stylekl.errors import SplitError
from stylekl.results import Reading
from tests.scale.made import rows, write_lines

if TYPE_CHECKING:
    from pathlib import Path

    from stylekl.counts.scale.cells import Cells

SPLITS = 12


class Parts(list[Partial]):
    """Partials that say little of themselves where a test fails."""

    def __repr__(self) -> str:
        return f"<{len(self)} partials>"


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    """Return what is known of the splits of a file in which records stand in no order, with samples and flags."""
    folder = tmp_path_factory.mktemp("merge")
    records: list[dict[str, Any]] = rows(["one", "two", "three"], 8, samples=3)
    for number, record in enumerate(records):
        record["sample"] = number % 3
        if number % 7 == 0:
            record["system"] = "be brief"
        if number % 11 == 0:
            record |= {"response": None, "error": "overloaded"}
    order = np.random.default_rng(0).permutation(len(records)).tolist()
    path = write_lines(folder / "a.jsonl", [records[place] for place in order])
    return Parts(mapped(path, -(-path.stat().st_size // SPLITS)))


def mapped(path: Path, size: int) -> list[Partial]:
    plan = planned([str(path)], size, Reading())
    return [map_partition(split, Counting(given=plan.given)) for split in plan.splits]


def plain(value: Any) -> Any:
    """Return a partial as values that compare, types of arrays included."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return [plain(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return value


@settings(deadline=None)
@given(st.data())
def test_the_order_and_the_groups_of_merging_change_no_bit(parts, data):
    whole = plain(merge(*parts))
    waiting = data.draw(st.permutations(parts))
    while len(waiting) > 1:
        take = data.draw(st.integers(2, len(waiting)))
        rest = waiting[take:]
        place = data.draw(st.integers(0, len(rest)))
        waiting = [*rest[:place], merge(*waiting[:take]), *rest[place:]]
    assert plain(waiting[0]) == whole


@settings(deadline=None)
@given(st.integers(0, SPLITS - 1), st.integers(0, SPLITS - 1))
def test_two_partials_commute_and_what_merges_is_not_changed(parts, a, b):
    before = plain(parts[a])
    if a == b:
        with pytest.raises(SplitError, match=f"split {a + 1} came back twice"):
            merge(parts[a], parts[b])
    else:
        assert plain(merge(parts[a], parts[b])) == plain(merge(parts[b], parts[a]))
    assert plain(parts[a]) == before


def test_no_split_adds_nothing(parts):
    assert plain(merge(no_partial(), parts[0])) == plain(parts[0])
    assert plain(merge(parts[0], no_partial())) == plain(parts[0])


@settings(deadline=None)
@given(st.integers(200, 20_000))
def test_the_size_of_the_splits_changes_no_count(parts, tmp_path_factory, size):
    folder = tmp_path_factory.getbasetemp() / "sizes"
    folder.mkdir(exist_ok=True)
    path = write_lines(folder / "a.jsonl", rows(["one", "two"], 10, samples=2))
    one, several = (merge(*mapped(path, each)) for each in (1 << 30, size))
    assert plain(one.cells) == plain(several.cells)
    assert plain(one.tallies) == plain(several.tallies)
    assert plain(one.copies) == plain(several.copies)


@settings(deadline=None)
@given(st.sets(st.integers(0, SPLITS - 1), min_size=1, max_size=SPLITS - 1))
def test_what_was_added_comes_off_again(parts, gone):
    """Taking some splits off the counts of all leaves the counts of the others, whatever they share."""
    off = [part for number, part in enumerate(parts) if number in gone]
    left = merge(*(part for number, part in enumerate(parts) if number not in gone))
    found = without(merge(*parts), merge(*off))
    assert named(found.cells, found) == named(left.cells, left)
    assert found.tallies[:, -1].sum() == left.tallies[:, -1].sum()
    assert found.copies[:, -1].sum() == left.copies[:, -1].sum()


def named(cells: Cells, partial: Partial) -> Any:
    """Return cells by the names of their places."""
    names = partial.names
    at = [(names.models[m], names.prompts[p], names.conditions[c]) for m, p, c in cells.at.tolist()]
    values = plain(cells)
    del values["at"]
    return at, values


def test_a_partial_is_small_on_its_way(parts):
    """Of single replies there are counts alone; shares and holders follow from them."""
    whole = merge(*parts)
    several = np.repeat(whole.cells.replies > 1, whole.cells.sizes)
    assert len(whole.cells.shares) == len(whole.cells.holders) == np.count_nonzero(several)
    assert whole.cells.counts.dtype == np.uint16
    assert plain(pickle.loads(pickle.dumps(whole))) == plain(whole)


def test_a_split_that_is_missing_is_said(parts):
    with pytest.raises(SplitError, match="split 2 of 3 did not come back"):
        require_all(merge(parts[0], parts[2]), 3)
    with pytest.raises(SplitError, match="one more split than there are of 2 came back"):
        require_all(merge(*parts[:3]), 2)
