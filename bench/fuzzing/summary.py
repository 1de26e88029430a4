"""What the cases came to, in lines."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.fuzzing.pool import Limits, Outcome

_SHOWN = 6


class Summary:
    """Counts outcomes by form and reader, and keeps the failures, the slowest and the largest."""

    def __init__(self, seed: int, limits: Limits) -> None:
        self.seed, self.limits = seed, limits
        self.cases = 0
        self.readers: dict[str, Counter[str]] = defaultdict(Counter)
        self.attacks: Counter[str] = Counter()
        self.slowest: list[tuple[float, str, int]] = []
        self.largest: list[tuple[int, str, int]] = []
        self.failures: dict[tuple[str, str], list[Outcome]] = defaultdict(list)

    def add(self, outcome: Outcome) -> None:
        """Take an outcome in."""
        self.cases += 1
        state = "failed" if outcome.failure else "refused" if outcome.refused is not None else "read"
        self.readers[outcome.reader][state] += 1
        self.attacks[outcome.attack] += 1
        for stage, seconds in outcome.seconds.items():
            self.slowest = sorted([*self.slowest, (seconds, stage, outcome.case)], reverse=True)[:_SHOWN]
        for stage, peak in outcome.peaks.items():
            self.largest = sorted([*self.largest, (peak, stage, outcome.case)], reverse=True)[:_SHOWN]
        if outcome.failure is not None:
            self.failures[_class(outcome)].append(outcome)

    def line(self, outcome: Outcome) -> str:
        """Return one line about a failure."""
        failure = outcome.failure or {}
        where = f" in {failure['where']}" if failure.get("where") else ""
        said = failure.get("kind", "").replace("\n", " ")[:300]
        return (
            f"FAILED seed {self.seed} case {outcome.case} ({outcome.form}, {outcome.attack}): {said}{where}"
        )

    def text(self) -> str:
        """Return the summary."""
        lines = [f"seed {self.seed}: {self.cases} cases", ""]
        lines.append(f"{'reader':<20} {'read':>7} {'refused':>8} {'failed':>7}")
        for reader, counts in sorted(self.readers.items()):
            lines.append(f"{reader:<20} {counts['read']:>7} {counts['refused']:>8} {counts['failed']:>7}")
        lines += [
            "",
            "attacks: " + ", ".join(f"{name} {count}" for name, count in self.attacks.most_common()),
        ]
        slow = ", ".join(f"{seconds:.1f} s ({stage}, case {case})" for seconds, stage, case in self.slowest)
        large = ", ".join(f"{peak >> 20} MiB ({stage}, case {case})" for peak, stage, case in self.largest)
        lines += [f"slowest: {slow}", f"largest: {large}", ""]
        for (kind, where), found in sorted(self.failures.items(), key=lambda item: -len(item[1])):
            cases = ", ".join(str(each.case) for each in found[:8]) + (", …" if len(found) > 8 else "")
            lines.append(f"{len(found)} × {kind}{f' in {where}' if where else ''}: case {cases}")
        lines.append(
            "no failures" if not self.failures else f"{sum(map(len, self.failures.values()))} failures"
        )
        return "\n".join(lines)


def _class(outcome: Outcome) -> tuple[str, str]:
    """Return by what failures are counted together."""
    failure = outcome.failure or {}
    return failure.get("kind", "").replace("\n", " ")[:60], failure.get("where", "")
