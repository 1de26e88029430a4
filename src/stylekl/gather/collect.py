"""The collection itself: every open question asked by the rules, every attempt in the journal before it counts."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from stylekl.errors import StyleklError
from stylekl.gather import rules
from stylekl.gather.cost import Budget, bound, cost_of
from stylekl.gather.keys import mask
from stylekl.gather.schedule import Call, Lane, Stopped, lane_names, queues
from stylekl.gather.transport import Unreached

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stylekl.errors import ProviderError
    from stylekl.gather.ask import Ask, Writer
    from stylekl.gather.journal import Journal, Record
    from stylekl.gather.keys import Secret
    from stylekl.gather.ledger import Ledger
    from stylekl.gather.plan import Plan
    from stylekl.gather.transport import Outcome

DRAIN = 120.0  # seconds that calls in flight get after a stop
_TRUST = 3  # questions in a row left open, after which a writer is asked no more in this run
# Errors about the key, the account, the model or the provider's state, not about the prompt.
_ELSEWHERE = frozenset({401, 402, 403, 404, 429, 502, 503, 504, 529})
_EFFORT = ("effort", "think", "reasoning", "output_config")


class Sender(Protocol):
    """Whoever brings the answer to a call: `transport.Transport`, or `mock.MockWriter`."""

    async def call(self, writer: Writer, ask: Ask, key: Secret | None, lane: Lane, name: str) -> Outcome:
        """Return what an attempt came to."""


@dataclass(slots=True)
class Tally:
    """How far a lane is. `done` counts questions that are answered, those of earlier runs too."""

    total: int = 0
    done: int = 0
    earlier: int = 0
    failed: int = 0
    open: int = 0
    retried: int = 0
    again: int = 0
    in_flight: int = 0
    tokens: int = 0
    spent: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Ended:
    """How a run ended: the tallies by lane, why models were not asked on, and what stopped the whole."""

    tallies: dict[str, Tally]
    stopped: dict[str, str] = field(default_factory=dict)
    why: str | None = None

    @property
    def left(self) -> int:
        """How many questions are not answered yet."""
        return sum(tally.total - tally.done for tally in self.tallies.values())


@dataclass(slots=True)
class Options:
    """How a run goes about it."""

    concurrency: int = 4
    rate: float | None = None
    max_cost: float | None = None


class Collector:
    """One run of a collection. `run` asks; `stop` lets it end with what is in flight."""

    def __init__(
        self,
        plan: Plan,
        journal: Journal,
        ledger: Ledger,
        sender: Sender,
        keys: Mapping[str, Secret | None],
        options: Options,
        progress: Callable[[Mapping[str, Tally]], None] | None = None,
    ) -> None:
        self.plan, self.journal, self.ledger, self.sender, self.keys = plan, journal, ledger, sender, keys
        self.options = options
        self.collection = plan.hash[:12]
        self.stopping = asyncio.Event()
        self.why: str | None = None
        self.hurry = False
        self.stopped: dict[str, str] = {}
        self.budget = Budget(options.max_cost, dict(ledger.spent))
        self.adapted: dict[str, dict[str, Any]] = dict(ledger.left_out)
        self.trouble: StyleklError | None = None
        self._strikes: dict[str, int] = {}
        self._progress = progress
        self.lanes: list[Lane] = []
        self.tallies: dict[str, Tally] = {}
        self._set_out()

    def _set_out(self) -> None:
        names = lane_names(self.plan.writers)
        waiting: list[Call] = []
        for call in self.plan.calls():
            tally = self.tallies.setdefault(names[call.writer.id], Tally())
            tally.total += 1
            if self.ledger.is_done(call.key):
                tally.done += 1
                tally.earlier += 1
                tally.failed += "error" in self.ledger.states[call.key].outcome
            else:
                waiting.append(call)
        for name, queue in queues(waiting, names, self.plan.seed).items():
            lane = Lane(name, queue, self.stopping, self.options.concurrency, self.options.rate)
            tally = self.tallies[name]

            def count(tally: Tally = tally) -> None:
                tally.retried += 1
                self._tell()

            lane.count_retry = count
            self.lanes.append(lane)

    async def run(self) -> Ended:
        """Ask until all is answered or something stops it. Raises StyleklError where the journal cannot be written."""
        workers = [
            asyncio.create_task(self._work(lane))
            for lane in self.lanes
            for _ in range(min(lane.concurrency, len(lane.queue)))
        ]
        ticking = asyncio.create_task(self._tick())
        draining = asyncio.create_task(self._drain(workers))
        try:
            done = await asyncio.gather(*workers, return_exceptions=True)
        finally:
            for task in (*workers, ticking, draining):
                task.cancel()
            await asyncio.gather(*workers, ticking, draining, return_exceptions=True)
        self._tell()
        if self.trouble is not None:
            raise self.trouble
        for result in done:
            if isinstance(result, Exception):
                raise result
        return Ended(self.tallies, self.stopped, self.why)

    def stop(self, why: str, *, hurry: bool = False) -> None:
        """Start no more calls; what is in flight comes in. With `hurry` it gets `DRAIN` seconds, and no more."""
        self.why = self.why or why
        self.hurry = self.hurry or hurry
        self.stopping.set()

    async def _drain(self, workers: list[asyncio.Task[None]]) -> None:
        """Give calls in flight their time after a stop in a hurry, and no more."""
        await self.stopping.wait()
        while not self.hurry:
            await asyncio.sleep(1)
        await asyncio.sleep(DRAIN)
        for worker in workers:
            worker.cancel()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(1)
            self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self.tallies)

    async def _work(self, lane: Lane) -> None:
        tally = self.tallies[lane.name]
        while lane.queue and not self.stopping.is_set():
            call = lane.queue.popleft()
            if call.writer.id in self.stopped:
                continue
            try:
                await self._answer(call, lane, tally)
            except Stopped:
                return
            except StyleklError as error:
                self.trouble = self.trouble or error
                self.stop("the journal cannot be written")
                return
            except Exception:
                self.stop("an internal error")
                raise

    async def _answer(self, call: Call, lane: Lane, tally: Tally) -> None:
        """Ask one question until it is done: once, or once more where the rules say so."""
        while not self.ledger.is_done(call.key):
            if self.stopping.is_set():
                raise Stopped
            record = await self._attempt(call, lane, tally)
            if record.get("open"):
                tally.open += 1
                self._strike(call.writer, record["error"]["message"])
                return
            self._strikes[call.writer.id] = 0
            if not self.ledger.is_done(call.key):
                tally.again += 1
        tally.done += 1
        tally.failed += "error" in self.ledger.states[call.key].outcome
        self._tell()

    async def _attempt(self, call: Call, lane: Lane, tally: Tally) -> Record:
        """Make one attempt and return its line once it is on the disk. Raises Stopped where nothing was asked."""
        ask = self.plan.ask(call)
        most = bound(ask, call.writer)
        if not self.budget.hold(most):
            self.stop("the next call could go beyond --max-cost")
            raise Stopped
        cost, currency = None, call.writer.price.currency if call.writer.price else None
        tally.in_flight += 1
        try:
            writer, ask, outcome = await self._applied(call, ask, lane)
            record = self._record(call, ask, outcome)
            usage = outcome.answer.usage if outcome.answer else None
            cost = cost_of(usage, writer)
            broken = (most or 0.0) * (sum(retry.begun for retry in outcome.retries) + outcome.begun)
            self.budget.spend(broken, currency)  # a bound: what broke off may be charged, and says no figure
            record |= {"cost": cost, "currency": currency}
            await self.journal.append(record)
        finally:
            tally.in_flight -= 1
            self.budget.settle(most, cost, currency)
        self.ledger.take(record)
        if usage is not None:
            tally.tokens += (usage.input or 0) + (usage.output or 0)
        if cost and currency:
            tally.spent[currency] = tally.spent.get(currency, 0.0) + cost
        if self.journal.trouble is not None:
            self.trouble = StyleklError(
                f"{self.journal.path}: the disk is full; what was in flight has been kept",
                "free some space; the same command resumes",
            )
            self.stop("the disk is full")
        self._tell()
        return record

    async def _applied(self, call: Call, ask: Ask, lane: Lane) -> tuple[Writer, Ask, Outcome]:
        """Send a question; leave out, for good, each declared field that the provider says it does not take."""
        while True:
            change = self.adapted.get(call.writer.id, {})
            writer = replace(call.writer, quirks={**call.writer.quirks, **change.get("quirks", {})})
            left_out = change.get("left_out", ())
            sent = replace(
                ask,
                temperature=None if "temperature" in left_out else ask.temperature,
                effort=None if "effort" in left_out else ask.effort,
            )
            tried = len(self.ledger.states[call.key].flags) if call.key in self.ledger.states else 0
            outcome = await self.sender.call(
                writer, sent, self.keys.get(writer.id), lane, f"{call.key} {tried}"
            )
            changed = None if outcome.error is None else adaptation(outcome.error, writer, sent)
            if changed is None:
                return writer, sent, outcome
            now = self.adapted.setdefault(call.writer.id, {"left_out": [], "quirks": {}})
            now["left_out"] = sorted({*now["left_out"], *changed.get("left_out", [])})
            now["quirks"] = {**now["quirks"], **changed.get("quirks", {})}

    def _record(self, call: Call, ask: Ask, outcome: Outcome) -> Record:
        prompt, condition, sample = call.question.key
        state = self.ledger.states.get(call.key)
        record: Record = {
            "attempt": len(state.flags) + 1 if state else 1,
            "key": call.key,
            "collection": self.collection,
            "model": call.writer.id,
            "prompt": prompt,
            "condition": condition,
            "period": self.plan.period,
            "sample": sample,
            "at": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "cap": ask.max_output_tokens,
            "adapted": self.adapted.get(call.writer.id),
            "retries": [asdict(retry) for retry in outcome.retries],
        }
        answer = outcome.answer
        if answer is not None:
            flags = rules.flags_of(answer, self.plan.battery.length, by_text=self.plan.by_text)
            flags += self.plan.battery.faults(answer.text)
            return record | asdict(answer) | {"flags": flags}
        error = outcome.error
        assert error is not None
        told = {
            "message": mask(error.message),
            "status": error.status,
            "hint": error.hint,
            "body": mask(error.body),
        }
        refused = error.refusal is not None
        record |= {"text": "", "flags": ["refusal" if refused else "error"], "error": told}
        if refused:
            record["refusal"] = mask(error.refusal or "")
        return record | ({"open": True} if about_no_prompt(error) else {})

    def _strike(self, writer: Writer, message: str) -> None:
        """Give a writer up for this run after some questions in a row that no provider took."""
        self._strikes[writer.id] = self._strikes.get(writer.id, 0) + 1
        if self._strikes[writer.id] >= _TRUST:
            self.stopped.setdefault(writer.id, message)
        self._tell()


def about_no_prompt(error: ProviderError) -> bool:
    """Return whether an error says nothing about the prompt: then the question stays open for a later run.

    The provider was not reached, is overloaded, did not accept the key, has no such model, or the account has no credit
    or no calls left.
    """
    return error.refusal is None and (isinstance(error, Unreached) or error.status in _ELSEWHERE)


def adaptation(error: ProviderError, writer: Writer, ask: Ask) -> dict[str, Any] | None:
    """Return what to change for a provider that rejects a field: a declared one is left out, others are renamed.

    Null where nothing can be changed. The cap is never left out.
    """
    name = (error.field or "").casefold()
    if not name or error.refusal is not None or error.status not in (400, 422):
        return None
    if "temperature" in name:
        return {"left_out": ["temperature"]} if ask.temperature is not None else None
    if "stream_options" in name:
        return {"quirks": {"stream_usage": False}} if writer.quirks.get("stream_usage") is not False else None
    if name in ("max_tokens", "max_completion_tokens") and writer.wire == "openai-chat":
        other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[name]
        return {"quirks": {"max_tokens_field": other}} if "max_tokens_field" not in writer.quirks else None
    if any(part in name for part in _EFFORT):
        return {"left_out": ["effort"]} if ask.effort is not None else None
    return None
