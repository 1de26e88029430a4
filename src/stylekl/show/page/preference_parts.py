"""Who is preferred, on a page: votes by topic, scores by dimension, the judges and how far they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.show.columns import Column
from stylekl.show.judgments_focus import rival_columns
from stylekl.show.judgments_parts import (
    agreement_columns,
    chance,
    ends,
    judge_columns,
    judge_notes,
    points,
    signed,
)
from stylekl.show.numbers import count, percent
from stylekl.show.page.block import INTERVAL, Part, columns_table
from stylekl.show.page.safe import seen
from stylekl.show.page.tables import plot
from stylekl.show.page.tells import PAGE
from stylekl.show.votes_words import shared, topic_columns
from stylekl.show.whiskers import Whisker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stylekl.lenses.judgments.reports import (
        Agreement,
        Difference,
        JudgeRow,
        JudgmentsFocusReport,
        JudgmentsPairReport,
        JudgmentsRankReport,
        Mean,
    )
    from stylekl.lenses.votes.reports import TopicRecord


def votes_topics(topics: Sequence[TopicRecord], who: str) -> Iterator[Part | None]:
    """Yield the share of decided fights that `who` won, topic by topic, beside what the scores lead to expect."""
    if not topics:
        return
    rows = [
        _row(each.topic, each.share, each.low, each.high, shared(each.share), each.expected)
        for each in topics
    ]
    columns = [each for each in topic_columns(topics) if each.head != "share"]
    yield Part(
        plot=plot(rows, end=1.0, more=columns),
        caption=f"Share won by {who}, by topic",
        file="topics",
        heads=("topic", "share won", INTERVAL),
        notes=_dashed(rows, "what the scores over all topics lead to expect"),
    )


def judgments_model(report: JudgmentsFocusReport, *, whole: bool) -> Iterator[Part | None]:
    """Yield a model's mean scores, how far it is above each other one, and its judges."""
    means = [each for each in report.means if each.name is not None]
    if means:
        rows = [_mean(each) for each in means]
        prompts = Column("prompts", [count(each.prompts) for each in means])
        yield Part(
            plot=plot(rows, start=_least(rows), more=[prompts]),
            caption="Mean scores by dimension, in points",
            file="means",
            heads=("dimension", "mean", INTERVAL),
        )
    held = [each for each in report.rivals if each.difference is not None]
    if held and whole:
        yield _differences(
            "Mean total less that of each other model, in points",
            "points",
            "model",
            [each.name for each in held],
            [each.difference for each in held if each.difference is not None],
            [each for each in rival_columns(held) if each.head == "preferred"],
        )
    yield _judges(report.judges)


def judgments_pair(report: JudgmentsPairReport, names: Sequence[str]) -> Iterator[Part | None]:
    """Yield the differences of two models by dimension, their judges, what is against the scores, prompts."""
    rows = report.dimensions  # the total is many times as large, and stands in the fields
    if rows:
        means = [
            Column(names[0], [points(row.mean_a) for row in rows]),
            Column(names[1], [points(row.mean_b) for row in rows]),
        ]
        yield _differences(
            f"Points of {names[0]} less those of {names[1]}, by dimension",
            "dimensions",
            "dimension",
            [row.name or "" for row in rows],
            [row.difference for row in rows],
            means,
        )
    yield _judges(report.judges)
    yield agreement(report.agreement)
    called = {report.a.id: names[0], report.b.id: names[1]}
    if report.contradictions:
        held = report.contradictions
        against = [
            Column("prompt", [row.prompt for row in held]),
            Column("verdict", [called.get(row.verdict, row.verdict) for row in held]),
            Column("totals", [f"{points(row.total_a, 0)} : {points(row.total_b, 0)}" for row in held]),
        ]
        table = columns_table(
            "Against the scores",
            "against",
            "judge",
            [row.judge for row in held],
            against,
            "Verdicts that the totals speak against; they stand.",
        )
        yield Part(table=table, fold=f"Verdicts against the scores ({count(len(held))})")
    if report.prompts:
        asked = report.prompts
        columns = [
            Column(f"{names[0]} preferred", [count(row.wins_a) for row in asked]),
            Column(f"{names[1]} preferred", [count(row.wins_b) for row in asked]),
            Column("neither", [count(row.undecided) for row in asked]),
            Column("difference", [signed(row.difference) for row in asked]),
            Column("judgments", [count(row.calls) for row in asked]),
        ]
        table = columns_table("Prompt by prompt", "prompts", "prompt", [row.prompt for row in asked], columns)
        yield Part(table=table, fold=f"Prompt by prompt ({count(len(asked))})")


