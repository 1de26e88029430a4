"""One model's part in a comparison: its counts weighted, prompt by prompt, and summed by group.

Every prompt weighs the same, every sample within a prompt too, and every reply is divided by its length: a long
reply to one prompt moves a model's distribution no more than a short one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stylekl.measure.divergence import negative_entropy
from stylekl.measure.jackknife import replicate_distributions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from stylekl.counts import Counts
    from stylekl.measure.units import Units


_TOGETHER = 1 << 21  # entries whose replies are put together at a time


class Placed(NamedTuple):
    """The entries of one model: active column, count over the reply's length, and the reply, numbered in the model.

    `holding` (A,) is how many replies hold each active symbol. Where the replies to a prompt are put together, an entry
    is the sum over them, under the number of the first, and `holders` says how many of them hold the symbol.
    """

    column: NDArray[np.int32]
    share: NDArray[np.float64]
    reply: NDArray[np.int32]
    holding: NDArray[np.int64]
    holders: NDArray[np.int32] | None = None


@dataclass(frozen=True, eq=False)
class Entries:
    """The counts on the active symbols, by model; a model's are made when first asked for.

    Active are the V symbols of the vocabulary, which come first, and those that some pair's replies hold often
    enough for the exchange test; `place` gives the column of each symbol, −1 where it is not active.
    """

    counts: Counts
    vocabulary: int
    active: int
    place: NDArray[np.int32]
    _made: dict[tuple[int, bool], Placed] = field(default_factory=dict)

    def of(self, model: int, *, by_prompt: bool = False) -> Placed:
        """Return the entries of a model, the replies to each prompt put together with `by_prompt`."""
        rows = self.counts.rows(model)
        together = by_prompt and bool(self.counts.sample[rows].any())
        if (model, together) not in self._made:
            make = _placed_by_prompt if together else _placed
            self._made[model, together] = make(self.counts, rows, self.place, self.active)
        return self._made[model, together]


def _often_enough(counts: Counts, least: int, models: Iterable[int]) -> NDArray[np.bool_]:
    """Mark the symbols that the replies of some two of the models hold `least` times together."""
    most, second = np.zeros(counts.limit, np.int64), np.zeros(counts.limit, np.int64)
    for model in models:
        rows = counts.rows(model)
        held = counts.symbols[counts.starts[rows.start] : counts.starts[rows.stop]]
        holding = np.zeros(counts.limit, np.int64)
        for start in range(0, len(held), _TOGETHER):  # bincount makes int64 of what it counts
            holding += np.bincount(held[start : start + _TOGETHER], minlength=counts.limit)
        np.maximum(second, np.minimum(most, holding), out=second)
        np.maximum(most, holding, out=most)
    return most + second >= least


def entries(
    counts: Counts,
    vocabulary: NDArray[np.int64],
    least: int | None,
    models: Collection[int] | None = None,
) -> Entries:
    """Return the entries on the vocabulary and on the symbols that some pair holds in at least `least` replies.

    With `least` None on the vocabulary alone; with `models` the pairs are those of these models.
    """
    of = range(counts.models) if models is None else sorted(models)
    rest = np.zeros(counts.limit, bool) if least is None else _often_enough(counts, least, of)
    rest[vocabulary] = False
    active = np.concatenate([vocabulary, np.flatnonzero(rest)])
    place = np.full(counts.limit, -1, np.int32)
    place[active] = np.arange(len(active), dtype=np.int32)
    return Entries(counts, len(vocabulary), len(active), place)


def _placed(counts: Counts, rows: slice, place: NDArray[np.int32], active: int) -> Placed:
    low, high = int(counts.starts[rows.start]), int(counts.starts[rows.stop])
    placed = place.take(counts.symbols[low:high])
    kept = np.flatnonzero(placed >= 0)
    lengths = np.maximum(counts.lengths[rows], 1)
    sizes = np.diff(counts.starts[rows.start : rows.stop + 1])
    reply = np.repeat(np.arange(len(lengths), dtype=np.int32), sizes).take(kept)
    share = counts.counts[low:high].take(kept) / lengths.take(reply)
    column = placed.take(kept)
    return Placed(column, share, reply, np.bincount(column, minlength=active))


def _placed_by_prompt(counts: Counts, rows: slice, place: NDArray[np.int32], active: int) -> Placed:
    """Return the entries of prompts, put together a few prompts at a time: there may be many replies to each."""
    starts = np.flatnonzero(np.diff(counts.prompt[rows], prepend=-1)) + rows.start
    bounds = np.append(starts, rows.stop)
    chunks = np.unique(counts.starts[bounds] // _TOGETHER, return_index=True)[1]
    parts: list[Placed] = []
    holding = np.zeros(active, np.int64)
    for first, last in pairwise(np.unique(np.append(chunks, len(starts))).tolist()):
        some = _placed(counts, slice(int(bounds[first]), int(bounds[last])), place, active)
        holding += some.holding
        prompt = np.repeat(np.arange(last - first), np.diff(bounds[first : last + 1])).take(some.reply)
        keys, entry, holders = np.unique(
            prompt * active + some.column, return_inverse=True, return_counts=True
        )
        parts.append(
            Placed(
                (keys % active).astype(np.int32),
                np.bincount(entry, weights=some.share, minlength=len(keys)).astype(np.float64),
                (starts[first + keys // active] - rows.start).astype(np.int32),
                some.holding,
                holders.astype(np.int32),
            )
        )
    return Placed(
        np.concatenate([each.column for each in parts]),
        np.concatenate([each.share for each in parts]),
        np.concatenate([each.reply for each in parts]),
        holding,
        np.concatenate([each.holders for each in parts if each.holders is not None]),
    )


class _Frequencies(NamedTuple):
    """Weighted frequencies by exchange group: of the vocabulary, of all active symbols, and their totals."""

    style: NDArray[np.float64]
    all: NDArray[np.float32]
    rates: NDArray[np.float64]


class Side:
    """One model's part in comparisons that share their units: U units, E exchange groups, V symbols, A active.

    `unit` and `weight` place and weigh each of its replies (weight 0: no part; `share` (P,) gives the model only a
    part of each prompt, where several stand together); `length` is the number of symbols of those that take part,
    `mean_length` the mean over them, `replies` how many they are.
    """

    def __init__(
        self, entries: Entries, model: int, units: Units, share: NDArray[np.float64] | None = None
    ) -> None:
        counts = entries.counts
        rows = counts.rows(model)
        prompt = counts.prompt[rows]
        slots = units.slots[prompt]
        used = slots > 0
        self._entries, self._units = entries, units
        # Where no prompt makes several units, its replies stand in one place and weigh the same.
        self._own = entries.of(model, by_prompt=int(slots.max(initial=0)) <= 1)
        self.unit = np.where(used, units.first[prompt] + counts.sample[rows] % np.maximum(slots, 1), 0)
        self.weight = used / (units.prompts * np.bincount(prompt, minlength=counts.prompts)[prompt])
        if share is not None:
            self.weight *= share[prompt]
        self.replies = int(used.sum())
        self.length = int(counts.lengths[rows][used].sum())
        self.mean_length = self.length / max(self.replies, 1)

    def sums(self, place: NDArray[np.int64], places: int, *, columns: int) -> NDArray[np.float64]:
        """Return the (columns, places) sums of weighted frequencies; `place` (R,) puts each reply in a place."""
        own, active = self._own, self._entries.active
        keys = np.multiply(own.column, places, dtype=np.int64)
        keys += place.take(own.reply)
        values = self.weight.take(own.reply)
        values *= own.share
        table = np.bincount(keys, weights=values, minlength=active * places)
        return np.asarray(table.reshape(active, places)[:columns], np.float64)

    def with_other(
        self, place: NDArray[np.int64], places: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the (places, V + 1) sums over the vocabulary and "other", and the weight (places,) in each."""
        return self._closed(self.sums(place, places, columns=self._entries.vocabulary), place)

    def _closed(
        self, sums: NDArray[np.float64], place: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        # The frequencies of a reply add up to its weight, so "other" is what the vocabulary leaves of it.
        weights = np.asarray(np.bincount(place, weights=self.weight, minlength=sums.shape[1]), np.float64)
        other = np.maximum(weights - sums.sum(axis=0), 0.0)
        return np.concatenate([sums, other[None, :]]).T, weights

    @cached_property
    def replicates(self) -> NDArray[np.float64]:
        """The distribution over the vocabulary and "other" on everything, and with each group left out."""
        units = self._units
        place = units.stratum[self.unit] * units.groups + units.group[self.unit]
        if units.strata == 1 and units.groups == units.exchange_groups:  # the same groups: no second pass
            sums, weights = self._closed(self._by_exchange_group.style, place)
        else:
            sums, weights = self.with_other(place, units.strata * units.groups)
        shape = (units.strata, units.groups)
        return replicate_distributions(sums.reshape(*shape, -1), weights.reshape(shape))

    @cached_property
    def negative_entropy(self) -> NDArray[np.float64]:
        """Σ p ln p of each replicate."""
        return negative_entropy(self.replicates)

    @cached_property
    def _by_exchange_group(self) -> _Frequencies:
        units = self._units
        sums = self.sums(units.exchange[self.unit], units.exchange_groups, columns=self._entries.active)
        style = sums[: self._entries.vocabulary].copy()
        return _Frequencies(style, sums.astype(np.float32), sums.sum(axis=1))

    @property
    def frequencies(self) -> NDArray[np.float32]:
        """The weighted frequencies of the active symbols by exchange group, (A, E).

        In single precision: the exchange form is memory traffic, and its test needs no more.
        """
        return self._by_exchange_group.all

    @property
    def rates(self) -> NDArray[np.float64]:
        """The frequency of each active symbol, (A,)."""
        return self._by_exchange_group.rates

    @cached_property
    def holding(self) -> NDArray[np.int64]:
        """How many of the replies that take part hold each active symbol, (A,)."""
        own = self._own
        if self.weight.all():
            return own.holding
        dropped = (self.weight == 0).take(own.reply)
        holders = None if own.holders is None else own.holders[dropped]
        lost = np.bincount(own.column[dropped], weights=holders, minlength=len(own.holding))
        return own.holding - lost.astype(np.int64)
