"""What a journal says has been done: for each question its attempts and their flags, without the texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stylekl.gather import rules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.gather.journal import Record


@dataclass(slots=True)
class State:
    """The attempts at one question: the flags of each, and the cap of the last."""

    model: str
    prompt: str
    flags: list[tuple[str, ...]] = field(default_factory=list)
    cap: int = 0

    @property
    def done(self) -> bool:
        """Whether the question is asked no more."""
        return len(self.flags) >= rules.ATTEMPTS or (bool(self.flags) and not rules.again(self.flags[-1]))

    @property
    def outcome(self) -> tuple[str, ...]:
        """The flags of the attempt that is kept."""
        return self.flags[rules.kept(self.flags)]


@dataclass(slots=True)
class Ledger:
    """The states by key, the headers, and what was spent by currency.

    `known` are all keys that were ever asked, `left_out` what providers did not accept, by writer.
    """

    states: dict[str, State] = field(default_factory=dict)
    headers: list[Record] = field(default_factory=list)
    spent: dict[str, float] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    left_out: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[Record]) -> Ledger:
        """Return the ledger of a journal's records."""
        ledger = cls()
        for record in records:
            ledger.take(record)
        return ledger

    def take(self, record: Record) -> None:
        """Note one line of the journal."""
        if "config" in record:
            self.headers.append(record)
        elif "redo" in record:
            for key in record["redo"]:
                self.states.pop(key, None)
        elif "attempt" in record:
            self._attempt(record)

    def _attempt(self, record: Record) -> None:
        self.known.add(record["key"])
        cost, currency = record.get("cost"), record.get("currency")
        if cost and currency:
            self.spent[currency] = self.spent.get(currency, 0.0) + cost
        if record.get("adapted"):
            self.left_out[record["model"]] = record["adapted"]
        if record.get("open"):
            return
        state = self.states.setdefault(record["key"], State(record["model"], record["prompt"]))
        state.flags.append(tuple(record["flags"]))
        state.cap = record["cap"]

    def is_done(self, key: str) -> bool:
        """Return whether a question is asked no more."""
        state = self.states.get(key)
        return state is not None and state.done
