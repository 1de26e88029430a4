"""What is asked, whom, and what came back: the shapes that all wire formats share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked, the same for every provider. A field that is None is left out, never sent as null."""

    user: str
    system: str | None = None
    examples: tuple[tuple[str, str], ...] = ()
    """Exchanges (user, assistant) of the writer's own, before `user`."""
    max_output_tokens: int = 2000
    temperature: float | None = None
    effort: str | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost in `currency`, and the date on which that was read."""

    input: float
    output: float
    currency: str
    read: str


@dataclass(frozen=True, slots=True)
class Writer:
    """One entry of the models file: a model, where it is asked, and the way of asking it.

    `wire` is a key of `gather.wire.WIRES`, `key` the name of an environment variable (None: the server needs no
    key). An own `system` or own `examples` make another writer of the same model. `temperature` and `effort`
    are the declared protocol. A wire takes the address, the requested model and the quirks from here; what is
    asked it takes from `Ask` alone.
    """

    id: str
    name: str
    provider: str
    wire: str
    requested: str
    base_url: str
    key: str | None
    family: str | None = None
    price: Price | None = None
    quirks: Mapping[str, Any] = field(default_factory=dict)
    system: str | None = None
    examples: tuple[tuple[str, str], ...] = ()
    temperature: float | None = None
    effort: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one attempt in our normal form; None where the provider gave no count, never 0 for unknown.

    `input` includes what was read from or written to a cache. `reasoning_included` says whether `output` holds
    the reasoning tokens, None where that cannot be told. `raw` is the provider's own object, untouched.
    """

    input: int | None
    output: int | None
    reasoning: int | None
    cached: int | None
    total: int | None
    reasoning_included: bool | None
    raw: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one attempt brought back.

    `stop` is "stop", "length", "refusal", "filter", "tool" or "other", and None where the stream ended without
    a stop reason: then it is not a reply. Only "stop" is a reply that the model ended itself. `stop_raw` is the
    provider's word for it, `refusal` the provider's own words or category where it signalled one. `text` is
    exactly what came; reasoning is no part of it.
    """

    text: str
    stop: str | None
    stop_raw: str | None
    refusal: str | None
    version: str | None
    usage: Usage | None
    request_id: str | None
    latency_ms: float | None = None
    first_content_ms: float | None = None
    connection: str | None = None
    """"new" or "reused"."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP POST, to be sent with `body` as JSON. A key stands in `headers` and nowhere else."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any]
