"""The votes that count as arrays, and what follows from them: records, scores, their resamples."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.errors import UsageError
from stylekl.lenses.votes.reports import Base, Call, ExcludedSession, Record, Unit
from stylekl.measure import bradley_terry, head_to_head
from stylekl.measure.elo import elo
from stylekl.measure.exchange import benjamini_hochberg
from stylekl.measure.families import LEVEL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.lenses.votes.options import Options
    from stylekl.results import Results
    from stylekl.results.select_votes import VoteSelection

FEWEST = 6  # units: below, no test can come under .05 and no resample says how far the next would be off
WORK = 2_000 * 220**3  # resamples × models³ that take some seconds
LEAST = 100  # resamples that the command line grants
_RESULT = {"a": 1.0, "b": 0.0}
_UNDECIDED = ("neither", "both_weak", "both_good")


class Ballots:
    """Fights as arrays over the models that fought (sorted by id), one source at a time.

    `first`, `second` (F,) index `models`; `result` (F,) is 1, 0 or ½; `forced` (F,) whether the pick was the second
    one; `unit` (F,) what was resampled.
    """

    def __init__(
        self, results: Results, selection: VoteSelection, options: Options, others: dict[str, int]
    ) -> None:
        self.results = results
        self.selection = selection
        self.options = options
        self.others = others
        fights = selection.fights
        self.models = sorted({fight.a for fight in fights} | {fight.b for fight in fights})
        self.index = {model: place for place, model in enumerate(self.models)}
        self.names = {model.id: model.label for model in results.models}
        index = self.index
        self.first = np.array([index[fight.a] for fight in fights], np.int64)
        self.second = np.array([index[fight.b] for fight in fights], np.int64)
        self.outcome = np.array([fight.outcome for fight in fights], "U9")
        self.result = np.array([_RESULT.get(fight.outcome, 0.5) for fight in fights])
        self.forced = np.array([fight.forced for fight in fights], bool)
        self.unit_kind, self.unit, self.units, self.warnings = _units(selection)

    @cached_property
    def decided(self) -> NDArray[np.bool_]:
        """Which fights (F,) had a winner."""
        return np.asarray(self.result != 0.5)

    @cached_property
    def winner(self) -> NDArray[np.int64]:
        """The winner of each decided fight."""
        return np.where(self.result == 1.0, self.first, self.second)[self.decided]

    @cached_property
    def loser(self) -> NDArray[np.int64]:
        """The loser of each decided fight."""
        return np.where(self.result == 1.0, self.second, self.first)[self.decided]

    @cached_property
    def counts(self) -> head_to_head.UnitCounts:
        """What each unit adds to the wins that are fitted: draws are half a win each way where that was asked for."""
        unit, winner, loser = self.unit[self.decided], self.winner, self.loser
        weight = np.ones(len(unit))
        if self.options.draws == "half":
            drawn = ~self.decided
            a, b, owner = self.first[drawn], self.second[drawn], self.unit[drawn]
            unit = np.concatenate([unit, owner, owner])
            winner, loser = np.concatenate([winner, a, b]), np.concatenate([loser, b, a])
            weight = np.concatenate([weight, np.full(2 * len(a), 0.5)])
        return head_to_head.count_units(unit, winner, loser, len(self.models), self.units, weight=weight)

    @cached_property
    def wins(self) -> NDArray[np.float64]:
        """The wins (N, N) that are fitted, without pseudo-wins."""
        return self.counts.total()

    @cached_property
    def met(self) -> NDArray[np.bool_] | None:
        """Which pairings (N, N) get pseudo-wins: those that met, draws included; null for all."""
        if self.options.pairings == "all":
            return None
        met = np.zeros((len(self.models),) * 2, bool)
        met[self.first, self.second] = met[self.second, self.first] = True
        return met

    @cached_property
    def fit(self) -> bradley_terry.Fit:
        """The Bradley-Terry fit, pseudo-wins included."""
        pseudo = self.options.pseudo_wins
        wins = bradley_terry.with_pseudo(self.wins, pseudo, self.met) if pseudo > 0 else self.wins
        return bradley_terry.fit(wins)

    @cached_property
    def fought(self) -> NDArray[np.bool_]:
        """Which models (N,) have a fight that the fit counts; the score of another would be the pseudo-wins' alone."""
        return np.asarray((self.wins + self.wins.T).sum(axis=1) > 0)

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """The displayed scores (N,), nan for a model without."""
        return np.where(self.fought, self.fit.scores, np.nan)

    @cached_property
    def resampled(self) -> NDArray[np.float64]:
        """The scores (R, N) of the resamples; (0, N) without enough units, or where not every model always has one.

        Raises UsageError for so many models that the resamples would take minutes.
        """
        none = np.empty((0, len(self.models)))
        if self.units < FEWEST or not self.options.resamples or not self.fit.scoreable.all():
            return none
        most = WORK // len(self.models) ** 3
        if self.options.resamples > most:
            raise UsageError(
                f"{len(self.models)} models with votes: {self.options.resamples:,} resamples of them take too long",
                f"--resamples {most}" if most >= LEAST else "give files of fewer models",
            )
        found = head_to_head.bootstrap(
            self.counts,
            self.fit.scores,
            pseudo=self.options.pseudo_wins,
            met=self.met,
            resamples=self.options.resamples,
            seed=self.options.seed,
        )
        return none if np.isnan(found).any() else found

    @cached_property
    def interval(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The ends (N,) of the 95 % intervals of the scores; nan where there is none."""
        if not len(self.resampled):
            empty = np.full(len(self.models), np.nan)
            return empty, empty
        low, high = head_to_head.interval(self.resampled)
        return np.where(self.fought, low, np.nan), np.where(self.fought, high, np.nan)

    @cached_property
    def ratings(self) -> NDArray[np.float64]:
        """The Elo ratings (N,) after all fights in the order of their votes."""
        k, start = self.options.k, self.options.start
        return elo(self.first, self.second, self.result, len(self.models), k=k, start=start)

    @cached_property
    def real(self) -> NDArray[np.bool_]:
        """Which models (N,) the fights alone, without pseudo-wins, would give a score."""
        return bradley_terry.connected(self.wins)

    @cached_property
    def records(self) -> dict[tuple[str, str], Record]:
        """The record of every pair that met, by ids in order, with q over all of them."""
        pair = np.minimum(self.first, self.second) * len(self.models) + np.maximum(self.first, self.second)
        order = np.argsort(pair, kind="stable")
        keys, starts = np.unique(pair[order], return_index=True)
        found = []
        for key, rows in zip(keys.tolist(), np.split(order, starts[1:]), strict=True):
            a, b = divmod(key, len(self.models))
            found.append(self.record(a, b, rows))
        q = benjamini_hochberg(np.array([np.nan if each.p is None else each.p for each in found]))
        return {
            (each.a, each.b): _called(each, float(value))
            for each, value in zip(found, q.tolist(), strict=True)
        }

    def record(self, a: int, b: int, rows: NDArray[np.int64]) -> Record:
        """Return the record of models a and b (indices) over the fights `rows`, all of them between the two."""
        won, lost = self._won(a, rows)
        direct = ~self.forced[rows]
        kinds = {kind: int(np.count_nonzero(self.outcome[rows] == kind)) for kind in _UNDECIDED}
        per_unit = self.by_unit(won, lost, rows)
        share, low, high = self.share(*per_unit)
        units = int(np.count_nonzero(per_unit[0] + per_unit[1]))
        return Record(
            a=self.models[a],
            b=self.models[b],
            wins_a=int(won.sum()),
            wins_b=int(lost.sum()),
            direct_a=int((won & direct).sum()),
            direct_b=int((lost & direct).sum()),
            share=share,
            low=low,
            high=high,
            units=units,
            p=head_to_head.sign_p(per_unit[0] - per_unit[1]) if units >= FEWEST else None,
            undefined=None if share is not None else "no decided fight",
            neither=kinds["neither"],
            both_weak=kinds["both_weak"],
            both_good=kinds["both_good"],
        )

    def _won(self, a: int, rows: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell in which of the fights `rows`, all of them of model a, it won and lost."""
        side = np.where(self.first[rows] == a, self.result[rows], 1.0 - self.result[rows])
        return side == 1.0, side == 0.0

    def by_unit(
        self, won: NDArray[np.bool_], lost: NDArray[np.bool_], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return wins and losses (U,) of each unit that the fights `rows` come from."""
        _, unit = np.unique(self.unit[rows], return_inverse=True)
        size = int(unit.max(initial=-1)) + 1
        return np.bincount(unit, won, size).astype(np.int64), np.bincount(unit, lost, size).astype(np.int64)

    @staticmethod
    def share(
        won: NDArray[np.int64], lost: NDArray[np.int64]
    ) -> tuple[float | None, float | None, float | None]:
        """Return the share won over units (U,) with its 95 % interval; nulls without a decided fight."""
        total = int(won.sum() + lost.sum())
        if not total:
            return None, None, None
        share = float(won.sum()) / total
        worth = head_to_head.effective(won.astype(np.float64), lost.astype(np.float64))
        return share, *head_to_head.wilson(share, worth)

    def of(self, model: str) -> NDArray[np.int64]:
        """Return the fights (indices) that a model was in."""
        place = self.index.get(model, -1)
        return np.flatnonzero((self.first == place) | (self.second == place))

    def base(self) -> Base:
        """Return what all figures rest on."""
        chosen = self.selection
        return Base(
            votes=chosen.votes,
            fights=len(chosen.fights),
            decided=int(self.decided.sum()),
            left_out=chosen.left_out,
            sessions=chosen.sessions,
            valid=chosen.valid,
            excluded=tuple(
                ExcludedSession(each.session, each.reason, each.fights) for each in chosen.excluded
            ),
            unit=self.unit_kind,
            units=self.units,
            others=self.others,
        )

    def params(self, *names: str) -> dict[str, Any]:
        """Return the parameters for a report, the source that was taken in place of the one asked for."""
        return self.options.params(*names) | {"source": self.selection.source}


def turned(record: Record) -> Record:
    """Return a record seen from the other side."""
    share, low, high = record.share, record.low, record.high
    return Record(
        a=record.b,
        b=record.a,
        wins_a=record.wins_b,
        wins_b=record.wins_a,
        direct_a=record.direct_b,
        direct_b=record.direct_a,
        neither=record.neither,
        both_weak=record.both_weak,
        both_good=record.both_good,
        share=None if share is None else 1.0 - share,
        low=None if high is None else 1.0 - high,
        high=None if low is None else 1.0 - low,
        units=record.units,
        p=record.p,
        q=record.q,
        call=record.call,
        undefined=record.undefined,
    )


def _called(record: Record, q: float) -> Record:
    from dataclasses import replace

    if record.p is None:
        return record
    call: Call = "ahead" if q < LEVEL else "too close to call"
    return replace(record, q=q, call=call)


def _units(selection: VoteSelection) -> tuple[Unit, NDArray[np.int64], int, tuple[str, ...]]:
    """Return what is resampled: its kind, the unit of each fight (F,), how many, and what there is to say about it."""
    sessions = [fight.session for fight in selection.fights]
    known = sorted({session for session in sessions if session is not None})
    votes = np.arange(len(sessions))
    if not known:
        return "vote", votes, len(sessions), ()
    if len(known) < FEWEST <= len(sessions) and selection.source != "panel":
        said = (
            f"the votes come from {len(known)} sessions or judges, too few to resample: the intervals are over single "
            "votes and speak of these alone",
        )
        return "vote", votes, len(sessions), said
    place = {session: number for number, session in enumerate(known)}
    alone = len(known)
    unit = np.empty(len(sessions), np.int64)
    for number, session in enumerate(sessions):
        if session is None:
            unit[number], alone = alone, alone + 1
        else:
            unit[number] = place[session]
    return "session", unit, alone, ()
