"""Which judgments count: read from their records, checked, and left out with a reason each."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stylekl.errors import RecordError, UnknownChoiceError, UsageError
from stylekl.lenses.judgments.rubric import SIDES, TIE, VERDICTS, Scale, scale_of
from stylekl.lenses.words import plural
from stylekl.results.find import find_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.judgments.options import Options
    from stylekl.results import Results

Scores = dict[str, dict[str, float]]  # model -> dimension -> score


@dataclass(frozen=True, slots=True)
class Judgment:
    """One reply of a judge. `first` was shown as A, `second` as B; null where one reply was judged alone.

    `winner` is a model or "tie", null without a verdict; `scores` are by model, null without any. `turn` tells apart
    what was judged on one prompt. `drawn` says that which reply was A was drawn. `invalid` is the reason why the reply
    is no judgment.
    """

    id: str
    judge: str
    prompt: str
    turn: str
    first: str
    second: str | None
    winner: str | None
    scores: Scores | None
    drawn: bool
    repairs: tuple[str, ...]
    flags: tuple[str, ...]
    invalid: str | None
    rubric: str | None
    scale: Scale | None
    family: str | None
    period: str | None

    @property
    def models(self) -> tuple[str, ...]:
        """The models judged."""
        return (self.first,) if self.second is None else (self.first, self.second)


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The judgments that count, in the order of the file, and how many do not, by reason.

    `invalid` are those that are none, of what is asked for; they count nowhere but as such. `models` are the ids of all
    that were judged, `judges` of all that judged, both sorted. `scale` is that of the scores, null without any, and
    `rubric` its name.
    """

    options: Options
    judgments: tuple[Judgment, ...]
    invalid: tuple[Judgment, ...]
    models: tuple[str, ...]
    judges: tuple[str, ...]
    names: dict[str, str]
    families: dict[str, str | None]
    topics: dict[str, str | None]
    scale: Scale | None
    rubric: str | None
    left_out: dict[str, int]
    left_out_by_model: dict[str, dict[str, int]]
    warnings: tuple[str, ...]

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions, in the order of the rubric."""
        return self.scale.dimensions if self.scale else ()

    @property
    def shown(self) -> tuple[str, ...]:
        """The models that are to be shown."""
        return tuple(m for m in self.models if not self.options.models or m in self.options.models)


def gather(results: Results, options: Options) -> Material:
    """Return the judgments that count.

    Left out, with the first of these reasons that holds: "invalid: REASON", "same model", "retired prompt", "flagged
    reply: FLAG", then "topic", "prompt", "judge", "other period", "other rubric". Raises RecordError for a record that
    is none, UnknownChoiceError for a topic, prompt, judge, period or rubric that is not there, UnknownModelError for a
    model, UsageError where no judgment counts.
    """
    options.check()
    where = results.sources[0].path if len(results.sources) == 1 else "the results"
    known = frozenset(model.id for model in results.models)
    read = [_read(where, known, number, row) for number, row in enumerate(_rows(results), 1)]
    _check(results, read, options)
    shown = tuple(sorted({find_model(results, name).id for name in options.models}))
    barred, unfit = _barred(results), _unfit(results)
    topics = {prompt.id: prompt.topic for prompt in results.prompts}
    period = _period(read, options)
    left_out: Counter[str] = Counter()
    by_model: dict[str, Counter[str]] = {model.id: Counter() for model in results.models}
    kept: list[Judgment] = []
    invalid: list[Judgment] = []

    def leave(each: Judgment, reason: str) -> None:
        left_out[reason] += 1
        for model in dict.fromkeys(each.models):
            by_model[model][reason] += 1

    for each in read:
        narrowed = _narrowed(each, options, topics, period)
        reason = None if each.invalid is None else f"invalid: {each.invalid}"
        if reason is None and each.first == each.second:
            reason = "same model"
        reason = reason or barred.get(each.prompt)
        reason = reason or next(
            (unfit[m, each.prompt] for m in each.models if (m, each.prompt) in unfit), None
        )
        reason = reason or narrowed
        if reason is None:
            kept.append(each)
            continue
        leave(each, reason)
        if each.invalid is not None and narrowed is None and each.prompt not in barred:
            invalid.append(each)
    rubric, warnings = _rubric(kept, options)
    for each in [each for each in kept if each.scale is not None and each.rubric != rubric]:
        leave(each, "other rubric")
    kept = [each for each in kept if each.scale is None or each.rubric == rubric]
    if not kept:
        raise _nothing(left_out)
    judged = {model for each in kept for model in each.models}
    return Material(
        options=_with_models(options, shown),
        judgments=tuple(kept),
        invalid=tuple(invalid),
        models=tuple(sorted(judged)),
        judges=tuple(sorted({each.judge for each in (*kept, *invalid)})),
        names={model.id: model.label for model in results.models},
        families={model.id: model.family for model in results.models},
        topics=topics,
        scale=next((each.scale for each in kept if each.scale is not None), None),
        rubric=rubric,
        left_out=dict(sorted(left_out.items())),
        left_out_by_model={model: dict(sorted(found.items())) for model, found in by_model.items()},
        warnings=(*results.warnings, *warnings),
    )


def has_data(results: Results) -> bool:
    """Tell whether the results hold a judgment with a verdict or with scores."""
    return any(row.get("verdict") is not None or row.get("scores") for row in _rows(results))


def _rows(results: Results) -> list[dict[str, Any]]:
    return results.other.get("judgments", [])


def _with_models(options: Options, shown: tuple[str, ...]) -> Options:
    from dataclasses import replace

    return replace(options, models=shown)


def _nothing(left_out: Counter[str]) -> UsageError:
    told = ", ".join(f"{reason} ({count:,})" for reason, count in sorted(left_out.items()))
    return UsageError(
        "no judgment counts", f"left out: {told}" if told else "`stylekl judge` makes judgments"
    )


def _check(results: Results, read: Sequence[Judgment], options: Options) -> None:
    found = (
        ("topic", options.topics, [p.topic for p in results.prompts if p.topic is not None]),
        ("prompt", options.prompts, [*(p.id for p in results.prompts), *(each.prompt for each in read)]),
        ("judge", options.judges, [each.judge for each in read]),
        ("period", () if options.period is None else (options.period,), [each.period for each in read]),
        ("rubric", () if options.rubric is None else (options.rubric,), [each.rubric for each in read]),
    )
    for kind, wanted, known in found:
        there = [name for name in dict.fromkeys(known) if name is not None]
        for name in wanted:
            if name not in there:
                raise UnknownChoiceError(kind, name, there)


def _rubric(kept: Sequence[Judgment], options: Options) -> tuple[str | None, list[str]]:
    """Return the rubric whose judgments count, and a warning where there are others."""
    counts = Counter(each.rubric for each in kept if each.scale is not None and each.rubric is not None)
    if not counts:
        return None, []
    chosen = options.rubric or min(counts, key=lambda name: (-counts[name], name))
    others = sorted(name for name in counts if name != chosen)
    if not others or options.rubric is not None:
        return chosen, []
    told = f"{plural(counts[chosen], 'judgment')} by the rubric {chosen} count; others are by {'; '.join(others)}"
    return chosen, [told]


def _barred(results: Results) -> dict[str, str]:
    return {prompt.id: "retired prompt" for prompt in results.prompts if prompt.retired is not None}


def _unfit(results: Results) -> dict[tuple[str, str], str]:
    """Return why a judgment of a model's reply to a prompt does not count: all its replies there are flagged."""
    flags: dict[tuple[str, str], list[str | None]] = {}
    for reply in results.replies:
        if (reply.condition or results.control) == results.control:
            flags.setdefault((reply.model, reply.prompt), []).append(reply.flags[0] if reply.flags else None)
    return {key: f"flagged reply: {found[0]}" for key, found in flags.items() if None not in found}


