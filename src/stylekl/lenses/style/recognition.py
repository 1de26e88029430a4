"""Recognition: how well do single replies tell which of the models wrote them?"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from stylekl.facets.texts import Texts
from stylekl.lenses.style.held_out import with_strangers
from stylekl.lenses.style.recognition_report import (
    Answers,
    Bin,
    ByLength,
    Confused,
    Recognised,
    RecognisedModel,
    RecognisedPair,
    RecognitionReport,
)
from stylekl.measure.attribution import (
    ANSWER,
    Rate,
    Temperature,
    beyond_chance,
    confusion,
    fit_temperature,
    least_length,
    probabilities,
    rate,
)
from stylekl.measure.exchange import benjamini_hochberg
from stylekl.measure.ordering import by_linkage
from stylekl.measure.ridge import fit_ridge, rounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.lenses.style.held_out import Held

STRANGER = 0.05  # how likely it is beforehand that none of the models wrote a text
LENGTHS = (50, 100, 200, 400, 800, 1600)
_WHOLE = 10**9  # a length at which nothing is cut
_OF_EACH = 600  # held-out replies that are cut to each length
_ANSWERED = 0.05  # share of answers from which on a length is worth asking at
_BOUNDS = (0.0, 0.2, 0.4, 0.6, 0.8, ANSWER, 0.95, 1.0)
_TOLD = 0.05
_EXCHANGES = 200
DECIMALS = 6  # of a probability in a report: the same on every machine


def recognise(held: Held, *, stranger: float = STRANGER, cut: Cut | None = None) -> RecognitionReport:
    """Return how well single replies tell which of the models wrote them.

    `held` is what `hold` returned. `stranger` is how likely it is beforehand that none of the models wrote a text;
    `cut` may carry what `cut_replies` returned for the same.
    """
    cut = cut or cut_replies(held)
    closed = held.chances
    none, as_strangers = with_strangers(held, stranger)
    named = closed.argmax(axis=1)
    right = named == held.labels
    table = confusion(held.labels, named, held.classes)
    pairs = _pairs(held)
    order = _order(pairs, held.ids)
    return RecognitionReport(
        models=tuple(_model(held, model, named, table, as_strangers) for model in range(held.classes)),
        order=tuple(held.ids[model] for model in order),
        prompts=int(held.prompt.max()) + 1,
        replies=len(held.labels),
        folds=len(held.folds),
        columns=int(held.table.shape[1]),
        accuracy=rate(right, held.prompt, held.weights),
        chance=1.0 / held.classes,
        answers=_answers(held, closed.max(axis=1) * (1.0 - none), right),
        answers_closed=_answers(held, closed.max(axis=1), right),
        strangers=_strangers(held, as_strangers),
        confusion=tuple(tuple(int(table[i, j]) for j in order) for i in order),
        pairs=pairs,
        calibration=_calibration(closed.max(axis=1), right),
        lengths=cut.lengths,
        least_length=least_length(
            [row.characters for row in cut.lengths], [row.answered for row in cut.lengths], _ANSWERED
        ),
        undefined=None
        if held.classes > 2
        else "two models only: with one left out there is nobody to take it for",
        params={"stranger": stranger},
        warnings=held.warnings,
    )


def recognised(report: RecognitionReport, model: str) -> Recognised:
    """Return how well the model with this id is recognised; raises KeyError where the report does not have it."""
    found = {each.model: each for each in report.models}[model]
    other = found.most_confused_with
    return Recognised(
        accuracy=found.recall.value,
        low=found.recall.low,
        high=found.recall.high,
        chance=report.chance,
        most_confused_with=None if other is None else other.model,
    )


def _answers(held: Held, best: NDArray[np.float64], right: NDArray[np.bool_]) -> Answers:
    given = best >= ANSWER
    return Answers(
        given=rate(given, held.prompt, held.weights),
        right=rate(right[given], held.prompt[given], held.weights[given]),
    )


def _model(
    held: Held,
    model: int,
    named: NDArray[np.int64],
    table: NDArray[np.int64],
    as_strangers: NDArray[np.float64],
) -> RecognisedModel:
    own, called = held.labels == model, named == model
    others = np.where(np.arange(held.classes) == model, 0, table[model])
    most = int(others.argmax())
    share = float(others[most] / own.sum())
    return RecognisedModel(
        model=held.ids[model],
        name=held.names[model],
        prompts=len(np.unique(held.prompt[own])),
        replies=int(own.sum()),
        recall=rate(named[own] == model, held.prompt[own]),
        precision=rate(held.labels[called] == model, held.prompt[called], held.weights[called]),
        most_confused_with=Confused(held.ids[most], share) if others[most] else None,
        stranger=_strangers(held, as_strangers, model),
    )


def _strangers(held: Held, best: NDArray[np.float64], model: int | None = None) -> Rate | None:
    """Return how often replies (of one model) get a name when their model was left out; null where none was."""
    if not len(best):
        return None
    rows = held.left_out.rows
    some = np.ones(len(rows), bool) if model is None else held.labels[rows] == model
    if not some.any():
        return None
    return rate(best[some] >= ANSWER, held.prompt[rows[some]], held.weights[rows[some]])


def _pairs(held: Held) -> tuple[RecognisedPair, ...]:
    """Return how well every two models are told apart by a fit to these two, held out by the same folds."""
    found = [_pair(held, a, b) for a, b in combinations(range(held.classes), 2)]
    q = benjamini_hochberg(np.array([pair.p for pair in found]))
    return tuple(
        replace(pair, q=value, call="told apart" if value < _TOLD else "could not tell")
        for pair, value in zip(found, q.tolist(), strict=True)
    )


def _pair(held: Held, a: int, b: int) -> RecognisedPair:
    """Return how well two models are told apart; p by exchanging the two within prompts, 200 times."""
    rows = np.flatnonzero((held.labels == a) | (held.labels == b))
    labels, prompt, fold = (held.labels[rows] == b).astype(np.int64), held.prompt[rows], held.fold[rows]
    ridge = fit_ridge(held.products[np.ix_(rows, rows)], labels, 2)
    flips = np.random.default_rng(_EXCHANGES).choice([-1.0, 1.0], (int(prompt.max()) + 1, _EXCHANGES))
    targets = (labels - 0.5)[:, None] * np.column_stack([np.ones(len(flips)), flips])[prompt]
    scores = ridge.held_out(targets, [np.flatnonzero(fold == number) for number in np.unique(fold)])
    right = (scores > 0.0) == (targets > 0.0)
    weights = held.weights[rows] / held.weights[rows].sum()
    shared = np.intersect1d(prompt[labels == 0], prompt[labels == 1])
    return RecognisedPair(
        a=held.ids[a],
        b=held.ids[b],
        accuracy=rate(right[:, 0], prompt, weights),
        p=beyond_chance(float(weights @ right[:, 0]), weights @ right[:, 1:], len(shared)),
        q=1.0,
        call="could not tell",
    )


def _order(pairs: tuple[RecognisedPair, ...], ids: list[str]) -> list[int]:
    """Return the models in an order that puts those next to each other that are hard to tell apart."""
    place = {model: number for number, model in enumerate(ids)}
    distance = np.zeros((len(ids), len(ids)))
    for pair in pairs:
        a, b = place[pair.a], place[pair.b]
        distance[a, b] = distance[b, a] = max((pair.accuracy.value or 0.0) - 0.5, 0.0)
    return by_linkage(distance, ids)[0]


def _calibration(best: NDArray[np.float64], right: NDArray[np.bool_]) -> tuple[Bin, ...]:
    bins = []
    for low, high in pairwise(_BOUNDS):
        inside = (best >= low) & ((best < high) | (high == 1.0))
        count = int(inside.sum())
        claimed = round(float(best[inside].mean()), DECIMALS) if count else None
        share = float(right[inside].mean()) if count else None
        bins.append(Bin(low, high, count, claimed, share))
    return tuple(bins)


class Cut:
    """What becomes of held-out replies that are cut short: the temperature they ask for, and how each length fares."""

    def __init__(self, temperature: Temperature, lengths: tuple[ByLength, ...]) -> None:
        self.temperature, self.lengths = temperature, lengths


def cut_replies(held: Held) -> Cut:
    """Cut held-out replies to 50, 100, … 1,600 characters and judge each by the fit without its fold.

    At most 600 of each length, spread over the prompts; only replies that are longer. As many whole ones join them
    where the temperature is fitted.
    """
    rows, sizes = _to_cut(held)
    texts = [
        shortened(held.texts.texts[row], size)
        for row, size in zip(rows.tolist(), sizes.tolist(), strict=True)
    ]
    table, _ = held.columns.rows(Texts(texts))
    scores = np.empty((len(rows), held.classes))
    for number, fold in enumerate(held.folds):
        chosen = np.flatnonzero(held.fold[rows] == number)
        dual = held.ridge.dual_without(fold)
        scores[chosen] = rounded(table[chosen] @ (held.table.T @ dual) + dual.sum(axis=0))
    labels, prompt = held.labels[rows], held.prompt[rows]
    length = np.fromiter(map(len, texts), np.int64, len(texts))
    best, right = np.empty(len(rows)), scores.argmax(axis=1) == labels
    for number in range(len(held.folds)):
        own = held.fold[rows] == number
        others = ~own
        found = fit_temperature(scores[others], labels[others], length[others], prompt[others])
        chances = probabilities(scores[own], length[own], found)
        best[own] = held.confidence_by(np.flatnonzero(held.fold != number)).believed(chances).max(axis=1)
    return Cut(
        fit_temperature(scores, labels, length, prompt),
        tuple(_by_length(size, sizes == size, best >= ANSWER, right) for size in LENGTHS),
    )


def _to_cut(held: Held) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and the length that each is to be cut to."""
    by_prompt = np.lexsort((held.labels, held.prompt))
    rows, sizes = [], []
    for size in (*LENGTHS, _WHOLE):
        longer = by_prompt[(held.characters[by_prompt] > size) | (size == _WHOLE)]
        spread = longer[np.linspace(0, len(longer) - 1, min(_OF_EACH, len(longer))).astype(np.int64)]
        rows.append(spread)
        sizes.append(np.full(len(spread), size))
    return np.concatenate(rows), np.concatenate(sizes)


def shortened(text: str, size: int) -> str:
    """Return the beginning of `text`, at most `size` characters, ended between two words where that costs little."""
    start = text[:size]
    space = max(start.rfind(" "), start.rfind("\n"))
    return start[:space] if space > 0.6 * size else start


def _by_length(
    size: int, rows: NDArray[np.bool_], answered: NDArray[np.bool_], right: NDArray[np.bool_]
) -> ByLength:
    count = int(rows.sum())
    if not count:
        return ByLength(size, 0, None, None, None)
    given = rows & answered
    return ByLength(
        characters=size,
        replies=count,
        accuracy=float(right[rows].mean()),
        answered=float(answered[rows].mean()),
        right=float(right[given].mean()) if given.any() else None,
    )
