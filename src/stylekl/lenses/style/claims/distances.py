"""How far pairs are from each other, and whether one mean of distances is surely greater than another."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stylekl.lenses.style.study import estimates
from stylekl.measure.jackknife import jackknife
from stylekl.measure.units import FEW_UNITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from stylekl.lenses.reports import Estimate
    from stylekl.lenses.style.study import Study
    from stylekl.measure.units import Units

Pair = tuple[int, int]


class Difference(NamedTuple):
    """A difference of two means: its value, standard error, degrees of freedom, and the units that it rests on."""

    value: float
    se: float
    degrees: int
    units: Units | None = None

    @property
    def t(self) -> float:
        """The value over its error; 0 where there is no error."""
        return self.value / self.se if self.se > 0 else 0.0


class Distances:
    """The Jensen-Shannon divergences of all pairs with 6 units or more, with what is needed to compare them."""

    def __init__(self, study: Study) -> None:
        comparisons = study.comparisons if len(study.evidence.vocabulary) else {}
        self._of = {pair: found for pair, found in comparisons.items() if found.units.count >= FEW_UNITS}
        self.estimates: dict[Pair, Estimate] = {}
        for pair, found in self._of.items():
            (estimate,) = estimates(found.js[None], found.units)
            if estimate is not None:
                self.estimates[pair] = estimate
        ids = [model.id for model in study.evidence.models]
        self.nearest: list[Pair] = sorted(
            self.estimates, key=lambda pair: (self.estimates[pair].value, ids[pair[0]], ids[pair[1]])
        )

    def value(self, a: int, b: int) -> float:
        """Return the corrected distance of two models."""
        return self.estimates[min(a, b), max(a, b)].value

    def complete(self, models: Sequence[int]) -> bool:
        """Tell whether every pair of the models has a distance."""
        return all(pair in self.estimates for pair in combinations(sorted(models), 2))

    def difference(self, greater: Iterable[Pair], lesser: Iterable[Pair]) -> Difference:
        """Return how much greater the mean distance of some pairs is than that of others.

        Pairs compared on the same units are taken together, and the jackknife sees all that they share. Across
        different units the errors of each mean are added, and those of the two means count as independent: distances
        that share prompts or models rise and fall together, so this is the most that the error can be. Where it is
        less, the sum of the parts' own errors is taken.
        """
        weights: dict[Pair, float] = {}
        for pairs, sign in ((list(greater), 1.0), (list(lesser), -1.0)):
            for pair in pairs:
                weights[pair] = weights.get(pair, 0.0) + sign / len(pairs)
        by_units: dict[int, list[Pair]] = {}
        for pair in weights:
            by_units.setdefault(id(self._of[pair].units), []).append(pair)
        value, whole, parts = 0.0, 0.0, np.zeros(2)
        for pairs in by_units.values():
            scale = np.array([weights[pair] for pair in pairs])
            replicates = np.array([self._of[pair].js for pair in pairs])
            signed = [scale @ replicates]
            if len(by_units) > 1:
                signed += [np.maximum(scale, 0.0) @ replicates, np.minimum(scale, 0.0) @ replicates]
            found = jackknife(np.array(signed), self._of[pairs[0]].units.fractions)
            value += float(found.value[0])
            whole += float(found.se[0])
            parts += found.se[1:] if len(by_units) > 1 else found.se[0]
        units = [self._of[pair].units for pair in weights]
        fewest = min(units, key=lambda each: each.prompts)
        error = whole if len(by_units) == 1 else min(whole, float(np.hypot(*parts)))
        return Difference(value, error, min(each.degrees for each in units), fewest)

    def matrix(self, models: Sequence[int]) -> NDArray[np.float64]:
        """Return the distances of some models as a square, nan where two have none."""
        square = np.full((len(models), len(models)), np.nan)
        for i, j in combinations(range(len(models)), 2):
            pair = min(models[i], models[j]), max(models[i], models[j])
            if pair in self.estimates:
                square[i, j] = square[j, i] = self.estimates[pair].value
        return square
