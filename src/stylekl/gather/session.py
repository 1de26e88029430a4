"""One run from files to file: what is checked before anything is asked, and what is written after."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from stylekl.errors import StyleklError, UnknownChoiceError, UsageError
from stylekl.gather import rules
from stylekl.gather.assemble import assemble, existing
from stylekl.gather.battery_file import load_battery, warnings_of
from stylekl.gather.cost import bound, check_limit, totals
from stylekl.gather.journal import Journal, journal_of, read
from stylekl.gather.keys import key_of, read_keys
from stylekl.gather.ledger import Ledger
from stylekl.gather.plan import Plan, check_place, is_new, seed_of
from stylekl.gather.roster import load_roster
from stylekl.results.save import save

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.gather.battery import Battery
    from stylekl.gather.keys import Secret


@dataclass(frozen=True, slots=True)
class Wish:
    """What a user asks for, as the command line says it."""

    battery: str
    models: str
    output: str
    samples: int | None = None
    period: str | None = None
    seed: int | None = None
    only: tuple[str, ...] = ()
    mock: bool = False
    by_text: bool = False
    env: str | None = None
    redo: tuple[str, ...] = ()
    why: str | None = None
    max_cost: float | None = None
    command: str = "collect"
    more: tuple[str, ...] = ()
    """Further words of the command line, which resuming repeats."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a run would take. `calls` are the questions still open, `most` an upper bound of what they cost.

    `once` is that bound where nothing has to be asked again, both by currency; `unpriced` are the models that it leaves
    out. `models` hold for each its open questions and the bound, null without a price.
    """

    total: int
    calls: int
    once: dict[str, float]
    most: dict[str, float]
    spent: dict[str, float]
    unpriced: tuple[str, ...]
    models: tuple[tuple[str, int, float | None, str | None], ...]


def plan_of(wish: Wish, battery: Battery | None = None) -> tuple[Plan, list[str]]:
    """Return the plan and its warnings. Reads files, writes nothing; raises StyleklError for what cannot be meant.

    `battery` stands for the one that the wish names, where something else than a battery's file says what is asked.
    """
    if wish.redo and not (wish.why or "").strip():
        raise UsageError("--redo needs a reason", 'say --why "…": it stands beside the old replies')
    if wish.why and not wish.redo:
        raise UsageError("--why says why a prompt is asked again", "name the prompt with --redo")
    if not Path(wish.output).name.removesuffix(".gz").endswith((".json", ".jsonl")):
        raise UsageError(
            f"{wish.output}: a results file ends in .json or .jsonl, either with .gz", "rename it"
        )
    if not Path(wish.output).absolute().parent.is_dir():
        raise UsageError(f"{wish.output}: its folder does not exist", "make the folder first")
    if battery is None:
        battery = load_battery(wish.battery)
        if wish.samples is not None:
            battery = replace(battery, samples=wish.samples)
    roster = load_roster(wish.models)
    known = {writer.id for writer in roster.writers}
    for name in wish.only:
        if name not in known:
            raise UnknownChoiceError("model", name, sorted(known), where="in the models file")
    for name in wish.redo:
        if name not in {prompt.id for prompt in battery.in_use}:
            raise UnknownChoiceError(
                "prompt", name, [p.id for p in battery.in_use], where="in use in the battery"
            )
    ledger = Ledger.of(read(journal_of(wish.output)))
    seed = wish.seed if wish.seed is not None else seed_of(ledger.headers, battery, wish.period)
    plan = Plan(
        battery,
        roster.writers,
        frozenset(wish.only) if wish.only else None,
        wish.period,
        seed or 0,
        wish.mock,
        wish.by_text,
        rejected_in(ledger),
    )
    if wish.max_cost is not None:
        check_limit(plan.asked)
    is_new(plan, ledger.headers)
    check_place(plan, existing(wish.output), ledger.known)
    return plan, [
        *(warnings_of(battery) if battery.probe is None and battery.judging is None else ()),
        *roster.warnings,
    ]


def rejected_in(ledger: Ledger) -> frozenset[str]:
    """Return the writers whose provider did not take the temperature that they declare."""
    return frozenset(
        writer for writer, change in ledger.left_out.items() if "temperature" in change.get("left_out", ())
    )


def outlook(plan: Plan, ledger: Ledger, redo: Sequence[str] = ()) -> Outlook:
    """Return what is still to be asked, the prompts `redo` all anew, and what that costs at most."""
    once: dict[str, float] = {}
    most: dict[str, float] = {}
    calls: Counter[str] = Counter()
    amounts: dict[str, float | None] = {}
    total = 0
    for call in plan.calls():
        total += 1
        anew = call.question.prompt.id in redo
        if ledger.is_done(call.key) and not anew:
            continue
        writer = call.writer
        calls[writer.id] += 1
        amount = bound(plan.ask(call), writer)
        state = ledger.states.get(call.key)
        left = rules.ATTEMPTS - (len(state.flags) if state and not anew else 0)
        if amount is not None and writer.price is not None:
            currency = writer.price.currency
            once[currency] = once.get(currency, 0.0) + amount
            most[currency] = most.get(currency, 0.0) + amount * left
            amounts[writer.id] = (amounts.get(writer.id) or 0.0) + amount * left
    return Outlook(
        total,
        calls.total(),
        once,
        most,
        totals([(amount, currency) for currency, amount in ledger.spent.items()]),
        tuple(w.id for w in plan.asked if w.price is None and calls[w.id]),
        tuple(
            (w.id, calls[w.id], amounts.get(w.id), w.price.currency if w.price else None) for w in plan.asked
        ),
    )


def secrets(plan: Plan, env: str | None) -> dict[str, Secret | None]:
    """Return the key of each writer of this run: from the environment, else from the file `env`, else from `.env`."""
    if plan.mock:
        return {}
    keys = read_keys(env or ".env", needed=env is not None) if any(w.key for w in plan.asked) else {}
    return {writer.id: key_of(writer, keys) for writer in plan.asked}


def begin(plan: Plan, journal: Journal, wish: Wish, version: str) -> Ledger:
    """Bring the journal up to this run: its configuration, and what is to be asked again. Return what it holds."""
    ledger = Ledger.of(journal.records())

    def note(record: dict[str, object]) -> None:
        journal.write(record)
        ledger.take(record)

    if is_new(plan, ledger.headers):
        note(plan.header(now(), version))
    calls = list(plan.calls()) if ledger.states else []
    asked = [call.key for call in calls if call.question.prompt.id in wish.redo and call.key in ledger.states]
    if asked:
        note({"redo": asked, "why": wish.why, "at": now()})
    cut = [
        call.key
        for call in calls
        if (state := ledger.states.get(call.key)) is not None
        and state.done
        and state.cap < plan.battery.cap
        and "truncated" in state.outcome
    ]
    if cut:
        note({"redo": cut, "why": f"cut by a cap that is {plan.battery.cap:,} tokens now", "at": now()})
    return ledger


def finish(output: str, stopped: dict[str, str] | None = None) -> bool:
    """Write the results file from the journal; return whether it changed.

    Raises StyleklError where it cannot be written: what was there stays, and the journal holds everything.
    """
    before = existing(output)
    results = assemble(read(journal_of(output)), before, stopped)
    if results == before and Path(output).exists():
        return False
    try:
        save(results, output)
    except StyleklError as error:
        raise StyleklError(
            error.message, "the journal beside it holds every reply; the same command writes it"
        ) from None
    return True


def now() -> str:
    """Return the time to the second, as it stands in a results file."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
