"""Which votes count. Only here: every figure on votes takes the selection and its reasons.

A vote counts as a fight unless it is a check pair, its session is excluded, its prompt is retired or not asked for, or
one of the two replies is flagged. A session is excluded where it is not finished, where it failed the instructed
check, or where it failed the plain check and was too fast.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, cast

from stylekl.errors import RecordError, UnknownChoiceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stylekl.results.records import Results

Source = Literal["arena", "panel", "import"]
Outcome = Literal["a", "b", "neither", "both_weak", "both_good"]
SOURCES: tuple[Source, ...] = ("arena", "panel", "import")
PICKS = ("left", "right", "neither", "both_weak", "both_good")
CHECKS = ("plain", "instructed")
TOO_FAST = 25.0  # words a second of the calibration: faster than a glance and a tap

CHECK_PAIR = "check pair"
UNFINISHED = "session not finished"
INSTRUCTED = "session failed the instructed check"
PLAIN_AND_FAST = "session failed the plain check and was too fast"
SAME = "one model on both sides"


@dataclass(frozen=True, slots=True)
class Mark:
    """A line that a reader marked: whose reply it is in, and when, in ms after the expected reading of the line.

    `onset` is null where it is not known or where the mark was made after the pick could be.
    """

    model: str
    onset: float | None


@dataclass(frozen=True, slots=True)
class Fight:
    """A vote that counts. `forced` says that the pick came after Neither; `row` is the vote as in the file."""

    a: str
    b: str
    outcome: Outcome
    forced: bool
    session: str | None
    prompt: str | None
    marks: tuple[Mark, ...] | None
    row: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Excluded:
    """A session that does not count, why, and how many of its votes were fights otherwise."""

    session: str
    reason: str
    fights: int


@dataclass(frozen=True, slots=True)
class VoteSelection:
    """The votes of one source that count, in the order in which they were cast, and how many do not, by reason.

    `battles` has, for every model of the file, its fights before topics and prompts are chosen. `sessions` counts the
    sessions of the source, `valid` those of them that are not in `excluded`. `left_out_by_model` counts a vote under
    both of its models.
    """

    source: Source
    fights: list[Fight]
    votes: int
    battles: dict[str, int]
    battles_in_all: int
    left_out: dict[str, int]
    left_out_by_model: dict[str, dict[str, int]]
    sessions: int
    valid: int
    excluded: tuple[Excluded, ...]
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Ground:
    """What decides about a vote, looked up once."""

    where: str
    models: set[str]
    sessions: dict[str, str | None]  # of all sources -> why one is excluded
    own: set[str]  # those of the source
    reasons: dict[str, str]  # prompt -> why its votes do not count
    narrowed: set[str] | None  # prompts that are asked for
    topics: dict[str, str | None]
    unfit: dict[tuple[str, str], str]  # model, prompt -> the flag of the reply
    warnings: list[str] = field(default_factory=list)


def vote_sources(results: Results) -> dict[Source, int]:
    """Return how many votes the results hold of each source that has any; an unknown source is a RecordError."""
    found: Counter[Source] = Counter()
    for number, row in enumerate(results.other.get("votes", []), 1):
        source = row.get("source")
        if source not in SOURCES:
            raise _fault(_where(results), number, "source", source, SOURCES)
        found[source] += 1
    return {source: found[source] for source in SOURCES if found[source]}


def select_votes(
    results: Results, source: Source, *, topics: Sequence[str] = (), prompts: Sequence[str] = ()
) -> VoteSelection:
    """Return the votes of `source` that count.

    Left out, with the first of these reasons that holds: a check pair, an excluded session, one model on both sides,
    a retired prompt, "flagged reply: FLAG", then "topic" and "prompt". A session's check that is null is unknown and
    excludes nothing. Raises RecordError, with the vote's number, for a pick, a side or a source that is none, and for
    a model that the file does not hold; UnknownChoiceError for a topic or a prompt that it does not hold.
    """
    ground = _ground(results, source, topics, prompts)
    fights: list[Fight] = []
    left_out: Counter[str] = Counter()
    by_model: dict[str, Counter[str]] = {model.id: Counter() for model in results.models}
    battles = dict.fromkeys(by_model, 0)
    in_all = votes = 0
    lost: Counter[str] = Counter()
    for number, row in enumerate(results.other.get("votes", []), 1):
        if row.get("source") != source:
            continue
        votes += 1
        fight = _fight(ground, number, row)
        reason = _reason(ground, fight)
        if reason is None:
            in_all += 1
            battles[fight.a] += 1
            battles[fight.b] += 1
            reason = _narrowed(ground, fight, topics)
        if reason is None:
            fights.append(fight)
            continue
        left_out[reason] += 1
        for model in {fight.a, fight.b} & by_model.keys():
            by_model[model][reason] += 1
        if reason != CHECK_PAIR and fight.session is not None:
            ground.own.add(fight.session)
            lost[fight.session] += ground.sessions.get(fight.session) is not None
    known = {session: reason for session, reason in ground.sessions.items() if session in ground.own}
    return VoteSelection(
        source=source,
        fights=_as_cast(fights),
        votes=votes,
        battles=battles,
        battles_in_all=in_all,
        left_out=dict(sorted(left_out.items())),
        left_out_by_model={model: dict(sorted(found.items())) for model, found in by_model.items()},
        sessions=len(known),
        valid=sum(reason is None for reason in known.values()),
        excluded=tuple(Excluded(s, known[s] or "", lost[s]) for s in sorted(known) if known[s] is not None),
        warnings=tuple(ground.warnings),
    )


def text_key(text: str) -> str:
    """Return what a vote calls a reply by where a model has several to the prompt: twelve digits of its sha256."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def _where(results: Results) -> str:
    return results.sources[0].path if len(results.sources) == 1 else "the results"


