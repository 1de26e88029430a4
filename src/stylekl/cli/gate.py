"""The gate of `drift` and `diff`: its options, its exit code, and what a CI service reads of it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from stylekl.cli.settings import above_zero
from stylekl.errors import UsageError
from stylekl.text import visible

if TYPE_CHECKING:
    from stylekl.lenses.style.changes import Change, DiffReport, DriftReport, Gate

FailAbove = Annotated[
    float | None,
    typer.Option(
        "--fail-above",
        metavar="BITS",
        callback=above_zero,
        help="Fail (exit 1) where the divergence is surely above this; pass where it is surely not.",
    ),
]
FailIfApart = Annotated[
    bool,
    typer.Option(
        "--fail-if-apart",
        help="Fail (exit 1) where the two are apart; pass where a difference of --size would have been seen.",
    ),
]
Size = Annotated[
    float | None,
    typer.Option(
        "--size",
        metavar="BITS",
        callback=above_zero,
        help="The difference that matters: say what it takes to see it (default: --fail-above, else .01).",
    ),
]
Junit = Annotated[
    str | None, typer.Option("--junit", metavar="FILE", help="Write what the gate says as JUnit XML.")
]
GitHub = Annotated[
    bool,
    typer.Option("--github", help="Write annotations on standard error, as under GITHUB_ACTIONS=true."),
]
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})
_LEVELS = {"failed": "error", "could not tell": "warning"}


def make_gate(
    fail_above: float | None, fail_if_apart: bool, size: float | None, *, junit: str | None, github: bool
) -> Gate:
    """Return the gate that the options ask for; raises UsageError for a report of a gate that is none."""
    from stylekl.lenses.style.changes import SIZE, Gate

    gate = Gate(fail_above, fail_if_apart, size or fail_above or SIZE)
    for asked, option in ((junit, "--junit"), (github, "--github")):
        if asked and not gate.given:
            raise UsageError(
                f"{option} reports a gate, and there is none", "add --fail-if-apart or --fail-above BITS"
            )
    return gate


def leave(command: str, report: DriftReport | DiffReport, *, junit: str | None, github: bool) -> None:
    """Write what a CI service reads, and leave with the exit code of the gate; without a gate, do nothing."""
    if report.gate is None:
        return
    from stylekl.show.drift import EXITS

    if junit:
        from stylekl.results.save import write_atomically

        write_atomically(junit, junit_xml(command, report).encode())
    if github or os.environ.get("GITHUB_ACTIONS") == "true":
        sys.stderr.write("".join(github_lines(command, report)))
    raise typer.Exit(EXITS[report.gate.outcome])


def github_lines(command: str, report: DriftReport | DiffReport) -> list[str]:
    """Return a workflow command of GitHub for each comparison that did not pass: an error or a warning."""
    lines = []
    for change in report.changes:
        if change.gate in _LEVELS:
            title = visible(f"stylekl {command}: {_title(report, change)}").translate(_PROPERTY)
            message = visible(_message(report, change)).replace("%", "%25")
            lines.append(f"::{_LEVELS[change.gate]} title={title}::{message}\n")
    return lines


def junit_xml(command: str, report: DriftReport | DiffReport) -> str:
    """Return a JUnit document: a test for each comparison; one that could not tell is an error."""
    from xml.sax.saxutils import escape

    of = getattr(report, "model", "") or getattr(report, "new", "")
    cases, counts = [], {"failed": 0, "could not tell": 0}
    for change in report.changes:
        name = f"  <testcase classname={_quoted(f'stylekl.{command}.{of}')} name={_quoted(_title(report, change))}"
        if change.gate not in counts:
            cases.append(f"{name}/>\n")
            continue
        counts[change.gate] += 1
        element = "failure" if change.gate == "failed" else "error"
        message, kind = _message(report, change), _quoted(change.reason or change.gate)
        cases.append(
            f"{name}>\n    <{element} type={kind}>{escape(_clean(message))}</{element}>\n  </testcase>\n"
        )
    numbers = f'tests="{len(cases)}" failures="{counts["failed"]}" errors="{counts["could not tell"]}"'
    suite = f"<testsuite name={_quoted(f'stylekl {command} {of}')} {numbers}>\n{''.join(cases)}</testsuite>\n"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {numbers}>\n{suite}</testsuites>\n'


def _title(report: DriftReport | DiffReport, change: Change) -> str:
    labels = {sibling.model.id: sibling.label for sibling in getattr(report, "siblings", ())}
    return f"{change.label} against {labels[change.old]}" if labels else change.name


def _message(report: DriftReport | DiffReport, change: Change) -> str:
    """Return what the gate says of a comparison in one line, with the figures behind it."""
    from stylekl.show.numbers import estimate, interval, plural, probability

    parts = [f"{change.gate}: {change.reason}"]
    if change.kl is not None:
        parts.append(f"KL {estimate(change.kl)} {report.unit} {interval(change.kl)}".rstrip())
    parts += [chance for chance in (probability("p", change.p), probability("q", change.q)) if chance]
    return ", ".join([*parts, plural(change.prompts, "prompt")])


def _clean(text: str) -> str:
    """Return text without what XML cannot hold."""
    return visible(text).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")


def _quoted(text: str) -> str:
    from xml.sax.saxutils import quoteattr

    return quoteattr(_clean(text))
