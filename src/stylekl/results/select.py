"""Which replies count. Only here: every lens and every output takes the selection and its reasons."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stylekl.errors import UnknownChoiceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.results.records import Model, Prompt, Reply, Results

# white space, and the characters of no width that some models answer with
_BLANK = re.compile("[\\s\xad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]*")


@dataclass(frozen=True, slots=True)
class Selection:
    """The replies that count, and how many do not, by model and reason.

    `replies` are ordered by model, prompt (both as in the file) and sample; `prompts` are those with at least
    one of these replies, `models` all of the file. `left_out` has every model. `condition` is the id of the
    condition they were given under, null where the file has none.
    """

    replies: list[Reply]
    prompts: list[Prompt]
    models: list[Model]
    left_out: dict[str, dict[str, int]]
    condition: str | None


def select(
    results: Results,
    *,
    condition: str | None = None,
    topics: Sequence[str] = (),
    prompts: Sequence[str] = (),
    kinds: Sequence[str | None] = ("open", None),
) -> Selection:
    """Return the replies that give text under one condition (the control by default).

    `topics` and `prompts` (ids) narrow the prompts, `kinds` says which kinds of prompt count. Left out, with
    the first of these reasons that holds: "topic", "prompt", "condition", "retired prompt", "kind K", the
    reply's first flag, "empty" (nothing but white space and characters of no width). Raises
    UnknownChoiceError for a topic, prompt or condition that the results do not have.
    """
    _check("topic", topics, list(dict.fromkeys(p.topic for p in results.prompts if p.topic is not None)))
    _check("prompt", prompts, [prompt.id for prompt in results.prompts])
    _check("condition", () if condition is None else (condition,), [each.id for each in results.conditions])
    control = results.control
    wanted = control if condition is None else condition
    barred = {p.id: _prompt_reason(p, topics, prompts) for p in results.prompts}
    unfit = {p.id: _kind_reason(p, kinds) for p in results.prompts}
    left_out: dict[str, Counter[str]] = {model.id: Counter() for model in results.models}
    kept: list[Reply] = []
    for reply in results.replies:
        reason = barred[reply.prompt]
        if reason is None and (reply.condition or control) != wanted:
            reason = "condition"
        reason = reason or unfit[reply.prompt] or _reply_reason(reply)
        if reason is None:
            kept.append(reply)
        else:
            left_out[reply.model][reason] += 1
    counted = {reply.prompt for reply in kept}
    return Selection(
        replies=_ordered(results, kept),
        prompts=[prompt for prompt in results.prompts if prompt.id in counted],
        models=list(results.models),
        left_out={model: dict(sorted(reasons.items())) for model, reasons in left_out.items()},
        condition=wanted,
    )


def _check(kind: str, wanted: Sequence[str], known: list[str]) -> None:
    for name in wanted:
        if name not in known:
            raise UnknownChoiceError(kind, name, known)


def _prompt_reason(prompt: Prompt, topics: Sequence[str], prompts: Sequence[str]) -> str | None:
    if topics and prompt.topic not in topics:
        return "topic"
    return "prompt" if prompts and prompt.id not in prompts else None


def _kind_reason(prompt: Prompt, kinds: Sequence[str | None]) -> str | None:
    if prompt.retired is not None:
        return "retired prompt"
    return None if prompt.kind in kinds else f"kind {prompt.kind or 'open'}"


def _reply_reason(reply: Reply) -> str | None:
    if reply.flags:
        return reply.flags[0]
    return "empty" if _BLANK.fullmatch(reply.text) else None


def _ordered(results: Results, replies: list[Reply]) -> list[Reply]:
    models = {model.id: place for place, model in enumerate(results.models)}
    prompts = {prompt.id: place for place, prompt in enumerate(results.prompts)}
    # the sort is stable, so replies without a sample number stay in file order
    return sorted(replies, key=lambda r: (models[r.model], prompts[r.prompt], r.period or "", r.sample or 0))
