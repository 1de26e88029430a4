"""The battery of a panel: one fixed pair of replies for each prompt, kept from version to version."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from stylekl.errors import InputError, UsageError
from stylekl.gather.battery_file import load_battery
from stylekl.gather.planner import PlanError, Two, pairings
from stylekl.results import Results, load, select
from stylekl.results.find import find_model
from stylekl.results.reading import AS_FOUND, Reading
from stylekl.results.records import Model, Reply, Source
from stylekl.results.source import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.gather.battery import Battery

FORMAT = "stylekl-pairings/1"


class ReplyMark(msgspec.Struct, frozen=True):
    """Which reply: its sample and period, and the sha256 of its text."""

    sha256: str
    sample: int | None = None
    period: str | None = None


class FixedPair(msgspec.Struct, frozen=True):
    """The pair of a prompt. `since` is the version of the battery that made it; a reply is null before collection."""

    prompt: str
    a: str
    b: str
    since: int
    reply_a: ReplyMark | None = None
    reply_b: ReplyMark | None = None

    @property
    def sides(self) -> tuple[tuple[str, ReplyMark | None], ...]:
        """Each model with its reply."""
        return ((self.a, self.reply_a), (self.b, self.reply_b))


class PairingsFile(msgspec.Struct, frozen=True):
    """What `stylekl plan pairings -o` writes."""

    format: str
    battery: str
    version: int
    models: tuple[str, ...]
    each: int
    seed: int
    pairings: tuple[FixedPair, ...]


@dataclass(frozen=True, slots=True)
class Released:
    """A pair of an earlier version that is no longer used, and why."""

    prompt: str
    a: str
    b: str
    why: str


@dataclass(frozen=True, slots=True)
class Panel:
    """A battery with its models and the replies that may fight: prompt -> model -> reply, null before collection."""

    battery: Battery
    models: tuple[Model, ...]
    replies: dict[str, dict[str, Reply | None]]
    left_out: dict[str, int]
    sources: tuple[Source, ...]
    results: str | None


@dataclass(frozen=True, slots=True)
class PairingsReport:
    """The pairs of a battery. `kept` are prompts whose pair an earlier version had, `unused` those left over."""

    battery: str
    version: int
    models: tuple[Model, ...]
    each: int
    pairings: tuple[FixedPair, ...]
    kept: tuple[str, ...]
    released: tuple[Released, ...]
    unused: tuple[str, ...]
    left_out: dict[str, int]
    params: dict[str, Any]
    sources: tuple[Source, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def new(self) -> Counter[Two]:
        """How many new prompts each pairing has taken."""
        return Counter((p.a, p.b) for p in self.pairings if p.prompt not in self.kept)

    def document(self) -> bytes:
        """Return the file to keep."""
        content = PairingsFile(
            FORMAT,
            self.battery,
            self.version,
            tuple(model.id for model in self.models),
            self.each,
            self.params["seed"],
            self.pairings,
        )
        return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


@dataclass(frozen=True, slots=True)
class PairingsWish:
    """What a user asks for, as the command line says it."""

    battery: str
    results: str | None = None
    models: str | None = None
    names: tuple[str, ...] = ()
    each: int = 3
    keep: str | None = None
    pick: bool = False
    seed: int = 0
    reading: Reading = AS_FOUND


def panel_of(wish: PairingsWish) -> Panel:
    """Return the battery, its models and the replies that may fight.

    The models are those of the results, or of the models file before anything is collected. Raises UsageError where
    neither is given, or where the battery asks for one word.
    """
    battery = load_battery(wish.battery)
    if battery.kind != "open":
        raise UsageError(
            f"{wish.battery}: its questions are answered in one word", "a panel reads open prompts"
        )
    if wish.results is None and wish.models is None:
        raise UsageError(
            "a battery does not say who answers it",
            "name the collected replies with --results, or --models FILE",
        )
    sources = [battery.source] if battery.source else []
    if wish.results is not None:
        results = load(wish.results, reading=wish.reading)
        models = [find_model(results, name) for name in wish.names] or results.models
        replies, left_out = _replies(battery, results, models)
        if not any(replies.values()):
            raise UsageError(
                f"{wish.results}: no reply that counts to any prompt of {battery.id}",
                "name the results that were collected with this battery",
            )
        return Panel(battery, tuple(models), replies, left_out, (*sources, *results.sources), wish.results)
    from stylekl.gather.roster import load_roster

    writers = load_roster(str(wish.models)).writers
    known = Results(models=[Model(id=writer.id, name=writer.name) for writer in writers])
    models = [find_model(known, name) for name in wish.names] or known.models
    every: dict[str, dict[str, Reply | None]] = {
        prompt.id: {model.id: None for model in models} for prompt in battery.in_use
    }
    return Panel(battery, tuple(models), every, {}, tuple(sources), None)


def _replies(
    battery: Battery, results: Results, models: Iterable[Model]
) -> tuple[dict[str, dict[str, Reply | None]], dict[str, int]]:
    """Return the first reply that counts of each model to each prompt in use, and what does not count, by reason."""
    selection = select(results)
    wanted = {model.id for model in models}
    ids = {prompt.text: prompt.id for prompt in reversed(results.prompts)}
    by_prompt: dict[str, dict[str, Reply | None]] = {}
    for reply in selection.replies:
        if reply.model in wanted:
            by_prompt.setdefault(reply.prompt, {}).setdefault(reply.model, reply)
    left_out: Counter[str] = Counter()
    for model, reasons in selection.left_out.items():
        if model in wanted:
            left_out.update(reasons)
    found = {prompt.id: by_prompt.get(ids.get(prompt.text, ""), {}) for prompt in battery.in_use}
    return found, dict(sorted(left_out.items()))


def plan_pairings(wish: PairingsWish) -> PairingsReport:
    """Return the pairs of a battery: those of `wish.keep` where both replies are still in use, the rest matched.

    Raises PlanError where the balance cannot be had, saying what new prompts would have to take.
    """
    return pair_up(panel_of(wish), wish)


def pair_up(panel: Panel, wish: PairingsWish) -> PairingsReport:
    """Return the pairs of a panel, as `plan_pairings` does."""
    battery = panel.battery
    earlier = load_pairings(wish.keep) if wish.keep else None
    if earlier is not None and earlier.battery != battery.id:
        raise UsageError(
            f"{wish.keep}: the pairings of another battery, {earlier.battery}", "name those of this one"
        )
    stay, released = _sorted_out(earlier, panel)
    try:
        made = pairings(
            [model.id for model in panel.models],
            panel.replies,
            each=wish.each,
            kept={pair.prompt: (pair.a, pair.b) for pair in stay.values()},
            pick=wish.pick,
            seed=wish.seed,
        )
    except PlanError as error:
        raise _with_missing(error, panel) from None
    pairs = []
    for each in made:
        replies = panel.replies[each.prompt]
        since = stay[each.prompt].since if each.kept else battery.version
        pairs.append(
            FixedPair(each.prompt, each.a, each.b, since, _mark(replies[each.a]), _mark(replies[each.b]))
        )
    used = {pair.prompt for pair in pairs}
    return PairingsReport(
        battery=battery.id,
        version=battery.version,
        models=panel.models,
        each=wish.each,
        pairings=tuple(pairs),
        kept=tuple(each.prompt for each in made if each.kept),
        released=tuple(released),
        unused=tuple(prompt for prompt in panel.replies if prompt not in used),
        left_out=panel.left_out,
        params={"each": wish.each, "seed": wish.seed, "pick": wish.pick, "keep": wish.keep},
        sources=panel.sources,
    )


def _with_missing(error: PlanError, panel: Panel) -> PlanError:
    """Add how many prompts have fewer than two replies that count, which is often why."""
    bare = [prompt for prompt, replies in panel.replies.items() if len(replies) < 2]
    if not bare or panel.results is None:
        return error
    named = ", ".join(bare[:4]) + (" …" if len(bare) > 4 else "")
    few = f"{len(bare)} prompts have fewer than two replies that count in {panel.results}: {named}"
    return PlanError(error.message, f"{error.hint}; {few}")


def _sorted_out(earlier: PairingsFile | None, panel: Panel) -> tuple[dict[str, FixedPair], list[Released]]:
    """Return the pairs of an earlier version that stay, and those that do not, with the reason."""
    stay: dict[str, FixedPair] = {}
    released = []
    for pair in earlier.pairings if earlier else ():
        why = _why_not(pair, panel)
        if why is None:
            stay[pair.prompt] = pair
        else:
            released.append(Released(pair.prompt, pair.a, pair.b, why))
    return stay, released


def _why_not(pair: FixedPair, panel: Panel) -> str | None:
    replies = panel.replies.get(pair.prompt)
    if replies is None:
        return "the prompt is not in use"
    models = {model.id for model in panel.models}
    for model, mark in pair.sides:
        if model not in models:
            return f"{model} takes no part"
        if model not in replies:
            return f"{model} has no reply to it that counts"
        now = _mark(replies[model])
        if mark is not None and now is not None and mark.sha256 != now.sha256:
            return f"{model} has another reply to it now"
    return None


def _mark(reply: Reply | None) -> ReplyMark | None:
    if reply is None:
        return None
    return ReplyMark(text_digest(reply.text), reply.sample, reply.period)


def text_digest(text: str) -> str:
    """Return the sha256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def load_pairings(path: str) -> PairingsFile:
    """Read a file of pairings; raises InputError with the field where it is not one."""
    found: PairingsFile = read_typed(
        path, PairingsFile, "a file of pairings", "`stylekl plan pairings -o FILE` writes one"
    )
    if found.format != FORMAT:
        raise InputError(f"{path}: field format: expected {FORMAT}", "`stylekl plan pairings` makes one")
    return found


def read_typed(path: str, kind: Any, what: str, hint: str) -> Any:
    """Read a JSON file as `kind`; raises InputError with file and field where it does not fit."""
    data, _ = read_bytes(path)
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).replace("`", "").partition(" - at $.")
        reason = reason[:1].lower() + reason[1:]
        field_of = f"field {place}: " if place else ""
        raise InputError(f"{path}: not {what}: {field_of}{reason}", hint) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InputError(f"{path}: not {what}: not JSON", hint) from None


def as_digest(content: Any) -> str:
    """Return a short name made from content that JSON can hold."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=asdict)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
