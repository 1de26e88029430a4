"""Choices made in memory: responders with known preferences, order bias and refusals."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from stylekl.results import Model, Results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# pair, envelope, whether b stands first, sample -> what is said
Responder = "Callable[[int, int, bool, int], str]"
FAMILIES = ("native", "bare", "bare", "code")


def words(pair: int) -> tuple[str, str]:
    return f"left{pair}", f"right{pair}"


def make(
    responders: Mapping[str, Callable[[int, int, bool, int], str]],
    *,
    pairs: int = 12,
    envelopes: int = 8,
    samples: int = 1,
    themes: int = 3,
    picks: bool = False,
) -> Results:
    """Return results in which each responder answers every question; with `picks` as the probe records them."""
    rows = []
    for name, say in responders.items():
        for pair in range(pairs):
            for envelope in range(envelopes):
                for order in ("ab", "ba"):
                    for sample in range(1, samples + 1):
                        text = say(pair, envelope, order == "ba", sample)
                        row = {"model": name, "pair": f"p{pair}", "envelope": f"e{envelope}", "order": order}
                        rows.append(row | {"text": text, **({"sample": sample} if samples > 1 else {})})
    return Results(
        models=[Model(id=name) for name in responders],
        other={
            "pairs": [
                {"id": f"p{i}", "words": {"en": list(words(i))}, "theme": f"t{i % themes}"}
                for i in range(pairs)
            ],
            "envelopes": [
                {"id": f"e{i}", "template": f"{i} {{a}} or {{b}}", "family": FAMILIES[i % len(FAMILIES)]}
                for i in range(envelopes)
            ],
            "choices": rows,
        },
    )


def prefers(taste: Callable[[int], int]) -> Callable[[int, int, bool, int], str]:
    """Return a responder that always says word `taste(pair)` of the pair."""
    return lambda pair, _envelope, _swapped, _sample: words(pair)[taste(pair)]


def by_position(_pair: int, _envelope: int, swapped: bool, _sample: int) -> str:
    """Say whatever stands first."""
    return words(_pair)[1 if swapped else 0]


class Drawn:
    """A responder that refuses, goes by position or has a taste, with known chances in each envelope.

    The chances are those of a single reply; `first` is that the word in front is taken where position decides.
    """

    def __init__(
        self,
        *,
        refuse: Callable[[int], float],
        position: Callable[[int], float],
        taste: Callable[[int], float],
        first: float = 0.8,
        seed: int = 0,
    ) -> None:
        self.refuse, self.position, self.taste, self.first = refuse, position, taste, first
        self.seed = seed

    def __call__(self, pair: int, envelope: int, swapped: bool, sample: int) -> str:
        """Return a reply, the same one every time."""
        chance = random.Random(f"{self.seed} {pair} {envelope} {swapped} {sample}")
        if chance.random() < self.refuse(envelope):
            return "Neither."
        if chance.random() < self.position(envelope):
            front = chance.random() < self.first
            return words(pair)[int(front == swapped)]
        return words(pair)[0 if chance.random() < self.taste(pair) else 1]
