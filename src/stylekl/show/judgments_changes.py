"""What became of a run of judges, and what a second run changed, in sentences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from stylekl.show.json import plain
from stylekl.show.labels import named
from stylekl.show.numbers import count, plural

if TYPE_CHECKING:
    from stylekl.lenses.judgments.changes import RerunReport
    from stylekl.results import Results
    from stylekl.show.tables import Header, Rows

_LISTED = 10


def outcome_lines(results: Results, ascii_only: bool = False) -> list[str]:
    """Return how many judgments of each judge the file holds, and how many replies are none, with the reasons."""
    lines = []
    rows = results.other.get("judgments", [])
    for judge in sorted({str(row.get("judge")) for row in rows}):
        own = [row for row in rows if str(row.get("judge")) == judge]
        bad = Counter(str(row["invalid"]) for row in own if row.get("invalid") is not None)
        mended = sum(bool(row.get("repairs")) for row in own if row.get("invalid") is None)
        told = f"{named(judge, ascii_only)}: {plural(len(own) - bad.total(), 'judgment')}"
        told += f", {count(mended)} after a repair" if mended else ""
        if bad:
            reasons = ", ".join(
                f"{named(reason, ascii_only)} {count(n)}" for reason, n in sorted(bad.items())
            )
            told += f"; {plural(bad.total(), 'reply')} invalid ({reasons})"
        lines.append(told)
    return lines


def changes_lines(report: RerunReport, ascii_only: bool = False) -> list[str]:
    """Return how many judgments came back the same byte by byte, in other words or otherwise, and which changed."""
    total = sum(report.counts.values())
    told = ", ".join(
        f"{change} {count(n)}" for change, n in report.counts.items() if n or change == "same bytes"
    )
    lines = [f"against the earlier run, {plural(total, 'judgment')} in both: {told}"]
    moved = [row for row in report.changed if row.change not in ("same bytes", "same verdict, other words")]
    for row in moved[:_LISTED]:
        before, now = (named(said or "no judgment", ascii_only) for said in (row.before, row.now))
        lines.append(
            f"  {named(row.judge, ascii_only)} on {named(row.prompt, ascii_only)}: {before}, now {now}"
        )
    if len(moved) > _LISTED:
        lines.append(f"  and {count(len(moved) - _LISTED)} more")
    for what, number in (
        ("another request was sent", sum(row.same_request is False for row in report.changed)),
        ("another version answered", sum(row.same_version is False for row in report.changed)),
        ("the earlier run alone has", report.only_before),
        ("this run alone has", report.only_now),
    ):
        if number:
            lines.append(f"  {what}: {count(number)}")
    return lines


def changes_data(report: RerunReport) -> dict[str, Any]:
    """Return the report as JSON holds it."""
    return {key: plain(getattr(report, key)) for key in ("counts", "changed", "only_before", "only_now")}


def changes_rows(report: RerunReport) -> tuple[Header, Rows]:
    """Return one row for each judgment that both runs have."""
    header = [
        "judge",
        "prompt",
        "a",
        "b",
        "change",
        "before",
        "now",
        "scores",
        "same_request",
        "same_version",
    ]
    return header, [[getattr(row, name) for name in header] for row in report.changed]
