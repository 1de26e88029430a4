"""A matrix against an earlier file, in sentences below the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.show.flow import line
from stylekl.show.glyphs import Glyphs, glyphs
from stylekl.show.heatmap import MARK
from stylekl.show.labels import named
from stylekl.show.numbers import count, estimate, number, plural, probability

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.text import Text

    from stylekl.lenses.reports import Estimate, MatrixReport
    from stylekl.lenses.style.changes import Baseline, Moved
    from stylekl.show.terminal import Terminal

_NAMED = 5  # how many are named before "and n more"


def baseline_lines(report: MatrixReport, names: Mapping[str, str], terminal: Terminal) -> list[Text]:
    """Return which cells moved since the baseline, and which models changed themselves."""
    found = report.baseline
    if found is None:
        return []
    marks, path = glyphs(terminal), named(found.path, terminal.ascii)
    cells = plural(found.cells, "cell")
    if not found.moved:
        told = "none of " if found.cells else "no cell to compare of "
        lines = [line((f"Moved since {path}", "bold"), f": {told}{cells} that both files have")]
    else:
        entries = [_entry(moved, report.measure, names, marks) for moved in found.moved[:_NAMED]]
        rest = f", and {count(len(found.moved) - _NAMED)} more" if len(found.moved) > _NAMED else ""
        head = f" ({MARK}, {count(len(found.moved))} of {cells} at q < .05)"
        lines = [line((f"Moved since {path}", "bold"), f"{head}: {', '.join(entries)}{rest}")]
    return [*lines, *_changed(found, names)]


def _entry(moved: Moved, measure: str, names: Mapping[str, str], marks: Glyphs) -> str:
    joined = f" {marks.against} " if measure == "kl" else " and "
    both = joined.join(names.get(one, one) for one in (moved.row, moved.column))
    return f"{both} {_written(moved.before)} {marks.to} {_written(moved.now)}"


def _written(value: Estimate) -> str:
    return number(max(value.value, 0.0))


def _changed(found: Baseline, names: Mapping[str, str]) -> list[Text]:
    apart = [change for change in found.changes if change.call == "apart"]
    if not apart:
        return [
            line(
                f"Of {plural(len(found.changes), 'model')} in both files, none is apart from its earlier self"
            )
        ]
    apart.sort(key=lambda change: (-(change.kl.value if change.kl else 0.0), change.new))
    entries = [
        f"{names.get(c.new, c.new)} ({estimate(c.kl) if c.kl else 'no value'}, {probability('q', c.q)})"
        for c in apart
    ]
    rest = f", and {count(len(entries) - _NAMED)} more" if len(entries) > _NAMED else ""
    return [line(f"Apart from their earlier selves: {', '.join(entries[:_NAMED])}{rest}")]
