"""Wire formats: what is asked becomes a request, and what comes back an answer. Nothing here opens a socket.

`faults.fault` reads a response with an error status, `payload.parse` the text of a body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from stylekl.gather.wire import anthropic, gemini, openai_chat, openai_responses

if TYPE_CHECKING:
    from stylekl.gather.ask import Answer, Ask, Request, Writer
    from stylekl.gather.wire.draft import Draft


class Wire(Protocol):
    """What each module offers: the request, the reader of a stream, and of a body that was not streamed."""

    @property
    def Stream(self) -> type[Draft]:  # noqa: N802 - a class of the module
        """The reader of one answer's events, made anew for each: `Stream(writer)`."""

    def request(self, writer: Writer, ask: Ask, key: str | None) -> Request:
        """Return the streamed request."""

    def whole(self, body: dict[str, Any], writer: Writer | None = None) -> Answer:
        """Return the answer in a body that was not streamed."""


WIRES: dict[str, Wire] = {
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
}

REQUEST_ID_HEADERS = ("x-request-id", "request-id", "x-generation-id")
"""Headers that carry a request's id, the most telling first; they come before the id in the body."""
