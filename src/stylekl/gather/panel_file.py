"""The plan of a panel as a file: everything that a paced session shows, for `stylekl vote --panel` to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from stylekl.errors import InputError
from stylekl.gather.panel_battery import read_typed
from stylekl.gather.planner import Composition
from stylekl.results.records import Model, Prompt
from stylekl.results.source import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMAT = "stylekl-plan/1"
PACE = 1.5  # a line stands alone for so many times what the reader needs for its words
FASTEST = 1400  # ms; no line comes sooner after the one before
QUESTION = "Which reply do you prefer?"
MARKING = "Mark up to two lines that make you laugh, while you read."
CALIBRATION = (
    "The bus was late again, so we walked along the river and counted the boats.",
    "My neighbour keeps three hens in the yard and gives away most of the eggs.",
    "She left the window open all night, and in the morning the desk was wet.",
    "There is a small shop near the station that repairs watches and old radios.",
    "We ordered soup because it was cold, and then nobody wanted to go out again.",
)
INSTRUCTED = (
    "These lines only check that somebody reads them.",
    "They do not answer anything.",
    "For this pair, please choose this reply.",
)


class PlainCheck(msgspec.Struct, frozen=True):
    """The check with a reply that is no joke. Choosing the joke fails; the plain one and Neither pass."""

    prompt: str
    plain: tuple[str, ...]
    joke: tuple[str, ...]
    question: str | None = None


class PlanPair(msgspec.Struct, frozen=True):
    """A prompt with its fixed pair of replies, as lines; `reply_a` and `reply_b` say which replies they are."""

    prompt: str
    text: str
    a: str
    b: str
    lines_a: tuple[str, ...]
    lines_b: tuple[str, ...]
    reply_a: str | None = None
    reply_b: str | None = None


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """One pair of a session. `left` is the model on the left, in a plain check "joke" or "plain".

    In the instructed check the instruction is always on the right.
    """

    left: str
    prompt: str | None = None
    check: Literal["plain", "instructed"] | None = None
    plain: int = 0


class PlannedSession(msgspec.Struct, frozen=True):
    """The pairs of one reader, in order."""

    id: str
    items: tuple[Item, ...]


class ModelName(msgspec.Struct, frozen=True):
    """A model."""

    id: str
    name: str | None = None


class Plan(msgspec.Struct, frozen=True):
    """A plan. `results` is where votes go, relative to the plan's own folder."""

    format: str
    id: str
    battery: str
    version: int
    batch: str
    seed: int
    results: str
    completion_code: str
    models: tuple[ModelName, ...]
    pairs: tuple[PlanPair, ...]
    sessions: tuple[PlannedSession, ...]
    consent: str | None = None
    question: str = QUESTION
    marking: str = MARKING
    pace: float = PACE
    fastest_ms: int = FASTEST
    calibration: tuple[str, ...] = CALIBRATION
    instructed: tuple[str, ...] = INSTRUCTED
    plain: tuple[PlainCheck, ...] = ()

    def document(self) -> bytes:
        """Return the file."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    def pair(self, prompt: str) -> PlanPair:
        """Return the pair of a prompt."""
        return next(pair for pair in self.pairs if pair.prompt == prompt)

    def records(self) -> tuple[list[Model], list[Prompt]]:
        """Return models and prompts as a results file holds them."""
        models = [Model(id=model.id, name=model.name) for model in self.models]
        return models, [Prompt(id=pair.prompt, text=pair.text, battery=self.battery) for pair in self.pairs]


def composition_of(session: PlannedSession) -> Composition:
    """Return the prompts of a session's fights and of its instructed checks."""
    return Composition(
        tuple(item.prompt for item in session.items if item.check is None and item.prompt),
        tuple(item.prompt for item in session.items if item.check == "instructed" and item.prompt),
    )


def read_consent(path: str) -> str:
    """Return the consent text in a file; raises InputError where there is none in it."""
    text = read_text(path).text.strip()
    if not text:
        raise InputError(f"{path}: no consent text in it", "write what the reader agrees to")
    return text


def load_plan(path: str) -> Plan:
    """Read a plan; raises InputError with the field where it is not one, or does not hold together."""
    hint = "`stylekl plan sessions BATTERY -n N -o FILE` writes one"
    plan: Plan = read_typed(path, Plan, "a plan of sessions", hint)
    if plan.format != FORMAT:
        raise InputError(f"{path}: field format: expected {FORMAT}", hint)
    for what, wrong in _faults(plan):
        if wrong:
            raise InputError(f"{path}: {what}", hint)
    return plan


def _faults(plan: Plan) -> Sequence[tuple[str, bool]]:
    pairs = {pair.prompt: pair for pair in plan.pairs}
    models = {model.id for model in plan.models}
    items = [item for session in plan.sessions for item in session.items]
    ids = [session.id for session in plan.sessions]
    return (
        ("field sessions: no session in it", not plan.sessions),
        ("field sessions: two sessions have one id", len(set(ids)) < len(ids)),
        ("field sessions: a session without pairs", not all(s.items for s in plan.sessions)),
        ("field calibration: no sentence in it", not any(each.split() for each in plan.calibration)),
        ("field pace: expected a number above 0", not 0 < plan.pace < 1000),
        ("field fastest_ms: expected 1400 or more", plan.fastest_ms < FASTEST),
        ("field pairs: one prompt twice", len(pairs) < len(plan.pairs)),
        ("field pairs: a model that is not in models", any({p.a, p.b} - models for p in plan.pairs)),
        ("field pairs: a model against itself", any(p.a == p.b for p in plan.pairs)),
        ("field pairs: a reply without lines", not all(p.lines_a and p.lines_b for p in plan.pairs)),
        ("field sessions: a prompt without a pair", any(_unpaired(item, pairs) for item in items)),
        ("field sessions: a side that its pair does not have", any(_sideless(i, pairs) for i in items)),
        ("field sessions: a plain check without text", any(_textless(item, plan) for item in items)),
        ("field instructed: no line in it", not plan.instructed),
    )


def _unpaired(item: Item, pairs: dict[str, PlanPair]) -> bool:
    return item.check != "plain" and item.prompt not in pairs


def _sideless(item: Item, pairs: dict[str, PlanPair]) -> bool:
    if item.check == "plain":
        return item.left not in ("joke", "plain")
    pair = pairs.get(item.prompt or "")
    return pair is not None and item.left not in (pair.a, pair.b)


def _textless(item: Item, plan: Plan) -> bool:
    if item.check != "plain":
        return False
    return not 0 <= item.plain < len(plan.plain) or not (
        plan.plain[item.plain].plain and plan.plain[item.plain].joke
    )
