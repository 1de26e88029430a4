"""The hand-written payloads of every provider, and how a stream of them is read.

A case is NAME.sse (a stream), NAME.json (a body) or both, with NAME.expected.json: why it is there, the answer or
the error that both must give, and the text in the event that brings the first content.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from stylekl.gather.ask import Answer, Writer
from stylekl.gather.wire import WIRES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FIXTURES = Path(__file__).parent / "fixtures"


def writer(wire: str = "openai-chat", **fields: Any) -> Writer:
    given = {
        "id": "smollm2-plain",
        "name": "SmolLM2 plain",
        "provider": "example",
        "requested": "smollm2-plain",
        "base_url": "https://api.example.com/v1",
        "key": "EXAMPLE_KEY",
    }
    return Writer(wire=wire, **(given | fields))


@dataclass(frozen=True)
class Case:
    """One payload, as a stream or a body, and what it must become."""

    wire: str
    name: str
    expected: dict[str, Any]

    @property
    def writer(self) -> Writer:
        """A writer of this wire at the provider that sends such payloads."""
        return writer(self.wire, provider=self.expected.get("provider", "example"))

    def file(self, suffix: str) -> Path:
        """The path of the stream, of the body or of what is expected."""
        return FIXTURES / self.wire / f"{self.name}{suffix}"


def cases(suffix: str) -> list[Case]:
    """Return the cases that have a file with this suffix."""
    found = []
    for path in sorted(path for wire in WIRES for path in (FIXTURES / wire).glob("*.expected.json")):
        case = Case(
            path.parent.name, path.name.removesuffix(".expected.json"), json.loads(path.read_text("utf-8"))
        )
        if case.file(suffix).exists():
            found.append(case)
    return found


def events(pieces: Iterable[bytes]) -> Iterator[httpx2.ServerSentEvent]:
    """Frame the bytes of a stream, which come in these pieces, as the transport does."""
    response = httpx2.Response(
        200,
        headers={"content-type": "text/event-stream"},
        content=iter(pieces),
        request=httpx2.Request("POST", "https://api.example.com"),
    )
    return iter(httpx2.EventSource(response))


def read(case: Case, pieces: Iterable[bytes]) -> tuple[Answer, list[str]]:
    """Return the answer of a stream, and the data of the events that were said to bring the first content."""
    stream = WIRES[case.wire].Stream(case.writer)
    first = [event.data for event in events(pieces) if stream.event(event.event, event.data)]
    return stream.answer(), first


def told(answer: Answer) -> dict[str, Any]:
    """Return an answer as a fixture states it: without what the transport adds, and without the raw counts."""
    fields = asdict(answer)
    for added in ("latency_ms", "first_content_ms", "connection"):
        assert fields.pop(added) is None
    if fields["usage"] is not None:
        del fields["usage"]["raw"]
    return fields
