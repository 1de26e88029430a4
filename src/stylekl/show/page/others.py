"""The other lenses on a page: heat maps and pairs, neighbours or rivals, rankings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from stylekl.lenses.frame import LensMatrix
from stylekl.show.columns import Column
from stylekl.show.lens_matrix import matrix_grid
from stylekl.show.numbers import count, number, probability
from stylekl.show.page.block import INTERVAL, NEAREST, Block, Part
from stylekl.show.page.heat import Heat, heat, view
from stylekl.show.page.lens_blocks import (
    notes_of_ranking,
    parts_of_model,
    parts_of_pair,
    parts_of_ranking,
    said_of_model,
    said_of_pair,
    voices_of_model,
    voices_of_pair,
)
from stylekl.show.page.preference_parts import mean_rank
from stylekl.show.page.safe import seen
from stylekl.show.page.style import nearest_line
from stylekl.show.page.tables import Table, interval, places_of, plot, table_of
from stylekl.show.sections import shown
from stylekl.show.votes_focus import rival_row
from stylekl.show.votes_words import shared
from stylekl.show.whiskers import Whisker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.everything import LensAnswers
    from stylekl.lenses.frame import LensPair
    from stylekl.show.page.density import Density

LACKING = {
    "choices": "There is no ranking, no tree and no floor by choices. What sets models apart stands word by word in "
    "the tables below.",
    "verdicts": "There is no tree and no floor by verdicts. What sets models apart stands question by question in "
    "the tables below.",
    "votes": "Votes say who is preferred, not how anybody writes: there are no tells and no tree, and even stands in "
    "the place of a floor. The two halves of the map are the two directions.",
    "judgments": "Judgments say who is preferred, not how anybody writes: there are no tells and no tree, and even "
    "stands in the place of a floor. The two halves of the map are the two directions.",
}
_WON = "Share won against each, most won first", "share won"
_EVEN = "even"


def lens_heat(report: LensMatrix) -> Heat | None:
    """Return the heat map of a lens; nothing where no pair has a value."""
    grid = matrix_grid(report)
    if not grid.pairs():
        return None
    directed = any(pair.back is not None for pair in report.pairs)
    there, back = "value", "back" if directed else "value"
    views = [view("there", "row against column" if directed else seen(report.unit), (there, back), grid)]
    if directed and not grid.diverging:
        turned = replace(grid, values=[*zip(*grid.values, strict=True)])
        views.append(view("back", "column against row", (back, there), turned))
    return heat(report.by, grid, views)


def lens_pairs(report: LensMatrix) -> Table:
    """Return every pair with its figures, in the order of the report."""
    names = {model.id: seen(model.name) for model in report.models}
    directed = any(pair.back is not None for pair in report.pairs)
    called = any(pair.call is not None for pair in report.pairs)
    head = [
        "A",
        "B",
        "A against B",
        *(["B against A"] if directed else []),
        "q",
        *(["call"] if called else []),
        "n",
    ]
    rows = []
    for pair in report.pairs:
        row = [names[pair.a], names[pair.b], _value(pair)]
        row += [_written(*_turned(pair, diverging=report.diverging))] if directed else []
        row.append(probability("", pair.q).replace("=", "").strip())
        rows.append([*row, *([pair.call or ""] if called else []), count(pair.n)])
    note = f"{seen(report.unit)}; the interval is the 95% interval, n what the pair rests on."
    return Table("Every pair", f"pairs-{report.by}", head, rows, note)


def _value(pair: LensPair) -> str:
    if pair.value is None:
        return seen(pair.undefined or "")
    return _written(*_ends(pair))


def _written(value: float | None, low: float | None, high: float | None) -> str:
    return "" if value is None else f"{_share(value)} {interval(low, high, value)}".rstrip()


def _share(value: float) -> str:
    return number(value, places_of(value))


def lens_models(answers: LensAnswers, room: Density) -> list[Block]:
    """Return each model among the others by this lens, in the order of the map."""
    whole, name = answers.matrix, answers.name
    order = whole.order if isinstance(whole, LensMatrix) else tuple(answers.focus)
    blocks: list[Block] = []
    for each in order:
        found = answers.focus.get(each)
        if found is None or getattr(found, "sealed", False):
            continue
        title = seen(found.model.name if found.model is not None else each)
        drawn = _against(whole, name, each, found)
        nearest = next((each.row for each in drawn if each.row.value is not None), None)
        near_by = drawn[: room.neighbours]
        near = isinstance(whole, LensMatrix) and not whole.diverging
        rows = shown(name).focus_rows(found)
        said = said_of_model(name, found)
        blocks.append(
            Block(
                ids=[each],
                title=title,
                line=said.line or ("" if nearest is None else nearest_line(nearest)),
                fields=said.fields,
                neighbours=plot(
                    [each.row for each in near_by],
                    end=1.0 if isinstance(whole, LensMatrix) and whole.diverging else None,
                    more=_against_columns(near_by, rests="won : lost" if name == "votes" else "n"),
                )
                if nearest is not None
                else None,
                nearest=NEAREST if near else _WON,
                dashed=_EVEN,
                more=max(len(drawn) - room.neighbours, 0),
                notes=said.notes,
                voices=voices_of_model(name, found, title),
                parts=parts_of_model(name, found, rows, title, whole=room.facets),
                table=table_of(f"All figures of {title}", f"{name}-{len(blocks) + 1}", *rows),
            )
        )
    return blocks


class _Rival(NamedTuple):
    """Another model as a row, with what the row rests on, the call and its chance."""

    row: Whisker
    rests: str
    call: str
    q: float | None


def _against(whole: Any, name: str, model: str, report: Any) -> list[_Rival]:
    """Return how a model stands to each other: how far they are apart, or the share that it won against it."""
    if not isinstance(whole, LensMatrix):
        return []
    if name == "votes":
        return [_of_votes(report, each) for each in report.rivals]
    drawn = _neighbours(whole, model)
    if whole.diverging:
        drawn.sort(key=lambda each: (each.row.value is None, -(each.row.value or 0.0), each.row.name))
    return drawn


def _against_columns(drawn: Sequence[_Rival], *, rests: str) -> list[Column]:
    """Return what stands beside the whiskers of others: what each rests on, the call, its chance."""
    return [
        Column(rests, [each.rests for each in drawn]),
        Column("call", [each.call for each in drawn]),
        Column("q", [probability("", each.q).replace("=", "").strip() for each in drawn]),
    ]


def _of_votes(report: Any, each: Any) -> _Rival:
    row = rival_row(report, each)
    row = replace(row, interval=shared(each.share, each.low, each.high).partition(" ")[2])
    return _Rival(row, f"{count(each.wins_a)} : {count(each.wins_b)}", _side(each.call, each.share), each.q)


def _side(call: str | None, value: float | None) -> str:
    """Return a call as the model sees it: one of two is ahead, so the other is behind."""
    return "behind" if call == "ahead" and value is not None and value < 0.5 else call or ""


def _neighbours(whole: LensMatrix, model: str) -> list[_Rival]:
    """Return how far the others are from a model, nearest first: what the matrix says of its pairs."""
    names = {each.id: each.name for each in whole.models}
    rows = []
    for pair in whole.pairs:
        if model not in (pair.a, pair.b):
            continue
        turned = pair.b == model
        other = pair.a if turned else pair.b
        value, low, high = _turned(pair, diverging=whole.diverging) if turned else _ends(pair)
        row = Whisker(
            rank="",
            name=names[other],
            value=value,
            low=low if low is not None else value or 0.0,
            high=high if high is not None else value or 0.0,
            floor=0.5 if whole.diverging else None,
            figure="" if value is None else _share(value),
            interval=interval(low, high, value),
            note=pair.undefined or "no value",
        )
        call = _side(pair.call, value) if whole.diverging else pair.call or ""
        rows.append(_Rival(row, count(pair.n), call, pair.q))
    return sorted(rows, key=lambda each: (each.row.value is None, each.row.value or 0.0, each.row.name))


_Ends: TypeAlias = "tuple[float | None, float | None, float | None]"


def _ends(pair: LensPair) -> _Ends:
    """Return what A is to B: the value and the ends of its interval."""
    return pair.value, pair.low, pair.high


def _turned(pair: LensPair, *, diverging: bool) -> _Ends:
    """Return what B is to A. Of a share that A won it is the rest, and so is its interval."""
    if pair.back is None:
        return _ends(pair)
    if not diverging or pair.low is None or pair.high is None:
        return pair.back, None, None
    return pair.back, 1.0 - pair.high, 1.0 - pair.low


def lens_details(answers: LensAnswers) -> list[Block]:
    """Return the pairs that are in the page in detail."""
    blocks: list[Block] = []
    for (a, b), found in answers.pairs.items():
        if getattr(found, "sealed", False):
            continue
        names = [side.name if side is not None else key for side, key in ((found.a, a), (found.b, b))]
        called = [*map(seen, names)]
        if called[0] == called[1]:
            called = [f"{name} ({seen(key)})" for name, key in zip(called, (a, b), strict=True)]
        rows, title = shown(answers.name).pair_rows(found), " and ".join(called)
        said = said_of_pair(answers.name, found, names)
        blocks.append(
            Block(
                ids=[a, b],
                title=title,
                line=said.line.removeprefix(title).lstrip(": "),
                fields=said.fields,
                notes=said.notes,
                voices=voices_of_pair(answers.name, found, called),
                parts=parts_of_pair(answers.name, found, rows, called),
                table=table_of(f"All figures of {title}", f"{answers.name}-pair-{len(blocks) + 1}", *rows),
            )
        )
    return blocks


class Ranking(NamedTuple):
    """The ranking of a lens: a picture where its scores have intervals, the table, notes, and what it rests on."""

    picture: Part | None = None
    table: Table | None = None
    notes: Sequence[str] = ()
    parts: Sequence[Part] = ()


def ranking(answers: LensAnswers) -> Ranking:
    """Return the ranking of a lens; one without anything where it has none."""
    report, name = answers.rank, answers.name
    if report is None or getattr(report, "sealed", False):
        return Ranking()
    header, rows = shown(name).rank_rows(report)
    table = table_of("The ranking", f"rank-{name}", header, rows)
    what = "score"
    drawn = [row for each in getattr(report, "standings", ()) if (row := _standing(each)) is not None]
    if name == "judgments" and report.ranked_by == "scores":
        what, drawn = "mean total", mean_rank(report)
    picture = None
    if any(row.interval for row in drawn):
        lowest = min(row.low for row in drawn)
        picture = Part(
            plot=plot(drawn, start=lowest),
            caption=f"The ranking, each {what} with its 95% interval",
            file=f"ranked-{name}",
            heads=("model", what, INTERVAL),
        )
    return Ranking(picture, table, notes_of_ranking(name, report), parts_of_ranking(name, report))


def _standing(each: Any) -> Whisker | None:
    """Return a model's score with its interval; nothing where it has none."""
    score, low, high = (getattr(each, name, None) for name in ("score", "low", "high"))
    if score is None or low is None or high is None:
        return None
    rank = "" if each.rank is None else str(each.rank)
    ends = f"[{number(low, 0)} {number(high, 0)}]"
    return Whisker(rank, each.name, score, low, high, None, number(score, 0), ends)


def lens_notes(report: Any) -> list[str]:
    """Return the sentences below the heat map, and what this kind of evidence has no picture of."""
    notes = [seen(note) for note in getattr(report, "notes", ())]
    return [*notes, LACKING[report.by]] if isinstance(report, LensMatrix) else notes
