"""Where a model wins: its record topic by topic, against an even chance or against what its strength says."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stylekl.lenses.votes.ballots import FEWEST, Ballots
from stylekl.lenses.votes.reports import TopicRecord
from stylekl.measure import bradley_terry
from stylekl.measure.exchange import benjamini_hochberg
from stylekl.measure.head_to_head import sign_p
from stylekl.measure.jackknife import two_sided_p

if TYPE_CHECKING:
    from numpy.typing import NDArray


def topics_of(
    ballots: Ballots, model: int, rows: NDArray[np.int64], *, against_half: bool = False
) -> tuple[TopicRecord, ...]:
    """Return how a model (index) fared in its fights `rows`, topic by topic in the order of their names.

    p is that of no preference where `against_half`. Else it is that of nothing but its strength: what was won beyond
    the expected on the topic, less the topic's part of what was won beyond it on all (which the fit makes 0), summed
    by unit, by Student's t. There is none of a single topic. q is over these topics.
    """
    topic_of = {prompt.id: prompt.topic for prompt in ballots.results.prompts}
    places: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows.tolist()):
        topic = topic_of.get(ballots.selection.fights[row].prompt or "")
        if topic is not None:
            places[topic].append(place)
    own = _Own(ballots, model, rows)
    found = [own.record(topic, np.array(places[topic]), against_half) for topic in sorted(places)]
    q = benjamini_hochberg(np.array([np.nan if each.p is None else each.p for each in found]))
    return tuple(
        replace(each, q=None if np.isnan(value) else float(value))
        for each, value in zip(found, q, strict=True)
    )


class _Own:
    """The fights of one model from its side: `won`, `lost`, and the chance of a win that the scores give."""

    def __init__(self, ballots: Ballots, model: int, rows: NDArray[np.int64]) -> None:
        self.ballots, self.rows = ballots, rows
        first = ballots.first[rows] == model
        side = np.where(first, ballots.result[rows], 1.0 - ballots.result[rows])
        rival = np.where(first, ballots.second[rows], ballots.first[rows])
        self.won, self.lost = side == 1.0, side == 0.0
        with np.errstate(over="ignore"):
            gap = (ballots.scores[rival] - ballots.scores[model]) / bradley_terry.POINTS
            self.expected = 1.0 / (1.0 + np.exp(gap))
        fought = self.won | self.lost
        self.excess = np.where(fought, side - self.expected, 0.0)
        self.information = np.where(fought, self.expected * (1.0 - self.expected), 0.0)

    def record(self, topic: str, places: NDArray[np.int64], against_half: bool) -> TopicRecord:
        won, lost = self.won[places], self.lost[places]
        wins, losses = self.ballots.by_unit(won, lost, self.rows[places])
        share, low, high = self.ballots.share(wins, losses)
        units = int(np.count_nonzero(wins + losses))
        fought = won | lost
        mean = float(self.expected[places][fought].mean()) if fought.any() else float("nan")
        p = None
        if units >= FEWEST:
            p = sign_p(wins - losses) if against_half else self._beyond(places)
        return TopicRecord(
            topic=topic,
            wins=int(won.sum()),
            losses=int(lost.sum()),
            undecided=int((~fought).sum()),
            share=share,
            low=low,
            high=high,
            expected=None if np.isnan(mean) else mean,
            units=units,
            p=p,
            q=None,
        )

    def _beyond(self, places: NDArray[np.int64]) -> float | None:
        """Return the two-sided p of what was won beyond the expected on a topic; null where that is all there is."""
        whole = float(self.information.sum())
        part = float(self.information[places].sum())
        if not 0.0 < part < whole or not np.isfinite(whole):
            return None
        weight = np.full(len(self.rows), -part / whole)
        weight[places] += 1.0
        _, unit = np.unique(self.ballots.unit[self.rows], return_inverse=True)
        sums = np.bincount(unit, weight * self.excess)
        sums = sums[sums != 0]
        error = float(np.sqrt(np.square(sums).sum()))
        return two_sided_p(abs(float(sums.sum())), error, len(sums) - 1) if len(sums) > 1 else None
