"""Where a probe may be written: words and envelopes keep what they say for ever under one id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.errors import UsageError

if TYPE_CHECKING:
    from stylekl.gather.journal import Record
    from stylekl.gather.plan import Plan
    from stylekl.results.records import Results

# what may change under one id: where a pair belongs, not what is asked
_FREE = frozenset({"theme", "family", "language", "matches"})


def is_probe(plan: Plan, header: Record) -> bool:
    """Return whether the plan or an earlier collection of the journal is a probe, whose words then are checked.

    Raises UsageError where a battery and a probe have one id, and where a pair or an envelope says something else now.
    """
    before, now = header.get("probe"), plan.battery.probe
    if before is None and now is None:
        return False
    if (before is None) != (now is None):
        if header["config"]["battery"]["id"] == plan.battery.id:
            raise UsageError(
                f'"{plan.battery.id}" is both a battery and a pairs file in this journal',
                "give one of them another id, or write into another results file",
            )
        return True
    _check("the journal records", before or {}, now or {})
    return True


def check_probe_place(plan: Plan, existing: Results, known: set[str]) -> None:
    """Raise UsageError where the results file cannot take this probe; `known` are the keys of its journal."""
    held = {array: existing.other.get(array, []) for array in ("pairs", "envelopes")}
    _check("the results file has", held, plan.battery.probe or {})
    there = {
        (row.get("model"), row.get("pair"), row.get("period"))
        for row in existing.other.get("choices", [])
        if row.get("key") not in known
    }
    pairs = [row["id"] for row in (plan.battery.probe or {}).get("pairs", [])] if there else []
    for writer in plan.asked:
        for pair in pairs:
            if (writer.id, pair, plan.period) in there:
                raise UsageError(
                    f'the results file has choices of "{writer.id}" on "{pair}" that its journal does not know',
                    "put the journal back beside it, give another --period, or write into another file",
                )


def _check(where: str, before: dict[str, Any], now: dict[str, Any]) -> None:
    for array, what in (("pairs", "pair"), ("envelopes", "envelope")):
        said = {row.get("id"): _said(row) for row in before.get(array, [])}
        for row in now.get(array, []):
            if said.get(row["id"], _said(row)) != _said(row):
                raise UsageError(
                    f'{where} another {what} "{row["id"]}"',
                    f"give the new {what} an id of its own, or write into another results file",
                )


def _said(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _FREE and value is not None}
