"""From a battery and its pairs to sessions, and to the plan that runs them."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stylekl.errors import UsageError
from stylekl.gather.lines import CELLS, lines_of
from stylekl.gather.panel_battery import (
    FixedPair,
    PairingsReport,
    PairingsWish,
    Panel,
    as_digest,
    load_pairings,
    pair_up,
    panel_of,
)
from stylekl.gather.panel_file import (
    FORMAT,
    QUESTION,
    Item,
    ModelName,
    PlainCheck,
    Plan,
    PlannedSession,
    PlanPair,
    composition_of,
    load_plan,
    read_consent,
)
from stylekl.gather.planner import Composition, Pairing, PlanError, Rules, Tally, compositions
from stylekl.results.select_votes import text_key

if TYPE_CHECKING:
    from stylekl.results.records import Model, Source

_PLAIN = (
    (
        "Say in one sentence what the weather will be tomorrow.",
        "Cloudy in the morning with a light wind from the west, dry in the afternoon, twelve degrees.",
        "Tomorrow the sun has called in sick, and the clouds are covering its shift.",
        "Which of the two is a plain weather report?",
    ),
    (
        "Say when the library is open.",
        "From nine in the morning to six in the evening, Monday to Friday.",
        "Whenever you have just walked past with your hands full, it is closed.",
        "Which of the two is plain information?",
    ),
    (
        "Say how to get from the station to the town hall.",
        "Leave by the north door, follow the main street for five minutes, and turn left at the bank.",
        "Follow the person who walks fastest; they are late for a meeting there.",
        "Which of the two are plain directions?",
    ),
)


@dataclass(frozen=True, slots=True)
class PlanWish:
    """What a user asks for, as the command line says it."""

    pairs: PairingsWish
    number: int
    rules: Rules
    pairings: str | None = None
    after: tuple[str, ...] = ()
    output: str | None = None
    consent: str | None = None
    question: str | None = None
    code: str | None = None
    batch: str | None = None


@dataclass(frozen=True, slots=True)
class PromptUse:
    """How often a prompt comes: as a real fight, as the instructed check, and both together."""

    prompt: str
    a: str
    b: str
    real: int
    check: int
    shown: int


@dataclass(frozen=True, slots=True)
class SessionsReport:
    """Planned sessions. `use` counts them and the earlier plans; `spread` is by how much prompts differ at most."""

    id: str
    battery: str
    version: int
    models: tuple[Model, ...]
    sessions: tuple[PlannedSession, ...]
    use: tuple[PromptUse, ...]
    spread: dict[str, int]
    left_out: dict[str, int]
    params: dict[str, Any]
    plan: Plan | None
    sources: tuple[Source, ...] = ()
    warnings: tuple[str, ...] = ()


def plan_sessions(wish: PlanWish) -> SessionsReport:
    """Return `wish.number` sessions under the rules, and the plan that runs them where the replies are collected.

    Raises PlanError with the rule that cannot be met, InputError for files that do not fit.
    """
    panel = panel_of(wish.pairs)
    made = _pairings(panel, wish)
    if wish.rules.plain > len(_PLAIN):
        raise PlanError(
            f"{wish.rules.plain} plain checks cannot be had: {len(_PLAIN)} texts ship", "ask for fewer"
        )
    paired = [Pairing(pair.prompt, pair.a, pair.b) for pair in made.pairings]
    before = Tally()
    for path in wish.after:
        for session in load_plan(path).sessions:
            before.add(composition_of(session))
    tally = Tally(Counter(before.real), Counter(before.check))
    seed = wish.pairs.seed
    found = []
    for composition in compositions(paired, wish.number, wish.rules, seed=seed, before=before):
        tally.add(composition)
        found.append(composition)
    of = {pairing.prompt: pairing for pairing in paired}
    name = as_digest(
        [
            panel.battery.id,
            made.version,
            seed,
            sorted(before.real.items()),
            [[p.prompt, p.a, p.b] for p in paired],
        ]
        + [[c.fights, c.instructed] for c in found]
    )
    sessions = tuple(
        PlannedSession(f"{name}-{place:03}", _items(composition, of, wish.rules, f"{seed} {name} {place}"))
        for place, composition in enumerate(found, 1)
    )
    warnings = (
        [] if wish.consent or not wish.output else ["no consent text: `stylekl vote` wants --consent FILE"]
    )
    return SessionsReport(
        id=name,
        battery=panel.battery.id,
        version=made.version,
        models=panel.models,
        sessions=sessions,
        use=tuple(
            PromptUse(p.prompt, p.a, p.b, r := tally.real[p.prompt], c := tally.check[p.prompt], r + c)
            for p in paired
        ),
        spread=dict(zip(("real", "check", "shown"), tally.spread(of), strict=True)),
        left_out=panel.left_out,
        params={"number": wish.number, "seed": seed, "each": made.each, "after": list(wish.after)}
        | {name: getattr(wish.rules, name) for name in Rules.__slots__},
        plan=_plan(name, panel, made, sessions, wish) if wish.output else None,
        sources=panel.sources,
        warnings=tuple(warnings),
    )


def _pairings(panel: Panel, wish: PlanWish) -> PairingsReport:
    """Return the pairs: those of the file where one is given, else made now."""
    if wish.pairings is None:
        return pair_up(panel, wish.pairs)
    given = load_pairings(wish.pairings)
    if (given.battery, given.version) != (panel.battery.id, panel.battery.version):
        raise UsageError(
            f"{wish.pairings}: the pairings of {given.battery}, version {given.version}, "
            f"and the battery is {panel.battery.id}, version {panel.battery.version}",
            "`stylekl plan pairings BATTERY --keep OLD` brings them up to date",
        )
    models = tuple(model for model in panel.models if model.id in given.models)
    kept = replace(wish.pairs, keep=wish.pairings, each=given.each, pick=True)
    made = pair_up(replace(panel, models=models), kept)
    if made.released or made.new:
        broken = made.released[0] if made.released else None
        why = f": {broken.prompt}, {broken.why}" if broken else ""
        raise UsageError(
            f"{wish.pairings}: not all of its pairs are in use{why}",
            "`stylekl plan pairings BATTERY --keep OLD` brings them up to date",
        )
    return made


def _items(composition: Composition, of: dict[str, Pairing], rules: Rules, seed: str) -> tuple[Item, ...]:
    """Return the pairs of a session in their order; a session never begins with a check if it can be helped."""
    chance = random.Random(seed)
    items = [Item(left=chance.choice(of[prompt].two), prompt=prompt) for prompt in composition.fights]
    chance.shuffle(items)
    texts = chance.sample(range(len(_PLAIN)), rules.plain)
    checks = [Item(left=chance.choice(("joke", "plain")), check="plain", plain=text) for text in texts]
    checks += [
        Item(left=chance.choice(of[prompt].two), prompt=prompt, check="instructed")
        for prompt in composition.instructed
    ]
    for check in checks:
        items.insert(chance.randint(min(1, len(items)), len(items)), check)
    return tuple(items)


def _plan(
    name: str, panel: Panel, made: PairingsReport, sessions: tuple[PlannedSession, ...], wish: PlanWish
) -> Plan:
    if panel.results is None:
        raise UsageError(
            "a plan to run holds the replies", "collect them first, and name them with --results"
        )
    texts = {prompt.id: prompt.text for prompt in panel.battery.in_use}
    output, results = Path(str(wish.output)).absolute(), Path(panel.results).absolute()
    chance = random.Random(f"{name} code")
    code = wish.code or "".join(chance.choice("ABCDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(8))
    return Plan(
        format=FORMAT,
        id=name,
        battery=panel.battery.id,
        version=made.version,
        batch=wish.batch or name,
        seed=wish.pairs.seed,
        results=Path(os.path.relpath(results, output.parent)).as_posix(),
        completion_code=code,
        models=tuple(ModelName(model.id, model.name) for model in made.models),
        pairs=tuple(_plan_pair(pair, texts[pair.prompt], panel) for pair in made.pairings),
        sessions=sessions,
        consent=read_consent(wish.consent) if wish.consent else None,
        question=wish.question or QUESTION,
        plain=tuple(
            PlainCheck(prompt, lines_of(plain), lines_of(joke), question)
            for prompt, plain, joke, question in _PLAIN
        ),
    )


def _plan_pair(pair: FixedPair, text: str, panel: Panel) -> PlanPair:
    first, second = (panel.replies[pair.prompt][model] for model in (pair.a, pair.b))
    assert first is not None
    assert second is not None
    return PlanPair(
        pair.prompt,
        text,
        pair.a,
        pair.b,
        lines_of(first.text, CELLS),
        lines_of(second.text, CELLS),
        text_key(first.text),
        text_key(second.text),
    )
