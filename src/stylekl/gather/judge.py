"""What a judge is sent: blinded packages of a prompt and two replies, as a battery of their texts.

A package depends on the rubric, the prompt, the two texts and the seed: which reply is A is drawn from these, so that
neither the names of the models nor their order in the file can be told from it. Who is who stays here.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from stylekl.errors import UsageError
from stylekl.gather.ask import Ask
from stylekl.gather.battery import Battery, Condition, Prompt, drawn
from stylekl.gather.judge_names import Naming, masked, mentioned, self_named
from stylekl.lenses.judgments.reply import parse_reply
from stylekl.results import records, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from stylekl.gather.ask import Writer
    from stylekl.gather.battery import Question
    from stylekl.gather.rubric import Rubric
    from stylekl.results.records import Model, Results

KIND = "judgment"
DRAWN, SWAPPED = "drawn", "swapped"
_NAMED = "judge:"


@dataclass(frozen=True, slots=True)
class Use:
    """What a package is: whose replies to which prompt are A and B, and whether the order is the drawn one.

    `masks` counts names that were masked, `namings` phrases in which a reply names its writer and which were sent.
    """

    prompt: str
    a: str
    b: str
    order: str
    masks: int = 0
    namings: int = 0

    @property
    def record(self) -> dict[str, Any]:
        """The use as a journal holds it."""
        return {
            "prompt": self.prompt,
            "A": self.a,
            "B": self.b,
            "order": self.order,
            "masked": self.masks,
            "self_named": self.namings,
        }


@dataclass(frozen=True, slots=True)
class Bench(Battery):
    """A battery of packages: `uses` says what each is, by its id."""

    rubric: Rubric | None = None
    uses: Mapping[str, tuple[Use, ...]] = field(default_factory=dict)
    seed: int = 0
    mask: bool = False

    @property
    def asked(self) -> dict[str, list[str]]:
        """What is asked, by the ids that a results file knows it by."""
        return {"prompts": [], "conditions": []}

    @property
    def judging(self) -> dict[str, Any]:
        """The rubric, and each package with its text and what it is."""
        assert self.rubric is not None
        return {
            "rubric": self.rubric.record,
            "system": self.rubric.instructions,
            "seed": self.seed,
            "mask_names": self.mask,
            "packages": {
                prompt.id: {"user": prompt.text, "uses": [use.record for use in self.uses[prompt.id]]}
                for prompt in self.prompts
            },
        }

    @property
    def content(self) -> dict[str, Any]:
        """What is asked, as JSON can hold it; an id stands for its text."""
        assert self.rubric is not None
        return {
            "id": self.id,
            "version": self.version,
            "kind": KIND,
            "instruction": None,
            "length": None,
            "cap": self.cap,
            "samples": self.samples,
            "prompts": [],
            "conditions": [],
            "rubric": self.rubric.record,
            "words": self.rubric.words,
            "mask_names": self.mask,
            "packages": {name: [use.record for use in uses] for name, uses in sorted(self.uses.items())},
        }

    def records(self) -> tuple[list[records.Prompt], list[records.Condition]]:
        """Return no prompts and no conditions: a results file has judgments instead."""
        return [], []

    def ask(self, question: Question, writer: Writer) -> Ask:
        """Return what a judge is asked: at temperature 0 unless its entry says otherwise, and nothing of its own."""
        assert self.rubric is not None
        return Ask(
            user=question.prompt.text,
            system=self.rubric.instructions,
            max_output_tokens=self.cap,
            temperature=0.0 if writer.temperature is None else writer.temperature,
            effort=writer.effort,
        )

    def faults(self, text: str) -> list[str]:
        """Return "invalid" for a reply that is no judgment: it is asked for once more."""
        assert self.rubric is not None
        return [] if parse_reply(text, self.rubric.scale).valid else ["invalid"]


@dataclass(frozen=True, slots=True)
class Docket:
    """The bench, and what was noticed on the way.

    `namings` are replies that name their writer, `mentions` how many hold a name of their own model's; `skipped` counts
    pairs of replies that are not judged, by reason.
    """

    bench: Bench
    namings: tuple[Naming, ...]
    mentions: int
    skipped: dict[str, int]


def make_bench(
    results: Results,
    pairs: Iterable[tuple[str, str]],
    rubric: Rubric,
    *,
    seed: int = 0,
    both: bool = False,
    mask: bool = False,
    prompts: Sequence[str] = (),
    topics: Sequence[str] = (),
) -> Docket:
    """Return the packages for every prompt that both models of a pair answered; pairs are ids.

    The replies are those that `results.select` counts under the control, of several the first; two equal ones are not
    judged. With `both` each package comes in both orders. Raises UnknownChoiceError for a prompt or topic that is not
    there, UsageError where nothing can be judged.
    """
    selection = select(results, prompts=prompts, topics=topics)
    replies: dict[tuple[str, str], str] = {}
    for reply in selection.replies:
        replies.setdefault((reply.model, reply.prompt), reply.text)
    own = {model.id: _own_names(model) for model in results.models}
    texts: dict[str, str] = {}
    uses: dict[str, list[Use]] = {}
    skipped: Counter[str] = Counter()
    namings: dict[tuple[str, str], list[str]] = {}
    mentions: set[tuple[str, str]] = set()
    for one, other in sorted({(min(two), max(two)) for two in pairs}):
        for prompt in selection.prompts:
            said = [(model, replies.get((model, prompt.id))) for model in (one, other)]
            known = [(model, text) for model, text in said if text is not None]
            if len(known) < 2:
                skipped["no reply of both that counts"] += 1
                continue
            for model, text in known:
                namings[model, prompt.id] = self_named(text, rubric.names)
                if mentioned(text, own[model]):
                    mentions.add((model, prompt.id))
            hidden = [(model, *(masked(text, rubric.names) if mask else (text, 0))) for model, text in known]
            if hidden[0][1] == hidden[1][1]:
                skipped["identical replies"] += 1
                continue
            hidden.sort(key=lambda side: drawn(seed, "A", prompt.text, side[1]))
            for order, (a, b) in ((DRAWN, hidden), (SWAPPED, hidden[::-1]))[: 1 + both]:
                text = rubric.user_message(prompt.text, a[1], b[1])
                package = package_id(rubric.instructions, text)
                texts[package] = text
                left = 0 if mask else sum(len(namings[side[0], prompt.id]) for side in (a, b))
                uses.setdefault(package, []).append(
                    Use(prompt.id, a[0], b[0], order, masks=a[2] + b[2], namings=left)
                )
    if not uses:
        told = ", ".join(f"{reason} ({count:,})" for reason, count in sorted(skipped.items()))
        raise UsageError("there is nothing to judge", told)
    bench = Bench(
        id=f"{_NAMED}{rubric.id}",
        version=rubric.version,
        kind=KIND,
        prompts=tuple(Prompt(name, texts[name], kind=KIND) for name in sorted(texts)),
        conditions=(Condition("control"),),
        samples=1,
        cap=rubric.cap,
        source=rubric.source,
        rubric=rubric,
        uses={name: tuple(found) for name, found in uses.items()},
        seed=seed,
        mask=mask,
    )
    found = tuple(
        Naming(model, prompt, words)
        for (model, prompt), phrases in sorted(namings.items())
        for words in phrases
    )
    return Docket(bench, found, len(mentions), dict(sorted(skipped.items())))


def package_id(system: str, user: str) -> str:
    """Return the id of a package, made from its words alone."""
    said = json.dumps([system, user])
    return _NAMED + hashlib.sha256(said.encode()).hexdigest()[:16]


def _own_names(model: Model) -> tuple[str | None, ...]:
    return (model.id, model.name, model.family, model.requested, model.returned)


def pairs_of(models: Sequence[str]) -> list[tuple[str, str]]:
    """Return every two of the models."""
    return list(combinations(sorted(set(models)), 2))


def check_judges(judges: Sequence[Writer], models: Sequence[Model], *, allow: bool = False) -> list[str]:
    """Return warnings on judges whose family is, or may be, that of a model they judge.

    Raises UsageError for a judge of such a family unless `allow`, and for one whose entry has a system prompt or
    examples of its own: a judge gets the rubric and nothing else.
    """
    found = []
    for judge in judges:
        if judge.system or judge.examples:
            raise UsageError(
                f'the judge "{judge.id}" has a system prompt or examples of its own',
                "a judge gets the rubric and nothing else: give it an entry without them",
            )
        related = [model for model in models if _related(judge, model)]
        if related:
            names = ", ".join(model.label for model in related[:6])
            if not allow:
                raise UsageError(
                    f'the judge "{judge.id}" is of the family that it is to judge: {names}',
                    "take a judge of another family, or say --allow-same-family",
                )
            found.append(f"{judge.id} judges its own family: {names}")
            continue
        if judge.family is None:
            found.append(
                f"the family of the judge {judge.id} is not known: it may be that of a model it judges"
            )
        elif unknown := [model.label for model in models if model.family is None]:
            more = f" and {len(unknown) - 6} more" if len(unknown) > 6 else ""
            found.append(
                f"the family of {', '.join(unknown[:6])}{more} is not known: it may be that of the judge {judge.id}"
            )
    return found


def _related(judge: Writer, model: Model) -> bool:
    same = judge.family is not None and judge.family.casefold() == (model.family or "").casefold()
    return same or judge.requested in (model.requested, model.returned, model.id) or judge.id == model.id
