"""What may change from one version of a battery to the next, and the way out where it may not.

A reply belongs to the words it answers. So under one id a prompt, a condition and the instruction keep their words for
ever; what else changes, or comes, or is retired, makes a higher version.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stylekl.errors import UsageError
from stylekl.gather.battery import Battery, Condition, Prompt, Retired
from stylekl.gather.yaml_file import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stylekl.results.records import Results

NEW_PROMPT = "retire the old id, with `retired: {on: …, why: …}`, and add the new text under a new id"
NEW_CONDITION = "add it as a condition of another id, and leave the old one as it was, with `off: true`"
NEW_BATTERY = "give the battery another id: its replies cannot stand beside the old ones"
RAISE = "raise `version`"
_FIXED = {"text": "has another text", "kind": "is of another kind", "subject": "has another subject"}


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `what` names it, `id` is the prompt or condition; `refused` with the way out in `hint`."""

    what: str
    text: str
    id: str | None = None
    refused: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Past:
    """What is known of an earlier state of a battery. `settings` hold those that are known."""

    id: str
    version: int | None
    prompts: Mapping[str, Prompt]
    conditions: Mapping[str, Condition]
    settings: Mapping[str, Any]


def past_of(old: Battery | Results, battery: str) -> Past:
    """Return what a battery, or the results of one, say of the battery with the id `battery`.

    Of several collections with it in one file the highest version counts. Raises UsageError where there is none.
    """
    if isinstance(old, Battery):
        settings = {name: old.content[name] for name in ("instruction", "length", "cap", "samples")}
        return Past(
            old.id,
            old.version,
            {prompt.id: prompt for prompt in old.prompts},
            {condition.id: condition for condition in old.conditions},
            settings,
        )
    rows = [row for row in old.other.get("collection", []) if isinstance(row, dict)]
    named = {row.get("battery") for row in rows} | {prompt.battery for prompt in old.prompts}
    if battery not in named:
        known = ", ".join(sorted(str(name) for name in named if name)) or "none"
        raise UsageError(f'no replies to the battery "{battery}" in that file', f"batteries in it: {known}")
    ours = [row for row in rows if row.get("battery") == battery]
    row = max(ours, key=lambda row: _version(row) or 0, default={})
    return Past(
        battery,
        _version(row),
        {
            prompt.id: Prompt(
                prompt.id,
                prompt.text,
                prompt.topic,
                prompt.kind or "open",
                prompt.subject,
                Retired(str(prompt.retired.get("on")), str(prompt.retired.get("why")))
                if prompt.retired
                else None,
            )
            for prompt in old.prompts
            if prompt.battery == battery or (prompt.battery is None and named <= {battery, None})
        },
        {each.id: Condition(each.id, each.system, each.prefix, each.suffix) for each in old.conditions},
        {name: row[name] for name in ("instruction", "length", "cap", "samples") if name in row},
    )


def check_against(new: Battery, old: Battery | Results) -> tuple[Change, ...]:
    """Return every difference between a battery and an earlier state of it, or the results of one.

    Refused are: other words under the id of a prompt or condition, another kind, subject or instruction, a prompt or
    condition that is gone, a lower version, and anything else under the same version but switching a condition off or
    on. Raises UsageError where the two are different batteries.
    """
    past = past_of(old, new.id)
    if past.id != new.id:
        raise UsageError(
            f'"{new.id}" and "{past.id}" are different batteries', "versions are compared within one id"
        )
    changes = [
        *_settings(new, past),
        *_prompts(new, past),
        *_conditions(new, past),
    ]
    if past.version is not None and new.version < past.version:
        text = f"version {new.version} is lower than {past.version}"
        return (Change("version", text, refused=True, hint=f"{RAISE} above {past.version}"), *changes)
    if past.version is not None and new.version == past.version:
        changes = [_same_version(change, new.version) for change in changes]
    return tuple(changes)


def _same_version(change: Change, version: int) -> Change:
    if change.refused or change.what in ("off", "on"):
        return change
    return replace(change, refused=True, hint=f"{RAISE} above {version}")


def _version(row: Mapping[str, Any]) -> int | None:
    value = row.get("version")
    return value if isinstance(value, int) else None


def _settings(new: Battery, past: Past) -> Iterable[Change]:
    now = new.content
    for name, before in past.settings.items():
        if now[name] == before:
            continue
        if name == "instruction":
            text = f"the instruction has other words, was {quoted(before) if before else 'none'}"
            yield Change(name, text, refused=True, hint=NEW_BATTERY)
        elif name == "length":
            yield Change(name, "the rule for the length of replies is another")
        else:
            yield Change(name, f"{name} {now[name]:,}, was {before:,}")


def _prompts(new: Battery, past: Past) -> Iterable[Change]:
    now = {prompt.id: prompt for prompt in new.prompts}
    for each, before in past.prompts.items():
        prompt = now.get(each)
        if prompt is None:
            hint = "put it back with `retired: {on: …, why: …}`: replies to it are kept and not used"
            yield Change("removed", "is gone", each, refused=True, hint=hint)
            continue
        for name, what in _FIXED.items():
            if (value := getattr(before, name)) != getattr(prompt, name):
                text = f"{what}, was {quoted(value) if value else 'none'}"
                yield Change(name, text, each, refused=True, hint=NEW_PROMPT)
        if prompt.topic != before.topic:
            yield Change("topic", f"topic {prompt.topic or 'none'}, was {before.topic or 'none'}", each)
        if prompt.retired and not before.retired:
            yield Change("retired", f"is retired: {prompt.retired.why}", each)
        if before.retired and not prompt.retired:
            yield Change("in use", "is in use again", each)
    for each, prompt in now.items():
        if each not in past.prompts:
            yield Change("added", "is new" + (", and retired" if prompt.retired else ""), each)


def _conditions(new: Battery, past: Past) -> Iterable[Change]:
    now = {condition.id: condition for condition in new.conditions}
    if past.conditions and next(iter(past.conditions)) != new.control.id:
        was = next(iter(past.conditions))
        yield Change(
            "control", f'the control was called "{was}"', new.control.id, refused=True, hint=NEW_BATTERY
        )
    for each, before in past.conditions.items():
        condition = now.get(each)
        if condition is None:
            yield Change(
                "condition removed", "is gone", each, refused=True, hint="switch it off: `off: true`"
            )
        elif condition.added != before.added:
            yield Change("condition", "adds other words", each, refused=True, hint=NEW_CONDITION)
        elif condition.off != before.off:
            yield Change(
                "off" if condition.off else "on", f"is switched {'off' if condition.off else 'on'}", each
            )
    for each in now:
        if past.conditions and each not in past.conditions:
            yield Change("condition added", "is a new condition", each)
