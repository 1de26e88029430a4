"""How surely one neighbour is nearer than another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stylekl.measure.jackknife import jackknife, student_quantiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.lenses.style.study import Study
    from stylekl.measure.comparison import Comparison


def rank_ranges(study: Study, index: int, others: list[int]) -> dict[int, tuple[int, int, int]]:
    """Return rank, lowest and highest rank of each of `others` as neighbours of the model `index`.

    The rank follows the corrected divergence (ties by id). One is surely nearer than another where the t of the
    jackknifed difference passes the 97.5 % point of Student's t; the range runs from 1 + how many are surely
    nearer to N less how many are surely further. Where two neighbours were compared on different prompts their
    errors count as independent, which widens the range.
    """
    rows = [_replicates(study, index, other) for other in others]
    found = [jackknife(values, comparison.units.fractions) for values, comparison in rows]
    value = np.array([float(result.value) for result in found])
    order = sorted(range(len(others)), key=lambda i: (value[i], study.evidence.models[others[i]].id))
    rank = {i: position + 1 for position, i in enumerate(order)}
    nearer = np.zeros((len(others), len(others)), bool)  # [i, j]: i is surely nearer than j
    for i, (values, comparison) in enumerate(rows):
        same = np.array([other.units is comparison.units for _, other in rows])
        difference = value - value[i]
        error = np.sqrt(np.array([float(result.se) ** 2 for result in found]) + float(found[i].se) ** 2)
        error[same] = [
            float(jackknife(rows[j][0] - values, comparison.units.fractions).se) for j in np.flatnonzero(same)
        ]
        degrees = np.array([min(comparison.units.degrees, other.units.degrees) for _, other in rows])
        quantile = np.array([student_quantiles(int(d))[0] for d in degrees])
        nearer[i] = difference > quantile * error
    count = len(others)
    return {
        other: (rank[i], 1 + int(nearer[:, i].sum()), count - int(nearer[i].sum()))
        for i, other in enumerate(others)
    }


def _replicates(study: Study, index: int, other: int) -> tuple[NDArray[np.float64], Comparison]:
    comparison = study.comparisons[min(index, other), max(index, other)]
    if study.evidence.options.rank == "js":
        return comparison.js, comparison
    return (comparison.kl_ab if index < other else comparison.kl_ba), comparison
