"""A battery: what every model is asked, word for word, and under which rules.

`gather.battery_file` reads it from YAML, `gather.versions` says what may change from one version to the next, and
docs/battery.md explains the fields.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stylekl.gather.ask import Ask
from stylekl.results import records

if TYPE_CHECKING:
    from stylekl.gather.ask import Writer

SUBJECT = "{subject}"


@dataclass(frozen=True, slots=True)
class Retired:
    """Since when a prompt is out of use, and why."""

    on: str
    why: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt. A retired one is asked no more and stays in the file."""

    id: str
    text: str
    topic: str | None = None
    kind: str = "open"
    subject: str | None = None
    retired: Retired | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """What is added to every prompt; `{subject}` in it is the prompt's. One that is `off` is not asked."""

    id: str
    system: str | None = None
    prefix: str | None = None
    suffix: str | None = None
    off: bool = False

    @property
    def added(self) -> tuple[str | None, str | None, str | None]:
        """System prompt, prefix and suffix."""
        return self.system, self.prefix, self.suffix

    @property
    def asks_subject(self) -> bool:
        """Whether the prompt's subject stands in it."""
        return any(SUBJECT in text for text in self.added if text)


@dataclass(frozen=True, slots=True)
class Length:
    """How long a reply may be, in words.

    `over` is what comes of one that is longer: "ask_again" (once more; where both are too long the first is kept and
    flagged) or "record" (its words are counted and nothing else). `least` is recorded and judged by nothing.
    """

    most: int
    least: int = 0
    tolerance: float = 0.0
    over: str = "ask_again"

    @property
    def limit(self) -> int:
        """The most words that are not over length: `most` and the share of it that is tolerated."""
        return int(self.most * (1 + self.tolerance) + 1e-9)

    def is_over(self, text: str) -> bool:
        """Return whether a reply is longer than the limit."""
        return count_words(text) > self.limit

    def __str__(self) -> str:
        words = f"{self.least} to {self.most} words" if self.least else f"at most {self.most} words"
        return words if self.limit == self.most else f"{words}, over length beyond {self.limit}"


@dataclass(frozen=True, slots=True)
class Question:
    """One call to a model: a prompt under a condition, for the n-th time (from 1)."""

    prompt: Prompt
    condition: Condition
    sample: int

    @property
    def key(self) -> tuple[str, str, int]:
        """The ids of prompt and condition, and the number of the sample."""
        return self.prompt.id, self.condition.id, self.sample


