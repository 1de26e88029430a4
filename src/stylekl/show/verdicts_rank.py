"""The leaderboard of one edition of one-word answers: a table, the plot of its two scores, and how they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import line, prose
from stylekl.show.json import plain
from stylekl.show.labels import named
from stylekl.show.numbers import count, plural
from stylekl.show.quadrant import Dot, Frame, quadrant
from stylekl.show.verdicts_cells import (
    TIMES,
    constructed,
    cost,
    edition_note,
    followed,
    price_note,
    score,
    seconds,
    share,
    tokens,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.verdicts.reports import Standing, VerdictsRankReport
    from stylekl.show.tables import Header, Rows, Value
    from stylekl.show.terminal import Terminal

_REGIONS = ("Considered Voices", "Category Definers", "Emerging Participants", "Rapid Responders")
_COUNTS = ("asked", "samples", "yes", "no", "other", "refused", "empty", "failed", "followed")
_SPREADS = ("latency_ms", "first_content_ms", "output_tokens", "tokens_per_second")


def rank_view(report: VerdictsRankReport, terminal: Terminal) -> list[Text]:
    """Return the leaderboard, the plot, and what the figures are."""
    edition = report.edition
    lines = prose(
        line(
            ("Leaderboard", "bold"),
            f" by composite, a constructed score: {plural(edition.models, 'model')}, "
            f"{plural(edition.questions, 'question')} under {named(report.condition, terminal.ascii)}",
        ),
        terminal.width,
        0,
        2,
    )
    lines += [Text(), *_table(report, _numbers(report), terminal)]
    plotted = scores_plot(report)
    lines += [Text(), *quadrant(*plotted, terminal)] if plotted else []
    return [*lines, Text(), *notes(rank_notes(report, terminal), terminal)]


def scores_plot(report: VerdictsRankReport) -> tuple[list[Dot], Frame] | None:
    """Return the two scores of every model that has both, and where they are cut; nothing where none has."""
    numbers, cuts = _numbers(report), report.cuts
    placed = [each for each in report.standings if each.region is not None]
    if not placed or cuts.decisiveness is None or cuts.efficiency is None:
        return None
    dots = [Dot(numbers[each.model], each.name, each.efficiency or 0.0, each.decisiveness) for each in placed]
    ends = ("slower, longer", "less decided"), ("quicker, shorter", "more decided")
    return dots, Frame(cuts.efficiency, cuts.decisiveness, *ends, _REGIONS)


def _numbers(report: VerdictsRankReport) -> dict[str, int]:
    return {each.model: place for place, each in enumerate(report.standings, 1)}


def _table(report: VerdictsRankReport, numbers: dict[str, int], terminal: Terminal) -> list[Text]:
    rows = report.standings
    digits = len(str(len(rows)))
    names = [f"{numbers[each.model]:>{digits}} {each.name}" for each in rows]
    return table(names, rank_columns(rows), terminal)


def rank_columns(rows: Sequence[Standing]) -> list[Column]:
    """Return the columns of the leaderboard."""
    return [
        Column("composite", [score(each.composite) if each.samples else "none" for each in rows]),
        Column("decisive", [score(each.decisiveness) for each in rows], 1),
        Column("efficient", [score(each.efficiency) for each in rows], 2),
        Column("region", [each.region or "-" for each in rows], 6),
        Column("one word", [followed(each) for each in rows], 3),
        Column("moved", [_moved(each) for each in rows], 4),
        Column("total", [seconds(each.latency_ms) for each in rows], 5),
        Column("first", [seconds(each.first_content_ms) for each in rows], 8),
        Column("tokens", [tokens(each.output_tokens) for each in rows], 7),
        Column("cost", [cost(each) for each in rows], 9),
        Column("failed", [count(each.failed) if each.failed else "-" for each in rows], 10),
    ]


def _moved(each: Standing) -> str:
    return share(each.pooled.value, each.pooled.moved, each.pooled.questions)


def rank_notes(report: VerdictsRankReport, terminal: Terminal) -> list[str]:
    """Return in sentences what the figures are."""
    texts = edition_note(report.edition, report.editions, terminal)
    texts += constructed(report.constructed, ("decisiveness", "efficiency", "composite"), terminal)
    cuts = report.cuts
    if cuts.efficiency is not None and cuts.decisiveness is not None:
        texts.append(
            f"Regions are cut at the medians of this edition, decisiveness {score(cuts.decisiveness)} and efficiency "
            f"{score(cuts.efficiency)}; at or above is high. A dot that would cover another stands beside it."
        )
    texts.append(
        "No answer is right, so no rank says that a model is better. The scores have no error here: neighbours may "
        "change places when asked again. Nothing is ranked by tokens."
    )
    if any(each.pooled.value is not None for each in report.standings):
        texts.append(
            "moved: share of questions on which the majority under a framing differs from that under "
            f"{named(report.control, terminal.ascii)}, all framings together; neither end is better."
        )
    if any(each.samples and each.composite is None for each in report.standings):
        texts.append("Without time and tokens of its answers a model has no efficiency and no composite.")
    silent = [each for each in report.standings if not each.samples]
    for each in silent:
        why = named(each.unavailable or "no answers", terminal.ascii)
        texts.append(f"{named(each.name, terminal.ascii)}: unavailable ({why}); scores are 0 and no verdict.")
    return [*texts, *price_note(report.standings, terminal), TIMES]


def rank_data(report: VerdictsRankReport) -> dict[str, Any]:
    """Return the `data` of `stylekl rank --by verdicts --json`."""
    keys = (
        "by",
        "edition",
        "editions",
        "condition",
        "control",
        "conditions",
        "models",
        "standings",
        "cuts",
        "constructed",
        "not_comparable",
    )
    return {key: plain(getattr(report, key)) for key in keys}


def standing_header() -> Header:
    """Return the names of the columns of `standing_row`."""
    return [
        *("rank", "model", "name", "decisiveness", "efficiency", "composite", "region"),
        *_COUNTS,
        *("followed_rate", "available", "unavailable"),
        *_SPREADS,
        *("cost", "currency", "price_date", "sensitivity", "sensitivity_questions"),
    ]


def standing_row(each: Standing) -> list[Value]:
    """Return a standing as one row: medians of what has a spread, the pooled sensitivity."""
    medians = [getattr(each, name) for name in _SPREADS]
    return [
        *(each.rank, each.model, each.name, each.decisiveness, each.efficiency, each.composite, each.region),
        *(getattr(each, name) for name in _COUNTS),
        *(each.followed_rate, each.available, each.unavailable),
        *(None if spread is None else spread.median for spread in medians),
        *(each.cost, each.currency, each.price_date, each.pooled.value, each.pooled.questions),
    ]


def rank_rows(report: VerdictsRankReport) -> tuple[Header, Rows]:
    """Return one row for each model, the first of the leaderboard first."""
    edition = report.edition.period
    return ["period", *standing_header()], [[edition, *standing_row(each)] for each in report.standings]
