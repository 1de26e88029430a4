"""What a collection brought: by model the faults, what is missing, time, cost, versions, and what will not count."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec

from stylekl.results.records import Reply, from_row
from stylekl.results.select import select

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.results.records import Model, Results

FAULTS = ("refusal", "over_length", "truncated", "empty", "error")
Identity = tuple[str, str, str | None, str | None, int]


@dataclass(frozen=True, slots=True)
class VersionSeen:
    """A version string that came back, how often, and from when to when (as recorded, null where that is unknown)."""

    version: str
    replies: int
    first: str | None
    last: str | None


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


def check(results: Results) -> CheckReport:
    """Return the report on results; without a collection in them, what was asked is what was answered."""
    wanted = _wanted(results)
    rows = _collections(results)
    by_model: dict[str, list[Reply]] = {model.id: [] for model in results.models}
    for reply in results.replies:
        by_model[reply.model].append(reply)
    choices = results.other.get("choices", [])
    for choice in _replies(choices):
        by_model.setdefault(choice.model, []).append(choice)
    left_out = select(results).left_out
    models = tuple(
        _model(model, by_model[model.id], wanted.get(model.id, set()), left_out[model.id], results.control)
        for model in sorted(results.models, key=lambda model: model.id)
    )
    cost: dict[str, float] = {}
    for each in models:
        if each.cost is not None and each.currency is not None:
            cost[each.currency] = cost.get(each.currency, 0.0) + each.cost
    return CheckReport(
        params={},
        warnings=list(results.warnings),
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


def _wanted(results: Results) -> dict[str, set[Identity]]:
    """Return the questions that the collections of the file put to each model; retired prompts ask nothing."""
    in_use = {prompt.id for prompt in results.prompts if prompt.retired is None}
    found: dict[str, set[Identity]] = {}
    for row in _collections(results):
        samples = row.get("samples")
        for model in _list(row.get("models")) if isinstance(samples, int) else ():
            found.setdefault(model, set()).update(
                (model, prompt, condition, row.get("period"), sample)
                for prompt in _list(row.get("prompts"))
                if prompt in in_use
                for condition in _list(row.get("conditions"))
                for sample in range(1, int(samples or 0) + 1)
            )
    return found


def _model(
    model: Model, replies: list[Reply], wanted: set[Identity], left_out: dict[str, int], control: str | None
) -> ModelCheck:
    there = {(r.model, r.prompt, r.condition or control, r.period, r.sample or 1) for r in replies}
    missing = len(wanted - there)
    faults = Counter(flag for reply in replies for flag in set(reply.flags))
    costs = [value for reply in replies if (value := _number(reply, "cost")) is not None]
    unavailable = model.unknown.get("unavailable")
    why = unavailable.get("why") if isinstance(unavailable, dict) else None
    if why is None and replies and all("error" in reply.flags for reply in replies):
        why = "every reply is an error"
    return ModelCheck(
        id=model.id,
        name=model.label,
        provider=model.provider,
        requested=model.requested,
        versions=_versions(replies),
        changed=_changed(replies),
        own=tuple(name for name in ("system", "examples") if model.unknown.get(name)),
        not_applied=tuple(_list((model.node or {}).get("not_applied"))),
        unavailable=why,
        asked=len(replies) + missing,
        replies=len(replies),
        missing=missing,
        faults={name: faults[name] for name in (*FAULTS, *sorted(faults.keys() - set(FAULTS)))},
        refusal_rate=faults["refusal"] / len(replies) if replies else None,
        asked_again=sum((_number(reply, "attempts") or 1) > 1 for reply in replies),
        transport_retries=int(sum(_number(reply, "transport_retries") or 0 for reply in replies)),
        latency_ms=_median(_number(reply, "latency_ms") for reply in replies),
        first_content_ms=_median(_number(reply, "first_content_ms") for reply in replies),
        tokens={name: _tokens(replies, name) for name in ("input", "output", "reasoning")},
        cost=sum(costs) if costs else None,
        currency=(model.price or {}).get("currency"),
        unpriced=len(replies) - len(costs),
        left_out=left_out,
    )


def _versions(replies: list[Reply]) -> tuple[VersionSeen, ...]:
    """Return the versions that came back, the most frequent first."""
    seen: dict[str, list[str | None]] = {}
    for reply in replies:
        if reply.version is not None:
            seen.setdefault(reply.version, []).append(reply.collected)
    found = [
        VersionSeen(
            version,
            len(dates),
            min(filter(None, dates), default=None),
            max(filter(None, dates), default=None),
        )
        for version, dates in seen.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.replies, each.version)))


def _changed(replies: list[Reply]) -> bool:
    by_period: dict[str | None, set[str]] = {}
    for reply in replies:
        if reply.version is not None:
            by_period.setdefault(reply.period, set()).add(reply.version)
    return any(len(versions) > 1 for versions in by_period.values())


def _number(reply: Reply, name: str) -> float | None:
    value = reply.unknown.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _tokens(replies: list[Reply], name: str) -> int | None:
    """Return the sum of a count over the replies that have it, null where none has."""
    usages = [reply.unknown.get("usage") for reply in replies]
    counts = [usage[name] for usage in usages if isinstance(usage, dict) and isinstance(usage.get(name), int)]
    return sum(counts) if counts else None
