"""What is resampled: the one place that says what a unit is, and which units go together in a group.

Two models are compared on the prompts that both answered. The unit is the prompt; below 10 prompts, where a
prompt was answered several times, it is the reply, and prompts are strata. Units, sorted by a hash of their
prompt's text, are dealt round-robin into 20 groups for the jackknife (one group a unit below 40 units), and into
at most 20 for the exchange test, which enumerates all their signs.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

GROUPS = 20
FEW_PROMPTS = 10
FEW_UNITS = 6


def prompt_ranks(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return the rank of each prompt when they are sorted by SHA-256 of their text: an order nobody chose."""
    ranks = np.empty(len(texts), np.int64)
    digests = [prompt_digest(text) for text in texts]
    ranks[sorted(range(len(texts)), key=digests.__getitem__)] = np.arange(len(texts))
    return ranks


def prompt_digest(text: str) -> bytes:
    """Return what prompts are sorted by, the SHA-256 of the text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


@dataclass(frozen=True, eq=False)
class Units:
    """The units of one comparison.

    `slots` (P,) is how many units each prompt of the file has here, 0 where it takes no part; `first` (P,) is
    the index of its first unit. `group`, `exchange` and `stratum` (U,) place each unit in a jackknife group, an
    exchange group and a stratum.
    """

    kind: Literal["prompt", "reply"]
    slots: NDArray[np.int64]
    first: NDArray[np.int64]
    group: NDArray[np.int64]
    exchange: NDArray[np.int64]
    stratum: NDArray[np.int64]

    @cached_property
    def prompts(self) -> int:
        """How many prompts take part."""
        return int(np.count_nonzero(self.slots))

    @property
    def count(self) -> int:
        """How many units there are."""
        return len(self.group)

    @cached_property
    def groups(self) -> int:
        """How many groups the jackknife leaves out in turn."""
        return int(self.group.max()) + 1 if len(self.group) else 0

    @cached_property
    def exchange_groups(self) -> int:
        """How many groups the exchange test gives signs to."""
        return int(self.exchange.max()) + 1 if len(self.exchange) else 0

    @cached_property
    def strata(self) -> int:
        """How many strata there are: one, or one a prompt."""
        return int(self.stratum.max()) + 1 if len(self.stratum) else 0

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the jackknife: groups less one, and at most units less strata."""
        return min(self.groups - 1, self.count - self.strata)

    @cached_property
    def fractions(self) -> NDArray[np.float64]:
        """For each group, the mean share that it removes of the strata it touches; shape (G,)."""
        table = np.zeros((self.strata, self.groups))
        np.add.at(table, (self.stratum, self.group), 1.0)
        table /= table.sum(axis=1, keepdims=True)
        return np.asarray(table.sum(axis=0) / np.count_nonzero(table, axis=0))


def slots_of(samples_a: NDArray[np.int64], samples_b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many units each prompt gives to a comparison of two models; shape (P,).

    `samples_a`, `samples_b` (P,) count the replies of each. A prompt that one of them lacks gives none. From 10
    common prompts on each gives one unit; below, as many as the model with fewer replies to it has.
    """
    slots = np.minimum(samples_a, samples_b)
    return np.minimum(slots, 1) if np.count_nonzero(slots) >= FEW_PROMPTS else slots


def common_prompts(samples: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many prompts each two models answered, (K, K), of `samples` (K, P) as `Counts.samples` has them."""
    answered = (samples > 0).astype(np.float64)  # whole numbers all the same, and multiplied faster
    return np.asarray(answered @ answered.T, np.int64)


def deal(slots: NDArray[np.int64], ranks: NDArray[np.int64], *, by_prompt: bool = False) -> Units:
    """Deal the units of a comparison into groups.

    `slots` (P,) as from `slots_of`, `ranks` (P,) from `prompt_ranks`. `by_prompt` takes the prompt as the unit
    whatever their number.
    """
    if by_prompt:
        slots = np.minimum(slots, 1)
    few = bool((slots > 1).any())
    order = np.argsort(ranks, kind="stable")
    first = np.zeros_like(slots)
    first[order] = np.cumsum(slots[order]) - slots[order]
    units = int(slots.sum())
    position = np.arange(units)
    groups = GROUPS if units >= 2 * GROUPS else max(units, 1)
    used = order[slots[order] > 0]
    stratum = np.repeat(np.arange(len(used)), slots[used]) if few else np.zeros(units, np.int64)
    return Units(
        kind="reply" if few else "prompt",
        slots=slots,
        first=first,
        group=position % groups,
        exchange=position % min(GROUPS, groups),
        stratum=stratum,
    )
