"""A second run of the same judges on the same packages: what came back the same, byte by byte, and what did not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.results import Results

Change = Literal[
    "same bytes", "same verdict, other words", "other verdict", "no judgment before", "no judgment now"
]
CHANGES: tuple[Change, ...] = (
    "same bytes",
    "same verdict, other words",
    "other verdict",
    "no judgment before",
    "no judgment now",
)


@dataclass(frozen=True, slots=True)
class Changed:
    """One judgment of both runs: verdicts as models or "tie", null for no judgment; whether request and version agree.

    `scores` says whether all scores are the same, null where one run has none. `same_request` is null where a run did
    not store it.
    """

    judge: str
    prompt: str
    a: str
    b: str | None
    change: Change
    before: str | None
    now: str | None
    scores: bool | None
    same_request: bool | None
    same_version: bool | None


@dataclass(frozen=True, slots=True)
class RerunReport:
    """What changed from one run to another: `counts` by kind of change, and every judgment that both have.

    `only_before` and `only_now` count judgments that one run alone has.
    """

    counts: dict[str, int]
    changed: tuple[Changed, ...]
    only_before: int
    only_now: int
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def compare_runs(before: Results, now: Results) -> RerunReport:
    """Return what changed between the judgments of two files, joined by judge, prompt, and who was A and who B.

    Prompts are joined by text where both files have it, else by id. Of several judgments of one kind in a file, the
    n-th is compared with the n-th.
    """
    first, second = _keyed(before), _keyed(now)
    rows = [_changed(key, first[key], second[key]) for key in sorted(first.keys() & second.keys(), key=str)]
    return RerunReport(
        counts={change: sum(row.change == change for row in rows) for change in CHANGES},
        changed=tuple(rows),
        only_before=len(first.keys() - second.keys()),
        only_now=len(second.keys() - first.keys()),
        warnings=tuple(dict.fromkeys([*before.warnings, *now.warnings])),
    )


def _keyed(results: Results) -> dict[tuple[Any, ...], dict[str, Any]]:
    texts = {prompt.id: prompt.text for prompt in results.prompts}
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in results.other.get("judgments", []):
        prompt = row.get("prompt")
        place = (
            row.get("judge"),
            texts.get(prompt or "", prompt),
            row.get("A"),
            row.get("B"),
            row.get("turn"),
        )
        turn = 0
        while (*place, turn) in found:
            turn += 1
        found[*place, turn] = row
    return found


def _changed(key: Sequence[Any], before: dict[str, Any], now: dict[str, Any]) -> Changed:
    said = [_verdict(row) for row in (before, now)]
    known = [row.get("invalid") is None for row in (before, now)]
    scores = [row.get("scores") for row in (before, now)]
    same = said[0] == said[1] and known[0] == known[1]
    if before.get("raw") == now.get("raw"):
        change: Change = "same bytes"
    elif not known[0] and known[1]:
        change = "no judgment before"
    elif known[0] and not known[1]:
        change = "no judgment now"
    else:
        change = "same verdict, other words" if same else "other verdict"
    return Changed(
        judge=str(key[0]),
        prompt=str(now.get("prompt")),
        a=str(key[2]),
        b=None if key[3] is None else str(key[3]),
        change=change,
        before=said[0],
        now=said[1],
        scores=None if None in scores else scores[0] == scores[1],
        same_request=_equal(before, now, "request"),
        same_version=_equal(before, now, "returned"),
    )


def _equal(before: dict[str, Any], now: dict[str, Any], name: str) -> bool | None:
    if before.get(name) is None or now.get(name) is None:
        return None
    return bool(before[name] == now[name])


def _verdict(row: dict[str, Any]) -> str | None:
    verdict = row.get("verdict")
    return row.get(verdict) if verdict in ("A", "B") else verdict
