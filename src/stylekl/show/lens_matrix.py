"""The matrix of any lens but style: a heat map with what its cells are, as JSON and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.text import Text

from stylekl.show.flow import columns, line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.grid import Grid
from stylekl.show.heatmap import heatmap
from stylekl.show.json import plain
from stylekl.show.labels import NAME, pad, shorten, shown
from stylekl.show.notes import left_out_line
from stylekl.show.numbers import count, plural

if TYPE_CHECKING:
    from stylekl.lenses.frame import LensMatrix
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_LEAST = 6  # cells of a label in the table of counts
_KEYS = ("by", "measure", "unit", "models", "order", "pairs", "clusters", "notes", "diverging")
_PAIR = ("value", "back", "low", "high", "n", "p", "q", "call", "undefined")


def matrix_view(
    report: LensMatrix,
    terminal: Terminal,
    *,
    ramp: str = "lajolla",
    vmax: float | None = None,
    counts: bool = False,
) -> list[Text]:
    """Return the heat map of all pairs in the report's order, and below it what its cells are.

    With `counts` a table of how many units each cell rests on comes before that.
    """
    lines = [*heatmap(matrix_grid(report), terminal, ramp=ramp, vmax=vmax), Text()]
    if counts:
        lines += [*_counts(report, terminal), Text()]
    empty = sum(pair.value is None for pair in report.pairs)
    pairs = f", {count(empty)} of {plural(len(report.pairs), 'pair')} without a value" if empty else ""
    notes = [f"{plural(len(report.models), 'model')}{pairs}", *report.notes]
    for note in notes:
        lines += prose(line((shown(note, terminal.ascii), "dim")), terminal.width, 0, 2)
    return lines + left_out_line(report.models, terminal)


def _counts(report: LensMatrix, terminal: Terminal) -> list[Text]:
    """Return how many units each cell rests on: a table in the order of the map, or a list where that is too wide."""
    held = {frozenset((pair.a, pair.b)): pair.n for pair in report.pairs}
    names = {model.id: model.name for model in report.models}
    cell = 2 + max([len(count(n)) for n in held.values()] + [len(str(len(report.order)))])
    place = len(str(len(report.order)))
    room = terminal.width - cell * len(report.order) - place - 1
    title = prose(line(("How many units each cell rests on", "bold")), terminal.width)
    if room < _LEAST:
        short = shorten([names[each] for each in report.order], NAME, terminal.ascii)
        called = dict(zip(report.order, short, strict=True))
        entries = [Text(f"{called[p.a]}, {called[p.b]}: {count(p.n)}") for p in report.pairs]
        return title + columns(entries, terminal.width)
    labels = shorten([names[each] for each in report.order], min(room, NAME), terminal.ascii)
    wide = max(map(cell_len, labels))
    lines = [
        line((" " * (wide + place + 1) + "".join(f"{j:>{cell}}" for j in range(1, len(labels) + 1)), "dim"))
    ]
    for i, (label, model) in enumerate(zip(labels, report.order, strict=True)):
        row = line(pad(label, wide), (f" {i + 1:>{place}}", "dim"))
        for other in report.order:
            n = held.get(frozenset((model, other)))
            row.append(f"{glyphs(terminal).dot if n is None else count(n):>{cell}}")
        lines.append(row)
    return title + lines


def matrix_grid(report: LensMatrix) -> Grid:
    """Return the square of a report: cell (row, column) is the value of the pair, or its way back."""
    place = {model: i for i, model in enumerate(report.order)}
    names = {model.id: model.name for model in report.models}
    values: list[list[float | None]] = [[None] * len(place) for _ in place]
    for pair in report.pairs:
        i, j = place[pair.a], place[pair.b]
        values[i][j] = pair.value
        values[j][i] = pair.value if pair.back is None else pair.back
    cluster = {model: number for number, ids in enumerate(report.clusters) for model in ids}
    clusters = (
        [cluster.get(model, len(cluster) + i) for i, model in enumerate(report.order)] if cluster else []
    )
    labels = [names.get(model, model) for model in report.order]
    return Grid(labels, values, report.unit, clusters, diverging=report.diverging)


def matrix_data(report: LensMatrix) -> dict[str, Any]:
    """Return the `data` of `stylekl matrix --by LENS --json`."""
    return {key: plain(getattr(report, key)) for key in _KEYS}


def matrix_rows(report: LensMatrix) -> tuple[Header, Rows]:
    """Return one row for each pair of models."""
    names = {model.id: model.name for model in report.models}
    header = ["a", "b", "name_a", "name_b", *_PAIR]
    return header, [
        [
            pair.a,
            pair.b,
            names.get(pair.a, pair.a),
            names.get(pair.b, pair.b),
            *(getattr(pair, key) for key in _PAIR),
        ]
        for pair in report.pairs
    ]
