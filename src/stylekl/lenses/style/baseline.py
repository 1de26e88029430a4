"""A matrix against an earlier file: which cells moved, and which models did themselves."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stylekl.errors import UsageError
from stylekl.lenses.style.changes import Baseline, Moved
from stylekl.lenses.style.drift import changes_in
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.lenses.style.sides_by_side import both
from stylekl.lenses.style.study import Q_APART, Study, estimate_of
from stylekl.measure.exchange import benjamini_hochberg
from stylekl.measure.jackknife import jackknife, two_sided_p
from stylekl.measure.units import FEW_UNITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.lenses.reports import MatrixReport
    from stylekl.lenses.style.changes import Change
    from stylekl.lenses.style.evidence import Evidence
    from stylekl.lenses.style.sides_by_side import Both
    from stylekl.measure.units import Units
    from stylekl.results import Results

_NOTHING = 1e-12  # bits: what rounding makes of the same replies


class _Cell(NamedTuple):
    """A cell now and before: row and column, the replicates (G + 1,) of its divergence, the units behind them."""

    row: int
    column: int
    now: NDArray[np.float64]
    before: NDArray[np.float64]
    units: tuple[Units, Units]


def against(report: MatrixReport, evidence: Evidence, old: Results) -> MatrixReport:
    """Return a matrix report with what moved since `old`.

    Models are matched as in a diff. The replies of `old` are counted on the vocabulary of the matrix, so that both
    values of a cell are in the same bits. A cell moved where Student's t of the difference of its two divergences
    gives q < .05 over all cells that both files have. Where both rest on the same prompts the difference is jackknifed
    group by group; else the two errors count as independent. Raises UsageError for a measure that depends on the other
    models of a file, under `match_length`, and where the files share fewer than two models.
    """
    options = evidence.options
    if options.measure == "kinship":
        raise UsageError(
            "kinship depends on the other models of a file", "--baseline goes with --measure kl or js"
        )
    if options.match_length:
        raise UsageError("--match-length cuts each file by its own replies", "leave it out with --baseline")
    sides = both(old, evidence.results, keep_new=True)
    whole = _on_vocabulary_of(
        evidence, gather_evidence(sides.results, replace(options, models=(), vocabulary=None))
    )
    shown = {row.id for row in report.models}
    before = {whole.index[new]: whole.index[earlier] for earlier, new in sides.matched if new in shown}
    if len(before) < 2:
        raise UsageError(
            f"the baseline shares {len(before)} of the models shown; a cell needs two",
            "models are matched by id or name",
        )
    cells = _cells(whole, before, options.measure)
    source = old.sources[0] if old.sources else None
    return replace(
        report,
        baseline=Baseline(
            path=source.path if source else "",
            sha256=source.sha256 if source else "",
            cells=len(cells),
            moved=_moved(whole, cells),
            changes=_changes(whole, before, sides),
        ),
        params=report.params | {"baseline": source.path if source else ""},
        warnings=tuple(dict.fromkeys((*report.warnings, *old.warnings))),
    )


def _on_vocabulary_of(evidence: Evidence, whole: Evidence) -> Evidence:
    """Return `whole` on the vocabulary of `evidence`, whose symbols need not have the same ids there."""
    wanted = {evidence.facet.symbol(int(identifier)) for identifier in evidence.vocabulary}
    used = np.unique(whole.counts.symbols).tolist()
    vocabulary = np.array([found for found in used if whole.facet.symbol(found) in wanted], np.int64)
    return replace(whole, vocabulary=vocabulary, others={})


def _cells(whole: Evidence, before: dict[int, int], measure: str) -> list[_Cell]:
    pairs = list(combinations(sorted(before), 2))
    earlier = [tuple(sorted((before[a], before[b]))) for a, b in pairs]
    study = Study(whole, [*pairs, *((a, b) for a, b in earlier)], only_wanted=True)
    cells = []
    for a, b in pairs:
        for row, column in ((a, b), (b, a)) if measure == "kl" else ((a, b),):
            now, units = _replicates(study, row, column, measure)
            then, units_then = _replicates(study, before[row], before[column], measure)
            if units is None or units_then is None or min(units.count, units_then.count) < FEW_UNITS:
                continue
            cells.append(_Cell(row, column, now, then, (units, units_then)))
    return cells


def _replicates(
    study: Study, row: int, column: int, measure: str
) -> tuple[NDArray[np.float64], Units | None]:
    found = study.comparisons.get((min(row, column), max(row, column)))
    if found is None:
        return np.empty(0), None
    if measure == "js":
        return found.js, found.units
    return (found.kl_ab if row < column else found.kl_ba), found.units


def _moved(whole: Evidence, cells: list[_Cell]) -> tuple[Moved, ...]:
    p = np.array([_p(cell) for cell in cells])
    q = benjamini_hochberg(p)
    moved = []
    for i in np.flatnonzero(q < Q_APART):
        cell = cells[i]
        now, before = (
            estimate_of(replicates, units.fractions, units.degrees)
            for replicates, units in zip((cell.now, cell.before), cell.units, strict=True)
        )
        ids = whole.models[cell.row].id, whole.models[cell.column].id
        moved.append(Moved(*ids, before, now, float(p[i]), float(q[i])))
    return tuple(sorted(moved, key=lambda m: (m.p, -abs(m.now.value - m.before.value), m.row, m.column)))


def _p(cell: _Cell) -> float:
    """Return the p-value of the difference between a cell now and before."""
    now, then = cell.units
    if cell.now.shape == cell.before.shape and np.abs(cell.now - cell.before).max() < _NOTHING:
        return 1.0
    if now is then:  # equal units are one object
        found = jackknife((cell.now - cell.before)[None], now.fractions)
        return two_sided_p(float(found.value[0]), float(found.se[0]), now.degrees)
    one, other = jackknife(cell.now[None], now.fractions), jackknife(cell.before[None], then.fractions)
    error = float(np.hypot(one.se[0], other.se[0]))
    return two_sided_p(float(one.value[0] - other.value[0]), error, min(now.degrees, then.degrees))


def _changes(whole: Evidence, before: dict[int, int], sides: Both) -> tuple[Change, ...]:
    changes = changes_in(whole, {(earlier, now): ("old",) for now, earlier in sorted(before.items())})
    return tuple(replace(change, old=sides.own[change.old].id) for change in changes)
