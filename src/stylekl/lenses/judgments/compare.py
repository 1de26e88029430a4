"""Two models compared over prompts: score differences with their error, shares of verdicts, and position.

The unit is the prompt: what several judges say of one prompt, in either order, is not independent. A prompt's
difference is the mean over judges of the mean over each judge's items.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from stylekl.lenses.judgments.reports import Difference, Dimension, Mean, Position, Verdicts
from stylekl.lenses.judgments.rubric import TIE
from stylekl.measure.exchange import benjamini_hochberg
from stylekl.measure.families import LEVEL
from stylekl.measure.head_to_head import effective, sign_p, wilson
from stylekl.measure.jackknife import student_quantiles
from stylekl.measure.units import FEW_UNITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from stylekl.lenses.judgments.items import Item
    from stylekl.lenses.judgments.material import Judgment

EXACT = 16  # prompts: up to here all signs are enumerated
_TINY = 1e-9


def mean_of(values: Sequence[float], name: str | None = None) -> Mean:
    """Return the mean of one value a prompt with the 95 % interval of Student's t; no interval of a single value."""
    array = np.asarray(values, np.float64)
    middle, low, high = float(array.mean()), None, None
    if len(array) > 1:
        half = student_quantiles(len(array) - 1)[0] * float(array.std(ddof=1)) / math.sqrt(len(array))
        low, high = middle - half, middle + half
    return Mean(name, middle, low, high, len(array))


def sign_flip_p(values: Sequence[float]) -> float | None:
    """Return the two-sided p that differences are as likely to have the other sign; null for fewer than six.

    Exact over all signs up to 16 values that are not 0, beyond by the normal curve with their variance, the sum of
    squares. 1 where all are 0.
    """
    array = np.asarray(values, np.float64)
    if len(array) < FEW_UNITS:
        return None
    moved = array[np.abs(array) > _TINY]
    if not len(moved):
        return 1.0
    if len(moved) <= EXACT:
        signs = np.array(list(product((1.0, -1.0), repeat=len(moved) - 1))).reshape(
            -1 if len(moved) > 1 else 1, len(moved) - 1
        )
        sums = np.abs(moved[0] + signs @ moved[1:])
        return float(np.mean(sums >= abs(float(moved.sum())) - _TINY))
    return math.erfc(abs(float(moved.sum())) / math.sqrt(2.0 * float(np.square(moved).sum())))


def by_prompt(found: Iterable[Item], name: str) -> dict[str, float]:
    """Return a's score less b's on each prompt; `name` is a dimension, "" for all together."""
    return _means((item.prompt, item.judge, item.differences[name]) for item in found if item.differences)


def scores_by_prompt(found: Iterable[Item], model: str, name: str) -> dict[str, float]:
    """Return the mean score of a model on each prompt."""
    return _means(
        (item.prompt, item.judge, sum(own.values()) if name == "" else own[name])
        for item in found
        if item.scores and (own := item.scores.get(model))
    )


def _means(rows: Iterable[tuple[str, str, float]]) -> dict[str, float]:
    table: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for prompt, judge, value in rows:
        table[prompt][judge].append(value)
    return {
        prompt: fmean(fmean(values) for _, values in sorted(judges.items()))
        for prompt, judges in sorted(table.items())
    }


def difference(found: Sequence[Item], name: str, *, turned: bool = False) -> Difference:
    """Return how much higher a is scored than b, or b than a where `turned`; q is filled in by `with_q`."""
    sign = -1.0 if turned else 1.0
    values = [sign * value + 0.0 for value in by_prompt(found, name).values()]
    calls = [sign * value + 0.0 for item in found for value in _calls(item, name)]
    if not values:
        return Difference(None, None, None, 0, None, None, "cannot say", None, 0)
    mean = mean_of(values)
    p = sign_flip_p(values)
    over = fmean(calls) if calls else None
    return Difference(mean.value, mean.low, mean.high, len(values), p, None, "cannot say", over, len(calls))


def _calls(item: Item, name: str) -> list[float]:
    """Return a's score less b's in each judgment on both."""
    found = []
    for call in item.calls:
        if call.scores is not None and call.second is not None:
            of_a, of_b = call.scores[item.a], call.scores[item.b]
            found.append(sum(of_a.values()) - sum(of_b.values()) if name == "" else of_a[name] - of_b[name])
    return found


def dimensions(found: Sequence[Item], names: Sequence[str], *, turned: bool) -> tuple[Dimension, ...]:
    """Return every dimension of two models, q being over the dimensions."""
    rows = [_dimension(found, name, turned=turned) for name in names]
    q = benjamini_hochberg(_array(row.difference.p for row in rows))
    return tuple(
        replace(row, difference=with_q(row.difference, value))
        for row, value in zip(rows, q.tolist(), strict=True)
    )


def total(found: Sequence[Item], *, turned: bool) -> Dimension:
    """Return all dimensions together."""
    row = _dimension(found, "", turned=turned)
    return replace(row, name=None)


