"""What the votes lens brings to the findings: its hypotheses, and what it claims once every q is known."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.lenses.claims import COUNTED, Claim, Control, Inquiry, Lack
from stylekl.lenses.votes.ballots import FEWEST, Ballots
from stylekl.lenses.votes.options import Options
from stylekl.lenses.votes.questions import gap, left_out_note, lens_model, warnings_of
from stylekl.lenses.votes.reports import Gap, Record, Sealed, TopicRecord
from stylekl.lenses.votes.seal import opened
from stylekl.lenses.votes.sentences import KINDS, MISSING
from stylekl.lenses.votes.taste import tastes
from stylekl.lenses.votes.topics import topics_of
from stylekl.measure.bradley_terry import chance
from stylekl.measure.families import LEVEL, Family
from stylekl.results.find import find_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.results import Results

LENS = "votes"
PAIRS, LEADER, TOPICS, TASTE = (f"{LENS}:{name}" for name in ("pairs", "leader", "topics", "taste"))
_LISTED = 12  # circles and rivals that a finding lists


def inquire(results: Results, options: Options | None = None) -> Inquiry:
    """Return the findings of the lens: who leads, which pairs are settled, topics, circles, draws, length and layout.

    While the arena is sealed: that it is, and nothing else. Errors as for `rank`.
    """
    options = options or Options()
    ballots = opened(results, options)
    if isinstance(ballots, Sealed):
        return _sealed(ballots)
    wanted = {find_model(results, name).id for name in options.models} or set(ballots.models)
    ground = _Ground(ballots)
    base = ballots.base()
    source = ballots.selection.source
    return Inquiry(
        lens=LENS,
        families=ground.families(),
        claims=lambda control: list(ground.claims(control)),
        lacks=lambda control: list(ground.lacks(control)),
        kinds=KINDS,
        missing=MISSING,
        models=tuple(lens_model(ballots, model) for model in ballots.models if model in wanted),
        note=(
            f"{source} votes: {base.decided:,} decided fights of {base.fights:,}, "
            f"{base.units:,} {base.unit}{'' if base.units == 1 else 's'}"
            + "".join(f". {note[:-1]}" for note in left_out_note(ballots))
        ),
        params=ballots.params("models"),
        warnings=warnings_of(ballots),
    )


def _sealed(sealed: Sealed) -> Inquiry:
    facts = {
        "votes": sealed.votes,
        "votes_needed": sealed.votes_needed,
        "battles_needed": sealed.battles_needed,
        "fewest": min((model.counts["battles"] for model in sealed.models), default=0),
        "models": len(sealed.models),
        "names": [],
    }
    return Inquiry(
        lens=LENS,
        families=[],
        claims=lambda _control: [],
        lacks=lambda _control: [Lack("sealed", (), facts)],
        kinds=KINDS,
        missing=MISSING,
        models=sealed.models,
        note=f"arena votes: sealed, {sealed.votes:,} of {sealed.votes_needed:,}",
        params=sealed.params,
        warnings=sealed.warnings,
    )


class _Ground:
    """The hypotheses on one source's fights, each with what a sentence needs to know of it."""

    def __init__(self, ballots: Ballots) -> None:
        self.ballots = ballots
        self.pairs: list[Record] = [record for _, record in sorted(ballots.records.items())]
        self.topics = list(_topics(ballots))
        self.tastes = tastes(ballots)
        order = sorted(
            np.flatnonzero(~np.isnan(ballots.scores)).tolist(),
            key=lambda place: (-ballots.scores[place], ballots.models[place]),
        )
        self.order: list[int] = order
        self.gaps: list[Gap] = [
            found for other in order[1:] if (found := gap(ballots, order[0], other)) is not None
        ]

    def families(self) -> list[Family]:
        known = [each.p for each in self.gaps]
        leader = max((p for p in known if p is not None), default=np.nan)
        found = [Family(PAIRS, np.array([_nan(each.p) for each in self.pairs]))]
        found.append(Family(LEADER, np.array([leader if None not in known else np.nan])))
        found.append(Family(TOPICS, np.array([_nan(record.p) for _, record in self.topics])))
        found.append(Family(TASTE, np.array([each.p for each in self.tastes.tastes])))
        return [family for family in found if len(family.p)]

    def base(self) -> dict[str, Any]:
        base = self.ballots.base()
        return {
            "source": self.ballots.selection.source,
            "fights": base.fights,
            "decided": base.decided,
            "unit": base.unit,
            "units": base.units,
        }

    def names(self, *models: str) -> list[dict[str, str]]:
        return [{"model": model, "name": self.ballots.names[model]} for model in sorted(set(models))]

    def claims(self, control: Control) -> Iterator[Claim]:
        yield from self._leader(control)
        yield from self._ahead(control)
        yield from self._topic(control)
        yield from self._circles(control)
        yield from self._taste(control)
        yield from self._draws()

    def lacks(self, control: Control) -> Iterator[Lack]:
        yield from self._no_leader(control)
        yield from self._unsettled(control)
        yield from self._no_circle(control)
        yield from self._no_taste()

    def _leading(self) -> dict[str, Any]:
        ballots = self.ballots
        first, second = self.order[0], self.order[1]
        nearest = self.gaps[0]
        return {
            **self.base(),
            "leader": ballots.models[first],
            "score": float(ballots.scores[first]),
            "second": ballots.models[second],
            "second_score": float(ballots.scores[second]),
            "points": nearest.points,
            "low": nearest.low,
            "high": nearest.high,
            "chance": chance(nearest.points),
            "models": len(self.order),
            "names": self.names(ballots.models[first], ballots.models[second]),
        }

    def _leader(self, control: Control) -> Iterator[Claim]:
        q = control.holds(LEADER)
        if q is None or len(self.order) < 3:  # of two, the record between them says it
            return
        p = max(each.p for each in self.gaps if each.p is not None)
        facts = self._leading() | {"p": p, "q": q}
        models = tuple(sorted((facts["leader"], facts["second"])))
        yield Claim("leader", models, facts, q, 2.0 * facts["chance"] - 1.0)

    def _no_leader(self, control: Control) -> Iterator[Lack]:
        settled = control.holds(LEADER) if len(self.order) > 2 else control.holds(PAIRS)
        if not self.gaps or settled is not None:
            return
        open_to = [
            self.ballots.models[other]
            for other, each in zip(self.order[1:], self.gaps, strict=True)
            if each.p is None or each.p >= LEVEL
        ] or [self.ballots.models[self.order[1]]]
        facts = self._leading() | {
            "rivals": open_to[:_LISTED],
            "rivals_in_all": len(open_to),
            "q": control.q(LEADER),
        }
        facts["names"] = self.names(facts["leader"], facts["second"], *facts["rivals"])
        yield Lack("leader", (facts["leader"],), facts)

    def _ahead(self, control: Control) -> Iterator[Claim]:
        held = [
            (each, q)
            for place, each in enumerate(self.pairs)
            if (q := control.holds(PAIRS, place)) is not None
        ]
        if not held:
            return
        tested = sum(each.p is not None for each in self.pairs)
        widest, q = max(held, key=lambda found: (abs((found[0].share or 0.5) - 0.5), found[0].a, found[0].b))
        ahead, behind = (widest.a, widest.b) if widest.wins_a > widest.wins_b else (widest.b, widest.a)
        facts = {
            **self.base(),
            "pairs": len(self.pairs),
            "tested": tested,
            "settled": len(held),
            "widest": {
                "ahead": ahead,
                "behind": behind,
                "wins": max(widest.wins_a, widest.wins_b),
                "losses": min(widest.wins_a, widest.wins_b),
                "q": q,
            },
            "q": max(q for _, q in held),
            "names": self.names(ahead, behind),
        }
        models = tuple(sorted((ahead, behind)))
        yield Claim("ahead", models, facts, min(q for _, q in held), len(held) / len(self.pairs))

    def _unsettled(self, control: Control) -> Iterator[Lack]:
        open_pairs = [each for place, each in enumerate(self.pairs) if control.holds(PAIRS, place) is None]
        if not open_pairs:
            return
        few = sum(each.units < FEWEST for each in open_pairs)
        yield Lack(
            "ahead",
            (),
            {
                **self.base(),
                "pairs": len(self.pairs),
                "open": len(open_pairs),
                "few": few,
                "fewest": FEWEST,
                "names": [],
            },
        )

    def _topic(self, control: Control) -> Iterator[Claim]:
        for place, (model, record) in enumerate(self.topics):
            q = control.holds(TOPICS, place)
            if q is None or record.share is None or record.expected is None:
                continue
            if len(self.ballots.models) == 2 and record.share < record.expected:
                continue  # of two, the other says the same
            facts = {
                **self.base(),
                "model": model,
                "topic": record.topic,
                "wins": record.wins,
                "losses": record.losses,
                "share": record.share,
                "low": record.low,
                "high": record.high,
                "expected": record.expected,
                "p": record.p,
                "q": q,
                "names": self.names(model),
            }
            yield Claim("topic", (model,), facts, q, abs(record.share - record.expected))

    def _circles(self, control: Control) -> Iterator[Claim]:
        q = {
            (each.a, each.b): found
            for place, each in enumerate(self.pairs)
            if (found := control.holds(PAIRS, place)) is not None
        }
        circles = [
            circle for circle in self.circles() if all(tuple(sorted(edge)) in q for edge in _edges(circle))
        ]
        for circle in circles[:_LISTED]:
            highest = max(q[_sorted(edge)] for edge in _edges(circle))
            facts = {
                **self.base(),
                "circle": [
                    {"winner": a, "loser": b, "wins": self._wins(a, b), "losses": self._wins(b, a)}
                    for a, b in _edges(circle)
                ],
                "circles": len(circles),
                "q": highest,
                "names": self.names(*circle),
            }
            yield Claim("circle", tuple(sorted(circle)), facts, highest, 0.5)

    def _no_circle(self, control: Control) -> Iterator[Lack]:
        circles = self.circles()
        settled = {
            (each.a, each.b)
            for place, each in enumerate(self.pairs)
            if control.holds(PAIRS, place) is not None
        }
        open_ones = [each for each in circles if not all(_sorted(edge) in settled for edge in _edges(each))]
        if open_ones:
            first = open_ones[0]
            facts = {
                **self.base(),
                "circles": len(open_ones),
                "example": list(first),
                "names": self.names(*first),
            }
            yield Lack("circle", tuple(sorted(first)), facts)

    def circles(self) -> list[tuple[str, str, str]]:
        """Return every a > b > c > a by the majority of decided fights, each once, from its least id on."""
        ahead = set()
        for each in self.pairs:
            if each.wins_a != each.wins_b:
                ahead.add((each.a, each.b) if each.wins_a > each.wins_b else (each.b, each.a))
        found = []
        for trio in combinations(self.ballots.models, 3):
            for first, second, third in list(permutations(trio))[:2]:
                if {(first, second), (second, third), (third, first)} <= ahead:
                    found.append((first, second, third))
        return found

    def _wins(self, a: str, b: str) -> int:
        record = self.ballots.records[min(a, b), max(a, b)]
        return record.wins_a if record.a == a else record.wins_b

    def _taste(self, control: Control) -> Iterator[Claim]:
        for place, each in enumerate(self.tastes.tastes):
            q = control.holds(TASTE, place)
            if q is None:
                continue
            facts = {
                **self.base(),
                "with_texts": self.tastes.fights,
                "covariate": each.covariate,
                "odds": each.odds,
                "low": each.low,
                "high": each.high,
                "apart": each.apart,
                "p": each.p,
                "q": q,
                "names": [],
            }
            effect = abs(2.0 * each.odds / (1.0 + each.odds) - 1.0)
            yield Claim("length" if each.covariate == "length" else "layout", (), facts, q, effect)

    def _no_taste(self) -> Iterator[Lack]:
        if not self.tastes.tastes:
            yield Lack("taste", (), {**self.base(), "with_texts": self.tastes.fights, "names": []})

    def _draws(self) -> Iterator[Claim]:
        outcome = self.ballots.outcome
        counts = {kind: int((outcome == kind).sum()) for kind in ("neither", "both_weak", "both_good")}
        undecided = sum(counts.values())
        if undecided:
            share = undecided / len(outcome)
            yield Claim(
                "draws", (), {**self.base(), **counts, "share": share, "names": []}, None, share, COUNTED
            )


def _topics(ballots: Ballots) -> Iterator[tuple[str, TopicRecord]]:
    """Yield every model's record on every topic."""
    for model in ballots.models:
        place = ballots.index[model]
        if not np.isnan(ballots.scores[place]):
            for record in topics_of(ballots, place, ballots.of(model)):
                yield model, record


def _edges(circle: tuple[str, str, str]) -> tuple[tuple[str, str], ...]:
    first, second, third = circle
    return (first, second), (second, third), (third, first)


def _sorted(edge: tuple[str, str]) -> tuple[str, str]:
    return min(edge), max(edge)


def _nan(value: float | None) -> float:
    return np.nan if value is None else value