@dataclass(frozen=True, slots=True)
class Battery:
    """A checked battery. All prompts are of one `kind`; `conditions` begin with the control.

    Two batteries are equal where their content is; the file (`source`) is not compared.
    """

    id: str
    version: int
    kind: str
    prompts: tuple[Prompt, ...]
    conditions: tuple[Condition, ...]
    samples: int
    cap: int
    instruction: str | None = None
    length: Length | None = None
    template: str | None = None
    source: records.Source | None = field(default=None, compare=False)

    @property
    def control(self) -> Condition:
        """The condition that adds nothing."""
        return self.conditions[0]

    @property
    def in_use(self) -> tuple[Prompt, ...]:
        """The prompts that are asked."""
        return tuple(prompt for prompt in self.prompts if prompt.retired is None)

    @property
    def arms(self) -> tuple[Condition, ...]:
        """The conditions that are asked."""
        return tuple(condition for condition in self.conditions if not condition.off)

    @property
    def calls(self) -> int:
        """How often each model is asked where nothing has to be asked again."""
        return len(self.in_use) * len(self.arms) * self.samples

    @property
    def topics(self) -> dict[str | None, int]:
        """How many prompts in use each topic has, in the order of the file."""
        return dict(Counter(prompt.topic for prompt in self.in_use))

    @property
    def asked(self) -> dict[str, list[str]]:
        """What is asked, by the ids that a results file knows it by."""
        return {
            "prompts": [prompt.id for prompt in self.in_use],
            "conditions": [condition.id for condition in self.arms],
        }

    @property
    def probe(self) -> dict[str, Any] | None:
        """Pairs of words and envelopes as records, null where this is no probe."""
        return None

    @property
    def judging(self) -> dict[str, Any] | None:
        """A rubric and blinded packages, null where this asks no judge."""
        return None

    def faults(self, text: str) -> list[str]:  # noqa: ARG002
        """Return the flags that a reply earns by what it says; one with any is asked for once more."""
        return []

    def samples_of(self, writer: Writer, *, rejected: bool = False) -> int:  # noqa: ARG002
        """Return how often a writer is asked each; `rejected` says that its provider does not take its temperature."""
        return self.samples

    def user_message(self, prompt: Prompt, condition: Condition | None = None) -> str:
        """Return the user message: under the control the prompt, a blank line and the instruction, nothing else.

        A condition's prefix stands before the prompt and its suffix behind it, each a blank line apart.
        """
        extra = condition or self.control
        parts = (filled(extra.prefix, prompt), prompt.text, filled(extra.suffix, prompt), self.instruction)
        return "\n\n".join(part for part in parts if part)

    def ask(self, question: Question, writer: Writer) -> Ask:
        """Return what is asked of a writer: the same for all, but for system prompt and examples of its own.

        A writer's own system prompt stands before that of the condition, a blank line apart.
        """
        systems = (writer.system, filled(question.condition.system, question.prompt))
        return Ask(
            user=self.user_message(question.prompt, question.condition),
            system="\n\n".join(text for text in systems if text) or None,
            examples=writer.examples,
            max_output_tokens=self.cap,
            temperature=writer.temperature,
            effort=writer.effort,
        )

    def asks(self, seed: int = 0) -> tuple[Question, ...]:
        """Return every prompt in use × condition × sample, in the order that `seed` draws.

        The order depends on the seed and the ids alone: a question keeps its place among the others when prompts are
        added or moved in the file.
        """
        questions = (
            Question(prompt, condition, sample)
            for prompt in self.in_use
            for condition in self.arms
            for sample in range(1, self.samples + 1)
        )
        return tuple(sorted(questions, key=lambda question: drawn(seed, *question.key)))

    @property
    def content(self) -> dict[str, Any]:
        """What the battery says, as JSON can hold it; prompts in the order of their ids, since theirs says nothing."""
        return {
            "id": self.id,
            "version": self.version,
            "instruction": self.instruction,
            "length": self.length
            and {
                "max": self.length.most,
                "min": self.length.least,
                "tolerance": self.length.tolerance,
                "over_length": self.length.over,
            },
            "cap": self.cap,
            "samples": self.samples,
            "template": self.template,
            "conditions": [
                {"id": c.id, "system": c.system, "prefix": c.prefix, "suffix": c.suffix, "off": c.off}
                for c in self.conditions
            ],
            "prompts": [
                {
                    "id": p.id,
                    "text": p.text,
                    "topic": p.topic,
                    "kind": p.kind,
                    "subject": p.subject,
                    "retired": p.retired and {"on": p.retired.on, "why": p.retired.why},
                }
                for p in sorted(self.prompts, key=lambda prompt: prompt.id)
            ],
        }

    @property
    def digest(self) -> str:
        """The sha256 of `content` as JSON with sorted keys and without white space."""
        text = json.dumps(self.content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def records(self) -> tuple[list[records.Prompt], list[records.Condition]]:
        """Return prompts, retired ones too, and conditions as a results file holds them."""
        prompts = [
            records.Prompt(
                id=p.id,
                text=p.text,
                topic=p.topic,
                kind=p.kind,
                subject=p.subject,
                retired={"on": p.retired.on, "why": p.retired.why} if p.retired else None,
                battery=self.id,
            )
            for p in self.prompts
        ]
        return prompts, [
            records.Condition(id=c.id, system=c.system, prefix=c.prefix, suffix=c.suffix)
            for c in self.conditions
        ]


def count_words(text: str) -> int:
    """Return the number of words: runs of anything but white space."""
    return len(text.split())


def drawn(seed: int, *names: object) -> bytes:
    """Return a key to sort by: the order it gives is random, and depends on the seed and the names alone."""
    return hashlib.sha256(json.dumps([seed, *names]).encode()).digest()


def filled(text: str | None, prompt: Prompt) -> str | None:
    """Return a text with the prompt's subject in its place."""
    return text.replace(SUBJECT, prompt.subject) if text and prompt.subject else text
