"""What the findings on choices look at, each thing once, and nothing by the order of the file."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stylekl.lenses.choices.drift import moved_between
from stylekl.lenses.choices.sides import FEW, compare, names_of, rates, stands
from stylekl.measure import choices as measure
from stylekl.measure.families import Family
from stylekl.results.nodes import node_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from stylekl.lenses.choices.reports import Moved, Rates, Stand
    from stylekl.lenses.choices.table import Table
    from stylekl.lenses.frame import LensPair

LEAST_FAMILIES = 6  # two families of envelopes that agree prove nothing: 2 · 2^-6 is the first p below .05
HOME = "en"


class Turned(NamedTuple):
    """Preferences in a language's envelopes and in English ones, and how many of each are turned round.

    `pairs` are the places of the pairs whose every preference in the language is turned round; p is one-sided.
    """

    there: int
    there_turned: int
    here: int
    here_turned: int
    pairs: list[int]
    p: float


class Ground:
    """A table of choices and what is asked of it. `shown` are the places of the nodes that sentences may speak of."""

    def __init__(self, found: Table, shown: list[int]) -> None:
        self.found = found
        self.shown = shown
        self.ids = [node.id for node in found.nodes]
        self.names = names_of(found)

    def facts(self, nodes: Iterable[int], **more: Any) -> dict[str, Any]:
        """Return facts with the names of the nodes that they speak of."""
        return {"names": [{"model": self.ids[i], "name": self.names[i]} for i in sorted(nodes)], **more}

    @cached_property
    def families(self) -> list[str]:
        """The families of envelopes; an envelope of none is one of its own."""
        return list(dict.fromkeys(self._family(i) for i in range(len(self.found.envelopes))))

    def _family(self, envelope: int) -> str:
        each = self.found.envelopes[envelope]
        return each.family or f"envelope {each.id}"

    @cached_property
    def _by_family(self) -> NDArray[np.int64]:
        """The scores summed within each family, (N, P, F)."""
        place = {name: i for i, name in enumerate(self.families)}
        member = np.zeros((len(self.found.envelopes), len(self.families)), np.int64)
        for envelope in range(len(self.found.envelopes)):
            member[envelope, place[self._family(envelope)]] = 1
        return np.asarray(self.found.scores.astype(np.int64) @ member)

    def across_p(self, node: int) -> NDArray[np.float64]:
        """Return for each pair the exact p of a preference that has the same sign in families of envelopes, (P,).

        If the choice depended on the phrasing alone, each family might as well have preferred the other word. nan where
        nothing was answered, everywhere with fewer than LEAST_FAMILIES families.
        """
        if len(self.families) < LEAST_FAMILIES:
            return np.full(len(self.found.pairs), np.nan)
        known: dict[tuple[int, ...], float] = {}
        p = np.full(len(self.found.pairs), np.nan)
        for pair in np.flatnonzero(self.found.answered[node] > 0).tolist():
            sums = tuple(self._by_family[node, pair].tolist())
            if sums not in known:
                known[sums] = measure.sign_p(np.array(sums))
            p[pair] = known[sums]
        return p

    @cached_property
    def stands(self) -> dict[int, dict[str, Stand]]:
        """How each node that is shown stands on each pair."""
        return {i: {each.pair: each for each in stands(self.found, i)} for i in self.shown}

    @cached_property
    def rates(self) -> dict[int, Rates]:
        """The rates of each node that is shown, in all envelopes."""
        return {i: rates(self.found, i, range(len(self.found.envelopes))) for i in self.shown}

    def position_p(self, node: int) -> float:
        """Return the exact p of taking the first word more or less often than the second, the pair as unit."""
        cells, P = self.found.cells, len(self.found.pairs)
        own = cells.node == node
        first = np.where(
            cells.order == 0, cells.counts[:, 0] - cells.counts[:, 1], cells.counts[:, 1] - cells.counts[:, 0]
        )
        sums = np.bincount(cells.pair[own], first[own], minlength=P).astype(np.int64)
        enough = int((self.found.answered[node] > 0).sum()) >= FEW
        return measure.sign_p(sums) if enough else float("nan")

    @cached_property
    def languages(self) -> dict[str, list[tuple[int, int]]]:
        """For each language but English its envelopes, each with the English one that asks the same."""
        place = {each.id: i for i, each in enumerate(self.found.envelopes)}
        found: dict[str, list[tuple[int, int]]] = {}
        for i, each in enumerate(self.found.envelopes):
            if each.language and each.language != HOME and each.matches in place:
                found.setdefault(each.language, []).append((i, place[each.matches]))
        return dict(sorted(found.items()))

    def _matched(self, node: int, language: str) -> Iterator[tuple[NDArray[np.int64], ...]]:
        """Yield for each two matched envelopes their places by pair, and where both were asked."""
        every = np.arange(len(self.found.pairs))
        for one, other in self.languages[language]:
            there, here = self.found.same[:, one], self.found.same[:, other]
            both = self.found.asked[node, every, there] & self.found.asked[node, every, here]
            yield every, there, here, both

    def language_commit(self, node: int, language: str) -> tuple[NDArray[np.int64], int, int, int]:
        """Return the difference of orders with a choice by pair, both sums, and how many orders each is of."""
        difference = np.zeros(len(self.found.pairs), np.int64)
        sums, orders = [0, 0], 0
        for every, there, here, both in self._matched(node, language):
            values = [
                np.where(both, self.found.committed[node, every, place], 0).astype(np.int64)
                for place in (there, here)
            ]
            difference += values[0] - values[1]
            sums = [total + int(each.sum()) for total, each in zip(sums, values, strict=True)]
            orders += 2 * int(both.sum())
        return difference, sums[0], sums[1], orders

    def language_p(self, node: int) -> NDArray[np.float64]:
        """Return for each language the p of choosing more or less often than in English, the pair as unit."""
        p = np.full(len(self.languages), np.nan)
        for i, language in enumerate(self.languages):
            difference, _, _, orders = self.language_commit(node, language)
            if orders >= 2 * FEW:
                p[i] = measure.sign_p(difference)
        return p

    @cached_property
    def _english(self) -> list[int]:
        return [i for i, each in enumerate(self.found.envelopes) if each.language == HOME]

    def turned(self, node: int, language: str) -> Turned:
        """Return how often a language's envelopes turn a choice round, and English ones do.

        Turned round is a preference for another word than the majority of all of them, English ones included; a pair
        without such a majority is left out. If the language did not matter, any of a pair's envelopes might as well be
        the one that is turned round.
        """
        own = [place for place, _ in self.languages[language]]
        every = np.arange(len(self.found.pairs))[:, None]

        def scores(envelopes: list[int]) -> NDArray[np.int64]:
            # a text that several envelopes share counts once
            places = self.found.same[:, envelopes]
            first = np.array([[row.index(x) == i for i, x in enumerate(row)] for row in places.tolist()])
            return np.where(first, self.found.scores[node, every, places], 0).astype(np.int64)

        there, here = scores(own), scores(self._english)
        side = np.sign(there.sum(axis=1) + here.sum(axis=1))
        counts = [
            np.array([(each != 0).sum(axis=1), (each == -side[:, None]).sum(axis=1)]) * (side != 0)
            for each in (there, here)
        ]
        drawn, found = counts[0]
        size, marked = counts[0] + counts[1]
        p = measure.subset_p(size, marked, drawn, int(found.sum()))
        whole = (drawn > 0) & (found == drawn)
        enough = int((drawn > 0).sum()) >= FEW
        return Turned(
            int(drawn.sum()),
            int(found.sum()),
            int(counts[1][0].sum()),
            int(counts[1][1].sum()),
            np.flatnonzero(whole).tolist(),
            p if enough else float("nan"),
        )

    def turned_p(self, node: int) -> NDArray[np.float64]:
        """Return for each language the p of turning choices round more often than English envelopes do."""
        return np.array([self.turned(node, language).p for language in self.languages])

    @cached_property
    def pairs(self) -> list[LensPair]:
        """Every two nodes that are shown."""
        return compare(self.found, self.shown)

    @cached_property
    def chains(self) -> list[tuple[str, str, list[int]]]:
        """The siblings among the nodes that are shown: "date" or "effort", their common name, their places in order."""
        found: list[tuple[str, str, list[int]]] = []
        nodes = {i: node_of(self.found.nodes[i]) for i in self.shown}
        for axis in ("date", "effort"):
            groups: dict[str, list[int]] = {}
            for i, node in nodes.items():
                if (node.date if axis == "date" else node.effort) is not None:
                    groups.setdefault(node.chain(axis), []).append(i)
            for name, members in sorted(groups.items()):
                members.sort(key=lambda i: (*nodes[i].place(axis), self.ids[i]))
                if len(members) > 1:
                    found.append((axis, name, members))
        return found

    @cached_property
    def labels(self) -> dict[tuple[str, int], str]:
        """What tells a node from its siblings, by axis and place."""
        return {
            (axis, i): node_of(self.found.nodes[i]).label(axis)  # type: ignore[arg-type]
            for axis, _, members in self.chains
            for i in members
        }

    def steps(self, members: list[int]) -> list[tuple[int, int]]:
        """Return who is compared: each with the one before, and the last with the first."""
        ends = [(members[0], members[-1])] if len(members) > 2 else []
        return [*pairwise(members), *ends]

    def step_p(self, members: list[int]) -> NDArray[np.float64]:
        """Return p for each step of a chain."""
        return np.array(
            [
                np.nan if pair.p is None else pair.p
                for pair in (compare(self.found, list(step))[0] for step in self.steps(members))
            ]
        )

    def moved(self, old: int, new: int) -> tuple[Moved, ...]:
        """Return the pairs on which a later node differs from an earlier one."""
        return moved_between(self.found, old, new)

    def hypotheses(self) -> list[Family]:
        """Return everything that is tested, in families."""
        families = []
        for i in self.shown:
            families.append(Family(f"across {self.ids[i]}", self.across_p(i)))
            families.append(Family(f"position {self.ids[i]}", np.array([self.position_p(i)])))
            if self.languages:
                families.append(Family(f"language {self.ids[i]}", self.language_p(i)))
                families.append(Family(f"turned {self.ids[i]}", self.turned_p(i)))
        families += [Family(f"{axis} {name}", self.step_p(members)) for axis, name, members in self.chains]
        if self.pairs:
            p = np.array([np.nan if pair.p is None else pair.p for pair in self.pairs])
            families.append(Family("apart", p))
        return families
