"""Where two sides differ: a line for each facet, compared by what chance alone would reach in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from stylekl.show.flow import line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.labels import fit, named, pad
from stylekl.show.numbers import estimate, interval, number, probability
from stylekl.show.stack import WAYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.reports import Estimate, FacetLine
    from stylekl.show.glyphs import Glyphs
    from stylekl.show.terminal import Terminal

_NAME = 14  # cells that a facet's name may take
_BAR = 6, 30  # a bar narrower than the first says nothing
_GAP = 2
_ORDER = ("name", "reach", "call", "q", "there", "back", "unit")
_GIVEN_UP = ("unit", "q", "back", "there", None)  # in this order, where the columns do not fit


def facet_lines(facets: Sequence[FacetLine], terminal: Terminal) -> list[Text]:
    """Return one line a facet and what to make of it; nothing where there are no facets.

    A line has a bar of its multiple of chance, the call with q, and the divergences with their intervals. What no line
    has, and columns that do not fit, are left out.
    """
    if not facets:
        return []
    marks = glyphs(terminal)
    both = any(found.kl_ba is not None for found in facets)
    heads = {"reach": f"{marks.times} chance", "there": WAYS[0] if both else "KL", "back": WAYS[1]}
    rows = [_row(found, marks, terminal) for found in facets]
    wide = {name: max(cell_len(row.get(name, "")) for row in rows) for name in _ORDER}
    columns = {name: max(width, len(heads.get(name, ""))) for name, width in wide.items() if width}
    columns, bar = _fitting(columns, wide["reach"], terminal.width)
    if bar:
        _draw(rows, [_multiple(found) or 0.0 for found in facets], bar, marks)
        columns["reach"] = bar + _GAP + wide["reach"]
    lines = [line((_cells(heads, columns), "dim"))]
    for row, found in zip(rows, facets, strict=True):
        if found.kl_ab is None:
            lines.append(_unknown(row, found, columns["name"], terminal))
        else:
            lines.append(Text(_cells(row, columns)))
    return [*lines, *prose(line((_reading(facets, both, "q" in columns, marks), "dim")), terminal.width, 2)]


def per(unit: str) -> str:
    """Return what one symbol is called: `token` for `bits per token`."""
    return unit.removeprefix("bits per ")


def _row(found: FacetLine, marks: Glyphs, terminal: Terminal) -> dict[str, str]:
    multiple = _multiple(found)
    return {
        "name": fit(named(found.facet, terminal.ascii), _NAME, terminal.ascii),
        "reach": "" if multiple is None else f"{number(multiple, int(multiple < 9.95))}{marks.times}",
        "call": found.call if found.kl_ab is not None else "",
        "q": probability("q", found.q) if found.kl_ab is not None else "",
        "there": _measured(found.kl_ab),
        "back": _measured(found.kl_ba),
        "unit": f"per {named(per(found.unit), terminal.ascii)}" if found.kl_ab is not None else "",
    }


def _unknown(row: dict[str, str], found: FacetLine, name: int, terminal: Terminal) -> Text:
    reason = named(found.undefined or "no value", terminal.ascii)
    text = f"{found.call}, {reason}"
    return line(
        "  ", pad(row["name"], name + _GAP), (fit(text, terminal.width - name - 4, terminal.ascii), "dim")
    )


def _multiple(found: FacetLine) -> float | None:
    """Return the mean of the directions over the floor, which does not change when the two change places."""
    known = [value.value for value in (found.kl_ab, found.kl_ba) if value is not None]
    if not known or not found.floor or found.floor <= 0:
        return None
    return max(sum(known) / len(known), 0.0) / found.floor


def _measured(value: Estimate | None) -> str:
    if value is None:
        return ""
    return f"{estimate(value)} {interval(value)}".rstrip() if value.value > 0 else estimate(value)


def _fitting(columns: dict[str, int], times: int, width: int) -> tuple[dict[str, int], int]:
    """Return the columns that fit, and the width of a bar before the multiples; 0 where none fits."""
    kept = dict(columns)
    for given_up in _GIVEN_UP:
        others = sum(wide + _GAP for name, wide in kept.items() if name != "reach")
        bar = width - _GAP - others - _GAP - times
        if bar >= (_BAR[0] if times else -_GAP):
            return kept, min(bar, _BAR[1]) if times else 0
        kept.pop(given_up or "", None)
    return kept, 0


def _draw(rows: Sequence[dict[str, str]], multiples: Sequence[float], bar: int, marks: Glyphs) -> None:
    """Put a bar before each multiple, the greatest as long as there is room."""
    greatest, times = max(multiples) or 1.0, max(len(row["reach"]) for row in rows)
    for row, multiple in zip(rows, multiples, strict=True):
        halves = round(multiple / greatest * 2 * bar)
        drawn = (marks.bar * (halves // 2) + marks.half_bar * (halves % 2)).rstrip()
        row["reach"] = f"{pad(drawn, bar)}{' ' * _GAP}{row['reach'].rjust(times)}"


def _cells(row: dict[str, str], columns: dict[str, int]) -> str:
    cells = [pad(row.get(name, ""), wide) for name, wide in columns.items()]
    return (" " * _GAP + (" " * _GAP).join(cells)).rstrip()


def _reading(facets: Sequence[FacetLine], both: bool, with_q: bool, marks: Glyphs) -> str:
    said = "Each facet counts symbols of its own: compare the calls, not the bits."
    if any(_multiple(found) is not None for found in facets):
        over, told = (
            ("mean of both directions", "the two apart") if both else ("divergence", "it from the others")
        )
        said = (
            f"{marks.times}: {over} over the floor, which chance alone reaches once in twenty times: how clearly"
            f" a facet tells {told}. {said}"
        )
    if with_q:
        return f"{said} q is over these facets."
    by_interval = any(found.p is None and found.call != "cannot say" for found in facets)
    return f"Apart: the 95% interval lies above 0. {said}" if by_interval else said
