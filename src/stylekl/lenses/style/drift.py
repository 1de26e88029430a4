"""Has a model changed? Each date against the first and the one before; each model of one file against another's."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from stylekl.errors import UsageError
from stylekl.lenses.style.changes import SIZE, Change, DiffReport, DriftReport, Gate, Sibling, judge, together
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.lenses.style.options import StyleOptions
from stylekl.lenses.style.sides_by_side import both
from stylekl.lenses.style.study import Q_APART, Study, estimates
from stylekl.measure.comparison import divergences
from stylekl.measure.exchange import benjamini_hochberg
from stylekl.measure.jackknife import jackknife
from stylekl.measure.power import size_visible, spread, units_needed
from stylekl.measure.units import FEW_UNITS, deal
from stylekl.results import find_model
from stylekl.results.nodes import siblings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.lenses.style.evidence import Evidence
    from stylekl.lenses.style.sides_by_side import Both
    from stylekl.measure.comparison import Comparison
    from stylekl.results import Results
    from stylekl.results.nodes import By, Chain


def drift(
    results: Results,
    model: str,
    options: StyleOptions | None = None,
    *,
    by: By = "date",
    last: bool = False,
    size: float = SIZE,
    gate: Gate | None = None,
) -> DriftReport:
    """Return each sibling of a model against the first and against the one before.

    `by` says what orders the siblings, see `siblings` of results.nodes, which raises where there are none. With `last`
    the last sibling alone is compared. `size` is the difference, in bits, whose price in prompts is given. The
    vocabulary is chosen on the whole file. q is over the comparisons made.
    """
    chain = siblings(results, model, by)
    evidence = gather_evidence(chain.results, options or StyleOptions())
    return drift_along(chain, evidence, last=last, size=size, gate=gate)


def drift_along(
    chain: Chain, evidence: Evidence, *, last: bool = False, size: float = SIZE, gate: Gate | None = None
) -> DriftReport:
    """Return the drift along a chain whose results have been gathered; see `drift`."""
    shown = set(evidence.shown())
    members = [
        (evidence.index[name], label) for name, label in chain.members if evidence.index[name] in shown
    ]
    if len(members) < 2:
        raise UsageError(
            f'"{chain.name}" has fewer than two siblings among the models of --models', "name more, or none"
        )
    places = [place for place, _ in members]
    first = places[0]
    pairs: dict[tuple[int, int], tuple[str, ...]] = {}
    for before, place in list(pairwise(places))[-1 if last else 0 :]:
        pairs[first, place] = ("first",)
        pairs[before, place] = ("first", "previous") if before == first else ("previous",)
    labels = dict(members)
    changes = [
        replace(change, label=labels[evidence.index[change.new]])
        for change in _judged(changes_in(evidence, pairs, size), gate)
    ]
    return DriftReport(
        model=chain.name,
        axis=chain.by,
        unit=f"bits per {evidence.facet.UNIT}",
        siblings=tuple(Sibling(label, evidence.row(place)) for place, label in members),
        changes=tuple(changes),
        size=size,
        gate=_settled(changes, gate),
        vocabulary=evidence.vocabulary_report,
        params=evidence.options.params("models") | {"axis": chain.by, "last": last, "size": size},
        warnings=evidence.warnings,
    )


def diff(
    old: Results,
    new: Results,
    options: StyleOptions | None = None,
    *,
    size: float = SIZE,
    gate: Gate | None = None,
) -> DiffReport:
    """Return each model that two results share, its replies in `new` against those in `old`.

    Models are the same by id, else by a name that no other model of either has; prompts by text. The vocabulary is
    chosen on both together, and q is over the models compared. Raises UsageError where the two share no model.
    """
    sides = both(old, new)
    return diff_between(
        sides, gather_evidence(sides.results, options or StyleOptions()), size=size, gate=gate
    )


def diff_between(
    sides: Both, evidence: Evidence, *, size: float = SIZE, gate: Gate | None = None
) -> DiffReport:
    """Return the diff of two results that have been put together and gathered; see `diff`."""
    wanted = {find_model(sides.new, name).id for name in evidence.options.models}
    matched = [(a, b) for a, b in sides.matched if not wanted or sides.own[b].id in wanted]
    if not matched:
        raise UsageError("no model of --models is in both files", "name another, or none")
    index = evidence.index
    found = changes_in(evidence, {(index[a], index[b]): ("old",) for a, b in matched}, size)
    changes = [
        replace(
            c,
            old=sides.own[c.old].id,
            new=sides.own[c.new].id,
            name=sides.own[c.new].label,
            label=sides.own[c.new].label,
        )
        for c in _judged(found, gate)
    ]
    changes.sort(key=lambda c: (c.kl is None, -c.kl.value if c.kl else 0.0, c.new))
    paths = [side.sources[0].path if side.sources else "" for side in (sides.old, sides.new)]
    digests = [tuple(source.sha256 for source in side.sources) for side in (sides.old, sides.new)]
    return DiffReport(
        old=paths[0],
        new=paths[1],
        identical=digests[0] == digests[1] != (),
        unit=f"bits per {evidence.facet.UNIT}",
        changes=tuple(changes),
        only_old=sides.only_old,
        only_new=sides.only_new,
        size=size,
        gate=_settled(changes, gate),
        vocabulary=evidence.vocabulary_report,
        params=evidence.options.params("models") | {"size": size},
        warnings=evidence.warnings,
    )


def changes_in(
    evidence: Evidence, pairs: Mapping[tuple[int, int], tuple[str, ...]], size: float = SIZE
) -> list[Change]:
    """Return what moved between pairs of models (older, newer), given with what the older is to the newer.

    q is over these pairs.
    """
    wanted = {(min(pair), max(pair)) for pair in pairs}
    study = Study(evidence, sorted(wanted), only_wanted=True)
    found = [study.comparisons.get((min(pair), max(pair))) for pair in pairs]
    p = np.array([np.nan if c is None or not _callable(evidence, c) else c.p for c in found])
    q = benjamini_hochberg(p)
    texts = _texts(evidence, {model for pair in pairs for model in pair})
    return [
        _change(study, pair, against, found[i], float(q[i]), size, len(_same(texts[pair[0]], texts[pair[1]])))
        for i, (pair, against) in enumerate(pairs.items())
    ]


def _judged(changes: list[Change], gate: Gate | None) -> list[Change]:
    if gate is None or not gate.given:
        return changes
    verdicts = [judge(change, gate) for change in changes]
    return [
        replace(change, gate=outcome, reason=reason)
        for change, (outcome, reason) in zip(changes, verdicts, strict=True)
    ]


def _settled(changes: Sequence[Change], gate: Gate | None) -> Gate | None:
    if gate is None or not gate.given:
        return None
    return replace(gate, outcome=together([change.gate for change in changes if change.gate is not None]))


def _callable(evidence: Evidence, comparison: Comparison) -> bool:
    return comparison.units.count >= FEW_UNITS and len(evidence.vocabulary) > 0


def _change(
    study: Study,
    pair: tuple[int, int],
    against: tuple[str, ...],
    comparison: Comparison | None,
    q: float,
    size: float,
    same: int,
) -> Change:
    evidence, (old, new) = study.evidence, pair
    models = evidence.models[old], evidence.models[new]
    reason = "no prompt in common" if comparison is None else None
    if comparison is not None and not len(evidence.vocabulary):
        reason = "no symbol is common enough"
    units = comparison.units if comparison is not None else None
    change = Change(
        old=models[0].id,
        new=models[1].id,
        name=models[1].label,
        label=models[1].label,
        against=against,
        prompts=units.prompts if units else 0,
        unit=units.kind if units else "prompt",
        units=units.count if units else 0,
        groups=units.groups if units else 0,
        kl=None,
        js=None,
        floor=None,
        p=None,
        q=None,
        call="cannot say",
        same=same,
        needed=None,
        visible=None,
        length_ratio=None,
        length_rule=False,
        se_prompts=None,
        undefined=reason,
    )
    if comparison is None or reason is not None:
        return change
    return _measured(study, pair, comparison, change, q, size)


def _measured(
    study: Study, pair: tuple[int, int], comparison: Comparison, change: Change, q: float, size: float
) -> Change:
    evidence, units = study.evidence, comparison.units
    forward = pair[1] < pair[0]  # a comparison has the lesser index first, KL the newer
    kl, js = estimates(np.array([comparison.kl_ab if forward else comparison.kl_ba, comparison.js]), units)
    enough = units.count >= FEW_UNITS
    tables = study.paired(pair[0], pair[1], units)
    # The length rule takes symbols out of the test, which the spread knows nothing of.
    found = spread(*tables, units.stratum, evidence.options.skew) if comparison.kept is None else None
    return replace(
        change,
        kl=kl,
        js=js,
        floor=study.floor(comparison) if enough else None,
        p=comparison.p if enough else None,
        q=q if enough else None,
        call=("apart" if q < Q_APART else "too close to call") if enough else "cannot say",
        needed=units_needed(found, size) if found else None,
        visible=size_visible(found, units.count) if found else None,
        length_ratio=comparison.length_ratio if forward else 1.0 / comparison.length_ratio,
        length_rule=comparison.kept is not None,
        se_prompts=_se_prompts(study, pair, comparison),
        undefined=None if units.groups >= 2 else "one unit has no error",
    )


def _se_prompts(study: Study, pair: tuple[int, int], comparison: Comparison) -> float | None:
    """Return the standard error of KL(new ‖ old) over prompts, where the unit is the reply."""
    if comparison.units.kind == "prompt" or comparison.units.prompts < 2:
        return None
    units = deal(comparison.units.slots, study.evidence.ranks, by_prompt=True)
    kl, *_ = divergences(study.side(pair[1], units), study.side(pair[0], units), study.evidence.options.skew)
    return float(jackknife(kl[None], units.fractions).se[0])


def _texts(evidence: Evidence, models: set[int]) -> dict[int, dict[int, set[str]]]:
    """Return the texts of each of the models, prompt by prompt, without white space at the ends."""
    texts: dict[int, dict[int, set[str]]] = {model: {} for model in models}
    places = zip(
        evidence.counts.model.tolist(), evidence.counts.prompt.tolist(), evidence.replies, strict=True
    )
    for model, prompt, reply in places:
        if model in models:
            texts[model].setdefault(prompt, set()).add(reply.text.strip())
    return texts


def _same(old: dict[int, set[str]], new: dict[int, set[str]]) -> list[int]:
    """Return the prompts to which both gave some text alike."""
    return [prompt for prompt, texts in old.items() if texts & new.get(prompt, set())]