def judgments_rank(report: JudgmentsRankReport) -> Iterator[Part | None]:
    """Yield the judges of a ranking and how far they agree."""
    yield _judges(report.judges)
    yield agreement(report.agreement)


def mean_rank(report: JudgmentsRankReport) -> list[Whisker]:
    """Return the mean totals in rank order, where they rank."""
    return [
        _row(
            each.name,
            each.total.value,
            each.total.low,
            each.total.high,
            points(each.total.value),
            rank=each.rank,
        )
        for each in report.standings
        if each.total is not None
    ]


def agreement(rows: Sequence[Agreement]) -> Part | None:
    """Return how far judges agree on what was judged: alpha with its interval; nothing where there is none."""
    if not rows:
        return None
    drawn = [
        _row(each.what, each.value, each.low, each.high, points(each.value), note="nothing to compare")
        for each in rows
    ]
    columns = [each for each in agreement_columns(rows) if each.head in ("level", "units")]
    return Part(
        plot=plot(drawn, start=min(0.0, _least(drawn)), end=1.0, more=columns),
        caption="Agreement between judges, Krippendorff's alpha",
        file="agreement",
        heads=("of", "alpha", INTERVAL),
    )


def _judges(rows: Sequence[JudgeRow]) -> Part | None:
    """Return how often each judge prefers the reply shown first, and the rest of what it did."""
    if not rows:
        return None
    drawn = [_first_shown(each) for each in rows]
    notes = [f"{seen(text)}." for text in judge_notes(rows, PAGE)]
    if all(row.value is None for row in drawn):
        names = [each.judge for each in rows]
        return Part(table=columns_table("Judges", "judges", "judge", names, judge_columns(rows)), notes=notes)
    return Part(
        plot=plot(drawn, end=1.0, more=judge_columns(rows)),
        caption="Judges: share of decided verdicts for the reply shown first",
        file="judges",
        heads=("judge", "shown first", INTERVAL),
        notes=[*_dashed(drawn, "even"), *notes],
    )


def _first_shown(each: JudgeRow) -> Whisker:
    """Return the share of a judge's decided verdicts for the reply shown first, where that says anything of it."""
    where = each.position
    note = "cannot say" if where.first + where.second else "none decided"
    return _row(each.judge, where.share, where.low, where.high, percent(where.share), 0.5, note=note)


def _differences(
    caption: str,
    file: str,
    first: str,
    names: Sequence[str],
    gaps: Sequence[Difference],
    more: Sequence[Column],
) -> Part:
    rows = [
        _row(name, gap.value, gap.low, gap.high, signed(gap.value), 0.0)
        for name, gap in zip(names, gaps, strict=True)
    ]
    columns = [
        *more,
        Column("call", [gap.call for gap in gaps]),
        Column("q", [chance("q", gap.q) for gap in gaps]),
        Column("prompts", [count(gap.prompts) for gap in gaps]),
    ]
    return Part(
        plot=plot(
            rows, start=min(0.0, _least(rows)), end=max(0.1, *(row.high for row in rows)), more=columns
        ),
        caption=caption,
        file=file,
        heads=(first, "difference", INTERVAL),
        notes=_dashed(rows, "no difference"),
    )


def _mean(each: Mean) -> Whisker:
    return _row(each.name or "", each.value, each.low, each.high, points(each.value))


def _row(
    name: str,
    value: float | None,
    low: float | None,
    high: float | None,
    figure: str,
    floor: float | None = None,
    *,
    rank: int | None = None,
    note: str = "no value",
) -> Whisker:
    """Return a row of whiskers; one without an interval has a dot alone."""
    place = "" if rank is None else str(rank)
    if value is None:
        return Whisker(place, name, None, 0.0, 0.0, None, "", "", note)
    if low is None or high is None:
        return Whisker(place, name, value, value, value, floor, figure, "")
    spread = f"[{percent(low)} {percent(high)}]" if figure.endswith("%") else ends(low, high)
    return Whisker(place, name, value, low, high, floor, figure, spread)


def _least(rows: Sequence[Whisker]) -> float:
    """Return the least value or end of an interval; 0 where there is none."""
    return min((min(row.low, row.value) for row in rows if row.value is not None), default=0.0)


def _dashed(rows: Sequence[Whisker], what: str) -> list[str]:
    drawn = any(row.floor is not None and row.value is not None for row in rows)
    return [f"The dashed line is {what}."] if drawn else []
