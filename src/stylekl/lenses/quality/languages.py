"""Which languages the prompts and the replies are in: of a part of each, spread over the file."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from stylekl.facets.languages import language_of
from stylekl.lenses.quality.reports import Languages
from stylekl.lenses.quality.thresholds import PROMPTS_LOOKED_AT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.lenses.quality.tally import Ground

UNKNOWN = "unknown"


class Told(NamedTuple):
    """The language of a prompt and of the reply at `place`."""

    asked: str
    said: str
    place: int


class Spoken:
    """The languages of the replies that were kept for it, each beside that of its prompt; null is one not told."""

    def __init__(self, ground: Ground) -> None:
        prompts = ground.results.prompts
        step = max(1, -(-len(prompts) // PROMPTS_LOOKED_AT))
        self._asked = {place: language_of(prompts[place].text) for place in range(0, len(prompts), step)}
        chosen = list(self._asked)
        self._pairs: list[list[tuple[str | None, str | None, int]]] = []
        for tally in ground.tallies:
            found = []
            for prompt, place, head in tally.heads.kept:
                if prompt not in self._asked:
                    self._asked[prompt] = language_of(prompts[prompt].text)
                found.append((self._asked[prompt], language_of(head), place))
            self._pairs.append(found)
        self._prompts = [self._asked[place] for place in chosen]

    def pairs(self, model: int) -> list[Told]:
        """Return the languages of prompt and reply where both could be told."""
        return [
            Told(asked, said, place)
            for asked, said, place in self._pairs[model]
            if asked is not None and said is not None
        ]

    def report(self) -> Languages:
        """Return the shares."""
        replies = [said for pairs in self._pairs for _, said, _ in pairs]
        return Languages(
            prompts=_shares(self._prompts),
            replies=_shares(replies),
            prompts_looked_at=len(self._prompts),
            replies_looked_at=len(replies),
        )


def _shares(languages: Iterable[str | None]) -> dict[str, float]:
    counted = Counter(language or UNKNOWN for language in languages)
    whole = sum(counted.values())
    ordered = sorted(counted.items(), key=lambda item: (item[0] == UNKNOWN, -item[1], item[0]))
    return {language: number / whole for language, number in ordered}
