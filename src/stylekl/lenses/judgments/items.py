"""What was judged, once each: the judgments of one judge on two replies, in one order of A and B or in both."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from stylekl.lenses.judgments.rubric import TIE

if TYPE_CHECKING:
    from stylekl.lenses.judgments.material import Judgment, Material

Outcome = Literal["a", "b", "tie", "split", "half"]
Two = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Item:
    """Two models, a < b by id, before one judge on one prompt.

    `outcome` is "a" or "b" for the model preferred, "tie" for none; where both orders were asked, "split" means that
    the verdicts name different models, "half" that one of them is a tie: neither is a preference. Null without a
    verdict, and where one of two orders has no valid one. `differences` are a's scores less b's, by dimension and in
    all (""), each order counting as much as the other; null where there are none. `scores` are by model. `firsts` and
    `seconds` count verdicts for the reply shown first and second. `calls` are the judgments it rests on.
    """

    a: str
    b: str
    judge: str
    prompt: str
    turn: str
    outcome: Outcome | None
    both: bool
    drawn: bool
    firsts: int
    seconds: int
    differences: dict[str, float] | None
    scores: dict[str, dict[str, float]] | None
    calls: tuple[Judgment, ...]

    @property
    def winner(self) -> str | None:
        """The model preferred, null where there is none."""
        return {"a": self.a, "b": self.b}.get(self.outcome or "")

    @property
    def incomplete(self) -> bool:
        """Whether both orders were asked and one has no valid reply."""
        return self.both and len({call.first for call in self.calls}) < 2


def items(material: Material) -> list[Item]:
    """Return every item, sorted by models, prompt, turn and judge.

    Replies that were judged alone are compared two by two where one judge scored both on one prompt.
    """
    pairs: dict[tuple[str, ...], list[Judgment]] = defaultdict(list)
    asked: dict[tuple[str, ...], set[str]] = defaultdict(set)
    alone: dict[tuple[str, str, str], dict[str, list[Judgment]]] = defaultdict(lambda: defaultdict(list))
    for each in (*material.judgments, *material.invalid):
        if each.second is None:
            if each.invalid is None:
                alone[each.prompt, each.turn, each.judge][each.first].append(each)
            continue
        key = (*sorted((each.first, each.second)), each.prompt, each.turn, each.judge)
        asked[key].add(each.first)
        if each.invalid is None:
            pairs[key].append(each)
    found = [_item(key, calls, both=len(asked[key]) > 1) for key, calls in pairs.items()]
    for (prompt, turn, judge), by_model in alone.items():
        for a, b in combinations(sorted(by_model), 2):
            found.append(_from_single((a, b, prompt, turn, judge), by_model[a], by_model[b]))
    return sorted(found, key=lambda i: (i.a, i.b, i.prompt, i.turn, i.judge, i.outcome is None))


def _item(key: tuple[str, ...], calls: list[Judgment], *, both: bool) -> Item:
    a, b, prompt, turn, judge = key
    by_first = {model: [call for call in calls if call.first == model] for model in (a, b)}
    orders = [found for found in by_first.values() if found]
    whole = not both or len(orders) == 2
    scored = [[call for call in found if call.scores is not None] for found in orders]
    scores = None
    if whole and all(scored):
        names = scored[0][0].scores[a] if scored[0][0].scores else {}
        scores = {
            model: {
                name: fmean(fmean((call.scores or {})[model][name] for call in found) for found in scored)
                for name in names
            }
            for model in (a, b)
        }
    return Item(
        a=a,
        b=b,
        judge=judge,
        prompt=prompt,
        turn=turn,
        outcome=_outcome(a, [[c.winner for c in found] for found in orders], both=both) if whole else None,
        both=both,
        drawn=any(call.drawn for call in calls),
        firsts=sum(call.winner == call.first for call in calls),
        seconds=sum(call.winner == call.second for call in calls),
        differences=None if scores is None else _differences(scores[a], scores[b]),
        scores=scores,
        calls=tuple(calls),
    )


def _from_single(key: tuple[str, ...], of_a: list[Judgment], of_b: list[Judgment]) -> Item:
    a, b, prompt, turn, judge = key
    scores = {}
    for model, calls in ((a, of_a), (b, of_b)):
        given = [call.scores[model] for call in calls if call.scores]
        scores[model] = {name: fmean(each[name] for each in given) for name in (given[0] if given else {})}
    return Item(
        *(a, b, judge, prompt, turn, None),
        both=False,
        drawn=False,
        firsts=0,
        seconds=0,
        differences=_differences(scores[a], scores[b]),
        scores=scores,
        calls=(*of_a, *of_b),
    )


def _differences(of_a: dict[str, float], of_b: dict[str, float]) -> dict[str, float]:
    found = {name: of_a[name] - of_b[name] for name in of_a}
    return found | {"": sum(found.values())}


def _outcome(a: str, orders: list[list[str | None]], *, both: bool) -> Outcome | None:
    """Return what the verdicts of an item come to; several in one order are one where they agree, else a tie."""
    said: list[str] = []
    for winners in orders:
        known = {winner for winner in winners if winner is not None}
        if not known:
            return None
        said.append(known.pop() if len(known) == 1 else TIE)
    if len(set(said)) == 1:
        return "tie" if said[0] == TIE else "a" if said[0] == a else "b"
    assert both
    return "half" if TIE in said else "split"
