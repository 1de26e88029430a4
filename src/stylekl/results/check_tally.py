"""What a check counts of one model, reply by reply, without keeping the replies."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stylekl.results.records import Reply

Identity = tuple[str, str, str | None, str | None, int]


@dataclass(frozen=True, slots=True)
class VersionSeen:
    """A version string that came back, how often, and from when to when (as recorded, null where that is unknown)."""

    version: str
    replies: int
    first: str | None
    last: str | None


class Tally:
    """Counts of one model. `wanted` are the identities that were asked for; those that come are taken from it."""

    def __init__(self, control: str | None, wanted: set[Identity]) -> None:
        self.control = control
        self.wanted = wanted
        self.replies = 0
        self.faults: Counter[str] = Counter()
        self.asked_again = 0
        self.transport_retries = 0.0
        self.latency, self.first_content = array("d"), array("d")
        self.tokens: dict[str, int | None] = dict.fromkeys(("input", "output", "reasoning"))
        self.cost: float | None = None
        self.priced = 0
        self._versions: dict[str, list[str | int | None]] = {}  # replies, first and last date
        self._periods: dict[str | None, set[str]] = {}

    def add(self, reply: Reply) -> None:
        """Count a reply."""
        self.replies += 1
        self.faults.update(set(reply.flags))
        self._add_version(reply)
        if self.wanted:
            condition = reply.condition or self.control
            self.wanted.discard((reply.model, reply.prompt, condition, reply.period, reply.sample or 1))
        if not reply.unknown:
            return
        self.asked_again += (_number(reply, "attempts") or 1) > 1
        self.transport_retries += _number(reply, "transport_retries") or 0
        for name, kept in (("latency_ms", self.latency), ("first_content_ms", self.first_content)):
            if (value := _number(reply, name)) is not None:
                kept.append(value)
        if (cost := _number(reply, "cost")) is not None:
            self.cost = (self.cost or 0) + cost
            self.priced += 1
        usage = reply.unknown.get("usage")
        for name, known in self.tokens.items():
            value = usage.get(name) if isinstance(usage, dict) else None
            if isinstance(value, int):
                self.tokens[name] = (known or 0) + value

    def _add_version(self, reply: Reply) -> None:
        if reply.version is None:
            return
        self._periods.setdefault(reply.period, set()).add(reply.version)
        seen = self._versions.setdefault(reply.version, [0, None, None])
        seen[0] = int(seen[0] or 0) + 1
        if date := reply.collected:
            seen[1] = date if seen[1] is None else min(str(seen[1]), date)
            seen[2] = date if seen[2] is None else max(str(seen[2]), date)

    def versions(self) -> tuple[VersionSeen, ...]:
        """Return the versions that came back, the most frequent first."""
        found = [VersionSeen(version, *seen) for version, seen in self._versions.items()]  # type: ignore[arg-type]
        return tuple(sorted(found, key=lambda each: (-each.replies, each.version)))

    def changed(self) -> bool:
        """Whether one collection (a period) got several versions."""
        return any(len(versions) > 1 for versions in self._periods.values())


def _number(reply: Reply, name: str) -> float | None:
    value = reply.unknown.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
