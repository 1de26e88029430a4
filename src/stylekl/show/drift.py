"""What moved, in a terminal and as a table: a whisker for each date or model, the calls, the power, the gate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.show.flow import line, prose
from stylekl.show.glyphs import Glyphs, glyphs
from stylekl.show.json import plain
from stylekl.show.labels import named
from stylekl.show.notes import few_prompts, left_out_line, plain_line
from stylekl.show.numbers import count, estimate, interval, limit, plural, probability
from stylekl.show.parts import FLOOR, vocabulary_note
from stylekl.show.whiskers import Whisker, whiskers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from stylekl.lenses.style.changes import Change, DiffReport, DriftReport
    from stylekl.show.tables import Header, Rows, Value
    from stylekl.show.terminal import Terminal

_NAMED = 5  # how many of a kind are named before "and n more"
_TOLD = 10  # how many comparisons that a gate did not pass have a line
_KINDS = {"date": "date", "effort": "effort level", "period": "period"}
EXITS = {"passed": 0, "failed": 1, "could not tell": 4}
_MANY, _TOO_MANY = 1_000_000, "over a million"  # more prompts than these are a way of saying no


def drift_view(report: DriftReport, terminal: Terminal, *, ramp: str = "lajolla") -> list[Text]:
    """Return each sibling against the first and the one before, and what can be said of it."""
    width, ascii_only = terminal.width, terminal.ascii
    labels = {sibling.model.id: named(sibling.label, ascii_only) for sibling in report.siblings}
    first, *_, last = labels.values()
    title = f": {plural(len(labels), _KINDS[report.axis])}, {first} to {last}"
    lines = prose(line((named(report.model, ascii_only), "bold"), title), width)
    blocks = [("first", f"Against the first, {first}"), ("previous", "Each against the one before")]
    if all(len(change.against) == 2 for change in report.changes):
        blocks = blocks[:1]
    for against, heading in blocks:
        chosen = [change for change in report.changes if against in change.against]
        lines += [Text(), *prose(line((heading, "bold")), width)]
        lines += _drawn(chosen, lambda change: labels[change.new], terminal, ramp, _top(report.changes))
    lines.append(Text())
    lines += _notes(report, terminal)
    lines += left_out_line((sibling.model for sibling in report.siblings), terminal)
    return lines + _gate_lines(report, lambda c: f"{labels[c.new]} against {labels[c.old]}", terminal)


def diff_view(report: DiffReport, terminal: Terminal, *, ramp: str = "lajolla") -> list[Text]:
    """Return each model that both files hold against itself, the most changed first, and what can be said of it."""
    width, ascii_only = terminal.width, terminal.ascii
    old, new = named(report.old, ascii_only), named(report.new, ascii_only)
    title = f"{new} against {old}: {plural(len(report.changes), 'model')}"
    lines = prose(line((title, "bold")), width, 0, 2)
    if report.identical:
        lines += prose(Text("The two files are the same, byte for byte."), width, 2)
    lines += _drawn(report.changes, lambda change: change.name, terminal, ramp, _top(report.changes))
    lines.append(Text())
    lines += _notes(report, terminal)
    for path, names in ((old, report.only_old), (new, report.only_new)):
        if names:
            lines += prose(
                line((f"Only in {path}: {_listed([named(n, ascii_only) for n in names])}.", "dim")), width, 2
            )
    return lines + _gate_lines(report, lambda change: named(change.name, ascii_only), terminal)


def drift_data(report: DriftReport) -> dict[str, Any]:
    """Return the `data` of `stylekl drift --json`."""
    keys = ("model", "axis", "unit", "siblings", "changes", "size", "gate", "vocabulary")
    return {key: plain(getattr(report, key)) for key in keys}


def diff_data(report: DiffReport) -> dict[str, Any]:
    """Return the `data` of `stylekl diff --json`."""
    keys = (
        "old",
        "new",
        "identical",
        "unit",
        "changes",
        "only_old",
        "only_new",
        "size",
        "gate",
        "vocabulary",
    )
    return {key: plain(getattr(report, key)) for key in keys}


def change_rows(report: DriftReport | DiffReport) -> tuple[Header, Rows]:
    """Return one row for each comparison."""
    header = ["old", "new", "name", "label", "against", "prompts", "unit", "units", "groups"]
    header += [name + part for name in ("kl", "js") for part in ("", "_raw", "_low", "_high", "_se")]
    header += ["floor", "p", "q", "call", "same", "needed", "visible", "gate", "reason", "undefined"]
    return header, [_row(change) for change in report.changes]


def _row(c: Change) -> list[Value]:
    row: list[Value] = [
        c.old,
        c.new,
        c.name,
        c.label,
        " ".join(c.against),
        c.prompts,
        c.unit,
        c.units,
        c.groups,
    ]
    for e in (c.kl, c.js):
        row += [None] * 5 if e is None else [e.value, e.raw, e.low, e.high, e.se]
    return [*row, c.floor, c.p, c.q, c.call, c.same, c.needed, c.visible, c.gate, c.reason, c.undefined]


def _drawn(
    changes: Sequence[Change], name: Callable[[Change], str], terminal: Terminal, ramp: str, top: float
) -> list[Text]:
    """Return the whiskers of some comparisons, and below them which are apart and which are not."""
    marks = glyphs(terminal)
    rows = [_whisker(change, name(change), marks) for change in changes]
    lines = whiskers(rows, terminal, ramp=ramp, top=top)
    if same := [named(name(c), terminal.ascii) for c in changes if _unchanged(c)]:
        told = f": {_listed(same)}; every reply is the same text."
        lines += prose(line(("Unchanged", "bold"), told), terminal.width, 2)
    for call in ("apart", "too close to call", "cannot say"):
        entries = [
            f"{named(name(c), terminal.ascii)} ({_why(c, terminal)})"
            for c in changes
            if c.call == call and not _unchanged(c)
        ]
        if entries:
            lines += prose(line((call.capitalize(), "bold"), f": {_listed(entries)}."), terminal.width, 2)
    return lines


def _unchanged(change: Change) -> bool:
    return 0 < change.prompts == change.same and change.kl is not None and change.kl.raw == 0


def _top(changes: Iterable[Change]) -> float:
    """Return where the axis ends: beyond every interval."""
    ends = [max(c.kl.value, c.kl.high, c.kl.upper, c.floor or 0.0) for c in changes if c.kl is not None]
    return max([0.001, *(end for end in ends if math.isfinite(end))])


def _why(change: Change, terminal: Terminal) -> str:
    if change.call == "cannot say":
        return named(change.undefined or "too few prompts", terminal.ascii)
    return probability("q", change.q) or "no q"


def _listed(entries: Sequence[str]) -> str:
    rest = f", and {count(len(entries) - _NAMED)} more" if len(entries) > _NAMED else ""
    return ", ".join(entries[:_NAMED]) + rest


def _whisker(change: Change, name: str, marks: Glyphs) -> Whisker:
    value = change.kl
    if value is None:
        return Whisker("", name, None, 0.0, 0.0, None, "", "", change.undefined or "no value")
    above = value.value > 0
    bound = limit(value)
    return Whisker(
        "",
        name,
        value.value,
        _finite(value.low if above else 0.0, value.value),
        _finite(value.high if above else value.upper, value.value),
        change.floor,
        estimate(value) if above else "0",
        interval(value) if above else bound if bound[:1] in ("", "<") else f"{marks.most} {bound}",
    )


def _finite(bound: float, value: float) -> float:
    return bound if math.isfinite(bound) else value


def _notes(report: DriftReport | DiffReport, terminal: Terminal) -> list[Text]:
    """Return the legend, what the figures rest on, and what it would take to see more."""
    marks, changes = glyphs(terminal), report.changes
    found = [change for change in changes if change.kl is not None]
    whisker = "".join(marks.whisker[i] for i in (0, 1, 3, 1, 2))
    notes = []
    if found:
        notes.append(f"KL(later {marks.against} earlier), {report.unit}. {whisker} 95% interval.")
        notes[0] += f" {marks.floor} floor: {FLOOR}." if any(c.floor is not None for c in found) else ""
    notes += power_lines(changes, report.size)
    same = [c for c in changes if c.same]
    if same:
        notes.append(f"Replies of the same text on both sides: {_same(same, changes)}.")
    few = ((c.prompts, c.kl, c.se_prompts) for c in changes if c.unit == "reply" and c.prompts)
    notes += [text.plain for text in few_prompts(few)]
    unlike = sum(change.length_rule for change in changes)
    if unlike:
        where = f"{plural(unlike, 'comparison')} of replies over three times as long on one side"
        notes.append(f"{where}: rare symbols count as other there.")
    notes += plain_line(report.params)
    family = f"; q over {plural(len(changes), 'comparison')}" if len(changes) > 1 else ""
    prompts = _range([c.prompts for c in changes], count)
    notes.append(
        f"{prompts} prompt{'' if prompts == '1' else 's'} in common{family}; "
        f"{vocabulary_note(report.vocabulary, terminal)}."
    )
    return [part for note in notes for part in prose(line((note, "dim")), terminal.width, 2)]


def power_lines(changes: Iterable[Change], size: float) -> list[str]:
    """Return how many prompts a difference of `size` bits takes to see, and what those at hand show."""
    told = [(c, c.needed, c.visible) for c in changes if c.needed is not None and c.visible is not None]
    if not told:
        return []
    replies = any(c.unit == "reply" for c, _, _ in told)
    noun = "replies to these prompts" if replies else "prompts"
    needed = _range([min(round_about(units), _MANY) for _, units, _ in told], _prompts)
    visible = _range([least for _, _, least in told], bits)
    here = _range([c.units for c, _, _ in told], count)
    return [
        f"A difference of {bits(size)} bits takes {'' if needed == _TOO_MANY else 'about '}{needed} {noun} to see; "
        f"the {here} here show one of about {visible} (four times in five)."
    ]


def round_about(value: int) -> int:
    """Return a number of prompts as precisely as it is known, rounded up to two digits."""
    step = int(10 ** max(len(str(value)) - 2, 0))
    return -(-value // step) * step


def bits(size: float) -> str:
    """Write a size that a user gave, or one that is known to two digits: .01, .0034, .2."""
    text = f"{float(f'{size:.2g}'):f}".rstrip("0").rstrip(".")
    return text[1:] if text.startswith("0.") else text


def _prompts(number: int) -> str:
    return count(number) if number < _MANY else _TOO_MANY


def _range(values: Sequence[Any], write: Callable[[Any], str]) -> str:
    low, high = write(min(values)), write(max(values))
    return low if low == high else f"{low} to {high}"


def _same(same: Sequence[Change], changes: Sequence[Change]) -> str:
    prompts = sum(change.prompts for change in changes)
    share = f"{count(sum(change.same for change in same))} of {count(prompts)}"
    return share if len(changes) == 1 else f"{share}, in {count(len(same))} of {len(changes)} comparisons"


def _gate_lines(
    report: DriftReport | DiffReport, name: Callable[[Change], str], terminal: Terminal
) -> list[Text]:
    if report.gate is None:
        return []
    outcome = report.gate.outcome
    head = line((f"Gate: {outcome}", "bold"), f" (exit {EXITS[outcome]})")
    lines = [Text(), *prose(head, terminal.width)]
    told = sorted((c for c in report.changes if c.gate != "passed"), key=lambda c: c.gate != "failed")
    for change in told[:_TOLD]:
        text = f"{name(change)}: {change.gate}, {named(change.reason or '', terminal.ascii)}"
        lines += prose(Text(text), terminal.width, 2, 4)
    if len(told) > _TOLD:
        lines += prose(line((f"and {count(len(told) - _TOLD)} more", "dim")), terminal.width, 2)
    return lines
