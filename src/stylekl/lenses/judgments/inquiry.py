"""What the judgments lens brings to the findings: its hypotheses, what holds, and what does not."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.lenses.claims import COUNTED, Claim, Control, Inquiry, Lack, share_effect
from stylekl.lenses.judgments.agreement import agreement
from stylekl.lenses.judgments.compare import difference
from stylekl.lenses.judgments.ground import Ground, base_of, ground_of, lens_model, warnings_of
from stylekl.lenses.judgments.sentences import KINDS, MISSING
from stylekl.lenses.words import plural
from stylekl.measure.families import Family

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from stylekl.lenses.judgments.options import Options
    from stylekl.results import Results

WINS, SCORES, DIMENSIONS, POSITION = (
    "judgments:verdicts",
    "judgments:scores",
    "judgments:dimensions",
    "judgments:position",
)


def inquire(results: Results, options: Options | None = None) -> Inquiry:
    """Return the inquiry into all judgments that count; every hypothesis is looked at on the whole file.

    Raises what `gather` raises.
    """
    ground = ground_of(results, options)
    base = base_of(ground)
    material = ground.material
    note = (
        f"{plural(len(material.models), 'model')}, {plural(base.prompts, 'prompt')}, "
        f"{plural(base.judges, 'judge')}, {plural(base.judgments, 'judgment')}"
    )
    parts = _dimensions(ground)
    return Inquiry(
        lens="judgments",
        families=_families(ground, parts),
        claims=partial(claims, ground, parts),
        lacks=partial(lacks, ground),
        kinds=KINDS,
        missing=MISSING,
        models=tuple(lens_model(ground, model) for model in material.shown),
        note=note,
        params=material.options.params("models"),
        warnings=warnings_of(ground),
    )


Parts = list[tuple[tuple[str, str], str, Any]]


def _dimensions(ground: Ground) -> Parts:
    names = ground.material.dimensions
    return [
        (two, name, difference(ground.of(*two), name))
        for two in (ground.pairs if len(names) > 1 else ())
        for name in names
    ]


def _families(ground: Ground, parts: Parts) -> list[Family]:
    tests = {
        WINS: [each.p for each in ground.verdicts.values()],
        SCORES: [each.p for each in ground.differences.values()],
        DIMENSIONS: [each.p for _, _, each in parts],
        POSITION: [each.position.p for each in ground.judges],
    }
    return [
        Family(key, np.array([np.nan if p is None else p for p in found], np.float64))
        for key, found in tests.items()
        if found
    ]


def claims(ground: Ground, parts: Parts, control: Control) -> Iterator[Claim]:
    """Yield every sentence that holds, given every q."""
    yield from _preferred(ground, control)
    yield from _scored(ground, control)
    yield from _on_dimension(ground, parts, control)
    yield from _position(ground, control)
    yield from _agreement(ground)
    yield from _invalid(ground)
    yield from _contradictions(ground)


def _named(ground: Ground, models: Iterable[str]) -> list[dict[str, str]]:
    return [{"model": model, "name": ground.material.names[model]} for model in sorted(set(models))]


def _facts(ground: Ground, models: Iterable[str], **more: Any) -> dict[str, Any]:
    return {"names": _named(ground, models), "judges": base_of(ground).judges, **more}


def _shown(ground: Ground, two: tuple[str, str], model: str) -> str | None:
    """Return "A" or "B" where a model was shown there in every judgment of the two, else null."""
    calls = [call for item in ground.of(*two) for call in item.calls if call.second is not None]
    firsts = {call.first for call in calls}
    if len(firsts) != 1:
        return None
    return "A" if model in firsts else "B"


def _preferred(ground: Ground, control: Control) -> Iterator[Claim]:
    for place, (two, found) in enumerate(ground.verdicts.items()):
        q = control.holds(WINS, place)
        if q is None or found.share is None:
            continue
        turned = found.wins_b > found.wins_a
        low, high = (found.low or 0.0, found.high or 1.0)
        share = 1.0 - found.share if turned else found.share
        facts = _facts(
            ground,
            two,
            model=two[1] if turned else two[0],
            other=two[0] if turned else two[1],
            wins=max(found.wins_a, found.wins_b),
            losses=min(found.wins_a, found.wins_b),
            undecided=found.ties + found.split + found.half,
            share=share,
            low=1.0 - high if turned else low,
            high=1.0 - low if turned else high,
            prompts=found.prompts,
            shown=_shown(ground, two, two[1] if turned else two[0]),
            p=found.p,
            q=q,
        )
        yield Claim("preferred", two, facts, q, 2.0 * share - 1.0)


def _gap_facts(ground: Ground, two: tuple[str, str], found: Any, q: float | None) -> dict[str, Any]:
    turned = (found.value or 0.0) < 0
    sign = -1.0 if turned else 1.0
    ends = (found.low, found.high) if not turned else (found.high, found.low)
    return _facts(
        ground,
        two,
        model=two[1] if turned else two[0],
        other=two[0] if turned else two[1],
        points=abs(found.value),
        low=None if ends[0] is None else sign * ends[0],
        high=None if ends[1] is None else sign * ends[1],
        prompts=found.prompts,
        shown=_shown(ground, two, two[1] if turned else two[0]),
        p=found.p,
        q=q,
    )


def _range(ground: Ground) -> float:
    scale = ground.material.scale
    return float(max(scale.high - scale.low, 1)) if scale else 1.0


def _scored(ground: Ground, control: Control) -> Iterator[Claim]:
    most = _range(ground) * max(len(ground.material.dimensions), 1)
    for place, (two, found) in enumerate(ground.differences.items()):
        q = control.holds(SCORES, place)
        if q is not None and found.value:
            facts = _gap_facts(ground, two, found, q) | {"most": most}
            yield Claim("scored", two, facts, q, share_effect(abs(found.value) / most))


def _on_dimension(ground: Ground, parts: Parts, control: Control) -> Iterator[Claim]:
    for place, (two, name, found) in enumerate(parts):
        q = control.holds(DIMENSIONS, place)
        if q is not None and found.value:
            facts = _gap_facts(ground, two, found, q) | {"dimension": name}
            yield Claim("dimension", two, facts, q, share_effect(abs(found.value) / _range(ground)))


def _position(ground: Ground, control: Control) -> Iterator[Claim]:
    for place, judge in enumerate(ground.judges):
        q, found = control.holds(POSITION, place), judge.position
        if q is None or found.share is None:
            continue
        facts = {
            "names": [],
            "judge": judge.judge,
            "first": found.first,
            "second": found.second,
            "share": found.share,
            "asked_twice": found.asked_twice,
            "follows": found.follows,
            "basis": found.basis,
            "prompts": found.prompts,
            "p": found.p,
            "q": q,
        }
        yield Claim("position", (), facts, q, abs(2.0 * found.share - 1.0))


def _agreement(ground: Ground) -> Iterator[Claim]:
    for found in agreement(ground.items, ground.material.dimensions):
        if found.what in ("verdict", "total") and found.value is not None and found.low is not None:
            facts = {
                "names": [],
                "judges": base_of(ground).judges,
                "what": found.what,
                "level": found.level,
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "units": found.units,
                "prompts": found.prompts,
            }
            yield Claim("agreement", (), facts, None, 0.0, COUNTED)


def _invalid(ground: Ground) -> Iterator[Claim]:
    rows = [
        {"judge": each.judge, "invalid": sum(each.invalid.values()), "replies": each.replies}
        for each in ground.judges
        if each.invalid
    ]
    if rows:
        yield Claim("invalid", (), {"names": [], "of": rows}, None, 0.0, COUNTED)


def _contradictions(ground: Ground) -> Iterator[Claim]:
    rows = [
        {"judge": each.judge, "against": each.contradictions, "judgments": each.judgments}
        for each in ground.judges
        if each.contradictions
    ]
    if rows:
        yield Claim("contradictions", (), {"names": [], "of": rows}, None, 0.0, COUNTED)


def lacks(ground: Ground, control: Control) -> Iterator[Lack]:
    """Yield every sentence that is not supported, given every q."""
    yield from _close(ground, control)
    few = {two: each.prompts for two, each in ground.verdicts.items() if each.p is None}
    few |= {
        two: each.prompts
        for two, each in ground.differences.items()
        if each.p is None and two not in ground.verdicts
    }
    if few:
        facts = {"names": [], "pairs": len(few), "of": len(ground.pairs), "prompts": max(few.values())}
        yield Lack("few", (), facts)
    base = base_of(ground)
    if base.judges < 2:
        yield Lack("one judge", (), {"names": [], "judge": ground.judges[0].judge if ground.judges else ""})
    fixed = [
        each.judge
        for each in ground.judges
        if each.position.basis is None and each.position.first + each.position.second
    ]
    if fixed:
        yield Lack("position", (), {"names": [], "judges": fixed})
    unsure = [each for each in ground.judges if each.position.basis and each.position.p is None]
    if unsure:
        facts = {
            "names": [],
            "judges": [each.judge for each in unsure],
            "prompts": max(each.position.prompts for each in unsure),
        }
        yield Lack("position, few", (), facts)


def _close(ground: Ground, control: Control) -> Iterator[Lack]:
    tested = [(two, control.q(WINS, place)) for place, two in enumerate(ground.verdicts)]
    close = [(two, q) for two, q in tested if q is not None and q >= 0.05]
    if close:
        models = [model for two, _ in close for model in two] if len(close) == 1 else []
        facts = {
            "names": _named(ground, models),
            "pairs": len(close),
            "of": len(ground.pairs),
            "least_q": min(q for _, q in close),
        }
        yield Lack("close", tuple(sorted(set(models))), facts)
