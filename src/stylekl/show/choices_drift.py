"""One model's choices along dates, effort levels or periods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.show.choices_parts import (
    COUNTS,
    STAND,
    asked_note,
    chances,
    distance,
    pair_values,
    plain_share,
    preference,
    share,
    stand_values,
    words_of,
)
from stylekl.show.columns import Column, notes, table
from stylekl.show.flow import line, prose
from stylekl.show.json import plain
from stylekl.show.labels import named
from stylekl.show.notes import left_out_line
from stylekl.show.numbers import count, number, plural
from stylekl.show.whiskers import Whisker, whiskers

if TYPE_CHECKING:
    from stylekl.lenses.choices.reports import ChoicesDriftReport, Moved, Step
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

_LISTED = 12
_KEYS = ("model", "axis", "siblings", "steps", "asked")
_KINDS = {"date": "date", "effort": "effort level", "period": "period"}
_MOVED = {
    "flip": "Flips to the other word",
    "refusal": "Turns into a refusal",
    "lost": "No preference any more",
    "gained": "A preference now",
}


def drift_view(report: ChoicesDriftReport, terminal: Terminal) -> list[Text]:
    """Return each sibling against the first and the one before, and what flips or turns into a refusal."""
    labels = {sibling.model.id: named(sibling.label, terminal.ascii) for sibling in report.siblings}
    first, *_, last = labels.values()
    title = f": {plural(len(labels), _KINDS[report.axis])}, {first} to {last}"
    lines = prose(line((named(report.model, terminal.ascii), "bold"), title), terminal.width)
    blocks = [("first", f"Against the first, {first}"), ("previous", "Each against the one before")]
    if all(len(step.against) == 2 for step in report.steps):
        blocks = blocks[:1]
    for against, heading in blocks:
        chosen = [step for step in report.steps if against in step.against]
        lines += [Text(), *prose(line((heading, "bold")), terminal.width)]
        lines += whiskers([_whisker(step, labels) for step in chosen], terminal)
    for step in report.steps:
        lines += _step(step, labels, terminal)
    lines += [Text(), *_rates(report, labels, terminal)]
    lines += left_out_line((sibling.model for sibling in report.siblings), terminal)
    told = [
        asked_note(report.asked),
        "A distance is the share of pairs of words on which two differ, none counting as a value. p asks whether one "
        "responder could have given both.",
    ]
    return [*lines, Text(), *notes(told, terminal)]


def _whisker(step: Step, labels: dict[str, str]) -> Whisker:
    pair, name = step.pair, labels[step.new]
    if pair.value is None or pair.low is None or pair.high is None:
        return Whisker("", name, None, 0.0, 0.0, None, "", "", pair.undefined or "no value")
    spread = f"[{number(pair.low, 2)} {number(pair.high, 2)}]"
    return Whisker("", name, pair.value, pair.low, pair.high, None, number(pair.value, 2), spread)


def _step(step: Step, labels: dict[str, str], terminal: Terminal) -> list[Text]:
    text = line((f"{labels[step.old]} to {labels[step.new]}", "bold"))
    text.append(f": {step.pair.call}{chances(step.pair)}, {distance(step.pair)}.")
    lines = [Text(), *prose(text, terminal.width, 0, 2)]
    for kind, title in _MOVED.items():
        moved = [each for each in step.moved if each.kind == kind]
        if moved:
            lines += prose(line(f"  {title}: {plural(len(moved), 'pair')} of words"), terminal.width, 2)
            lines += _moved(moved, terminal)
    return lines


def _moved(moved: list[Moved], terminal: Terminal) -> list[Text]:
    told = moved[:_LISTED]
    lines = table(
        [words_of(each.old, terminal) for each in told],
        [
            Column("before", [preference(each.old, terminal) for each in told]),
            Column("after", [preference(each.new, terminal) for each in told]),
        ],
        terminal,
    )
    rest = len(moved) - len(told)
    return [*lines, line((f"  and {count(rest)} more", "dim"))] if rest else lines


def _rates(report: ChoicesDriftReport, labels: dict[str, str], terminal: Terminal) -> list[Text]:
    rows = report.siblings
    return table(
        [labels[each.model.id] for each in rows],
        [
            Column("same word", [share(each.total.real) for each in rows]),
            Column("by position", [plain_share(each.total.order_bias) for each in rows], 1),
            Column("chose", [plain_share(each.total.commit) for each in rows]),
            Column("refused", [count(each.total.outcomes.get("refused", 0)) for each in rows], 2),
            Column("questions", [count(each.total.real.n) for each in rows], 3),
        ],
        terminal,
    )


def drift_data(report: ChoicesDriftReport) -> dict[str, Any]:
    """Return the `data` of `stylekl drift --by choices --json`."""
    return {"by": "choices"} | {key: plain(getattr(report, key)) for key in _KEYS}


def drift_rows(report: ChoicesDriftReport) -> tuple[Header, Rows]:
    """Return one row for each pair of words that moved between two siblings."""
    header = ["old", "new", "label", "kind", *STAND]
    header += [f"{side}_{name}" for side in ("old", "new") for name in COUNTS]
    return header, [
        [
            step.old,
            step.new,
            step.label,
            each.kind,
            *pair_values(each.old),
            *stand_values(each.old),
            *stand_values(each.new),
        ]
        for step in report.steps
        for each in step.moved
    ]
