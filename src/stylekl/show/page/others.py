"""The other lenses on a page: heat maps and pairs, neighbours or rivals, rankings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from stylekl.lenses.frame import LensMatrix
from stylekl.show.lens_matrix import matrix_grid
from stylekl.show.numbers import count, number, probability
from stylekl.show.page.heat import Heat, heat, view
from stylekl.show.page.lens_blocks import (
    notes_of_ranking,
    parts_of_model,
    parts_of_pair,
    rivals,
    said_of_model,
    said_of_pair,
)
from stylekl.show.page.safe import seen
from stylekl.show.page.style import NEAREST, Block, nearest_line
from stylekl.show.page.tables import Plot, Table, interval, places_of, plot, table_of
from stylekl.show.sections import shown
from stylekl.show.whiskers import Whisker

if TYPE_CHECKING:
    from stylekl.lenses.everything import LensAnswers
    from stylekl.lenses.frame import LensPair
    from stylekl.show.page.density import Density
    from stylekl.show.page.lens_blocks import Parts

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
        nearest = next((row for row in drawn if row.value is not None), None)
        near = isinstance(whole, LensMatrix) and not whole.diverging
        rows = shown(name).focus_rows(found)
        said, parts = said_of_model(name, found), parts_of_model(name, rows)
        blocks.append(
            Block(
                ids=[each],
                title=title,
                line=said.line or ("" if nearest is None else nearest_line(nearest)),
                fields=said.fields,
                neighbours=plot(drawn[: room.neighbours]) if nearest is not None else None,
                nearest=NEAREST if near else _WON,
                dashed=_EVEN,
                more=max(len(drawn) - room.neighbours, 0),
                notes=said.notes,
                **_made(parts),
                table=table_of(f"All figures of {title}", f"{name}-{len(blocks) + 1}", *rows),
            )
        )
    return blocks


def _made(parts: Parts | None) -> dict[str, Any]:
    """Return what a block is given of counts as bars."""
    if parts is None:
        return {}
    return {
        "bars": parts.bars,
        "classes": parts.table,
        "colours": parts.colours,
    }


def _against(whole: Any, name: str, model: str, report: Any) -> list[Whisker]:
    """Return how a model stands to each other: how far they are apart, or the share that it won against it."""
    if not isinstance(whole, LensMatrix):
        return []
    drawn = rivals(name, report) or _neighbours(whole, model)
    if whole.diverging:
        drawn.sort(key=lambda row: (row.value is None, -(row.value or 0.0), row.name))
    return drawn


def _neighbours(whole: LensMatrix, model: str) -> list[Whisker]:
    """Return how far the others are from a model, nearest first: what the matrix says of its pairs."""
    names = {each.id: each.name for each in whole.models}
    rows = []
    for pair in whole.pairs:
        if model not in (pair.a, pair.b):
            continue
        turned = pair.b == model
        other = pair.a if turned else pair.b
        value, low, high = _turned(pair, diverging=whole.diverging) if turned else _ends(pair)
        rows.append(
            Whisker(
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
        )
    return sorted(rows, key=lambda row: (row.value is None, row.value or 0.0, row.name))


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
        rows, title = shown(answers.name).pair_rows(found), " and ".join(map(seen, names))
        said = said_of_pair(answers.name, found, names)
        blocks.append(
            Block(
                ids=[a, b],
                title=title,
                line=said.line.removeprefix(title).lstrip(": "),
                fields=said.fields,
                notes=said.notes,
                **_made(parts_of_pair(answers.name, rows, names)),
                table=table_of(f"All figures of {title}", f"{answers.name}-pair-{len(blocks) + 1}", *rows),
            )
        )
    return blocks


def ranking(answers: LensAnswers) -> tuple[Plot | None, Table | None, list[str]]:
    """Return the ranking of a lens as a picture where its scores have intervals, as a table, and its notes."""
    report = answers.rank
    if report is None or getattr(report, "sealed", False):
        return None, None, []
    header, rows = shown(answers.name).rank_rows(report)
    table = table_of("The ranking", f"rank-{answers.name}", header, rows)
    drawn = [row for each in getattr(report, "standings", ()) if (row := _standing(each)) is not None]
    lowest = min((row.low for row in drawn), default=0.0)
    return (plot(drawn, start=lowest) if drawn else None), table, notes_of_ranking(answers.name, report)


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
