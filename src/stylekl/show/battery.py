"""A battery in a terminal and as JSON: what it asks, what that costs in calls, and what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.show.flow import columns, line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.json import plain
from stylekl.show.labels import fit, named, pad, shown
from stylekl.show.numbers import count, plural

if TYPE_CHECKING:
    from stylekl.gather.battery import Battery
    from stylekl.gather.check import BatteryReport
    from stylekl.gather.versions import Change
    from stylekl.show.terminal import Terminal

_LABEL = 13  # cells of a heading and the gap behind it
_KINDS = {"open": "open", "one_word": "one word"}
_OVER = {
    "ask_again": "a longer reply is asked for once more, and marked where both are too long",
    "record": "a longer reply is counted and kept as it is",
}


def battery_view(report: BatteryReport, terminal: Terminal) -> list[Text]:
    """Return the lines that describe a battery, with the changes where it was compared with an earlier state."""
    battery, width = report.battery, terminal.width
    prompts = plural(len(battery.in_use), "prompt")
    topics = [topic for topic in battery.topics if topic is not None]
    head = f", version {battery.version}: {prompts}"
    head += f" in {plural(len(topics), 'topic')}" if topics else ""
    retired = len(battery.prompts) - len(battery.in_use)
    head += f", kind {_KINDS[battery.kind]}" + (f"; {count(retired)} retired" if retired else "")
    lines = prose(line((named(battery.id, terminal.ascii), "bold"), head), width, 0, 2)
    lines.append(Text())
    lines += _topics(battery, terminal)
    for name, text in _rules(battery, terminal):
        lines += _row(name, text, width)
    if report.changes is not None:
        lines += [Text(), *_changes(report, terminal)]
    return lines


def battery_data(report: BatteryReport) -> dict[str, Any]:
    """Return the `data` of `stylekl battery check --json`."""
    battery = report.battery
    return {
        "battery": battery.id,
        "version": battery.version,
        "digest": battery.digest,
        "kind": battery.kind,
        "prompts": len(battery.in_use),
        "retired": len(battery.prompts) - len(battery.in_use),
        "topics": [{"topic": topic, "prompts": number} for topic, number in battery.topics.items()],
        "conditions": [{"id": condition.id, "off": condition.off} for condition in battery.conditions],
        "samples": battery.samples,
        "calls": battery.calls,
        "instruction": battery.instruction,
        "template": battery.template,
        "length": plain(battery.content["length"]),
        "cap": battery.cap,
        "against": report.against,
        "changes": None if report.changes is None else [_change_data(change) for change in report.changes],
        "refused": len(report.refused),
    }


def _change_data(change: Change) -> dict[str, Any]:
    return {
        "what": change.what,
        "id": change.id,
        "text": change.text,
        "refused": change.refused,
        "hint": change.hint or None,
    }


def _topics(battery: Battery, terminal: Terminal) -> list[Text]:
    """Return the topics with the number of prompts of each, in columns."""
    if set(battery.topics) == {None}:
        return []
    names = [
        "no topic" if topic is None else fit(shown(topic, terminal.ascii), terminal.width - 8, terminal.ascii)
        for topic in battery.topics
    ]
    wide = max(map(len, names))
    entries = [
        line("  ", pad(name, wide), (f" {number:>4,}", "bold"))
        for name, number in zip(names, battery.topics.values(), strict=True)
    ]
    return [*columns(entries, terminal.width), Text()]


def _rules(battery: Battery, terminal: Terminal) -> list[tuple[str, str]]:
    mark = glyphs(terminal)
    names = [named(c.id, terminal.ascii) + (" (off)" if c.off else "") for c in battery.conditions]
    rules = [("Conditions", ", ".join([f"{names[0]}, which adds nothing", *names[1:]]))]
    if battery.template:
        rules.append(("Template", shown(battery.template, terminal.ascii)))
    rules.append(
        ("Instruction", shown(battery.instruction, terminal.ascii) if battery.instruction else "none")
    )
    if battery.length:
        rules.append(("Length", f"{battery.length}; {_OVER[battery.length.over]}"))
    rules.append(("Cap", f"{count(battery.cap)} tokens a reply, reasoning included"))
    product = f" {mark.times} ".join(
        plural(number, noun)
        for number, noun in (
            (len(battery.in_use), "prompt"),
            (len(battery.arms), "condition"),
            (battery.samples, "sample"),
        )
    )
    rules.append(("Calls", f"{count(battery.calls)} a model: {product}"))
    rules.append(("Digest", battery.digest))
    return rules


def _row(name: str, text: str, width: int) -> list[Text]:
    """Return a heading and its text, beside each other where there is room."""
    if width < 60:
        return prose(line((f"{name}:", "bold"), f" {text}"), width, 0, 2)
    first, *rest = prose(Text(text), width - _LABEL) or [Text("")]
    return [
        line((pad(name, _LABEL), "bold")).append_text(first),
        *(line(" " * _LABEL).append_text(more) for more in rest),
    ]


def _changes(report: BatteryReport, terminal: Terminal) -> list[Text]:
    against = "an earlier state" if report.against is None else f"version {report.against}"
    if not report.changes:
        return prose(line((f"Nothing changed against {against}.", "bold")), terminal.width, 0, 2)
    verdict = f"{plural(len(report.refused), 'change')} refused" if report.refused else "all allowed"
    lines = prose(line((f"Changes against {against}: {verdict}", "bold")), terminal.width, 0, 2)
    hanging = 11 if terminal.width >= 60 else 4
    for change in sorted(report.changes, key=lambda change: not change.refused):
        who = f"{named(change.id, terminal.ascii)} " if change.id else ""
        mark = ("refused:", "bold") if change.refused else ("allowed:", "dim")
        lines += prose(
            line(mark, " ", who, shown(change.text, terminal.ascii)),
            terminal.width,
            2,
            hanging,
        )
        if change.hint and change.refused:
            lines += prose(
                line((shown(change.hint, terminal.ascii), "dim")),
                terminal.width,
                hanging,
            )
    return lines