def _dimension(found: Sequence[Item], name: str, *, turned: bool) -> Dimension:
    a, b = found[0].a, found[0].b
    first, second = (b, a) if turned else (a, b)
    means = [scores_by_prompt(found, model, name) for model in (first, second)]
    of_a, of_b = (fmean(each.values()) if each else None for each in means)
    return Dimension(name, of_a, of_b, difference(found, name, turned=turned))


def with_q(of: Difference, q: float) -> Difference:
    """Return a difference with its q and the call that follows."""
    if of.p is None or math.isnan(q):
        return replace(of, q=None, call="cannot say")
    return replace(of, q=q, call="ahead" if q < LEVEL else "too close to call")


def verdicts(found: Sequence[Item], *, turned: bool = False) -> Verdicts | None:
    """Return what the verdicts of two models come to, seen from b where `turned`; null where none was given."""
    judged = [item for item in found if item.outcome is not None or item.incomplete]
    if not judged:
        return None
    sides = ("b", "a") if turned else ("a", "b")
    outcomes = Counter(str(item.outcome) for item in judged)
    won, lost = _by_prompt(judged, sides)
    share, low, high = shares(won, lost)
    p = sign_p(won - lost) if np.count_nonzero(won + lost) >= FEW_UNITS else None
    counts: Counter[str] = Counter()
    for item in judged:
        counts.update(call.winner for call in item.calls if call.winner is not None)
    return Verdicts(
        wins_a=outcomes[sides[0]],
        wins_b=outcomes[sides[1]],
        ties=outcomes["tie"],
        split=outcomes["split"],
        half=outcomes["half"],
        incomplete=sum(item.incomplete for item in judged),
        share=share,
        low=low,
        high=high,
        prompts=int(np.count_nonzero(won + lost)),
        p=p,
        q=None,
        call="cannot say",
        counts={name: counts[name] for name in (judged[0].a, judged[0].b, TIE)},
    )


def with_call(of: Verdicts, q: float) -> Verdicts:
    """Return verdicts with their q and the call that follows."""
    if of.p is None or math.isnan(q):
        return replace(of, q=None, call="cannot say")
    return replace(of, q=q, call="ahead" if q < LEVEL else "too close to call")


def _by_prompt(found: Iterable[Item], sides: tuple[str, str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    table: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for item in found:
        for place, side in enumerate(sides):
            table[item.prompt][place] += item.outcome == side
    array = np.array([table[prompt] for prompt in sorted(table)], np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def shares(
    won: NDArray[np.int64], lost: NDArray[np.int64]
) -> tuple[float | None, float | None, float | None]:
    """Return the share won with its 95 % interval, from counts by prompt; nulls without any decided."""
    decided = int(won.sum() + lost.sum())
    if not decided:
        return None, None, None
    share = int(won.sum()) / decided
    low, high = wilson(share, effective(won.astype(np.float64), lost.astype(np.float64)))
    return share, low, high


def position(judge: str, found: Sequence[Item]) -> Position:
    """Return whether the verdicts of a judge, in these items of its own, follow the position of a reply."""
    twice = [item for item in found if item.both and not item.incomplete]
    drawn = [item for item in found if item.drawn]
    tested, basis = (twice, "both orders") if twice else (drawn, "drawn order") if drawn else ([], None)
    table: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for item in tested:
        table[item.prompt][0] += item.firsts
        table[item.prompt][1] += item.seconds
    array = np.array([table[prompt] for prompt in sorted(table)], np.int64).reshape(-1, 2)
    share, low, high = shares(array[:, 0], array[:, 1])
    prompts = int(np.count_nonzero(array.sum(axis=1)))
    calls = [call for item in found for call in item.calls if call.winner is not None]
    return Position(
        judge=judge,
        first=sum(call.winner == call.first for call in calls),
        second=sum(call.winner == call.second for call in calls),
        tie=sum(call.winner == TIE for call in calls),
        asked_twice=len(twice),
        same=sum(item.outcome in ("a", "b", "tie") for item in twice),
        follows=sum(item.outcome == "split" for item in twice),
        share=share,
        low=low,
        high=high,
        prompts=prompts,
        p=sign_p(array[:, 0] - array[:, 1]) if prompts >= FEW_UNITS else None,
        q=None,
        basis=basis,  # type: ignore[arg-type]
        call="cannot say",
    )


def with_position_q(found: Sequence[Position]) -> list[Position]:
    """Return the positions of all judges with q over them, and the calls that follow."""
    q = benjamini_hochberg(_array(each.p for each in found))
    return [
        each
        if each.p is None
        else replace(each, q=value, call="follows the position" if value < LEVEL else "no sign of it")
        for each, value in zip(found, q.tolist(), strict=True)
    ]


def contradicts(call: Judgment) -> bool:
    """Return whether a verdict speaks against its own totals."""
    if call.winner is None or call.scores is None or call.second is None:
        return False
    first, second = (sum(call.scores[model].values()) for model in (call.first, call.second))
    ahead = TIE if first == second else call.first if first > second else call.second
    return call.winner != ahead


def _array(values: Iterable[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], np.float64)