def _period(read: Sequence[Judgment], options: Options) -> str | None:
    """Return the edition that is read: the one asked for, else the latest; periods sort as text."""
    return options.period or max((each.period for each in read), key=lambda name: name or "", default=None)


def _narrowed(
    each: Judgment, options: Options, topics: dict[str, str | None], period: str | None
) -> str | None:
    if options.topics and topics.get(each.prompt) not in options.topics:
        return "topic"
    if options.prompts and each.prompt not in options.prompts:
        return "prompt"
    if options.judges and each.judge not in options.judges:
        return "judge"
    return "other period" if each.period != period else None


class _Record:
    """A record of a judgment and where it stands, for errors."""

    def __init__(self, where: str, known: frozenset[str], number: int, row: dict[str, Any]) -> None:
        self.where, self.known = where, known
        self.number, self.row = number, row

    def fault(self, field: str, reason: str) -> RecordError:
        return RecordError(self.where, f"judgment {self.number}", f"field {field}: {reason}")

    def text(self, field: str) -> str:
        value = self.row.get(field)
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise self.fault(field, "expected text")
        return str(value)

    def model(self, field: str) -> str:
        value = self.row.get(field)
        if not isinstance(value, str) or value not in self.known:
            what = "nothing" if value is None else f'no model "{value}" in the file'
            raise self.fault(field, what)
        return value

    def verdict(self) -> str | None:
        value = self.row.get("verdict")
        if value is not None and value not in VERDICTS:
            raise self.fault("verdict", f'"{value}" is not one of {", ".join(VERDICTS)}')
        return value if isinstance(value, str) else None

    def scores(self, sides: dict[str, str], scale: Scale | None) -> Scores | None:
        given = self.row.get("scores")
        if given is None or scale is None:
            return None
        if not isinstance(given, dict):
            raise self.fault("scores", "expected an object")
        found: Scores = {}
        for side, model in sides.items():
            own = given.get(side)
            if not isinstance(own, dict):
                raise self.fault("scores", f"expected an object for {side}")
            for name in scale.dimensions:
                value = own.get(name)
                sound = isinstance(value, int | float) and not isinstance(value, bool)
                if not sound or not math.isfinite(float(own[name])):
                    raise self.fault("scores", f"{side} has no number for {name}")
            found[model] = {name: float(own[name]) for name in scale.dimensions}
        return found