def _fault(where: str, number: int, field_name: str, value: Any, known: Sequence[str]) -> RecordError:
    found = "nothing" if value is None else f'"{value}"'
    return RecordError(
        where, f"vote {number}", f"field {field_name}: {found} is not one of {', '.join(known)}"
    )


def _ground(results: Results, source: Source, topics: Sequence[str], prompts: Sequence[str]) -> _Ground:
    known = [prompt.id for prompt in results.prompts]
    names = [prompt.topic for prompt in results.prompts if prompt.topic is not None]
    for kind, wanted, there in (("topic", topics, names), ("prompt", prompts, known)):
        for name in wanted:
            if name not in there:
                raise UnknownChoiceError(kind, name, list(dict.fromkeys(there)))
    ground = _Ground(
        where=_where(results),
        models={model.id for model in results.models},
        sessions={},
        own=set(),
        reasons={prompt.id: "retired prompt" for prompt in results.prompts if prompt.retired is not None},
        narrowed=set(prompts) if prompts else None,
        topics={prompt.id: prompt.topic for prompt in results.prompts},
        unfit=_unfit(results),
    )
    for row in results.other.get("sessions", []):
        if row.get("id") is not None:
            ground.sessions[str(row["id"])] = _session_reason(row, source, ground.warnings)
            if row.get("source") == source:
                ground.own.add(str(row["id"]))
    return ground


def _unfit(results: Results) -> dict[tuple[str, str], str]:
    """Return the flag of each reply that must not fight: of its samples under the control, all are flagged."""
    control = results.control
    flags: dict[tuple[str, str], str | None] = {}
    for reply in results.replies:
        if (reply.condition or control) != control:
            continue
        key = (reply.model, reply.prompt)
        flag = reply.flags[0] if reply.flags else None
        flags[key] = None if flag is None else flags.get(key, flag)
    return {key: flag for key, flag in flags.items() if flag is not None}


def too_fast(session: dict[str, Any]) -> bool | None:
    """Tell whether a session read the calibration faster than 25 words a second; null where that is not known.

    The measured speed decides where it is recorded, the flag elsewhere.
    """
    speed = session.get("words_per_second")
    if isinstance(speed, (int, float)) and not isinstance(speed, bool):
        return speed > TOO_FAST
    flag = session.get("too_fast")
    return flag if isinstance(flag, bool) else None


def _session_reason(session: dict[str, Any], source: Source, warnings: list[str]) -> str | None:
    if source == "arena":  # no session was paced or checked
        return None
    fast = too_fast(session)
    if isinstance(session.get("too_fast"), bool) and session["too_fast"] != fast:
        warnings.append(
            f'session "{session["id"]}": too_fast is {str(session["too_fast"]).lower()}, but it read '
            f"{session['words_per_second']} words per second; the speed counts"
        )
    if session.get("finished") is False:
        return UNFINISHED
    if session.get("attention_instructed_pass") is False:
        return INSTRUCTED
    if session.get("attention_nonjoke_pass") is False and fast:
        return PLAIN_AND_FAST
    return None


