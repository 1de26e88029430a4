"""Kinship: do two models depart from the crowd in the same way, prompt by prompt?

For each prompt a model's distribution of symbols, its square roots taken (so that distances are Hellinger's), less the
mean over the models that answered it, points in the direction in which this model's reply departs from the crowd's.
c is the cosine between two such directions. Unrelated models have c = −1/(k − 1) on average, only because k models
share their mean, so κ = (c + 1/(k − 1))·(k − 1)/k is 0 for them and 1 for copies; the mean over prompts is what is
given. It finds shared weights and training where a divergence finds shared habits, and it depends on which other
models the file holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stylekl.measure.units import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from stylekl.counts import Counts

LEAST_MODELS = 4
MANY_MODELS = 22


@dataclass(frozen=True, slots=True, eq=False)
class Kinship:
    """κ of every pair of K models with its replicates.

    `replicates` (G + 1, K, K) is κ over all prompts and with each of G groups of prompts left out, nan where two
    models have no prompt in common; `fractions` (G,) is the share of the prompts in each group.
    """

    replicates: NDArray[np.float64]
    fractions: NDArray[np.float64]


def likely_kin(value: float, se: float, models: int) -> bool:
    """Tell whether κ calls two models likely kin: κ − 1.73·se above .13, or above .16 in files of over 22 models.

    Measured on families with known names: 80 and 72 % of siblings called, 3 and 0 of 507 unrelated pairs.
    """
    return value - 1.73 * se > (0.16 if models > MANY_MODELS else 0.13)


def kinship(counts: Counts, ranks: NDArray[np.int64]) -> Kinship | None:
    """Return the kinship of all models, or None below 4 models or 2 prompts that have any.

    `ranks` (P,) deals the prompts into 20 groups (one group a prompt below 40). A prompt that fewer than 4 models
    answered takes no part. Several replies to a prompt are averaged.
    """
    cosines = list(_by_prompt(counts))
    if len(cosines) < 2:
        return None
    order = sorted(range(len(cosines)), key=lambda index: ranks[cosines[index][0]])
    groups = GROUPS if len(cosines) >= 2 * GROUPS else len(cosines)
    shape = (groups, counts.models, counts.models)
    sums, numbers = np.zeros(shape), np.zeros(shape)
    for position, index in enumerate(order):
        _, models, kappa = cosines[index]
        place = np.ix_(np.array([position % groups]), models, models)
        sums[place] += kappa[None]
        numbers[place] += 1.0
    whole, count = sums.sum(axis=0), numbers.sum(axis=0)
    left = np.concatenate([count[None], count - numbers])
    with np.errstate(invalid="ignore", divide="ignore"):
        replicates = np.concatenate([whole[None], whole - sums]) / np.where(left > 0, left, np.nan)
    fractions = np.bincount(np.arange(len(order)) % groups, minlength=groups) / len(order)
    return Kinship(replicates, fractions)


def _by_prompt(counts: Counts) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.float64]]]:
    """Yield each prompt with its models and their κ (k, k)."""
    order = np.lexsort((counts.model, counts.prompt))
    scratch = np.zeros(counts.limit, bool), np.zeros(counts.limit, np.int64)
    for rows in np.split(order, np.flatnonzero(np.diff(counts.prompt[order])) + 1):
        models, member = np.unique(counts.model[rows].astype(np.int64), return_inverse=True)
        k = len(models)
        if k < LEAST_MODELS:
            continue
        roots = np.sqrt(_distributions(counts, rows, member, k, *scratch))
        products = roots @ roots.T
        # The products of the vectors less their mean, without touching the k × V table again.
        margin = products.mean(axis=0)
        products += products.mean() - margin - margin[:, None]
        norms = np.sqrt(np.maximum(products.diagonal(), 0.0))
        scale = np.divide(1.0, norms, out=np.zeros(k), where=norms > 1e-6)
        cosines = products * scale * scale[:, None]
        yield int(counts.prompt[rows[0]]), models, (cosines + 1.0 / (k - 1)) * (k - 1) / k


def _distributions(
    counts: Counts,
    rows: NDArray[np.int64],
    member: NDArray[np.int64],
    k: int,
    mark: NDArray[np.bool_],
    column: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the k × V distributions of the models of one prompt over the symbols that any of them uses.

    `mark` (limit,), all false, and `column` (limit,) are scratch space: marking finds the distinct symbols in less
    than sorting takes.
    """
    low, sizes = counts.starts[rows], counts.starts[rows + 1] - counts.starts[rows]
    ends = np.cumsum(sizes)
    entries = np.repeat(low - ends + sizes, sizes) + np.arange(ends[-1])
    symbols = counts.symbols.take(entries)
    mark[symbols] = True
    used = np.flatnonzero(mark)
    mark[used] = False
    column[used] = np.arange(len(used))
    weights = 1.0 / (np.bincount(member, minlength=k)[member] * np.maximum(counts.lengths[rows], 1))
    values = counts.counts.take(entries) * np.repeat(weights, sizes)
    keys = np.repeat(member * len(used), sizes) + column.take(symbols)
    table = np.bincount(keys, weights=values, minlength=k * len(used))
    return np.asarray(table.reshape(k, -1), np.float64)
