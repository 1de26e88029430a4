"""The ranking: every model's figures, in rank order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from stylekl.lenses.votes.reports import Standing
from stylekl.results.find import find_model

if TYPE_CHECKING:
    from stylekl.lenses.votes.ballots import Ballots
    from stylekl.results import Results

_NO_FIGHT = "no decided fight"
_OUTSIDE = "not scoreable: no chain of wins leads from it to the others and back"


@dataclass(slots=True)
class _Shown:
    """The replies of one model that readers saw, and their marks."""

    shown: int = 0
    marked: int = 0
    onsets: list[float] = field(default_factory=list)


def standings(ballots: Ballots) -> list[Standing]:
    """Return every model that fought, in rank order; those without a score last, by id."""
    marks = _marks(ballots)
    refusals = _refusals(ballots.results)
    rows = [_standing(ballots, model, marks, refusals) for model in ballots.models]
    ranked = sorted(
        (row for row in rows if _value(ballots, row) is not None),
        key=lambda row: (-(_value(ballots, row) or 0.0), row.model),
    )
    placed = [
        replace(row, rank=rank, level_with_next=_level(row, ranked[rank] if rank < len(ranked) else None))
        for rank, row in enumerate(ranked, 1)
    ]
    return placed + [row for row in rows if _value(ballots, row) is None]


def shown_of(ballots: Ballots, rows: list[Standing]) -> tuple[Standing, ...]:
    """Return the standings of the models that are to be shown, each with its rank among all."""
    wanted = {find_model(ballots.results, name).id for name in ballots.options.models}
    return tuple(row for row in rows if not wanted or row.model in wanted)


def one_sided(ballots: Ballots) -> tuple[str, ...]:
    """Return a warning on the models that won or lost all their decided fights."""
    if ballots.options.pseudo_wins == 0:
        return ()
    found = []
    for what, lost in (
        ("won", ballots.wins.sum(axis=0) == 0),
        ("lost", ballots.wins.sum(axis=1) == 0),
    ):
        names = [ballots.names[ballots.models[place]] for place in np.flatnonzero(lost & ballots.fought)]
        if names:
            listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            scores = "their scores are" if len(names) > 1 else "its score is"
            found.append(
                f"{listed} {what} every decided fight: how far {scores} from the others rests on the pseudo-wins"
            )
    return tuple(found)


def _value(ballots: Ballots, row: Standing) -> float | None:
    return row.elo if ballots.selection.source == "arena" else row.score


def _level(row: Standing, following: Standing | None) -> bool | None:
    """Tell whether the intervals of two neighbours in rank overlap."""
    if following is None or row.low is None or row.high is None:
        return None
    if following.low is None or following.high is None:
        return None
    return following.high >= row.low and row.high >= following.low


def _standing(
    ballots: Ballots, model: str, marks: dict[str, _Shown] | None, refusals: dict[str, tuple[int, int]]
) -> Standing:
    place, rows = ballots.index[model], ballots.of(model)
    side = np.where(ballots.first[rows] == place, ballots.result[rows], 1.0 - ballots.result[rows])
    won, lost, direct = side == 1.0, side == 0.0, ~ballots.forced[rows]
    decided, first = int((won | lost).sum()), int(((won | lost) & direct).sum())
    score = ballots.scores[place]
    low, high = (float(end[place]) for end in ballots.interval)
    seen = marks.get(model, _Shown()) if marks is not None else None
    refused, replies = refusals.get(model, (0, 0))
    outcome = ballots.outcome[rows]
    return Standing(
        model=model,
        name=ballots.names[model],
        rank=None,
        elo=float(ballots.ratings[place]) if ballots.selection.source == "arena" else None,
        score=None if np.isnan(score) else float(score),
        low=None if np.isnan(low) else low,
        high=None if np.isnan(high) else high,
        level_with_next=None,
        fights=len(rows),
        decided=decided,
        wins=int(won.sum()),
        win_share=int(won.sum()) / decided if decided else None,
        direct_win_share=int((won & direct).sum()) / first if first else None,
        neither=int((outcome == "neither").sum()),
        both_weak=int((outcome == "both_weak").sum()),
        both_good=int((outcome == "both_good").sum()),
        shown=len(rows),
        mark_rate=seen.marked / seen.shown if seen is not None and seen.shown else None,
        onset_ms=median(seen.onsets) if seen is not None and seen.onsets else None,
        onsets=len(seen.onsets) if seen is not None else 0,
        replies=replies,
        refused=refused,
        refusal_rate=refused / replies if replies else None,
        undefined=None if not np.isnan(score) else _NO_FIGHT if not ballots.fought[place] else _OUTSIDE,
    )


def _marks(ballots: Ballots) -> dict[str, _Shown] | None:
    """Return what was marked of each model's replies; null where no vote records marks."""
    fights = ballots.selection.fights
    if all(fight.marks is None for fight in fights):
        return None
    found: dict[str, _Shown] = {}
    for fight in fights:
        for model in (fight.a, fight.b):
            seen = found.setdefault(model, _Shown())
            own = [mark for mark in fight.marks or () if mark.model == model]
            seen.shown += 1
            seen.marked += bool(own)
            seen.onsets += [mark.onset for mark in own if mark.onset is not None]
    return found


def _refusals(results: Results) -> dict[str, tuple[int, int]]:
    """Return refused replies and all replies of each model, under the control."""
    found: dict[str, tuple[int, int]] = {}
    for reply in results.replies:
        if (reply.condition or results.control) == results.control:
            refused, replies = found.get(reply.model, (0, 0))
            found[reply.model] = refused + ("refusal" in reply.flags), replies + 1
    return found
