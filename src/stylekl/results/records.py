"""What a results file holds: models, prompts, conditions and replies, and everything else as it was read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

import msgspec

from stylekl.results.store import Places, Replies

FORMAT = "stylekl/1"

# array of the JSON form -> name of one record in the JSON Lines form
RECORD_NAMES = {
    "models": "model",
    "prompts": "prompt",
    "conditions": "condition",
    "replies": "reply",
    "archive": "archive",
    "collection": "collection",
    "pairs": "pair",
    "envelopes": "envelope",
    "choices": "choice",
    "sessions": "session",
    "votes": "vote",
    "judgments": "judgment",
}
TYPED = ("models", "prompts", "conditions", "replies")


class Record(msgspec.Struct, kw_only=True, gc=False, omit_defaults=True):
    """What all records share: `unknown` holds the fields that are not ours; they are written back as read."""

    unknown: dict[str, Any] = {}  # msgspec copies an empty default for every record


class Model(Record, kw_only=True, gc=False, omit_defaults=True):
    """A model, or a way of asking one: whoever wrote the replies."""

    id: str
    name: str | None = None
    provider: str | None = None
    family: str | None = None
    requested: str | None = None
    returned: str | None = None
    node: dict[str, Any] | None = None
    price: dict[str, Any] | None = None
    aliases: list[str] = []

    @property
    def label(self) -> str:
        """The name to show: `name`, or the id where there is none."""
        return self.name or self.id

    @property
    def known_as(self) -> tuple[str, ...]:
        """Every name of the model, each once: id, name, the ones requested and returned, and its aliases."""
        names = (self.id, self.name, self.requested, self.returned, *self.aliases)
        return tuple(dict.fromkeys(name for name in names if name))

    def also(self, *names: str | None) -> None:
        """Keep names that are not known yet as aliases."""
        new = [name for name in dict.fromkeys(names) if name and name not in self.known_as]
        if new:
            self.aliases = [*self.aliases, *new]


class Prompt(Record, kw_only=True, gc=False, omit_defaults=True):
    """A prompt. No `kind` means open; `retired` is null unless the prompt no longer counts."""

    id: str
    text: str
    topic: str | None = None
    kind: str | None = None
    subject: str | None = None
    retired: dict[str, Any] | None = None
    tags: list[str] = []
    battery: str | None = None


class Condition(Record, kw_only=True, gc=False, omit_defaults=True):
    """What was added to every prompt. The first of a file is the control and adds nothing."""

    id: str
    system: str | None = None
    prefix: str | None = None
    suffix: str | None = None

    @property
    def added(self) -> tuple[str, str, str]:
        """System prompt, prefix and suffix, each "" where the condition has none."""
        return self.system or "", self.prefix or "", self.suffix or ""


class Reply(Record, kw_only=True, gc=False, omit_defaults=True):
    """One reply. (model, prompt, condition, period, sample) identify it; a flagged one gives style no text.

    Fields that only one lens needs (usage, latency and the like) are in `unknown`; `extra` holds what a file
    of another form said about the reply.
    """

    model: str
    prompt: str
    text: str
    condition: str | None = None
    period: str | None = None
    sample: Annotated[int, msgspec.Meta(ge=0, le=1 << 62)] | None = None
    flags: list[str] = []
    stop: str | None = None
    version: str | None = None
    collected: str | None = None
    extra: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Source:
    """A file that was read: its path as given, the sha256 of its bytes, and the name of its reader where it had one."""

    path: str
    sha256: str
    form: str | None = None


@dataclass(slots=True)
class Results:
    """Everything that one or several results files hold.

    `replies` may lie on the disk, where each access reads one: to change a reply, put it back in its place.
    `other` keeps the arrays that have no type here (votes, judgments and the like) as they were read,
    `unknown` the fields of the file itself. Two results are equal where their content is; where it came from
    (`sources`, `warnings`, `places`) is not compared.
    """

    models: list[Model] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    replies: Replies | list[Reply] = field(default_factory=Replies)
    other: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    unknown: dict[str, Any] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list, compare=False)
    warnings: list[str] = field(default_factory=list, compare=False)
    places: Places = field(default_factory=Places, compare=False)

    @property
    def control(self) -> str | None:
        """The id of the control condition, null where the file has no conditions."""
        return self.conditions[0].id if self.conditions else None

    def place(self, index: int) -> str:
        """Where reply `index` was read, such as "a.jsonl: line 7"; "reply 7" where that is not known."""
        where, number = self.places[index] if index < len(self.places) else ("reply", index + 1)
        return f"{where} {number}"


R = TypeVar("R", bound=Record)
_KINDS: tuple[type[Record], ...] = (Model, Prompt, Condition, Reply)
_FIELDS = {kind: frozenset(kind.__struct_fields__) - {"unknown"} for kind in _KINDS}


def from_row(kind: type[R], row: dict[str, Any]) -> R:
    """Make a record of one JSON object. A null in an optional field is the same as no field.

    Raises msgspec.ValidationError where a field is missing or of the wrong type.
    """
    fields = _FIELDS[kind]
    record = msgspec.convert(
        {key: value for key, value in row.items() if key in fields and value is not None}, kind
    )
    record.unknown = {key: value for key, value in row.items() if key not in fields}
    return record


def to_row(record: Record) -> dict[str, Any]:
    """Make the JSON object of a record: its own fields, then the unknown ones; defaults are left out."""
    row: dict[str, Any] = msgspec.to_builtins(record)
    unknown = row.pop("unknown", {})
    fields = _FIELDS[type(record)]
    return row | {key: value for key, value in unknown.items() if key not in fields}
