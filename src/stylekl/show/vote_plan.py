"""A panel's pairs and sessions in a terminal, as rows and as JSON."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.gather.panel_file import composition_of
from stylekl.show.flow import columns, line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.json import plain
from stylekl.show.labels import fit, named, pad, shorten, shown
from stylekl.show.numbers import count, plural

if TYPE_CHECKING:
    from stylekl.gather.panel_battery import PairingsReport
    from stylekl.gather.panel_plan import SessionsReport
    from stylekl.show.terminal import Terminal

_RULES = ("fights", "plain", "instructed", "least", "most", "pairing")


def pairings_data(report: PairingsReport) -> dict[str, Any]:
    """Return the `data` of `stylekl plan pairings --json`."""
    return {
        "battery": report.battery,
        "version": report.version,
        "models": _models(report),
        "each": report.each,
        "pairings": [
            {
                "prompt": pair.prompt,
                "a": pair.a,
                "b": pair.b,
                "kept": pair.prompt in report.kept,
                "since": pair.since,
                "sample_a": pair.reply_a and pair.reply_a.sample,
                "sample_b": pair.reply_b and pair.reply_b.sample,
            }
            for pair in report.pairings
        ],
        "taken": [{"a": a, "b": b, "prompts": number} for (a, b), number in sorted(report.new.items())],
        "released": plain(report.released),
        "unused": list(report.unused),
        "left_out": plain(report.left_out),
    }


def pairings_rows(report: PairingsReport) -> tuple[list[str], list[list[Any]]]:
    """Return one row for each prompt."""
    rows = [[p.prompt, p.a, p.b, p.prompt in report.kept, p.since] for p in report.pairings]
    return ["prompt", "a", "b", "kept", "since"], rows


def pairings_view(report: PairingsReport, terminal: Terminal) -> list[Text]:
    """Return the lines: every two models with their prompts, and what new prompts have taken."""
    width, ascii_only = terminal.width, terminal.ascii
    names = _labels(report, terminal)
    pairs = len(report.models) * (len(report.models) - 1) // 2
    head = (
        f", version {report.version}: {plural(len(report.pairings), 'prompt')}, each with one fixed pair of replies; "
        f"{plural(pairs, 'pairing')} of {plural(len(report.models), 'model')} at {plural(report.each, 'prompt')}, "
        f"every model at {report.each * (len(report.models) - 1)}."
    )
    lines = [*prose(line((named(report.battery, ascii_only), "bold"), head), width, 0, 2), Text()]
    for a, b in combinations(sorted(names), 2):
        lines += prose(line((names[a], "bold"), " against ", (names[b], "bold")), width, 0, 2)
        prompts = [
            p.prompt + ("" if p.prompt in report.kept else "*")
            for p in report.pairings
            if (p.a, p.b) == (a, b)
        ]
        lines += prose(Text("  ".join(shown(prompt, ascii_only) for prompt in prompts)), width, 2)
    lines.append(Text())
    new = report.new
    if report.kept and new:
        taken = "; ".join(f"{names[a]} against {names[b]} {number}" for (a, b), number in sorted(new.items()))
        said = f"Kept from an earlier version: {len(report.kept)}. "
        said += f"New prompts (*) take what restores the balance: {taken}."
    elif report.kept:
        said = f"Kept from an earlier version: all {len(report.kept)}."
    else:
        said = f"* new: all {len(report.pairings)}."
    lines += prose(Text(said), width, 0, 2)
    for each in report.released:
        why = f"{each.prompt} no longer has {each.a} against {each.b}: {each.why}."
        lines += prose(Text(shown(why, ascii_only), "dim"), width, 0, 2)
    if report.unused:
        lines += prose(Text(f"Not drawn: {plural(len(report.unused), 'prompt')}.", "dim"), width, 0, 2)
    return [*lines, *_left_out(report.left_out, terminal)]


def sessions_data(report: SessionsReport) -> dict[str, Any]:
    """Return the `data` of `stylekl plan sessions --json`."""
    return {
        "plan": report.id,
        "battery": report.battery,
        "version": report.version,
        "models": _models(report),
        "rules": {name: report.params[name] for name in _RULES},
        "sessions": [
            {
                "id": session.id,
                "fights": list(composition_of(session).fights),
                "instructed": list(composition_of(session).instructed),
                "items": [
                    {"prompt": item.prompt, "check": item.check, "left": item.left} for item in session.items
                ],
            }
            for session in report.sessions
        ],
        "use": plain(report.use),
        "spread": dict(report.spread),
        "left_out": plain(report.left_out),
    }


def sessions_rows(report: SessionsReport) -> tuple[list[str], list[list[Any]]]:
    """Return one row for each pair of each session."""
    rows = [
        [session.id, place, item.prompt, item.check, item.left]
        for session in report.sessions
        for place, item in enumerate(session.items, 1)
    ]
    return ["session", "place", "prompt", "check", "left"], rows


def sessions_view(report: SessionsReport, terminal: Terminal) -> list[Text]:
    """Return the lines: the rules, how often each prompt comes, and how even that is."""
    width, rules, mark = terminal.width, report.params, glyphs(terminal)
    head = f": {plural(len(report.sessions), 'session')} of the battery {named(report.battery, terminal.ascii)}, "
    head += f"version {report.version}."
    lines = prose(line((f"Plan {report.id}", "bold"), head), width, 0, 2)
    said = (
        f"Each: {plural(rules['fights'], 'fight')}, {plural(rules['plain'], 'plain check')}, "
        f"{plural(rules['instructed'], 'instructed check')}; every model {rules['least']}{mark.dash}{rules['most']} "
        f"times, no pairing more than {rules['pairing']} times."
    )
    lines += [
        *prose(Text(said), width, 0, 2),
        Text(),
        *prose(Text("How often each prompt comes: fight, check", "bold"), width, 0, 2),
    ]
    wide = max(len(count(use.real)) for use in report.use)
    names = [fit(shown(use.prompt, terminal.ascii), max(8, width - 16), terminal.ascii) for use in report.use]
    longest = max(map(len, names))
    lines += columns(
        [
            line("  ", pad(name, longest), f" {count(use.real):>{wide}}", (f" {count(use.check)}", "dim"))
            for name, use in zip(names, report.use, strict=True)
        ],
        width,
    )
    spread = report.spread
    even = (
        f"Prompts differ by at most {spread['real']} as fights, {spread['check']} as checks, "
        f"{spread['shown']} in how often they are shown."
    )
    models = Counter(name for use in report.use for name in (use.a, use.b) for _ in range(use.real))
    labels = _labels(report, terminal)
    fights = ", ".join(f"{labels[name]} {count(models[name])}" for name in sorted(labels) if name in models)
    lines += [
        Text(),
        *prose(Text(even), width, 0, 2),
        *prose(Text(f"Fights of each model: {fights}."), width, 0, 2),
    ]
    return [*lines, *_left_out(report.left_out, terminal)]


def _models(report: PairingsReport | SessionsReport) -> list[dict[str, str]]:
    return [{"id": model.id, "name": model.label} for model in report.models]


def _labels(report: PairingsReport | SessionsReport, terminal: Terminal) -> dict[str, str]:
    labels = shorten([model.label for model in report.models], 24, terminal.ascii)
    return {model.id: label for model, label in zip(report.models, labels, strict=True)}


def _left_out(left_out: dict[str, int], terminal: Terminal) -> list[Text]:
    if not left_out:
        return []
    reasons = ", ".join(
        f"{shown(reason, terminal.ascii)} {count(number)}" for reason, number in left_out.items()
    )
    return prose(Text(f"Replies that take no part: {reasons}.", "dim"), terminal.width, 0, 2)