def _read(where: str, known: frozenset[str], number: int, row: dict[str, Any]) -> Judgment:
    record = _Record(where, known, number, row)
    first = record.model("A")
    second = record.model("B") if row.get("B") is not None else None
    sides = {"A": first} if second is None else dict(zip(SIDES, (first, second), strict=True))
    verdict, scale = record.verdict(), scale_of(row)
    scores = None if first == second else record.scores(sides, scale)
    invalid = row.get("invalid")
    if invalid is None and verdict is None and scores is None and first != second:
        invalid = "no verdict"
    rubric = row.get("rubric")
    name = rubric.get("id") if isinstance(rubric, dict) else None
    return Judgment(
        id=str(row.get("id", number)),
        judge=record.text("judge"),
        prompt=record.text("prompt"),
        turn="" if row.get("turn") is None else str(row["turn"]),
        first=first,
        second=second,
        winner=None if verdict is None or second is None else TIE if verdict == TIE else sides[verdict],
        scores=None if invalid is not None else scores,
        drawn=row.get("order") in ("drawn", "swapped"),
        repairs=_texts(row.get("repairs")),
        flags=_texts(row.get("flags")),
        invalid=None if invalid is None else str(invalid),
        rubric=None if scale is None else str(name) if name else scale.key,
        scale=scale,
        family=row.get("judge_family") if isinstance(row.get("judge_family"), str) else None,
        period=row.get("period") if isinstance(row.get("period"), str) else None,
    )


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list) else ()
