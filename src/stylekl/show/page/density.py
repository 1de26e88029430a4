"""How much a page shows of each model: the more models there are, the less."""

from __future__ import annotations

from dataclasses import dataclass

from stylekl.lenses.everything import FLOORS

MANY = 40  # models above which the page says less of each


@dataclass(frozen=True, slots=True)
class Density:
    """How much of a page's text and rows there is room for: tells a side, places of a tell, neighbours, and facets."""

    tells: int
    places: int
    neighbours: int
    facets: bool = False


def density(models: int, *, paired: bool) -> Density:
    """Return how much there is room for in a file of so many models."""
    if paired:
        return Density(12, 4, models, facets=True)
    return Density(5 if models <= MANY else 3, 1, FLOORS)
