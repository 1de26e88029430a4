"""What the questions to the judgments lens rest on: the items of a file, every pair, every judge."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.lenses.frame import LensModel
from stylekl.lenses.judgments.compare import (
    contradicts,
    difference,
    position,
    verdicts,
    with_call,
    with_position_q,
    with_q,
)
from stylekl.lenses.judgments.items import Item, items
from stylekl.lenses.judgments.material import Judgment, Material, gather
from stylekl.lenses.judgments.options import Options
from stylekl.lenses.judgments.reports import Base, Difference, JudgeRow, Verdicts
from stylekl.measure.exchange import benjamini_hochberg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.results import Results


@dataclass(frozen=True, eq=False)
class Ground:
    """The items of a file and what is compared over all pairs: computed once."""

    material: Material
    items: list[Item]

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], list[Item]]:
        found: dict[tuple[str, str], list[Item]] = {}
        for item in self.items:
            found.setdefault((item.a, item.b), []).append(item)
        return found

    def of(self, a: str, b: str) -> list[Item]:
        """Return the items of two models, whatever their order."""
        return self._by_pair.get((min(a, b), max(a, b)), [])

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every two models judged together, sorted."""
        return sorted(self._by_pair)

    @cached_property
    def differences(self) -> dict[tuple[str, str], Difference]:
        """The difference of totals of every pair, q over all pairs."""
        bare = {two: difference(self.of(*two), "") for two in self.pairs}
        q = benjamini_hochberg(_array(each.p for each in bare.values()))
        return {two: with_q(each, value) for (two, each), value in zip(bare.items(), q.tolist(), strict=True)}

    @cached_property
    def verdicts(self) -> dict[tuple[str, str], Verdicts]:
        """The verdicts of every pair that has any, q over all pairs."""
        bare = {two: found for two in self.pairs if (found := verdicts(self.of(*two)))}
        q = benjamini_hochberg(_array(each.p for each in bare.values()))
        return {
            two: with_call(each, value) for (two, each), value in zip(bare.items(), q.tolist(), strict=True)
        }

    @cached_property
    def judges(self) -> tuple[JudgeRow, ...]:
        """Every judge, sorted by name."""
        return judge_rows(self.material, self.items)


def ground_of(results: Results, options: Options | None = None) -> Ground:
    """Return what the questions rest on. Raises what `gather` raises."""
    material = gather(results, options or Options())
    return Ground(material, items(material))


def totals_of(call: Judgment, a: str, b: str) -> tuple[float | None, float | None]:
    """Return the totals that a judgment gives both models; nulls without scores of both."""
    if call.scores is None or call.second is None:
        return None, None
    return sum(call.scores[a].values()), sum(call.scores[b].values())


def sums_of(calls: Sequence[Judgment], a: str, b: str) -> tuple[float, float] | None:
    """Return the sums of the totals of both models over judgments; null without any."""
    both = [totals_of(call, a, b) for call in calls if call.second is not None and call.scores is not None]
    if not both:
        return None
    return sum(one or 0.0 for one, _ in both), sum(two or 0.0 for _, two in both)


def judge_rows(
    material: Material, found: Sequence[Item], two: tuple[str, str] | None = None
) -> tuple[JudgeRow, ...]:
    """Return what each judge did in these items; with `two` models, of their judgments alone."""
    positions = with_position_q(
        [position(judge, [item for item in found if item.judge == judge]) for judge in material.judges]
    )
    rows = []
    for judge, where in zip(material.judges, positions, strict=True):
        calls = [
            each
            for each in material.judgments
            if each.judge == judge and (two is None or set(each.models) <= set(two))
        ]
        lost = [
            each
            for each in material.invalid
            if each.judge == judge and (two is None or set(each.models) == set(two))
        ]
        if not calls and not lost:
            continue
        family = next((each.family for each in (*calls, *lost) if each.family), None)
        sums = None if two is None else sums_of(calls, *two)
        rows.append(
            JudgeRow(
                judge=judge,
                judgments=len(calls),
                invalid=dict(sorted(Counter(each.invalid or "" for each in lost).items())),
                repairs=dict(sorted(Counter(name for each in calls for name in each.repairs).items())),
                contradictions=sum(contradicts(each) for each in calls),
                wrong_totals=sum("wrong_total" in (*each.repairs, *each.flags) for each in calls),
                family=family,
                related=tuple(
                    model
                    for model in (two or material.models)
                    if family is not None
                    and (material.families.get(model) or "").casefold() == family.casefold()
                ),
                position=where,
                total_difference=None if sums is None else sums[0] - sums[1],
            )
        )
    return tuple(rows)


def lens_model(ground: Ground, model: str) -> LensModel:
    """Return what a model brings: judgments, prompts, wins, losses, undecided; and what was left out."""
    material = ground.material
    own = [each for each in material.judgments if model in each.models]
    mine = [item for item in ground.items if model in (item.a, item.b) and item.outcome is not None]
    wins = sum(item.winner == model for item in mine)
    losses = sum(item.winner not in (None, model) for item in mine)
    counts = {
        "judgments": len(own),
        "prompts": len({each.prompt for each in own}),
        "wins": wins,
        "losses": losses,
        "undecided": len(mine) - wins - losses,
    }
    left_out = material.left_out_by_model.get(model, {})
    return LensModel(model, material.names[model], counts, left_out, unit="judgment")


def base_of(ground: Ground, found: Sequence[Item] | None = None) -> Base:
    """Return what figures rest on: those of all, or of these items."""
    material = ground.material
    mine = ground.items if found is None else found
    two = None if found is None else {model for item in found for model in (item.a, item.b)}
    calls = [each for each in material.judgments if two is None or set(each.models) <= two]
    scale = material.scale
    return Base(
        judgments=len(calls),
        invalid=sum(two is None or set(each.models) == two for each in material.invalid),
        items=len(mine),
        prompts=len({each.prompt for each in calls}),
        judges=len({each.judge for each in calls}),
        rubric=material.rubric,
        dimensions=material.dimensions,
        scale=None if scale is None else (scale.low, scale.high),
        left_out=material.left_out,
    )


def warnings_of(ground: Ground) -> tuple[str, ...]:
    """Return what the file gives warning of, and judges of a family that they judge."""
    found = list(ground.material.warnings)
    for judge in ground.judges:
        if judge.related:
            names = ", ".join(ground.material.names[model] for model in judge.related[:5])
            found.append(f"{judge.judge} judges its own family: {names}")
    return tuple(found)


def _array(values: Any) -> Any:
    return np.array([np.nan if value is None else value for value in values], np.float64)
