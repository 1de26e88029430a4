"""The other lenses on a page: heat maps and pairs, neighbours by the matrix, rankings, and what a terminal shows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stylekl.lenses.frame import LensMatrix
from stylekl.show.lens_matrix import matrix_grid
from stylekl.show.numbers import count, number, probability
from stylekl.show.page.heat import Heat, heat, view
from stylekl.show.page.safe import seen
from stylekl.show.page.style import Block, nearest_line
from stylekl.show.page.tables import Plot, Table, interval, places_of, plot, table_of
from stylekl.show.sections import shown
from stylekl.show.terminal import Terminal
from stylekl.show.whiskers import Whisker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from stylekl.lenses.everything import LensAnswers
    from stylekl.lenses.frame import LensPair
    from stylekl.show.page.density import Density

COLUMNS = Terminal(width=92)  # what a terminal shows stands on the page in lines of this width


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
        row += ["" if pair.back is None else _share(pair.back)] if directed else []
        row.append(probability("", pair.q).replace("=", "").strip())
        rows.append([*row, *([pair.call or ""] if called else []), count(pair.n)])
    note = f"{seen(report.unit)}; the interval is the 95% interval, n what the pair rests on."
    return Table("Every pair", f"pairs-{report.by}", head, rows, note)


def _value(pair: LensPair) -> str:
    if pair.value is None:
        return seen(pair.undefined or "")
    return f"{_share(pair.value)} {interval(pair.low, pair.high, pair.value)}".rstrip()


def _share(value: float) -> str:
    return number(value, places_of(value))


def lens_models(answers: LensAnswers, room: Density) -> list[Block]:
    """Return each model among the others by this lens, in the order of the map."""
    whole = answers.matrix
    order = whole.order if isinstance(whole, LensMatrix) else tuple(answers.focus)
    show = shown(answers.name)
    blocks = []
    for each in order:
        found = answers.focus.get(each)
        if found is None or getattr(found, "sealed", False):
            continue
        drawn = _neighbours(whole, each) if isinstance(whole, LensMatrix) and not whole.diverging else []
        nearest = next((row for row in drawn if row.value is not None), None)
        blocks.append(
            Block(
                ids=[each],
                title=seen(found.model.name if found.model is not None else each),
                line="" if nearest is None else nearest_line(nearest),
                neighbours=plot(drawn[: room.neighbours]) if nearest is not None else None,
                more=max(len(drawn) - room.neighbours, 0),
                text=_lines(show.focus_view(found, COLUMNS)),
            )
        )
    return blocks


def _neighbours(whole: LensMatrix, model: str) -> list[Whisker]:
    """Return how far the others are from a model, nearest first: what the matrix says of its pairs."""
    names = {each.id: each.name for each in whole.models}
    rows = []
    for pair in whole.pairs:
        if model not in (pair.a, pair.b):
            continue
        other, turned = (pair.a, pair.b == model) if pair.b == model else (pair.b, False)
        value = pair.back if turned and pair.back is not None else pair.value
        bounded = value is not None and not (turned and pair.back is not None)
        rows.append(
            Whisker(
                rank="",
                name=names[other],
                value=value,
                low=pair.low if bounded and pair.low is not None else value or 0.0,
                high=pair.high if bounded and pair.high is not None else value or 0.0,
                floor=None,
                figure="" if value is None else _share(value),
                interval=interval(pair.low, pair.high, value) if bounded else "",
                note=pair.undefined or "no value",
            )
        )
    return sorted(rows, key=lambda row: (row.value is None, row.value or 0.0, row.name))


def lens_details(answers: LensAnswers) -> list[Block]:
    """Return the pairs that are in the page in detail."""
    show = shown(answers.name)
    blocks = []
    for (a, b), found in answers.pairs.items():
        if getattr(found, "sealed", False):
            continue
        names = [seen(side.name if side is not None else key) for side, key in ((found.a, a), (found.b, b))]
        text = _lines(show.pair_view(found, COLUMNS))
        blocks.append(Block(ids=[a, b], title=f"{names[0]} and {names[1]}", line="", text=text))
    return blocks


def ranking(answers: LensAnswers) -> tuple[Plot | None, Table | None, str]:
    """Return the ranking of a lens as a picture where its scores have intervals, as a table, and in words."""
    report = answers.rank
    if report is None:
        return None, None, ""
    show = shown(answers.name)
    words = _lines(show.rank_view(report, COLUMNS))
    header, rows = show.rank_rows(report)
    table = table_of("The ranking", f"rank-{answers.name}", header, rows)
    drawn = [row for each in getattr(report, "standings", ()) if (row := _standing(each)) is not None]
    lowest = min((row.low for row in drawn), default=0.0)
    return (plot(drawn, start=lowest) if drawn else None), table, words


def _standing(each: Any) -> Whisker | None:
    """Return a model's score with its interval; nothing where it has none."""
    score, low, high = (getattr(each, name, None) for name in ("score", "low", "high"))
    if score is None or low is None or high is None:
        return None
    rank = "" if each.rank is None else str(each.rank)
    ends = f"[{number(low, 0)} {number(high, 0)}]"
    return Whisker(rank, each.name, score, low, high, None, number(score, 0), ends)


def lens_notes(report: Any) -> list[str]:
    """Return the sentences below the heat map."""
    return [seen(note) for note in getattr(report, "notes", ())]


def _lines(lines: Sequence[Text]) -> str:
    return "\n".join(seen_line(line.plain) for line in lines).strip("\n")


def seen_line(text: str) -> str:
    """Return a line that was made for a terminal as the page shows it."""
    return seen(text).rstrip()
