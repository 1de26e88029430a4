"""How surely one neighbour is nearer than another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stylekl.measure.jackknife import jackknife, student_quantiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.lenses.style.study import Study


class _Distance(NamedTuple):
    """Replicates (G + 1,) of how far a neighbour is, and what its groups are: equal `groups` are the same ones."""

    replicates: NDArray[np.float64]
    fractions: NDArray[np.float64]
    degrees: int
    groups: int


def rank_ranges(study: Study, index: int, others: list[int]) -> dict[int, tuple[int, int, int]]:
    """Return rank, lowest and highest rank of each of `others` as neighbours of the model `index`.

    The rank follows the corrected divergence, or falling kinship (ties by id). One is surely nearer than another
    where the t of the jackknifed difference passes the 97.5 % point of Student's t; the range runs from 1 + how
    many are surely nearer to N less how many are surely further. Where two neighbours were compared on different
    prompts their errors count as independent, which widens the range.
    """
    rows = [_distance(study, index, other) for other in others]
    found = [jackknife(row.replicates, row.fractions) for row in rows]
    value = np.array([float(result.value) for result in found])
    variance = np.array([float(result.se) ** 2 for result in found])
    order = sorted(range(len(others)), key=lambda i: (value[i], study.evidence.models[others[i]].id))
    rank = {i: position + 1 for position, i in enumerate(order)}
    nearer = np.zeros((len(others), len(others)), bool)  # [i, j]: i is surely nearer than j
    for i, row in enumerate(rows):
        same = [j for j, other in enumerate(rows) if other.groups == row.groups]
        error = np.sqrt(variance + variance[i])
        differences = np.array([rows[j].replicates for j in same]) - row.replicates
        error[same] = jackknife(differences, row.fractions).se
        quantile = np.array([student_quantiles(min(row.degrees, other.degrees))[0] for other in rows])
        nearer[i] = value - value[i] > quantile * error
    count = len(others)
    return {
        other: (rank[i], 1 + int(nearer[:, i].sum()), count - int(nearer[i].sum()))
        for i, other in enumerate(others)
    }


def _distance(study: Study, index: int, other: int) -> _Distance:
    rank = study.evidence.options.rank
    if rank == "kinship" and study.kinship is not None:
        found = study.kinship
        return _Distance(-found.replicates[:, index, other], found.fractions, len(found.fractions) - 1, 0)
    comparison = study.comparisons[min(index, other), max(index, other)]
    units = comparison.units
    there = comparison.kl_ab if index < other else comparison.kl_ba
    return _Distance(comparison.js if rank == "js" else there, units.fractions, units.degrees, id(units))
