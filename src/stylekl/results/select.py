"""Which replies count. Only here: every lens and every output takes the selection and its reasons."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stylekl.errors import UnknownChoiceError
from stylekl.results.store import picked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.results.records import Model, Prompt, Reply, Results

# white space, and the characters of no width that some models answer with
_BLANK = re.compile("[\\s\xad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]*")


@dataclass(frozen=True, slots=True)
class Selection:
    """The replies that count, and how many do not, by model and reason.

    `replies` are ordered by model, prompt (both as in the file) and sample; `prompts` are those with at least
    one of these replies, `models` all of the file. `left_out` has every model. `condition` is the id of the
    condition they were given under, null where the file has none; where that is not the control though none was
    asked for, `warnings` says so.
    """

    replies: Sequence[Reply]
    prompts: list[Prompt]
    models: list[Model]
    left_out: dict[str, dict[str, int]]
    condition: str | None
    warnings: tuple[str, ...] = ()


def select(
    results: Results,
    *,
    condition: str | None = None,
    topics: Sequence[str] = (),
    prompts: Sequence[str] = (),
    kinds: Sequence[str | None] = ("open", None),
) -> Selection:
    """Return the replies that give text under one condition.

    That is the control by default, or where no reply was given under it the condition of the most replies: models that
    were all given one system prompt are compared under it. `topics` and `prompts` (ids) narrow the prompts, `kinds`
    says which kinds of prompt count. Left out, with the first of these reasons that holds: "topic", "prompt",
    "condition", "retired prompt", "kind K", the reply's first flag, "empty" (nothing but white space and characters of
    no width). Raises UnknownChoiceError for a topic, prompt or condition that the results do not have.
    """
    require_known(
        "topic", topics, list(dict.fromkeys(p.topic for p in results.prompts if p.topic is not None))
    )
    require_known("prompt", prompts, [prompt.id for prompt in results.prompts])
    require_known(
        "condition", () if condition is None else (condition,), [each.id for each in results.conditions]
    )
    sorting = _Sorting(results, topics, prompts, kinds)
    wanted = sorting.most(results.control) if condition is None else condition
    return Selection(
        replies=sorting.ordered(wanted),
        prompts=[prompt for prompt in results.prompts if prompt.id in sorting.under(wanted).prompts],
        models=list(results.models),
        left_out={model.id: sorting.left_out(model.id, wanted) for model in results.models},
        condition=wanted,
        warnings=() if wanted in (results.control, condition) else (sorting.no_control(wanted),),
    )


@dataclass(slots=True)
class _Under:
    """The replies under one condition that no topic and no prompt bars: where they are, and why others do not count."""

    places: array[int] = field(default_factory=lambda: array("q"))
    answers: array[int] = field(default_factory=lambda: array("q"))  # model and prompt, as numbers
    periods: array[int] = field(default_factory=lambda: array("l"))
    samples: array[int] = field(default_factory=lambda: array("q"))
    prompts: set[str] = field(default_factory=set)
    replies: Counter[str] = field(default_factory=Counter)  # of each model
    reasons: dict[str, Counter[str]] = field(default_factory=dict)


class _Sorting:
    """All replies of a file, sorted by condition in one pass."""

    def __init__(
        self,
        results: Results,
        topics: Sequence[str],
        prompts: Sequence[str],
        kinds: Sequence[str | None],
    ) -> None:
        self._results = results
        self._barred: dict[str, Counter[str]] = {model.id: Counter() for model in results.models}
        self._conditions: dict[str | None, _Under] = {}
        self._periods: dict[str, int] = {}
        models = {model.id: place for place, model in enumerate(results.models)}
        numbers = {prompt.id: place for place, prompt in enumerate(results.prompts)}
        barred = {p.id: prompt_reason(p, topics, prompts) for p in results.prompts}
        unfit = {p.id: kind_reason(p, kinds) for p in results.prompts}
        control = results.control
        for place, reply in enumerate(results.replies):
            model, prompt = reply.model, reply.prompt
            reason = barred[prompt]
            if reason is not None:
                self._barred[model][reason] += 1
                continue
            condition = reply.condition or control
            under = self._conditions.get(condition)
            if under is None:
                under = self._conditions[condition] = _Under()
            under.replies[model] += 1
            reason = unfit[prompt] or reply_reason(reply)
            if reason is None:
                under.places.append(place)
                under.answers.append(models[model] << 32 | numbers[prompt])
                under.periods.append(self._periods.setdefault(reply.period or "", len(self._periods)))
                under.samples.append(reply.sample or 0)
                under.prompts.add(prompt)
            else:
                under.reasons.setdefault(model, Counter())[reason] += 1

    def under(self, condition: str | None) -> _Under:
        return self._conditions.get(condition, _Under())

    def most(self, control: str | None) -> str | None:
        """Return the control, or where nothing was answered under it the condition of the most replies."""
        if control in self._conditions or not self._conditions:
            return control
        return max(self._conditions, key=lambda name: len(self._conditions[name].places))

    def no_control(self, condition: str | None) -> str:
        return no_control(condition, len(self._conditions) - 1)

    def left_out(self, model: str, condition: str | None) -> dict[str, int]:
        reasons = self._barred[model] + self.under(condition).reasons.get(model, Counter())
        others = sum(under.replies[model] for name, under in self._conditions.items() if name != condition)
        return dict(sorted((reasons + Counter({"condition": others})).items()))

    def ordered(self, condition: str | None) -> Sequence[Reply]:
        under = self.under(condition)
        rank = {
            number: place
            for place, number in enumerate(self._periods[each] for each in sorted(self._periods))
        }

        def key(place: int) -> int:
            when = rank[under.periods[place]]
            return (under.answers[place] << 96) + (when << 64) + under.samples[place]

        # the sort is stable, so replies without a sample number stay in file order
        order = sorted(range(len(under.places)), key=key)
        return picked(self._results.replies, array("q", map(under.places.__getitem__, order)))


def no_control(condition: str | None, others: int) -> str:
    """Say that another condition takes the place of the control, and so many `others` do not."""
    said = f"no reply was given under the control condition; compared is {condition}"
    if not others:
        return said
    return f"{said}, and {others} other condition{'s are' if others > 1 else ' is'} left out"


def require_known(kind: str, wanted: Sequence[str], known: list[str]) -> None:
    """Raise UnknownChoiceError for the first of the wanted names that is not among the known."""
    for name in wanted:
        if name not in known:
            raise UnknownChoiceError(kind, name, known)


def prompt_reason(prompt: Prompt, topics: Sequence[str], prompts: Sequence[str]) -> str | None:
    """Return why the choice of topics and prompts bars a prompt, null where it does not."""
    if topics and prompt.topic not in topics:
        return "topic"
    return "prompt" if prompts and prompt.id not in prompts else None


def kind_reason(prompt: Prompt, kinds: Sequence[str | None]) -> str | None:
    """Return why no reply to a prompt counts, null where some may."""
    if prompt.retired is not None:
        return "retired prompt"
    return None if prompt.kind in kinds else f"kind {prompt.kind or 'open'}"


def reply_reason(reply: Reply) -> str | None:
    """Return why a reply does not count, whatever its prompt; null where it does."""
    if reply.flags:
        return reply.flags[0]
    return "empty" if is_blank(reply.text) else None


def is_blank(text: str) -> bool:
    """Whether a text holds nothing but white space and characters of no width."""
    return _BLANK.fullmatch(text) is not None
