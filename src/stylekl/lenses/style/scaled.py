"""From counts made elsewhere, in splits, to the evidence that a matrix is made of: the same as from the replies.

Which replies count is decided here as `results.select` decides it, from how many there are of each kind.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from stylekl.counts.scale.partial import FLAGGED, LOST, REMOVED, summed
from stylekl.counts.table import Counts
from stylekl.errors import UsageError
from stylekl.facets import facet
from stylekl.facets.texts import Texts
from stylekl.lenses.style.evidence import of_counts
from stylekl.lenses.style.grouped import (
    GroupedStudy,
    by_reply,
    in_columns,
    require_common,
    require_groupable,
    warnings_of,
)
from stylekl.lenses.style.material import Material, few, prompt_order, require_two
from stylekl.lenses.style.questions import matrix
from stylekl.measure.units import FEW_PROMPTS, common_prompts
from stylekl.results.select import Selection, kind_reason, no_control, prompt_reason, require_known

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from stylekl.counts.scale.cells import Cells
    from stylekl.counts.scale.engine import Counted
    from stylekl.lenses.reports import MatrixReport
    from stylekl.lenses.style.evidence import Evidence
    from stylekl.lenses.style.options import StyleOptions

_KINDS = ("open", None)
_COUNTED = -1  # the kind of a reply that counts, beside those of tallies


def require_countable(options: StyleOptions) -> None:
    """Raise UsageError for what counts of splits cannot answer."""
    if options.facet != "tokens":
        raise UsageError(
            f"--facet {options.facet} is not counted in splits", "tokens alone are: leave --engine out"
        )
    if options.match_length:
        raise UsageError(
            "--match-length needs all replies to a prompt at once", "leave it out, or leave --engine out"
        )


def scaled_matrix(counted: Counted, options: StyleOptions) -> tuple[Evidence, MatrixReport]:
    """Return the evidence of counted splits, and how far every model is from every other.

    Raises what `scaled_evidence` and `matrix` raise.
    """
    evidence = scaled_evidence(counted, options)
    results, groups = counted.whole.results, counted.partial.groups
    if not groups:
        return evidence, matrix(results, evidence=evidence)
    study = GroupedStudy(evidence, list(combinations(evidence.shown(), 2)))
    report = matrix(results, evidence=evidence, study=study)
    return evidence, replace(report, params=report.params | {"prompt_groups": groups})


def scaled_evidence(counted: Counted, options: StyleOptions) -> Evidence:
    """Return the evidence of counted splits, to the last bit that of the replies where prompts are not in groups.

    Raises what `select` and `gather_evidence` raise, and UsageError where two models have fewer than 10 prompts in
    common and several replies to one: there the unit is the reply, and single replies are no longer known.
    """
    material, counts = finish(counted, options)
    how = facet("tokens")
    vars(how)["warnings"] = counted.whole.notes  # of every process that counted
    own = counted.partial.groups and options.vocabulary is None
    return of_counts(counts, material, how, options, {}, by_reply(counts, options.threshold) if own else None)


def finish(counted: Counted, options: StyleOptions) -> tuple[Material, Counts]:
    """Return which replies count, and their counts."""
    results, groups = counted.whole.results, counted.partial.groups
    if groups:
        require_groupable(options)
    choice = _chosen(counted, options)
    models = sorted(results.models, key=lambda model: model.id)
    rank = {model.id: place for place, model in enumerate(models)}
    place = np.array([rank[model.id] for model in results.models], np.int64)
    cells = _cells(counted, choice, place)
    prompts = [results.prompts[index] for index in choice.prompts]
    more = few(len(prompts))
    if groups:
        used = len(prompts)
        cells, prompts, differing = in_columns(cells, _asked(counted, choice, place), prompts)
        more = warnings_of(groups, used, differing)
    counts = _counts(cells, len(models), len(prompts))
    require_two(Selection([], prompts, results.models, choice.left_out, None), len(np.unique(counts.model)))
    samples = counts.samples()
    (require_common if groups else _require_prompts)(samples)
    material = Material(
        results=results,
        models=models,
        prompts=prompts,
        replies=[],
        texts=Texts([]),
        where=cells.at[:, :2],
        left_out=choice.left_out,
        removed=choice.removed,
        warnings=[*results.warnings, *choice.warnings, *more],
        copies=_copies(counted, choice, place),
    )
    material.samples = samples
    return material, counts


@dataclass(frozen=True, eq=False)
class _Choice:
    """The condition that is compared, the prompts that count in it, and what is left out, by model."""

    condition: int
    prompts: list[int]
    left_out: dict[str, dict[str, int]]
    removed: dict[str, dict[str, int]]
    warnings: tuple[str, ...]

    def number(self, prompts: int) -> NDArray[np.int64]:
        """Return the number of each prompt among those that count, -1 for others."""
        number = np.full(prompts, -1)
        number[self.prompts] = np.arange(len(self.prompts))
        return number


def _chosen(counted: Counted, options: StyleOptions) -> _Choice:
    """Choose as `select` does."""
    results, called = counted.whole.results, counted.whole.called
    topics = list(dict.fromkeys(p.topic for p in results.prompts if p.topic is not None))
    require_known("topic", options.topics, topics)
    require_known("prompt", options.prompts, [prompt.id for prompt in results.prompts])
    asked = options.condition
    require_known("condition", () if asked is None else (asked,), [each.id for each in results.conditions])
    barred = [prompt_reason(prompt, options.topics, options.prompts) for prompt in results.prompts]
    unfit = [kind_reason(prompt, _KINDS) for prompt in results.prompts]
    tally = _Tally(counted, barred, unfit)
    wanted = 0 if asked is None else called.index(asked)
    if asked is None and tally.given and 0 not in tally.given:
        order = _order(counted, barred)
        wanted = max(sorted(tally.given, key=order.__getitem__), key=lambda each: tally.counting.get(each, 0))
    changed = asked is None and wanted != 0
    return _Choice(
        condition=wanted,
        prompts=sorted(tally.prompts(wanted), key=lambda place: prompt_order(results.prompts[place])),
        left_out=tally.left_out(wanted),
        removed=tally.of(REMOVED, wanted),
        warnings=(no_control(called[wanted], len(tally.given) - 1),) if changed else (),
    )


class _Tally:
    """How many replies there are of each model under each condition, and why which of them do not count.

    `given` says how many replies each condition has, by model, to prompts that are not barred; `counting` how many of
    them count.
    """

    def __init__(self, counted: Counted, barred: list[str | None], unfit: list[str | None]) -> None:
        self._ids = [model.id for model in counted.whole.results.models]
        words = counted.partial.names.words
        self._reasons: list[str | None] = [None, *words, *dict.fromkeys([*barred, *unfit])]
        code = {reason: place for place, reason in enumerate(self._reasons)} | {None: 0}
        away, never = (np.array([code[each] for each in of], np.int64) for of in (barred, unfit))
        tallies = _tallies(counted)
        self._tallies = tallies[(away[tallies[:, 1]] == 0) & (never[tallies[:, 1]] == 0)]
        model, prompt, condition, kind, word, number = _answers(counted).T
        gone = away[prompt] > 0
        self._away = _sums(gone, model, away[prompt], number)
        reason = np.where(never[prompt] > 0, never[prompt], np.where(kind == FLAGGED, word + 1, 0))
        self._left = _sums(~gone & (reason > 0), condition, model, reason, number)
        self.given: dict[int, Counter[str]] = {}
        for under, of, many in _sums(~gone, condition, model, number):
            self.given.setdefault(under, Counter())[self._ids[of]] = many
        counts = ~gone & (reason == 0)
        self.counting = {row[0]: row[1] for row in _sums(counts, condition, number)}
        self._answered = np.unique(np.column_stack([condition, prompt])[counts], axis=0)

    def prompts(self, condition: int) -> list[int]:
        """Return the prompts with a reply that counts."""
        found: list[int] = self._answered[self._answered[:, 0] == condition, 1].tolist()
        return found

    def left_out(self, condition: int) -> dict[str, dict[str, int]]:
        """Return how many replies of each model do not count under a condition, by reason."""
        left: dict[str, Counter[str]] = {name: Counter() for name in self._ids}
        for model, reason, number in self._away:
            left[self._ids[model]][str(self._reasons[reason])] += number
        for under, model, reason, number in self._left:
            if under == condition:
                left[self._ids[model]][str(self._reasons[reason])] += number
        for name, mine in left.items():
            others = sum(of[name] for under, of in self.given.items() if under != condition)
            if others:
                mine["condition"] += others
        for name, lost in self.of(LOST, condition).items():
            left[name].update(lost)
        return {name: dict(sorted(mine.items())) for name, mine in left.items()}

    def of(self, kind: int, condition: int) -> dict[str, dict[str, int]]:
        """Return a kind of tally under a condition: of each model that has any, how many replies by word."""
        model, _, under, kinds, word, number = self._tallies.T
        found: dict[str, dict[str, int]] = {}
        for of, place, many in _sums((kinds == kind) & (under == condition), model, word, number):
            found.setdefault(self._ids[of], {})[str(self._reasons[place + 1])] = many
        return {name: dict(sorted(each.items())) for name, each in found.items()}


def _sums(which: NDArray[np.bool_], *columns: NDArray[np.int64]) -> list[list[int]]:
    """Return some rows of these columns, those that differ in the last column alone as one with the sum of it."""
    found: list[list[int]] = summed(np.column_stack(columns)[which]).tolist()
    return found


def _answers(counted: Counted) -> NDArray[np.int64]:
    """Return how many replies there are of each model, prompt, condition, kind and word."""
    cells = counted.partial.cells
    at = _placed(counted, cells.at)
    ours = np.column_stack([at, np.full(len(at), _COUNTED), np.zeros(len(at), np.int64), cells.replies])
    tallies = _tallies(counted)
    return np.concatenate([ours, tallies[tallies[:, 3] != REMOVED]])


def _tallies(counted: Counted) -> NDArray[np.int64]:
    tallies = counted.partial.tallies.copy()
    tallies[:, :3] = _placed(counted, tallies[:, :3])
    return tallies


def _placed(counted: Counted, at: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return models, prompts and conditions as their places in the results."""
    whole = counted.whole
    places = (whole.models, whole.prompts, whole.conditions)
    return np.stack([place[column] for place, column in zip(places, at.T, strict=True)], 1)


