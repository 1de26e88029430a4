"""What a collection brought: by model the faults, what is missing, time, cost, versions, and what will not count."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec

from stylekl.results.check_tally import Tally
from stylekl.results.records import Reply, from_row
from stylekl.results.select import select

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.results.check_tally import Identity, VersionSeen
    from stylekl.results.records import Model, Results
    from stylekl.results.select import Selection

FAULTS = ("refusal", "over_length", "truncated", "empty", "error")


MOST_ASKED = 1_000_000  # questions of all collections


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """One model. `asked` counts questions, `replies` those with a reply in the file, `missing` the rest.

    A reply may have several faults and counts in each. `refusal_rate` is refused replies over replies, null without
    one. Times are medians over the replies that have them, null without any. `tokens` are sums over the kept replies.
    `cost` sums the estimates, those of replies that were not kept included; `unpriced` counts replies without one.
    `changed` says that one collection (a period) got several versions. `left_out` is what the style lens leaves out,
    by reason.
    """

    id: str
    name: str
    provider: str | None
    requested: str | None
    versions: tuple[VersionSeen, ...]
    changed: bool
    own: tuple[str, ...]
    not_applied: tuple[str, ...]
    unavailable: str | None
    asked: int
    replies: int
    missing: int
    faults: dict[str, int]
    refusal_rate: float | None
    asked_again: int
    transport_retries: int
    latency_ms: float | None
    first_content_ms: float | None
    tokens: dict[str, int | None]
    cost: float | None
    currency: str | None
    unpriced: int
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The models in the order of their ids, the collections in that of the file, and the cost by currency.

    `replies` and `prompts` are those of the file, `choices` its forced choices; a model's counts are over both kinds.
    """

    params: dict[str, Any]
    warnings: list[str]
    models: tuple[ModelCheck, ...]
    collections: tuple[dict[str, Any], ...]
    mock: bool
    replies: int
    prompts: int
    archived: int
    cost: dict[str, float]
    choices: int = 0


def check(results: Results, selection: Selection | None = None) -> CheckReport:
    """Return the report on results; without a collection in them, what was asked is what was answered.

    `selection` is that of the style lens, where it is known already.
    """
    wanted, unknown = _wanted(results)
    rows = _collections(results)
    control = results.control
    tallies = {model.id: Tally(control, wanted.get(model.id, set())) for model in results.models}
    for reply in results.replies:
        tallies[reply.model].add(reply)
    choices = results.other.get("choices", [])
    for choice in _replies(choices):
        tallies.setdefault(choice.model, Tally(control, set())).add(choice)
    left_out = (selection or select(results)).left_out
    models = tuple(
        _model(model, tallies[model.id], left_out[model.id])
        for model in sorted(results.models, key=lambda model: model.id)
    )
    cost: dict[str, float] = {}
    for each in models:
        if each.cost is not None and each.currency is not None:
            cost[each.currency] = cost.get(each.currency, 0.0) + each.cost
    return CheckReport(
        params={},
        warnings=[*results.warnings, *unknown],
        models=models,
        collections=tuple(_summary(row) for row in rows),
        mock=any(row.get("mock") is True for row in rows),
        replies=len(results.replies),
        prompts=len(results.prompts),
        archived=len(results.other.get("archive", [])),
        cost=dict(sorted(cost.items())),
        choices=len(choices),
    )


def _replies(choices: list[dict[str, Any]]) -> Iterable[Reply]:
    """Yield each choice as a reply to its text, where the record is one."""
    for row in choices:
        place = " ".join(str(row.get(name)) for name in ("pair", "envelope", "order"))
        with suppress(msgspec.ValidationError):
            yield from_row(Reply, row | {"prompt": place})


def _collections(results: Results) -> list[dict[str, Any]]:
    return [row for row in results.other.get("collection", []) if isinstance(row, dict)]


def _summary(row: dict[str, Any]) -> dict[str, Any]:
    names = (
        "battery",
        "version",
        "period",
        "samples",
        "cap",
        "seed",
        "mock",
        "refusal_rule",
        "started",
        "ended",
    )
    return {name: row.get(name) for name in names}


def _list(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _wanted(results: Results) -> tuple[dict[str, set[Identity]], list[str]]:
    """Return the questions that the collections of the file put to each model; retired prompts ask nothing.

    A collection that says it asked more than any did is left out; beside the questions are the warnings on these.
    """
    in_use = {prompt.id for prompt in results.prompts if prompt.retired is None}
    found: dict[str, set[Identity]] = {}
    warnings: list[str] = []
    room = MOST_ASKED
    for row in _collections(results):
        samples = row.get("samples")
        if not isinstance(samples, int):
            continue
        models, conditions = _list(row.get("models")), _list(row.get("conditions"))
        asked = [prompt for prompt in _list(row.get("prompts")) if prompt in in_use]
        size = len(models) * len(conditions) * len(asked) * max(samples, 0)
        if size > room:
            warnings.append(f"a collection of {size:,} replies: too many to look for those that are missing")
            continue
        room -= size
        period = row.get("period")
        for model in models:
            found.setdefault(model, set()).update(
                (model, prompt, condition, period if isinstance(period, str) else None, sample)
                for prompt in asked
                for condition in conditions
                for sample in range(1, samples + 1)
            )
    return found, warnings


def _model(model: Model, tally: Tally, left_out: dict[str, int]) -> ModelCheck:
    unavailable = model.unknown.get("unavailable")
    why = unavailable.get("why") if isinstance(unavailable, dict) else None
    if why is None and tally.replies and tally.faults["error"] == tally.replies:
        why = "every reply is an error"
    faults, missing = tally.faults, len(tally.wanted)
    return ModelCheck(
        id=model.id,
        name=model.label,
        provider=model.provider,
        requested=model.requested,
        versions=tally.versions(),
        changed=tally.changed(),
        own=tuple(name for name in ("system", "examples") if model.unknown.get(name)),
        not_applied=tuple(_list((model.node or {}).get("not_applied"))),
        unavailable=why,
        asked=tally.replies + missing,
        replies=tally.replies,
        missing=missing,
        faults={name: faults[name] for name in (*FAULTS, *sorted(faults.keys() - set(FAULTS)))},
        refusal_rate=faults["refusal"] / tally.replies if tally.replies else None,
        asked_again=tally.asked_again,
        transport_retries=int(tally.transport_retries),
        latency_ms=median(tally.latency) if tally.latency else None,
        first_content_ms=median(tally.first_content) if tally.first_content else None,
        tokens=dict(tally.tokens),
        cost=tally.cost,
        currency=(model.price or {}).get("currency"),
        unpriced=tally.replies - tally.priced,
        left_out=left_out,
    )
