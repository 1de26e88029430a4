"""Anthropic messages.

Input tokens come without what was read from or written to the cache; our `input` is the sum of the three, and
`cached` what was read. Output includes thinking, whether `thinking_tokens` breaks it out or not. No total is given.
An empty answer with "end_turn" happens, and is an empty answer.
"""

from __future__ import annotations

from typing import Any

from stylekl.gather.ask import Answer, Ask, Request, Usage, Writer
from stylekl.gather.wire import building
from stylekl.gather.wire.draft import Draft
from stylekl.gather.wire.payload import mapping, mappings, word
from stylekl.gather.wire.quirks import quirk
from stylekl.gather.wire.usage import count, normal

_VERSION = "2023-06-01"
_INPUTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def request(writer: Writer, ask: Ask, key: str | None) -> Request:
    """Return the streamed request of `ask` to `writer`."""
    return Request(
        url=building.endpoint(writer.base_url, "v1", "messages"),
        headers={"anthropic-version": _VERSION} | building.headers(writer, x_api_key=key),
        body=building.sent(
            model=writer.requested,
            system=ask.system,
            messages=[{"role": role, "content": text} for role, text in building.turns(ask)],
            max_tokens=ask.max_output_tokens,
            temperature=ask.temperature,
            output_config={"effort": ask.effort} if ask.effort is not None else None,
            stream=True,
        ),
    )


class Stream(Draft):
    """An answer that comes as message events. Only text blocks are content."""

    def __init__(self, writer: Writer | None = None) -> None:
        super().__init__(writer)
        self._counts: dict[str, Any] = {}

    def take(self, body: dict[str, Any]) -> None:
        """Read one event, or a whole message."""
        kind = body.get("type")
        if kind == "message":
            self._message(body)
        elif kind == "message_start":
            self._message(mapping(body.get("message")))
        elif kind == "content_block_start":
            self._block(mapping(body.get("content_block")))
        elif kind == "content_block_delta":
            self._block(mapping(body.get("delta")))
        elif kind == "message_delta":
            self._end(mapping(body.get("delta")), mapping(body.get("usage")))

    def _message(self, message: dict[str, Any]) -> None:
        self.name(message.get("model"), message.get("id"))
        for block in mappings(message.get("content")):
            self._block(block)
        self._end(message, mapping(message.get("usage")))

    def _block(self, block: dict[str, Any]) -> None:
        if block.get("type") in ("text", "text_delta"):
            self.add(block.get("text"))

    def _end(self, end: dict[str, Any], usage: dict[str, Any]) -> None:
        details = mapping(end.get("stop_details"))
        words = [word(details.get(field)) for field in ("category", "explanation")]
        self.ended(word(end.get("stop_reason")), words=": ".join(filter(None, words)) or None)
        # Counts are cumulative; the last event leaves out, or gives as null, what the first one said.
        self._counts |= {name: value for name, value in usage.items() if value is not None}
        self.usage = self._usage(self._counts)

    def _usage(self, raw: dict[str, Any]) -> Usage | None:
        inputs = [count(raw.get(name)) for name in _INPUTS]
        return normal(
            dict(raw),
            prompt=None if inputs[0] is None else sum(filter(None, inputs)),
            output=raw.get("output_tokens"),
            reasoning=mapping(raw.get("output_tokens_details")).get("thinking_tokens"),
            cached=inputs[1],
            documented=quirk(self.writer, "reasoning_included", True),
        )


def whole(body: dict[str, Any], writer: Writer | None = None) -> Answer:
    """Return the answer in a body that was not streamed. Raises ProviderError where it reports an error."""
    return Stream(writer).whole(body)