def _order(counted: Counted, barred: list[str | None]) -> Mapping[int, int]:
    """Return where each condition was first answered, by prompts that are not barred."""
    found: dict[int, int] = {}
    for prompt, condition, place in counted.partial.firsts.tolist():
        if barred[int(counted.whole.prompts[prompt])] is None:
            under = int(counted.whole.conditions[condition])
            found[under] = min(place, found.get(under, place))
    return found


def _cells(counted: Counted, choice: _Choice, place: NDArray[np.int64]) -> Cells:
    """Return the cells that count, by the places of models sorted by id and of prompts that count."""
    cells = counted.partial.cells
    at, which = _counting(counted, choice, place, cells.at)
    return cells.taken(np.flatnonzero(which)).placed(at[which])


def _asked(counted: Counted, choice: _Choice, place: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each model and group that counts the sum of the digests of the prompts that it answered."""
    asked = counted.partial.asked
    at, which = _counting(counted, choice, place, asked[:, :3])
    return summed(np.column_stack([at[:, :2], asked[:, 3]])[which])


def _counting(
    counted: Counted, choice: _Choice, place: NDArray[np.int64], at: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the places of models sorted by id and of prompts that count, and which of these rows count."""
    at = _placed(counted, at)
    which = at[:, 2] == choice.condition
    at[:, 1] = choice.number(len(counted.whole.results.prompts))[at[:, 1]]
    at[:, 0] = place[at[:, 0]]
    at[:, 2] = 0
    return at, which & (at[:, 1] >= 0)


def _counts(cells: Cells, models: int, prompts: int) -> Counts:
    """Return cells as counts; those of single replies where no cell has two."""
    several = bool((cells.replies > 1).any())
    full = cells.full() if several else None
    return Counts(
        symbols=cells.symbols,
        counts=cells.counts.astype(np.int32) if several else cells.counts,
        starts=np.concatenate([[0], cells.sizes.cumsum()]).astype(np.int64),
        lengths=cells.lengths,
        model=cells.at[:, 0].copy(),
        prompt=cells.at[:, 1].copy(),
        sample=np.zeros(len(cells.at), np.int32),
        models=models,
        prompts=prompts,
        limit=facet("tokens").limit,
        replies=cells.replies if several else None,
        shares=None if full is None else full.shares,
        holders=None if full is None else full.holders.astype(np.int32),
    )


def _copies(counted: Counted, choice: _Choice, place: NDArray[np.int64]) -> Counter[tuple[int, int]]:
    """Count, for each pair of models (a < b), the distinct long texts that both gave to one prompt."""
    rows = counted.partial.copies
    at, which = _counting(counted, choice, place, rows[:, :3])
    found = np.unique(np.column_stack([at[:, 1], rows[:, 3], at[:, 0]])[which], axis=0)
    shared: Counter[tuple[int, int]] = Counter()
    if not len(found):
        return shared
    new = np.ones(len(found), bool)
    new[1:] = (found[1:, :2] != found[:-1, :2]).any(axis=1)
    first = np.flatnonzero(new)
    sizes = np.diff(first, append=len(found))
    for start, size in zip(first[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        shared.update(combinations(found[start : start + size, 2].tolist(), 2))
    return shared


def _require_prompts(samples: NDArray[np.int64]) -> None:
    """Raise UsageError where the unit of a pair, or of the vocabulary, would be the single reply."""
    most = samples.max(axis=0, initial=0)
    few_in_all = np.count_nonzero(most) < FEW_PROMPTS and bool((most > 1).any())
    common = common_prompts(samples)
    pairs = np.argwhere(np.triu((common > 0) & (common < FEW_PROMPTS), 1)).tolist()
    if few_in_all or any((np.minimum(samples[a], samples[b]) > 1).any() for a, b in pairs):
        raise UsageError(
            f"fewer than {FEW_PROMPTS} prompts with several replies to one: the unit is the reply, which splits do "
            "not keep apart",
            "leave --engine out",
        )
