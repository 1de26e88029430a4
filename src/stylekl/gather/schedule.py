"""Who is asked when: one lane for each provider, with its own queue, concurrency and pace.

The pairs of writer and question of a lane stand in an order that the seed draws, so that no model is always asked
first or at one time of day. Lanes run side by side; a provider that asks for a pause holds its own lane alone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from stylekl.gather.battery import drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from stylekl.gather.ask import Writer
    from stylekl.gather.battery import Question


class Stopped(Exception):
    """The collection was asked to stop; what was to be asked stays open."""


@dataclass(frozen=True, slots=True)
class Call:
    """One question to one writer; `key` is what the journal knows it by."""

    writer: Writer
    question: Question
    key: str


@dataclass(slots=True)
class Lane:
    """One provider's queue. `rate` is calls a minute, null without a limit."""

    name: str
    queue: deque[Call]
    stopping: asyncio.Event
    concurrency: int = 4
    rate: float | None = None
    count_retry: Callable[[], None] | None = None
    _next: float = field(default=0.0)
    _held: float = field(default=0.0)

    async def turn(self) -> None:
        """Wait until the next call may go out. Raises Stopped where the collection stops first."""
        loop = asyncio.get_running_loop()
        if self.stopping.is_set():
            raise Stopped
        while (wait := self._held - loop.time()) > 0:
            await self.nap(wait)
        if self.rate:
            wait, self._next = self._next - loop.time(), max(self._next, loop.time()) + 60 / self.rate
            if wait > 0:
                await self.nap(wait)

    def hold(self, seconds: float) -> None:
        """Let no call of this lane out for so many seconds."""
        self._held = max(self._held, asyncio.get_running_loop().time() + seconds)

    async def nap(self, seconds: float) -> None:
        """Sleep. Raises Stopped where the collection stops meanwhile."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)
        if self.stopping.is_set():
            raise Stopped

    def retried(self) -> None:
        """Count a call that is repeated."""
        if self.count_retry is not None:
            self.count_retry()


def lane_names(writers: Iterable[Writer]) -> dict[str, str]:
    """Return the lane of each writer by id: its provider, and the host where one provider has several."""
    places = {writer.id: (writer.provider, urlsplit(writer.base_url).netloc) for writer in writers}
    hosts: dict[str, set[str]] = {}
    for provider, host in places.values():
        hosts.setdefault(provider, set()).add(host)
    return {
        writer: provider if len(hosts[provider]) == 1 else f"{provider} {host}"
        for writer, (provider, host) in places.items()
    }


def queues(calls: Iterable[Call], names: dict[str, str], seed: int) -> dict[str, deque[Call]]:
    """Return the calls of each lane in the order that the seed draws from the ids alone."""
    found: dict[str, list[Call]] = {}
    for call in calls:
        found.setdefault(names[call.writer.id], []).append(call)
    return {
        name: deque(sorted(found[name], key=lambda c: drawn(seed, c.writer.id, *c.question.key)))
        for name in sorted(found)
    }
