"""The tells of two sides: which symbols give each away, phrases and words together.

A candidate is a symbol of the style vocabulary that either side uses, or a phrase; q is over all candidates of both
sides. A tell needs q < .05 and must stand in its side's replies to at least 3 prompts, where a content word or a
phrase that the prompt itself holds does not count. A phrase and its words compete: each is worth what it adds to the
divergence over a mean reply, and what says less than a tell that overlaps it is dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from stylekl.errors import UnknownChoiceError
from stylekl.lenses.reports import Tell
from stylekl.lenses.style.contrast import share_of
from stylekl.lenses.style.examples import find_contexts, find_example
from stylekl.measure.exchange import benjamini_hochberg

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.lenses.style.contrast import Sides
    from stylekl.measure.tells import Usage

Q_TELL = 0.05
LEAST_PROMPTS = 3
CONTEXTS = 3
NEARLY = 0.75  # share of the weight of a shorter tell at which a longer one replaces it
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_COMPETE = ("tokens", "words", "phrases")


def tells(facets: list[Sides]) -> tuple[tuple[Tell, ...], int]:
    """Return the tells of both sides, each side's strongest first, and how many candidates there were.

    `facets` holds the same two sides in one or two facets. Raises UnknownChoiceError for a class that the first of them
    does not have.
    """
    options = facets[0].study.evidence.options
    for name in options.classes:
        if name not in facets[0].study.evidence.facet.CLASSES:
            known = facets[0].study.evidence.facet
            raise UnknownChoiceError("class", name, list(known.CLASSES), f"of {known.NAME}")
    q = benjamini_hochberg(np.concatenate([sides.usage.p for sides in facets]))
    parts = np.split(q, np.cumsum([len(sides.usage.p) for sides in facets])[:-1])
    found: list[Tell] = []
    for side in (0, 1):
        candidates = [
            each for sides, q_of in zip(facets, parts, strict=True) for each in _candidates(sides, q_of, side)
        ]
        candidates.sort(key=lambda each: (-each.weight, each.symbol))
        found += [each.tell() for each in _chosen(candidates, options.tells, options.classes)]
    return tuple(found), int(np.isfinite(q).sum())


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A symbol that one side uses more: what it is worth over a mean reply, in bits, and its q."""

    sides: Sides
    side: int
    column: int
    weight: float
    q: float

    @cached_property
    def identifier(self) -> int:
        return int(self.sides.study.evidence.vocabulary[self.column])

    @cached_property
    def symbol(self) -> str:
        return self.sides.study.evidence.facet.symbol(self.identifier)

    @cached_property
    def kind(self) -> str:
        return self.sides.study.evidence.facet.kind(self.identifier)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that the symbol is made of; none for marks, and for facets in which nothing competes."""
        if self.sides.study.evidence.facet.NAME not in _COMPETE:
            return ()
        return tuple(_WORD.findall(self.symbol.lower().replace("’", "'")))

    @cached_property
    def held(self) -> tuple[_Held, _Held]:
        first, second = (held(self.sides, models, self.identifier) for models in self.sides.models)
        return first, second

    def spread(self) -> bool:
        """Tell whether enough prompts of its side hold it that do not hold it themselves."""
        evidence = self.sides.study.evidence
        numbers = np.unique(evidence.counts.prompt[self.held[self.side].rows]).tolist()
        if len(numbers) < LEAST_PROMPTS:
            return False
        if not self.words or self.kind != "content words":
            return True
        pattern = re.compile(r"(?<!\w)" + r"\W+".join(map(re.escape, self.words)), re.IGNORECASE)
        own = (number for number in numbers if not pattern.search(evidence.material.prompts[number].text))
        return len([*islice(own, LEAST_PROMPTS)]) == LEAST_PROMPTS

    def tell(self) -> Tell:
        """Return what the report says of it."""
        evidence, usage = self.sides.study.evidence, self.sides.usage
        bits = float(self.sides.bits[self.side][self.column])
        lift, low, high = _lift(usage, self.side, self.column)
        ours, theirs = self.held[self.side].rows, self.held[1 - self.side].rows
        quoted = evidence.options.text
        example = find_example(evidence, ours, self.identifier) if quoted else None
        other = find_example(evidence, theirs, self.identifier) if quoted else None
        contexts = (
            [
                *find_contexts(evidence, ours, self.identifier, CONTEXTS),
                *find_contexts(evidence, theirs, self.identifier, 1),
            ]
            if quoted
            else []
        )
        return Tell(
            symbol=self.symbol,
            facet=evidence.facet.NAME,
            kind=self.kind,
            more=self.sides.names[self.side],
            lift=lift,
            low=low,
            high=high,
            bits=bits,
            share=share_of(bits, self.sides.whole(self.side)),
            rate_a=float(usage.rate_a[self.column]),
            rate_b=float(usage.rate_b[self.column]),
            count_a=self.held[0].count,
            count_b=self.held[1].count,
            prompts_a=self.held[0].prompts,
            prompts_b=self.held[1].prompts,
            q=self.q,
            example=example[0] if example else None,
            span=example[1] if example else None,
            example_other=other[0] if other else None,
            span_other=other[1] if other else None,
            contexts=tuple(contexts),
        )


def _candidates(sides: Sides, q: NDArray[np.float64], side: int) -> list[_Candidate]:
    chosen = np.flatnonzero((q < Q_TELL) & ((1 - 2 * side) * sides.usage.z > 0))
    weight = sides.bits[side][chosen] * sides.lengths[side]
    return [
        _Candidate(sides, side, column, float(bits), float(q[column]))
        for column, bits in zip(chosen.tolist(), weight.tolist(), strict=True)
    ]


def _chosen(candidates: list[_Candidate], most: int, classes: tuple[str, ...]) -> list[_Candidate]:
    """Return the first `most` candidates that are spread, of overlapping ones the one that says most.

    The longer of two that overlap takes the place of the other where it carries at least three quarters as much: it
    says the same more plainly.
    """
    accepted: list[_Candidate] = []
    for each in candidates:
        rivals = [place for place, other in enumerate(accepted) if _overlap(each, other)]
        longer = all(
            len(each.words) > len(accepted[place].words) and each.weight >= NEARLY * accepted[place].weight
            for place in rivals
        )
        full = sum(not classes or other.kind in classes for other in accepted) >= most
        if not longer or (full and not rivals) or not each.spread():
            continue
        if rivals:
            accepted[rivals[0]] = each
            accepted = [other for place, other in enumerate(accepted) if place not in rivals[1:]]
        else:
            accepted.append(each)
    return [each for each in accepted if not classes or each.kind in classes][:most]


def _overlap(weaker: _Candidate, stronger: _Candidate) -> bool:
    """Tell whether two candidates say the same: one is part of the other, or they share most of their words."""
    one, two = weaker.words, stronger.words
    if not one or not two or len(one) == len(two) == 1:
        return False
    if len(one) > len(two):
        one, two = two, one
    if len(one) == 1:
        # A token may be a piece of a word.
        return any(one[0] == word or (len(one[0]) > 2 and one[0] in word) for word in two)
    longest = max(
        size
        for start in range(len(two))
        for size in range(len(two) - start + 1)
        if _within(two[start : start + size], one)
    )
    return longest >= 2 and 2 * longest >= len(one)


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1))


def _lift(usage: Usage, side: int, column: int) -> tuple[float | None, float | None, float | None]:
    """Return the lift of the side that says more, with its interval; None where the other never does."""
    a, b = float(usage.rate_a[column]), float(usage.rate_b[column])
    if a == 0 or b == 0:
        return None, None, None
    low, high = float(usage.low[column]), float(usage.high[column])
    return (a / b, low, high) if side == 0 else (b / a, 1.0 / high, 1.0 / low)


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    count: int
    prompts: int
    rows: NDArray[np.int64]


def held(sides: Sides, models: list[int], identifier: int) -> _Held:
    """Return how often, in how many prompts and in which rows of the common prompts the models use a symbol."""
    counts = sides.study.evidence.counts
    if len(models) == 1:
        span = counts.rows(models[0])
        low = int(counts.starts[span.start])
        entries = low + np.flatnonzero(counts.symbols[low : int(counts.starts[span.stop])] == identifier)
        rows, often = np.searchsorted(counts.starts, entries, side="right") - 1, counts.counts[entries]
    else:
        rows, often = sides.study.holders(identifier)
        member = np.zeros(counts.models, bool)
        member[models] = True
        of_them = member[counts.model[rows]]
        rows, often = rows[of_them], often[of_them]
    common = sides.units.slots[counts.prompt[rows]] > 0
    rows = rows[common]
    return _Held(int(often[common].sum()), len(np.unique(counts.prompt[rows])), rows)
