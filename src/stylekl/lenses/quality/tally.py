"""One pass over the replies: what each model's come to, without keeping a text."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from stylekl.facets.cleaning import REASONING, TOKENS, WHITE_SPACE, clean
from stylekl.facets.languages import LOOKED_AT
from stylekl.lenses.quality import defects
from stylekl.lenses.quality.thresholds import HEADS
from stylekl.lenses.style.copies import Copies
from stylekl.results.select import is_blank

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.results import Prompt, Reply, Results

T = TypeVar("T")
_BRIEF = ("one_word", "choice")  # kinds of prompt whose answer is short, and often the same
_REMOVED = {REASONING: "reasoning", TOKENS: "special_tokens", WHITE_SPACE: "leading_space"}
_FLAGS = {"error": "error", "placeholder": "placeholder", "filtered": "filtered", "truncated": "truncated"}


@dataclass
class Seen:
    """How often something was seen in a model's replies: on which prompts, and where first."""

    replies: int = 0
    prompts: set[int] = field(default_factory=set)
    first: int = -1

    def add(self, place: int, prompt: int) -> None:
        """Count the reply at `place` of the results."""
        if not self.replies:
            self.first = place
        self.replies += 1
        self.prompts.add(prompt)


class Spread(Generic[T]):
    """At most twice HEADS of what it is given, spread evenly over it: every second goes when it is full."""

    def __init__(self, room: int = HEADS) -> None:
        self._room = 2 * room
        self._stride = 1
        self._seen = 0
        self.kept: list[T] = []

    @property
    def takes(self) -> bool:
        """Whether the next one is kept; `add` or `skip` follows."""
        return self._seen % self._stride == 0

    def add(self, item: T) -> None:
        """Take the next one."""
        self.kept.append(item)
        self._seen += 1
        if len(self.kept) == self._room:
            self.kept = self.kept[::2]
            self._stride *= 2

    def skip(self) -> None:
        """Leave the next one out."""
        self._seen += 1


class ModelTally:
    """What one model's replies come to. `lengths` and `prompts` are of the replies with text, one beside the other."""

    def __init__(self) -> None:
        self.replies = 0
        self.samples: Counter[int] = Counter()  # replies by prompt
        self.seen: dict[str, Seen] = {}
        self.lengths, self.prompts, self.places = array("q"), array("l"), array("q")
        self.texts: Counter[int] = Counter()  # hash of a text -> replies, of open prompts
        self.first_of: dict[int, int] = {}  # hash of a text -> where it stands first
        self.heads: Spread[tuple[int, int, str]] = Spread()  # prompt, place and beginning
        self.conditions: dict[str | None, int] = {}  # condition -> where it stands first

    def mark(self, kind: str, place: int, prompt: int) -> None:
        """Count a reply as one that has `kind`."""
        self.seen.setdefault(kind, Seen()).add(place, prompt)


class Ground:
    """What one pass over the replies found; models and prompts by their index in the results."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.tallies = [ModelTally() for _ in results.models]
        self.copies = Copies()
        self.conditions: Counter[str | None] = Counter()
        models = {model.id: index for index, model in enumerate(results.models)}
        prompts = {prompt.id: index for index, prompt in enumerate(results.prompts)}
        brief = [_is_brief(prompt) for prompt in results.prompts]
        several = len(models) > 1
        for place, reply in enumerate(results.replies):
            model, prompt = models[reply.model], prompts[reply.prompt]
            condition = reply.condition or results.control
            self.conditions[condition] += 1
            self.tallies[model].conditions.setdefault(condition, place)
            _count(self.tallies[model], reply, place, prompt, brief=brief[prompt])
            if several and len(reply.text) > 99 and not brief[prompt]:
                self.copies.add(reply.text, model, prompt)


def _is_brief(prompt: Prompt) -> bool:
    return prompt.kind in _BRIEF


def _count(tally: ModelTally, reply: Reply, place: int, prompt: int, *, brief: bool) -> None:
    tally.replies += 1
    tally.samples[prompt] += 1
    for flag in set(reply.flags):
        if (kind := _FLAGS.get(flag)) is not None:
            tally.mark(kind, place, prompt)
    if reply.stop == "length" and "truncated" not in reply.flags:
        tally.mark("truncated", place, prompt)
    if is_blank(reply.text):
        if not {"error", "placeholder", "refusal"}.intersection(reply.flags):
            tally.mark("empty", place, prompt)
            if not brief:
                _text(tally, "", place, prompt, "")
        return
    if reply.flags:  # it gives no text to a comparison
        return
    cleaned = clean(reply.text)
    for kind in (*map(_REMOVED.__getitem__, cleaned.removed), *_of_text(reply.text)):
        tally.mark(kind, place, prompt)
    if not brief:
        _text(tally, reply.text, place, prompt, cleaned.text)


def _text(tally: ModelTally, text: str, place: int, prompt: int, answer: str) -> None:
    """Take the text of a reply; `answer` is what is left of it without reasoning, whose language is looked at."""
    tally.lengths.append(len(text))
    tally.prompts.append(prompt)
    tally.places.append(place)
    key = hash(text.strip())
    tally.texts[key] += 1
    tally.first_of.setdefault(key, place)
    if tally.heads.takes:
        tally.heads.add((prompt, place, answer[: 4 * LOOKED_AT]))
    else:
        tally.heads.skip()


def _of_text(text: str) -> Iterator[str]:
    """Yield the kinds of defect that a text shows."""
    if defects.is_loop(text):
        yield "loop"
    if defects.is_placeholder(text):
        yield "placeholder_text"
    if "&" in text and defects.has_escapes(text):
        yield "escapes"
    if "\0" in text:
        yield "nul"
    if not text.isascii():
        if "\ufffd" in text:
            yield "replacement"
        if defects.has_mojibake(text):
            yield "mojibake"
