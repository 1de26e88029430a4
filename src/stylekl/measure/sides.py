"""One model's part in a comparison: its counts weighted, prompt by prompt, and summed by group.

Every prompt weighs the same, every sample within a prompt too, and every reply is divided by its length: a long
reply to one prompt moves a model's distribution no more than a short one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stylekl.counts.pooling import pooled, shares_of
from stylekl.measure.divergence import negative_entropy
from stylekl.measure.jackknife import replicate_distributions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from stylekl.counts import Counts
    from stylekl.measure.units import Units


_TOGETHER = 1 << 21  # entries that are counted at a time: bincount makes int64 of what it counts


class Placed(NamedTuple):
    """The entries of one model, in small types, as those of all models are in memory at once.

    `column` is the active column and `row` the row, numbered in the model. The share of the reply is `number` times the
    `inverse` (R,) of its row's length, or `share` where rows are several replies. `holding` (A,) is how many replies
    hold each active symbol, `holders` how many replies of its row hold that of an entry, None where rows are replies.
    """

    column: NDArray[np.integer]
    row: NDArray[np.integer]
    number: NDArray[np.integer]
    inverse: NDArray[np.float64]
    share: NDArray[np.float64] | None
    holding: NDArray[np.int64]
    holders: NDArray[np.integer] | None

    def shares(self, weight: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Return the share of each entry in its reply, times the `weight` (R,) of its row."""
        if self.share is not None:
            return self.share if weight is None else self.share * weight.take(self.row)
        found = (self.inverse if weight is None else self.inverse * weight).take(self.row)
        found *= self.number
        return found


@dataclass(frozen=True, eq=False)
class Entries:
    """The counts on the active symbols, by model; a model's are made when first asked for.

    Active are the V symbols of the vocabulary, which come first, and those that some pair's replies hold often
    enough for the exchange test; `place` gives the column of each symbol, −1 where it is not active. `pooled` are the
    counts with one row for each (model, prompt).
    """

    counts: Counts
    pooled: Counts
    vocabulary: int
    active: int
    place: NDArray[np.int32]
    _made: dict[tuple[int, bool], Placed] = field(default_factory=dict)

    def of(self, model: int, *, by_prompt: bool) -> Placed:
        """Return the entries of a model, those of the pooled counts with `by_prompt`."""
        pooled = by_prompt and self.pooled is not self.counts
        if (model, pooled) not in self._made:
            counts = self.pooled if by_prompt else self.counts
            self._made[model, pooled] = _placed(counts, counts.rows(model), self.place, self.active)
        return self._made[model, pooled]

    def forget(self, model: int) -> None:
        """Let go of the entries of a model, of which every part has been made that is needed."""
        for by_prompt in (False, True):
            self._made.pop((model, by_prompt), None)


def _often_enough(counts: Counts, least: int, models: Iterable[int]) -> NDArray[np.int64]:
    """Return the symbols that the replies of some two of the models hold `least` times together."""
    spans = [counts.rows(model) for model in models]
    held = [slice(int(counts.starts[rows.start]), int(counts.starts[rows.stop])) for rows in spans]
    whole = sum((holding_replies(counts, span) for span in held), np.zeros(counts.limit, np.int64))
    # Few symbols are common enough in all together, and only these are looked at model by model.
    common = np.flatnonzero(whole >= least)
    column = np.full(counts.limit, len(common), np.int32)
    column[common] = np.arange(len(common), dtype=np.int32)
    most, second = np.zeros((2, len(common)), np.int64)
    for span in held:
        holding = holding_replies(counts, span, column, len(common) + 1)[:-1]
        np.maximum(second, np.minimum(most, holding), out=second)
        np.maximum(most, holding, out=most)
    return common[most + second >= least]


def holding_replies(
    counts: Counts, entries: slice, column: NDArray[np.int32] | None = None, columns: int = 0
) -> NDArray[np.int64]:
    """Return how many replies hold each symbol, counted over some entries; shape (limit,).

    With `column` (limit,), by the column of each symbol instead; shape (columns,).
    """
    columns = counts.limit if column is None else columns
    holding = np.zeros(columns, np.int64)
    for start in range(entries.start, entries.stop, _TOGETHER):
        some = slice(start, min(start + _TOGETHER, entries.stop))
        weights = None if counts.holders is None else counts.holders[some]
        symbols = counts.symbols[some] if column is None else column.take(counts.symbols[some])
        holding += np.bincount(symbols, weights, columns).astype(np.int64, copy=False)
    return holding


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
    often = np.empty(0, np.int64) if least is None else _often_enough(counts, least, of)
    active = np.concatenate([vocabulary, np.setdiff1d(often, vocabulary, assume_unique=True)])
    place = np.full(counts.limit, -1, np.int32)
    place[active] = np.arange(len(active), dtype=np.int32)
    return Entries(counts, pooled(counts), len(vocabulary), len(active), place)


def _placed(counts: Counts, rows: slice, place: NDArray[np.int32], active: int) -> Placed:
    low, high = int(counts.starts[rows.start]), int(counts.starts[rows.stop])
    placed = place.take(counts.symbols[low:high])
    kept = np.flatnonzero(placed >= 0)
    sizes = np.diff(counts.starts[rows.start : rows.stop + 1])
    row = np.repeat(np.arange(len(sizes), dtype=_narrow(len(sizes))), sizes).take(kept)
    column = placed.take(kept).astype(_narrow(active), copy=False)
    holders = None if counts.holders is None else counts.holders[low:high].take(kept)
    return Placed(
        column,
        row,
        counts.counts[low:high].take(kept),
        1.0 / np.maximum(counts.lengths[rows], 1),
        None if counts.shares is None else shares_of(counts, kept + low, row.astype(np.int64) + rows.start),
        np.bincount(column, holders, active).astype(np.int64, copy=False),
        holders,
    )