def _fight(ground: _Ground, number: int, row: dict[str, Any]) -> Fight:
    a, b = _model(ground, number, row, "a"), _model(ground, number, row, "b")
    left = a
    if row.get("shown_left") is not None:
        left = _choice(ground, number, row, "shown_left", (a, b))
    right = b if left == a else a
    pick = _choice(ground, number, row, "pick", PICKS)
    forced = None
    if pick == "neither" and row.get("forced_pick") is not None:
        forced = _choice(ground, number, row, "forced_pick", ("left", "right"))
    if row.get("check") is not None:
        _choice(ground, number, row, "check", CHECKS)
    chosen = forced or pick
    outcome = chosen
    if chosen in ("left", "right"):
        outcome = "a" if (left if chosen == "left" else right) == a else "b"
    session, prompt = row.get("session"), row.get("prompt")
    return Fight(
        a=a,
        b=b,
        outcome=cast("Outcome", outcome),
        forced=forced is not None,
        session=None if session is None else str(session),
        prompt=None if prompt is None else str(prompt),
        marks=None if row.get("marks") is None else _marks(ground, number, row, left, right),
        row=row,
    )


def _choice(ground: _Ground, number: int, row: dict[str, Any], name: str, known: Sequence[str]) -> str:
    value = row.get(name)
    if value not in known:
        raise _fault(ground.where, number, name, value, known)
    return cast("str", value)


def _model(ground: _Ground, number: int, row: dict[str, Any], side: str) -> str:
    model = row.get(side)
    if row.get("check") is not None and isinstance(model, str):
        return model  # a side of a check may be a text of nobody's: "joke", "plain", "instruction"
    if not isinstance(model, str) or model not in ground.models:
        what = "nothing" if model is None else f'no model "{model}" in the file'
        raise RecordError(ground.where, f"vote {number}", f"field {side}: {what}")
    return model


def _marks(ground: _Ground, number: int, row: dict[str, Any], left: str, right: str) -> tuple[Mark, ...]:
    given, by_side = row["marks"], {"left": left, "right": right}
    found = []
    for mark in given if isinstance(given, list) else [given]:
        side = mark.get("side") if isinstance(mark, dict) else None
        if side not in by_side:
            raise _fault(ground.where, number, "marks: side", side, tuple(by_side))
        onset = None if mark.get("laugh_after_reveal") is True else mark.get("laugh_ms_after_read")
        found.append(Mark(by_side[side], float(onset) if isinstance(onset, (int, float)) else None))
    return tuple(found)


def _reason(ground: _Ground, fight: Fight) -> str | None:
    if fight.row.get("check") is not None:
        return CHECK_PAIR
    reason = ground.sessions.get(fight.session or "")
    if reason is not None:
        return reason
    if fight.a == fight.b:
        return SAME
    if fight.prompt in ground.reasons:
        return ground.reasons[fight.prompt]
    for model in (fight.a, fight.b):
        flag = ground.unfit.get((model, fight.prompt or ""))
        if flag is not None:
            return f"flagged reply: {flag}"
    return None


def _narrowed(ground: _Ground, fight: Fight, topics: Sequence[str]) -> str | None:
    if topics and ground.topics.get(fight.prompt or "") not in topics:
        return "topic"
    return "prompt" if ground.narrowed is not None and fight.prompt not in ground.narrowed else None


def _as_cast(fights: list[Fight]) -> list[Fight]:
    """Return the fights by the time of the vote where all have one, else in the order of the file."""
    times = list(_times(fights))
    if len(times) < len(fights):
        return fights
    return [fights[place] for place in sorted(range(len(fights)), key=times.__getitem__)]


def _times(fights: list[Fight]) -> Iterator[float]:
    for fight in fights:
        cast_at = fight.row.get("cast")
        if isinstance(cast_at, (int, float)) and not isinstance(cast_at, bool):
            yield float(cast_at)
            continue
        try:
            time = datetime.fromisoformat(str(cast_at))
        except ValueError:
            return
        yield (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
