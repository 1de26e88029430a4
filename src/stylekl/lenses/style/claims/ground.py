"""The file that claims are made about: what is looked at, each thing once, and nothing by the order of the file."""

from __future__ import annotations

from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.lenses.style.claims.contests import Contest, contest, p_of
from stylekl.lenses.style.claims.distances import Difference, Distances, Pair
from stylekl.lenses.style.claims.facets import facet_p
from stylekl.lenses.style.claims.habits import habits
from stylekl.lenses.style.claims.lengths import contests
from stylekl.lenses.style.claims.pairs import key_of
from stylekl.lenses.style.claims.tells import ModelTells, tells_of_each
from stylekl.measure.ordering import by_linkage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stylekl.lenses.style.evidence import Evidence
    from stylekl.lenses.style.study import Study
    from stylekl.measure.units import Units

NEAR = 12  # near pairs whose facets and make-up are looked at


class Ground:
    """One file, as its comparisons, with everything that the claims look at."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.evidence: Evidence = study.evidence
        self.models: list[int] = [int(model) for model in np.unique(self.evidence.counts.model)]
        self.ids = [model.id for model in self.evidence.models]
        self.shown = [model for model in self.evidence.shown() if model in self.models]

    @cached_property
    def names(self) -> dict[str, str]:
        """The name of each model, with the id where two share a name."""
        given = {model.id: model.name or model.id for model in self.evidence.models}
        held = list(given.values())
        return {key: name if held.count(name) == 1 else f"{name} ({key})" for key, name in given.items()}

    @cached_property
    def only_pair(self) -> str | None:
        """The key of the pair where there are two models only and they have been compared, else None."""
        return (
            key_of((self.models[0], self.models[1]))
            if [*self.study.comparisons] == [(*self.models,)]
            else None
        )

    def facts(self, of: Iterable[int], /, **more: Any) -> dict[str, Any]:
        """Return facts with the names of the models they speak of."""
        names = [{"model": self.ids[model], "name": self.names[self.ids[model]]} for model in sorted(of)]
        return {"names": names, **more}

    def sorted_ids(self, models: Iterable[int]) -> tuple[str, ...]:
        """Return the ids of some models, sorted."""
        return tuple(sorted(self.ids[model] for model in models))

    def base(self, pairs: Iterable[Pair]) -> dict[str, Any]:
        """Return what claims about these pairs rest on."""
        return self.rests_on([self.study.comparisons[pair].units for pair in pairs])

    def rests_on(self, units: Sequence[Units]) -> dict[str, Any]:
        """Return prompts, unit, and what a symbol is called; `least_prompts` too where not all have as many."""
        prompts = [each.prompts for each in units]
        found: dict[str, Any] = {
            "prompts": max(prompts),
            "unit": "prompt",
            "counted": self.evidence.facet.UNIT,
        }
        if min(prompts) < max(prompts):
            found["least_prompts"] = min(prompts)
        if any(each.kind == "reply" for each in units):
            found["unit"] = "reply"
        return found

    @cached_property
    def distances(self) -> Distances:
        """How far every pair is apart."""
        return Distances(self.study)

    @cached_property
    def near(self) -> list[Pair]:
        """The pairs in which one is the other's nearest, the nearest 12 of them."""
        first: dict[int, Pair] = {}
        for pair in self.distances.nearest:
            for model in pair:
                first.setdefault(model, pair)
        chosen = set(first.values())
        return [pair for pair in self.distances.nearest if pair in chosen][:NEAR]

    def _pair_name(self, pair: Pair) -> tuple[str, str]:
        return self.ids[pair[0]], self.ids[pair[1]]

    @cached_property
    def closest(self) -> Contest[Pair] | None:
        """The closest pair against every other; None below three models."""
        nearest = self.distances.nearest
        if len(nearest) < 2:
            return None
        differ = self.distances.difference
        return contest(nearest[0], nearest[1:], lambda one, other: differ([other], [one]), self._pair_name)

    @cached_property
    def farthest(self) -> Contest[Pair] | None:
        """The farthest pair against every other; None below three models."""
        nearest = self.distances.nearest
        if len(nearest) < 2:
            return None
        differ = self.distances.difference
        return contest(nearest[-1], nearest[:-1], lambda one, other: differ([one], [other]), self._pair_name)

    @cached_property
    def outlier(self) -> Contest[int] | None:
        """The model that is farthest from the rest on average; None below three models or where a distance lacks."""
        if len(self.models) < 3 or not self.distances.complete(self.models):
            return None
        mean = {
            model: fmean(self.distances.value(model, other) for other in self.models if other != model)
            for model in self.models
        }
        first, *others = sorted(self.models, key=lambda model: (-mean[model], self.ids[model]))

        def ahead(one: int, other: int) -> Difference:
            return self.distances.difference(self._to_all(one), self._to_all(other))

        return contest(first, others, ahead, self.ids.__getitem__)

    def _to_all(self, model: int) -> list[Pair]:
        return [(min(model, other), max(model, other)) for other in self.models if other != model]

    @cached_property
    def nearest_of(self) -> dict[int, Contest[int]]:
        """The nearest neighbour of each model against its other neighbours; of models with two neighbours or more."""
        found = {}
        for model in self.models:
            known = [
                other for pair in self.distances.nearest if model in pair for other in pair if other != model
            ]
            if len(known) < 2:
                continue

            def ahead(one: int, other: int, model: int = model) -> Difference:
                there, here = ((min(model, each), max(model, each)) for each in (other, one))
                return self.distances.difference([there], [here])

            result = contest(known[0], known[1:], ahead, self.ids.__getitem__)
            if result is not None:
                found[model] = result
        return found

    @cached_property
    def groups(self) -> list[tuple[tuple[int, ...], tuple[int, int], Difference]]:
        """The groups that linkage proposes (not one of all): members, and the (member, stranger) least surely parted.

        Of every member and stranger it is asked by how much the member is nearer to its fellows than to the stranger.
        Of three models the closest pair says it all.
        """
        if len(self.models) < 4 or not self.distances.complete(self.models):
            return []
        names = [self.ids[model] for model in self.models]
        _, clusters = by_linkage(self.distances.matrix(self.models), names)
        found = []
        for cluster in sorted((sorted(each) for each in clusters), key=lambda each: names[each[0]]):
            members = tuple(self.models[place] for place in cluster)
            if len(members) < len(self.models):
                found.append((members, *self._least_sure(members)))
        return found

    def _least_sure(self, members: tuple[int, ...]) -> tuple[tuple[int, int], Difference]:
        compared = []
        for member in members:
            fellows = [(min(member, other), max(member, other)) for other in members if other != member]
            for stranger in self.models:
                if stranger not in members:
                    away = (min(member, stranger), max(member, stranger))
                    compared.append(((member, stranger), self.distances.difference([away], fellows)))
        return max(compared, key=lambda each: (p_of(each[1]), -each[1].t, self._pair_name(each[0])))

    @cached_property
    def lengths(self) -> dict[str, Contest[int]]:
        """Who writes longest, and who shortest."""
        return contests(self)

    @cached_property
    def facet_p(self) -> dict[Pair, list[float]]:
        """The p of each facet for each near pair."""
        return facet_p(self, self.near)

    @cached_property
    def tells(self) -> dict[int, ModelTells]:
        """What gives each model away."""
        return tells_of_each(self)

    @cached_property
    def habits(self) -> dict[Pair, dict[str, Any]]:
        """What the divergences of the near pairs and of the farthest are made of."""
        return habits(self)