def _narrow(size: int) -> np.dtype[np.integer]:
    return np.dtype(np.uint16 if size <= 1 << 16 else np.int32)


class _Frequencies(NamedTuple):
    """Weighted frequencies by exchange group: of the vocabulary, of all active symbols, and their totals."""

    style: NDArray[np.float64]
    all: NDArray[np.float32]
    rates: NDArray[np.float64]


class Side:
    """One model's part in comparisons that share their units: U units, E exchange groups, V symbols, A active.

    `unit` and `weight` place its rows and weigh their shares (weight 0: no part; `part` (P,) gives the model only a
    part of each prompt, where several stand together); a row has the weight of each of its replies. `length` is the
    number of symbols of the replies that take part, `mean_length` the mean over them, `replies` how many they are.
    """

    def __init__(
        self, entries: Entries, model: int, units: Units, part: NDArray[np.float64] | None = None
    ) -> None:
        by_prompt = (
            int(units.slots.max(initial=0)) <= 1
        )  # each prompt is one unit, whose replies weigh the same
        counts = entries.pooled if by_prompt else entries.counts
        rows = counts.rows(model)
        prompt = counts.prompt[rows]
        slots = units.slots[prompt]
        used = slots > 0
        number = np.ones(len(prompt)) if counts.replies is None else counts.replies[rows].astype(np.float64)
        self._entries, self._units, self._model, self._by_prompt = entries, units, model, by_prompt
        self.unit = np.where(used, units.first[prompt] + counts.sample[rows] % np.maximum(slots, 1), 0)
        self.weight = used / (units.prompts * np.bincount(prompt, number, counts.prompts)[prompt])
        if part is not None:
            self.weight *= part[prompt]
        self._mass = self.weight * number
        # Where those that take part weigh the same, the usual case, what they are multiplied with can wait; equal
        # replies come to equal sums then, whatever else the two models answered.
        weights = self.weight[used]
        self._weight = float(weights[0]) if len(weights) and (weights == weights[0]).all() else None
        self._rows = self.weight if self._weight is None else None if used.all() else used.astype(np.float64)
        self.replies = int(number[used].sum())
        self.length = int(counts.lengths[rows][used].sum())
        self.mean_length = self.length / max(self.replies, 1)

    def sums(self, place: NDArray[np.int64], places: int, *, columns: int) -> NDArray[np.float64]:
        """Return the (columns, places) sums of weighted frequencies; `place` (R,) puts each row in a place."""
        own, active = self._entries.of(self._model, by_prompt=self._by_prompt), self._entries.active
        keys = np.multiply(own.column, places, dtype=np.int64)
        keys += place.take(own.row)
        summed = np.bincount(keys, own.shares(self._rows), active * places)
        table = np.asarray(summed, np.float64).reshape(active, places)[:columns]
        return table if self._weight is None else table * self._weight

    def with_other(
        self, place: NDArray[np.int64], places: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the (places, V + 1) sums over the vocabulary and "other", and the weight (places,) in each."""
        return self._closed(self.sums(place, places, columns=self._entries.vocabulary), place)

    def add_to(self, table: NDArray[np.float64]) -> None:
        """Add what `with_other` gives unit by unit to a table (U, V + 1): the same digits, and no table of zeros."""
        units, columns = len(table), self._entries.vocabulary
        if (
            not self._by_prompt or units < 2
        ):  # one sum of many numbers is made in another order than many sums
            table += self.with_other(self.unit, units)[0]
            return
        own = self._entries.of(self._model, by_prompt=True)
        kept = np.flatnonzero((own.column < columns) & (self.weight > 0).take(own.row))
        values = own.shares(self._rows).take(kept)
        if self._weight is not None:
            values *= self._weight
        unit = self.unit.take(own.row.take(kept))
        table[unit, own.column.take(kept)] += values  # a prompt has one row, so no place comes twice
        other = np.bincount(self.unit, self._mass, units) - np.bincount(unit, values, units)
        table[:, -1] += np.maximum(other, 0.0)

    def _closed(
        self, sums: NDArray[np.float64], place: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        # The frequencies of a reply add up to its weight, so "other" is what the vocabulary leaves of it.
        weights = np.asarray(np.bincount(place, self._mass, sums.shape[1]), np.float64)
        other = np.maximum(weights - sums.sum(axis=0), 0.0)
        return np.concatenate([sums, other[None, :]]).T, weights

    def prepare(self) -> None:
        """Compute what every comparison asks for, before several threads may."""
        for name in ("frequencies", "holding", "replicates", "negative_entropy"):
            getattr(self, name)
        # Nothing asks again for what the replicates were made of.
        found = self._by_exchange_group
        self.__dict__["_by_exchange_group"] = found._replace(style=found.style[:0].copy())

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
        own = self._entries.of(self._model, by_prompt=self._by_prompt)
        if self.weight.all():
            return own.holding
        dropped = (self.weight == 0).take(own.row)
        holders = None if own.holders is None else own.holders[dropped]
        lost = np.bincount(own.column[dropped], weights=holders, minlength=len(own.holding))
        return own.holding - lost.astype(np.int64)
