"""A blind battle: two replies without names, a vote, then the names. Driven by actions, it needs no terminal."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from stylekl.results.select_votes import text_key

if TYPE_CHECKING:
    from stylekl.gather.ballot import Ballot, Battle
    from stylekl.gather.journal import Record

Pick = Literal["left", "right", "both_weak", "both_good"]
PICKS: dict[str, Pick] = {"a": "left", "b": "right", "weak": "both_weak", "good": "both_good"}


def session_id() -> str:
    """Return a new id for a session of the arena; two people's files may be merged, so it is drawn."""
    return f"arena-{secrets.token_hex(6)}"


@dataclass(slots=True)
class Booth:
    """One sitting at the arena. `battle` is on the screen; `pick` is null until the vote, and then names may be shown.

    `press` takes an action ("a", "b", "weak", "good", "skip", "next") and returns what is to be written: the session
    before its first vote, and each vote as it is cast. Actions that mean nothing at the moment do nothing.
    """

    ballot: Ballot
    session: str
    started: str
    clock: float = 0.0
    battle: Battle = field(init=False)
    pick: Pick | None = None
    cast: int = 0
    skipped: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    _shown: float = 0.0

    def __post_init__(self) -> None:
        self.battle = self.ballot.draw()
        self._shown = self.clock

    def press(self, action: str, at: str, clock: float) -> list[Record]:
        """Take an action at the time `at` (as it is stored) and `clock` (seconds, from any start)."""
        if self.pick is None and action in PICKS:
            self.pick = PICKS[action]
            first = [] if self.cast else [{"session": self._session()}]
            self.cast += 1
            return [*first, {"vote": self._vote(at, clock)}]
        if self.pick is None and action == "skip":
            self.skipped += 1
            self._next(clock)
        elif self.pick is not None and action == "next":
            self._next(clock)
        return []

    def _next(self, clock: float) -> None:
        self.pick = None
        self.battle = self.ballot.draw()
        self._shown = clock

    def _session(self) -> dict[str, Any]:
        return {
            "id": self.session,
            "source": "arena",
            "started": self.started,
            "finished": True,  # a sitting at the arena has no set length
            "seed": self.ballot.seed,
        }

    def _vote(self, at: str, clock: float) -> dict[str, Any]:
        """Return the vote as a record. `a` and `b` are in the order of their ids, and say nothing about sides."""
        left, right = self.battle.left, self.battle.right
        first, second = sorted((left, right), key=lambda reply: reply.model)
        vote: Record = {
            "id": f"{self.session}-{self.cast:04}",
            "session": self.session,
            "source": "arena",
            "prompt": self.battle.prompt.id,
            "a": first.model,
            "b": second.model,
            "shown_left": left.model,
            "pick": self.pick,
            "pick_latency_ms": round((clock - self._shown) * 1000),
            "cast": at,
        }
        return vote | {"reply_a": text_key(first.text), "reply_b": text_key(second.text)}
