"""What is to be collected, the configuration that a journal records of it, and what may change between two runs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stylekl.errors import UsageError
from stylekl.gather.battery import Battery, Condition, Length, Prompt, Retired
from stylekl.gather.journal import FORMAT, Record
from stylekl.gather.judge_judgments import check_judge_place, is_judging
from stylekl.gather.probe_place import check_probe_place, is_probe
from stylekl.gather.roster import as_model
from stylekl.gather.rules import TEXT_RULE
from stylekl.gather.schedule import Call
from stylekl.gather.versions import check_against
from stylekl.results.records import to_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from stylekl.gather.ask import Ask, Writer
    from stylekl.gather.battery import Question
    from stylekl.results.records import Results

_SENT = ("requested", "wire", "base_url", "quirks", "system", "examples", "temperature", "effort")
_LISTED = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """A battery, the writers of a models file, and how they are asked. `only` narrows this run, not the collection."""

    battery: Battery
    writers: tuple[Writer, ...]
    only: frozenset[str] | None = None
    period: str | None = None
    seed: int = 0
    mock: bool = False
    by_text: bool = False
    rejected: frozenset[str] = frozenset()
    """The writers whose provider does not take the temperature that they declare."""

    @property
    def asked(self) -> tuple[Writer, ...]:
        """The writers of this run."""
        return tuple(w for w in self.writers if self.only is None or w.id in self.only)

    def calls(self) -> Iterator[Call]:
        """Yield every question to every writer of this run."""
        for writer in self.asked:
            samples = self.battery.samples_of(writer, rejected=writer.id in self.rejected)
            for question in self.battery.asks(self.seed):
                if question.sample > samples:
                    continue
                yield Call(writer, question, self.key(writer, question))

    def key(self, writer: Writer, question: Question) -> str:
        """Return what the journal knows a question to a writer by: a hash of all that makes it, the cap apart."""
        ask = self.battery.ask(question, writer)
        return _hash(
            [
                *(
                    writer.id,
                    question.prompt.id,
                    question.prompt.text,
                    question.condition.id,
                    question.sample,
                ),
                *(self.period, ask.user, ask.system, ask.examples, ask.temperature, ask.effort),
            ]
        )[:32]

    def ask(self, call: Call) -> Ask:
        """Return what is asked."""
        return self.battery.ask(call.question, call.writer)

    @property
    def config(self) -> dict[str, Any]:
        """What a second run has to have in common with the first."""
        return {
            "battery": self.battery.content,
            "models": {writer.id: sent(writer) for writer in self.writers},
            "period": self.period,
            "seed": self.seed,
            "mock": self.mock,
            "refusal_rule": TEXT_RULE if self.by_text else None,
        }

    @property
    def hash(self) -> str:
        """The sha256 of `config`."""
        return _hash(self.config)

    def header(self, started: str, version: str) -> Record:
        """Return the line of the journal that begins a collection, with its records for the results file."""
        prompts, conditions = self.battery.records()
        judging = self.battery.judging
        judges = [to_row(as_model(writer)) for writer in self.asked]
        return {
            "format": FORMAT,
            "hash": self.hash,
            "started": started,
            "stylekl": version,
            "config": self.config,
            "models": [] if judging else [to_row(as_model(writer)) for writer in self.writers],
            "prompts": [to_row(prompt) for prompt in prompts],
            "conditions": [to_row(condition) for condition in conditions],
            "length_rule": None if self.battery.length is None else str(self.battery.length),
            "asked": self.battery.asked,
            **({} if self.battery.probe is None else {"probe": self.battery.probe}),
            **({} if judging is None else {"judging": judging, "judges": judges}),
        }


def sent(writer: Writer) -> dict[str, Any]:
    """Return what of a writer shapes its requests, as JSON holds it."""
    found = {name: getattr(writer, name) for name in _SENT}
    found["quirks"] = dict(writer.quirks)
    found["examples"] = [list(pair) for pair in writer.examples]
    return {name: value for name, value in found.items() if value not in (None, [], {})}


def is_new(plan: Plan, headers: Sequence[Record]) -> bool:
    """Return whether the journal has to record this configuration: it differs, as it may, from the last one.

    Of one collection (a battery's version and a period) nothing may differ but models that are added or left out, their
    names and prices. Another version of the battery differs as `versions.check_against` allows. Raises UsageError for
    anything else, with what changed and the way out.
    """
    for header in headers:
        if header["config"]["mock"] != plan.mock:
            was = "made-up replies" if header["config"]["mock"] else "replies of models"
            raise UsageError(f"the journal holds {was}", "collect mock replies into a file of their own")
    for header in reversed(headers):
        if not is_probe(plan, header) and not is_judging(plan, header):
            _check_words(plan, header["config"])
    _check_models(
        plan, {name: each for header in headers for name, each in header["config"]["models"].items()}
    )
    same = [h for h in headers if h["config"]["period"] == plan.period and _battery_id(h) == plan.battery.id]
    if not same:
        return True
    last = same[-1]["config"]
    if last["battery"]["version"] == plan.battery.version:
        for name, now in (("seed", plan.seed), ("refusal_rule", plan.config["refusal_rule"])):
            if last[name] != now:
                raise changed(f"{name.replace('_', ' ')} {_said(now)}, was {_said(last[name])}")
    now_said = plan.header("", "")
    return any(same[-1].get(name) != now_said.get(name) for name in ("hash", "models", "judges"))


def seed_of(headers: Sequence[Record], battery: Battery, period: str | None) -> int | None:
    """Return the seed of the collection where the journal has it."""
    for header in reversed(headers):
        config = header["config"]
        if (config["battery"]["id"], config["battery"]["version"], config["period"]) == (
            battery.id,
            battery.version,
            period,
        ):
            return int(config["seed"])
    return None


def check_place(plan: Plan, existing: Results, known: Iterable[str]) -> None:
    """Raise UsageError where the results file cannot take this collection; `known` are the keys of its journal."""
    rows = [row for row in existing.other.get("collection", []) if isinstance(row, dict)]
    held = existing.replies or existing.other.get("choices")
    if held and any(bool(row.get("mock")) != plan.mock for row in rows or [{}]):
        raise UsageError(
            "the results file holds made-up replies or would mix with them", "write into another file"
        )
    if plan.battery.probe is not None:
        check_probe_place(plan, existing, set(known))
        return
    if plan.battery.judging is not None:
        check_judge_place(plan, existing, set(known))
        return
    texts = {prompt.id: prompt.text for prompt in existing.prompts}
    for prompt in plan.battery.prompts:
        if texts.get(prompt.id, prompt.text) != prompt.text:
            raise UsageError(
                f'the results file has another prompt "{prompt.id}"',
                "rename the prompt, or write into another file",
            )
    conditions = {condition.id: condition.added for condition in existing.conditions}
    for condition in plan.battery.conditions:
        new = tuple(text or "" for text in condition.added)
        if conditions.get(condition.id, new) != new:
            raise UsageError(
                f'the results file has another condition "{condition.id}"',
                "rename it, or write into another file",
            )
    control = plan.battery.control.id
    if existing.conditions and existing.control != control:
        raise UsageError(
            f'the control of the results file is "{existing.control}", that of the battery "{control}"',
            "give both the same name, or write into another file",
        )
    _check_journal(plan, existing, set(known))


def _check_journal(plan: Plan, existing: Results, known: set[str]) -> None:
    """Refuse to ask what the results file already has an answer to, when no journal says so."""
    control = plan.battery.control.id
    there = {
        (r.model, r.prompt, r.condition or control, r.period, r.sample or 1)
        for r in existing.replies
        if r.unknown.get("key") not in known
    }
    for call in plan.calls() if there else ():
        prompt, condition, sample = call.question.key
        if (call.writer.id, prompt, condition, plan.period, sample) in there:
            raise UsageError(
                f'the results file has a reply of "{call.writer.id}" to "{prompt}" that its journal does not know',
                "put the journal back beside it, give another --period, or write into another file",
            )


def _check_words(plan: Plan, config: dict[str, Any]) -> None:
    """Refuse another text under the id of a prompt or condition, whatever battery or period it was asked in."""
    if config["battery"]["id"] == plan.battery.id:
        refused = [c for c in check_against(plan.battery, past_battery(config["battery"])) if c.refused]
        if refused:
            first = refused[0]
            more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
            subject = f'"{first.id}" ' if first.id else ""
            raise UsageError(
                f"the battery is not the one that the journal records: {subject}{first.text}{more}",
                first.hint,
            )
        return
    texts = {prompt["id"]: prompt["text"] for prompt in config["battery"]["prompts"]}
    for prompt in plan.battery.prompts:
        if texts.get(prompt.id, prompt.text) != prompt.text:
            raise UsageError(
                f'"{prompt.id}" is another prompt in the battery "{config["battery"]["id"]}" of this journal',
                "rename the prompt, or collect into another results file",
            )


def _check_models(plan: Plan, before: dict[str, Any]) -> None:
    for writer in plan.writers:
        was, now = before.get(writer.id), json.loads(json.dumps(sent(writer)))
        if was is None or was == now:
            continue
        fields = sorted(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))
        told = "; ".join(
            f"{name} {_said(now.get(name))}, was {_said(was.get(name))}" for name in fields[:_LISTED]
        )
        raise UsageError(
            f'model "{writer.id}" is not the one that the journal records: {told}',
            "a model asked in another way is another writer: give it an id of its own",
        )


def changed(what: str) -> UsageError:
    """Return the error for a configuration that differs from that of the journal."""
    return UsageError(
        f"the configuration is not the one that the journal records: {what}",
        "run it as before, or collect into another results file, or as another --period",
    )


def past_battery(content: dict[str, Any]) -> Battery:
    """Return the battery that a header recorded."""
    length = content["length"]
    return Battery(
        id=content["id"],
        version=content["version"],
        kind=content["prompts"][0]["kind"],
        prompts=tuple(
            Prompt(**(p | {"retired": Retired(**p["retired"]) if p["retired"] else None}))
            for p in content["prompts"]
        ),
        conditions=tuple(Condition(**c) for c in content["conditions"]),
        samples=content["samples"],
        cap=content["cap"],
        instruction=content["instruction"],
        length=Length(length["max"], length["min"], length["tolerance"], length["over_length"])
        if length
        else None,
        template=content["template"],
    )


def _battery_id(header: Record) -> str:
    return str(header["config"]["battery"]["id"])


def _said(value: object) -> str:
    text = (
        "none"
        if value is None
        else value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False)
    )
    return text if len(text) <= 60 else text[:59] + "…"


def _hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
