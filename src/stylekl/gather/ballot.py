"""Who fights next in the arena: models meet evenly, prompts and sides are drawn from a seed."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from stylekl.errors import InputError
from stylekl.gather.planner import Two, two
from stylekl.results.select import select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from stylekl.results.records import Model, Prompt, Reply, Results


@dataclass(frozen=True, slots=True)
class Battle:
    """A prompt and two replies to it, as they stand on the screen."""

    prompt: Prompt
    left: Reply
    right: Reply

    @property
    def two(self) -> Two:
        """Both models, the smaller id first."""
        return two(self.left.model, self.right.model)


class Ballot:
    """Draws battles. The same replies, counts and seed give the same battles, whatever the order of the models.

    The two models that have met least often come next; of the prompts that both answered, one on which they have met
    least often, and of those one that has been shown least often. What is equal is drawn, and so are the sides and,
    where a model has several samples, the sample. A battle counts as met once it is drawn, so that one that is skipped
    does not come again at once.
    """

    def __init__(
        self, replies: Mapping[tuple[str, str], Sequence[Reply]], prompts: Iterable[Prompt], seed: int
    ) -> None:
        """Take the replies of each (model, prompt). Raises InputError where no two models answered the same prompt."""
        self.seed = seed
        self.met: Counter[Two] = Counter()
        self.used: Counter[tuple[Two, str]] = Counter()
        self.shown: Counter[str] = Counter()
        self._replies = replies
        self._chance = random.Random(f"ballot {seed}")
        self._common: dict[Two, list[Prompt]] = {}
        models = sorted({model for model, _ in replies})
        known = sorted(prompts, key=lambda prompt: prompt.id)
        for pair in combinations(models, 2):
            common = [p for p in known if (pair[0], p.id) in replies and (pair[1], p.id) in replies]
            if common:
                self._common[pair] = common
        if not self._common:
            raise InputError(
                "no two models have replies to the same open prompt that may fight",
                "`stylekl check FILE` says what was left out, and why",
            )

    def recall(self, votes: Iterable[Mapping[str, Any]]) -> None:
        """Count the battles of earlier votes of the arena."""
        for vote in votes:
            a, b, prompt = vote.get("a"), vote.get("b"), vote.get("prompt")
            if vote.get("source") == "arena" and isinstance(a, str) and isinstance(b, str) and a != b:
                self._count(two(a, b), prompt if isinstance(prompt, str) else "")

    def draw(self) -> Battle:
        """Return the next battle, and count it as met."""
        pair = self._least(list(self._common), lambda pair: self.met[pair])
        prompt = self._least(
            self._common[pair], lambda prompt: (self.used[pair, prompt.id], self.shown[prompt.id])
        )
        sides = [self._chance.choice(self._replies[model, prompt.id]) for model in pair]
        if self._chance.random() < 0.5:
            sides.reverse()
        self._count(pair, prompt.id)
        return Battle(prompt, *sides)

    def _count(self, pair: Two, prompt: str) -> None:
        self.met[pair] += 1
        self.used[pair, prompt] += 1
        self.shown[prompt] += 1

    def _least(self, options: Sequence[Any], key: Any) -> Any:
        least = min(map(key, options))
        return self._chance.choice([option for option in options if key(option) == least])


def ballot_of(results: Results, seed: int, models: Sequence[Model] = ()) -> tuple[Ballot, dict[str, int]]:
    """Return the ballot of a results file, and how many replies take no part, by reason.

    Replies to open prompts under the control fight, if nothing flags them. `models` narrows the field. Earlier votes of
    the arena are counted.
    """
    selection = select(results)
    wanted = {model.id for model in models or results.models}
    replies: dict[tuple[str, str], list[Reply]] = {}
    for reply in selection.replies:
        if reply.model in wanted:
            replies.setdefault((reply.model, reply.prompt), []).append(reply)
    left_out: Counter[str] = Counter()
    for model, reasons in selection.left_out.items():
        if model in wanted:
            left_out.update(reasons)
    ballot = Ballot(replies, selection.prompts, seed)
    ballot.recall(results.other.get("votes", []))
    return ballot, dict(sorted(left_out.items()))
