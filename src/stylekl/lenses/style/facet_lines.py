"""Where two sides differ: one line for each facet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stylekl.facets import FACETS
from stylekl.lenses.reports import FacetLine
from stylekl.lenses.style.contrast import sides_of_focus
from stylekl.lenses.style.study import Q_APART, estimates
from stylekl.measure.exchange import benjamini_hochberg
from stylekl.measure.units import FEW_UNITS

if TYPE_CHECKING:
    from stylekl.lenses.style.evidence import Evidence
    from stylekl.lenses.style.study import Study


def pair_lines(study: Study, first: int, second: int) -> tuple[FacetLine, ...]:
    """Return how far two models are apart in each facet; q is over the facets of this pair."""
    key = min(first, second), max(first, second)
    lines = [_pair_line(study.in_facet(name, [key]), key, swapped=first > second) for name in FACETS]
    q = benjamini_hochberg(np.array([np.nan if line.p is None else line.p for line in lines]))
    return tuple(
        line
        if line.p is None
        else replace(line, q=value, call="apart" if value < Q_APART else "too close to call")
        for line, value in zip(lines, q.tolist(), strict=True)
    )


def _pair_line(study: Study, key: tuple[int, int], *, swapped: bool) -> FacetLine:
    evidence, comparison = study.evidence, study.comparisons.get(key)
    if comparison is None or not len(evidence.vocabulary):
        return _line(
            evidence, undefined="no prompt in common" if comparison is None else "no symbol is common enough"
        )
    there, back = estimates(np.array([comparison.kl_ab, comparison.kl_ba]), comparison.units)
    line = replace(_line(evidence), kl_ab=back if swapped else there, kl_ba=there if swapped else back)
    if comparison.units.count < FEW_UNITS:
        return line
    return replace(line, floor=study.floor(comparison), p=comparison.p)


def focus_lines(study: Study, index: int, others: list[int]) -> tuple[FacetLine, ...]:
    """Return how far a model is from the mean of the others in each facet.

    A mean of models is not exchangeable with one, so there is no p: a facet is called apart where the 95 % interval
    lies above 0.
    """
    lines = []
    for name in FACETS:
        in_facet = study.in_facet(name, [])
        sides = sides_of_focus(in_facet, index, others)
        if sides is None:
            lines.append(_line(in_facet.evidence, undefined="no symbol is common enough"))
            continue
        estimate = sides.estimates[0]
        line = replace(_line(in_facet.evidence), kl_ab=estimate)
        if estimate is not None and sides.units.count >= FEW_UNITS:
            line = replace(line, call="apart" if estimate.low > 0 else "too close to call")
        lines.append(line)
    return tuple(lines)


def _line(evidence: Evidence, undefined: str | None = None) -> FacetLine:
    return FacetLine(
        facet=evidence.facet.NAME,
        unit=f"bits per {evidence.facet.UNIT}",
        symbols=len(evidence.vocabulary),
        coverage=evidence.vocabulary_report.coverage,
        kl_ab=None,
        kl_ba=None,
        floor=None,
        p=None,
        q=None,
        call="cannot say",
        undefined=undefined,
    )
