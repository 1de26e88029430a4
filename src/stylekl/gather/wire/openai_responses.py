"""OpenAI responses.

llama.cpp's server says "completed" even where the cap cut the answer, and gives no details: such a cut cannot be
seen here. Its chat wire says it.
"""

from __future__ import annotations

from typing import Any

from stylekl.gather.ask import Answer, Ask, Request, Writer
from stylekl.gather.wire import building
from stylekl.gather.wire.draft import Draft
from stylekl.gather.wire.payload import mapping, mappings, word
from stylekl.gather.wire.quirks import quirk
from stylekl.gather.wire.usage import normal

_ENDS = frozenset({"completed", "incomplete", "failed", "cancelled"})


def request(writer: Writer, ask: Ask, key: str | None) -> Request:
    """Return the streamed request of `ask` to `writer`."""
    return Request(
        url=building.endpoint(writer.base_url, "v1", "responses"),
        headers=building.headers(writer, authorization=f"Bearer {key}" if key else None),
        body=building.sent(
            model=writer.requested,
            instructions=ask.system,
            # llama.cpp takes an assistant's turn only with its type named
            input=[{"type": "message", "role": role, "content": text} for role, text in building.turns(ask)],
            max_output_tokens=ask.max_output_tokens,
            temperature=ask.temperature,
            reasoning={"effort": ask.effort} if ask.effort is not None else None,
            stream=True,
        ),
    )


class Stream(Draft):
    """An answer that comes as response events. Summaries of reasoning are not content."""

    def take(self, body: dict[str, Any]) -> None:
        """Read one event, or a whole response."""
        kind = word(body.get("type")) or ""
        if kind == "response.output_text.delta":
            self.add(body.get("delta"))
        elif kind == "response.refusal.delta":
            self.refuse(body.get("delta"))
        elif "response" in body:
            self._response(mapping(body["response"]), kind.removeprefix("response."))
        elif body.get("object") == "response":
            self._response(body, "")

    def _response(self, response: dict[str, Any], kind: str) -> None:
        self.name(response.get("model"), response.get("id"))
        status = word(response.get("status")) or kind
        error = mapping(response.get("error"))
        if error or status == "failed":
            raise self.fail(error or {"message": "the response failed"})
        if status not in _ENDS:
            return
        items = mappings(response.get("output"))
        self._output([part for item in items for part in mappings(item.get("content"))])
        self.ended(word(mapping(response.get("incomplete_details")).get("reason")) or status)
        if self.stop == "stop" and any((word(item.get("type")) or "").endswith("_call") for item in items):
            self.stop = "tool"
        usage = mapping(response.get("usage"))
        self.usage = normal(
            usage,
            prompt=usage.get("input_tokens"),
            output=usage.get("output_tokens"),
            reasoning=mapping(usage.get("output_tokens_details")).get("reasoning_tokens"),
            cached=mapping(usage.get("input_tokens_details")).get("cached_tokens"),
            total=usage.get("total_tokens"),
            documented=quirk(self.writer, "reasoning_included", True),
        )

    def _output(self, parts: list[dict[str, Any]]) -> None:
        """Take the finished output in place of the deltas, where it holds anything."""
        text = [word(part.get("text")) for part in parts if part.get("type") == "output_text"]
        refusal = [word(part.get("refusal")) for part in parts if part.get("type") == "refusal"]
        self.parts = list(filter(None, text)) or self.parts
        self.refused = list(filter(None, refusal)) or self.refused


def whole(body: dict[str, Any], writer: Writer | None = None) -> Answer:
    """Return the answer in a body that was not streamed. Raises ProviderError where it reports an error."""
    return Stream(writer).whole(body)
