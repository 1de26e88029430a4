"""The replies that recognition learns from, and what it says of each when it has not seen it.

A linear model over the profiles of replies, cross-validated over prompts: no reply to a prompt is judged by a fit that
saw another reply to it. Probabilities come from a temperature that was fitted on prompts other than those trained on
and those judged. How replies by nobody in the file would be judged is tried by leaving each model out in turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from stylekl.errors import UsageError
from stylekl.facets.texts import Texts
from stylekl.lenses.style.profiles import Columns, columns_of, symbols_of
from stylekl.measure.attribution import (
    Confidence,
    Stranger,
    Temperature,
    fit_confidence,
    fit_of,
    fit_stranger,
    fit_temperature,
    probabilities,
)
from stylekl.measure.ridge import Ridge, fit_ridge, inner_products, rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from stylekl.lenses.style.material import Material

FOLDS = 10
MOST = 8000  # replies learned from: the table of their products is half a gigabyte then
FEWEST = 4  # prompts below which nothing can be held out twice
_STRANGERS = 20  # models that are left out in turn


@dataclass(eq=False)
class Held:
    """The replies that are learned from: N rows of C models, in K folds of prompts."""

    ids: list[str]
    names: list[str]
    labels: NDArray[np.int64]
    prompt: NDArray[np.int64]
    fold: NDArray[np.int64]
    texts: Texts
    warnings: tuple[str, ...]
    columns: Columns
    table: csr_matrix
    mass: NDArray[np.float64]
    products: NDArray[np.float64]
    ridge: Ridge

    @property
    def classes(self) -> int:
        """How many models there are."""
        return len(self.ids)

    @cached_property
    def folds(self) -> list[NDArray[np.int64]]:
        """The rows of each fold."""
        return [np.flatnonzero(self.fold == number) for number in range(int(self.fold.max()) + 1)]

    @cached_property
    def characters(self) -> NDArray[np.int64]:
        """The length of each reply."""
        return np.fromiter(map(len, self.texts.texts), np.int64, len(self.texts.texts))

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Weights (N,) under which every model counts the same."""
        return np.asarray(1.0 / np.bincount(self.labels, minlength=self.classes)[self.labels])

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """The scores of each reply (N, C) by the fit without its fold."""
        scores = np.empty((len(self.labels), self.classes))
        for rows in self.folds:
            scores[rows] = self.ridge.without(rows)
        return scores

    @cached_property
    def unexplained(self) -> NDArray[np.float64]:
        """How much of each reply (N,) the replies of the other folds do not explain."""
        found = np.empty(len(self.labels))
        for rows in self.folds:
            found[rows] = self.ridge.unexplained(rows)
        return rounded(found + self._unknown)

    @cached_property
    def _unknown(self) -> NDArray[np.float64]:
        """How much of each reply (N,) has no column."""
        return np.asarray(self.mass - np.asarray(self.table.multiply(self.table).sum(axis=1)).ravel())

    @cached_property
    def left_out(self) -> LeftOut:
        """What is said of replies by the fits without their fold and without their model.

        At most 20 models are left out in turn, spread over the list of their ids.
        """
        models = np.unique(np.linspace(0, self.classes - 1, min(self.classes, _STRANGERS)).round()).astype(
            int
        )
        rows, scores, unexplained = [], [], []
        for model in models.tolist():
            own = self.labels == model
            for fold in self.folds:
                without = np.flatnonzero(own | (self.fold == self.fold[fold[0]]))
                wanted = own[without] & (self.fold[without] == self.fold[fold[0]])
                rows.append(without[wanted])
                scores.append(np.delete(self.ridge.without(without)[wanted], model, axis=1))
                unexplained.append(self.ridge.unexplained(without)[wanted])
        found = np.concatenate(rows)
        return LeftOut(
            found, np.concatenate(scores), rounded(np.concatenate(unexplained) + self._unknown[found])
        )

    @cached_property
    def nested(self) -> NDArray[np.float64]:
        """The probability of each model for each reply (N, C), if it is known to be one of them.

        Those of a fold come from the fit without it, at a temperature from the other folds, each scored without both.
        """
        chances = np.empty((len(self.labels), self.classes))
        for number, (parts, scores) in _pairs_of_folds(self).items():
            rows, own = np.concatenate(parts), self.folds[number]
            temperature = fit_temperature(
                np.concatenate(scores), self.labels[rows], self.characters[rows], self.prompt[rows]
            )
            chances[own] = probabilities(self.scores[own], self.characters[own], temperature)
        return chances

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """The same (N, C), the best of them believed as far as it is right in the other folds."""
        chances = np.empty_like(self.nested)
        for number, rows in enumerate(self.folds):
            chances[rows] = self.confidence_by(np.flatnonzero(self.fold != number)).believed(
                self.nested[rows]
            )
        return chances

    def confidence_by(self, rows: NDArray[np.int64]) -> Confidence:
        """Return how far the best probability is to be believed, by these rows."""
        found = self.nested[rows]
        return fit_confidence(found.max(axis=1), found.argmax(axis=1) == self.labels[rows])

    def temperature_by(self, rows: NDArray[np.int64]) -> Temperature:
        """Return the temperature that the held-out scores of these rows ask for."""
        return fit_temperature(self.scores[rows], self.labels[rows], self.characters[rows], self.prompt[rows])

    def stranger_by(self, rows: NDArray[np.int64]) -> Stranger:
        """Return what tells the models' replies from a stranger's, by these rows; needs three models."""
        left = self.left_out
        among = np.isin(left.rows, rows)
        return fit_stranger(
            fit_of(self.scores[rows], self.unexplained[rows], self.characters[rows]),
            fit_of(left.scores[among], left.unexplained[among], self.characters[left.rows[among]]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Replies (M rows of the N) judged without their model: scores (M, C − 1), and how much of each is unexplained."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    unexplained: NDArray[np.float64]


def hold(material: Material, models: Sequence[int] = ()) -> Held:
    """Learn from the replies of `models` (indices; all where none is named).

    Raises UsageError where fewer than two models answered, or fewer than 4 prompts are left.
    """
    rows, warnings = _chosen(material, models)
    places = material.where.astype(np.int64)[rows]
    present, labels = np.unique(places[:, 0], return_inverse=True)
    by_rank, prompt = np.unique(material.ranks[places[:, 1]], return_inverse=True)
    texts = Texts([material.texts.texts[row].rstrip() for row in rows.tolist()])
    found = symbols_of(texts)
    columns = columns_of(found, prompt)
    table, mass = columns.place(found, len(rows))
    products = inner_products(table)
    return Held(
        ids=[material.models[model].id for model in present.tolist()],
        names=[material.models[model].name or material.models[model].id for model in present.tolist()],
        labels=labels.astype(np.int64),
        prompt=prompt.astype(np.int64),
        fold=prompt.astype(np.int64) % min(FOLDS, len(by_rank)),
        texts=texts,
        warnings=warnings,
        columns=columns,
        table=table,
        mass=mass,
        products=products,
        ridge=fit_ridge(products, labels.astype(np.int64), len(present)),
    )


def _chosen(material: Material, models: Sequence[int]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the rows to learn from, and what must be said of them.

    All replies to prompts that two of the models answered, up to a number that can be borne.
    """
    places = material.where.astype(np.int64)
    wanted = np.isin(places[:, 0], np.array(models, np.int64)) if models else np.ones(len(places), bool)
    answered = np.zeros((len(material.models), len(material.prompts)), bool)
    answered[places[wanted, 0], places[wanted, 1]] = True
    writers = int(answered.any(axis=1).sum())
    if writers < 2:
        raise UsageError(
            f"recognition needs replies of two models; {writers} has any", "name more models with --models"
        )
    usable = answered.sum(axis=0) >= 2
    warnings = []
    if 2 * int(answered[answered.any(axis=1)][:, usable].sum(axis=1).min()) < np.count_nonzero(usable):
        warnings.append("the models answered different prompts: what they were asked may give some away")
    order = np.argsort(material.ranks)
    order = order[usable[order]]
    replies = np.bincount(places[wanted, 1], minlength=len(material.prompts))[order]
    few_enough = max(int(np.count_nonzero(np.cumsum(replies) <= MOST)), min(FEWEST, len(order)))
    if few_enough < len(order):
        warnings.append(
            f"recognition learned from {few_enough} of {len(order)} prompts, {MOST:,} replies at most"
        )
    if few_enough < FEWEST:
        raise UsageError(
            f"recognition needs {FEWEST} prompts that two models answered; there are {few_enough}",
            "ask the models more prompts, the same ones",
        )
    rows = np.flatnonzero(wanted & np.isin(places[:, 1], order[:few_enough]))
    # The order of the file must not show, not even in the last digit of a sum.
    return rows[np.lexsort((material.ranks[places[rows, 1]], places[rows, 0]))], tuple(warnings)


def _pairs_of_folds(held: Held) -> dict[int, tuple[list[NDArray[np.int64]], list[NDArray[np.float64]]]]:
    """Return for each fold the rows of every other one and their scores by the fit without both."""
    found: dict[int, tuple[list[NDArray[np.int64]], list[NDArray[np.float64]]]] = {
        number: ([], []) for number in range(len(held.folds))
    }
    for one, other in combinations(range(len(held.folds)), 2):
        first, second = held.folds[one], held.folds[other]
        scores = held.ridge.without(np.concatenate([first, second]))
        for number, rows, part in ((one, second, scores[len(first) :]), (other, first, scores[: len(first)])):
            found[number][0].append(rows)
            found[number][1].append(part)
    return found


def with_strangers(held: Held, prior: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what changes where a stranger may have written a reply, with this chance beforehand.

    First the chance (N,) that none of the models wrote each reply, then the best chance (M,) of the rows of
    `held.left_out`, whose own model was left out. Both by what the other folds say; without three models there are
    no strangers.
    """
    if held.classes < 3:
        return np.zeros(len(held.labels)), np.empty(0)
    left = held.left_out
    none, best = np.empty(len(held.labels)), np.empty(len(left.rows))
    for number, rows in enumerate(held.folds):
        others = np.flatnonzero(held.fold != number)
        stranger, temperature = held.stranger_by(others), held.temperature_by(others)
        fit = fit_of(held.scores[rows], held.unexplained[rows], held.characters[rows])
        none[rows] = stranger.chance(fit, prior)
        own = held.fold[left.rows] == number
        size, scores = held.characters[left.rows[own]], left.scores[own]
        chances = held.confidence_by(others).believed(probabilities(scores, size, temperature))
        best[own] = chances.max(axis=1) * (
            1.0 - stranger.chance(fit_of(scores, left.unexplained[own], size), prior)
        )
    return none, best
