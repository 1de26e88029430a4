"""What runs the work on splits, and the work itself: counted once each, merged, and what came twice taken off."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial as bound
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from stylekl.counts.scale.documents import heads_of, read_split
from stylekl.counts.scale.groups import grouped, merge_or_group
from stylekl.counts.scale.joining import Whole, joined
from stylekl.counts.scale.mapping import Counting, map_partition
from stylekl.counts.scale.partial import Partial, no_partial, without
from stylekl.counts.scale.splits import lines_before
from stylekl.errors import ConflictError, SplitError
from stylekl.results.merge import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from stylekl.counts.scale.documents import Heads
    from stylekl.counts.scale.plan import Plan
    from stylekl.counts.scale.splits import Split
    from stylekl.results import Named

    Tell = Callable[[int, int], None]  # how many are done, of how many

T = TypeVar("T")
_SAMPLE = slice(0, 5)  # of an identity: all that makes two replies one


def _silent(_done: int, _all: int) -> None:
    """Tell nobody."""


class Engine(Protocol):
    """What runs work on splits. Another one needs these two, and nothing of stylekl needs to know it.

    `work` is called once for each split that counts, in any process and order; where one dies it may be called again,
    and what it returned before is forgotten. What it raises ends the run.
    """

    def each(self, work: Callable[[Split], T], splits: Sequence[Split]) -> list[T]:
        """Return what `work` returns of each split, in their order."""

    def reduced(
        self, work: Callable[[Split], T], splits: Sequence[Split], merging: Callable[..., T], tell: Tell
    ) -> T:
        """Return what `work` returns of all splits, of which there is one, merged; `tell` is told how many are done.

        `merging` takes several and may be called with any of them in any order.
        """


class Here:
    """The engine of this process: one split after the other."""

    def each(self, work: Callable[[Split], T], splits: Sequence[Split]) -> list[T]:
        """Return what `work` returns of each split, in their order."""
        return [work(split) for split in splits]

    def reduced(
        self, work: Callable[[Split], T], splits: Sequence[Split], merging: Callable[..., T], tell: Tell
    ) -> T:
        """Return what `work` returns of all splits, merged."""
        found = []
        for number, split in enumerate(splits):
            tell(number, len(splits))
            found.append(work(split))
        return merging(*found)


@dataclass(frozen=True)
class Counted:
    """All splits of a plan, counted, and the results that they are of."""

    partial: Partial
    whole: Whole


def count_splits(
    engine: Engine, plan: Plan, how: Counting, names: tuple[Named, ...] = (), tell: Tell = _silent
) -> Counted:
    """Return the counts of all splits of a plan, each once; `names` are said of the models then.

    Replies with one identity count once, as in `merge`: where there are any that came twice, they are counted once more
    and taken off. Raises ConflictError where two such have different texts, SplitError where a split is missing,
    InputError where one cannot be read.
    """
    splits = _with_heads(engine, plan.splits)
    work = bound(map_or_group, how=how)
    whole = engine.reduced(work, splits, merge_or_group, tell) if splits else no_partial()
    whole = merge_or_group(whole)  # which one split alone was not
    require_all(whole, len(splits))
    records = joined(whole, plan, names)
    twice = _twice(whole, records, splits, how)
    if twice:
        again = [replace(split, only=tuple(twice[split.number])) for split in splits if split.number in twice]
        off = engine.reduced(work, again, merge_or_group, tell)
        whole = without(whole, grouped(off, whole.groups) if whole.groups else off)
    return Counted(whole, records)


def map_or_group(split: Split, how: Counting) -> Partial:
    """Return what is known of one split, in groups of prompts where that is asked for."""
    found = map_partition(split, how)
    return grouped(found, how.groups) if how.groups else found


def require_all(partial: Partial, number: int) -> None:
    """Raise SplitError where the splits of a partial are not all of so many."""
    if not np.array_equal(partial.splits, np.arange(number)):
        missing = np.setdiff1d(np.arange(number), partial.splits)
        what = f"split {missing[0] + 1}" if len(missing) else "one more split than there are"
        raise SplitError(
            f"{what} of {number} {'did not come' if len(missing) else 'came'} back", "run it again"
        )


def _with_heads(engine: Engine, splits: Sequence[Split]) -> list[Split]:
    """Return splits of which those of files of our own form have the records that their replies name."""
    files: dict[int, list[Split]] = defaultdict(list)
    for split in splits:
        if split.kind == "lines" and split.form == "native":
            files[split.place.number].append(split)
    parted = [split for several in files.values() for split in several]
    heads = dict(zip((split.number for split in parted), engine.each(heads_of, parted), strict=True))
    found: dict[int, Split] = {}
    for several in files.values():
        found |= _of_one_file(several, [heads[split.number] for split in several])
    return [found.get(split.number, split) for split in splits]


def _of_one_file(splits: Sequence[Split], heads: Sequence[Heads]) -> dict[int, Split]:
    before = [0, *accumulate(head.lines for head in heads)]
    records = tuple(
        (start + number, line)
        for start, head in zip(before, heads, strict=False)
        for number, line in head.records
    )
    return {
        split.number: replace(split, before=start, head=records)
        for split, start in zip(splits, before, strict=False)
    }


def _twice(partial: Partial, whole: Whole, splits: Sequence[Split], how: Counting) -> dict[int, list[int]]:
    """Return the replies, by split and order in it, whose identity one before them has."""
    rows = _resolved(partial, whole)
    if not len(rows):
        return {}
    rows = rows[np.lexsort((rows[:, 7], rows[:, 6], *rows[:, _SAMPLE].T[::-1]))]
    same = (rows[1:, _SAMPLE] == rows[:-1, _SAMPLE]).all(axis=1)
    differing = same & (rows[1:, 5] != rows[:-1, 5])
    if differing.any():
        second = int(np.flatnonzero(differing)[0]) + 1
        first = second - 1
        while first and same[first - 1]:
            first -= 1
        raise _conflict(splits, rows[[first, second]], how)
    found: dict[int, list[int]] = defaultdict(list)
    for row in rows[1:][same]:
        found[int(row[6])].append(int(row[7]))
    return found


def _resolved(partial: Partial, whole: Whole) -> NDArray[np.int64]:
    """Return the identities with the places of models, prompts and conditions in the results."""
    rows = partial.identities.copy()
    for column, places in enumerate((whole.models, whole.prompts, whole.conditions)):
        rows[:, column] = places[rows[:, column]]
    return rows


def _conflict(splits: Sequence[Split], rows: NDArray[np.int64], how: Counting) -> ConflictError:
    """Make the error for two texts of one identity, which are read again to say where they stand."""
    places, named = [], ""
    for row in rows.tolist():
        split, number = splits[row[6]], row[7]
        before = lines_before(split) if split.kind == "lines" and split.before is None else split.before
        results, _ = read_split(replace(split, before=before), how.given, how.reading)
        places.append(results.place(number))
        named = identity(results.replies[number])
    return ConflictError(named, *places)
