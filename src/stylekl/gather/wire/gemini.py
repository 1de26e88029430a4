"""Gemini generateContent.

`candidatesTokenCount` leaves the thoughts out; they stand beside it in `thoughtsTokenCount`. A count of zero is
not sent, so it reads as not given. A blocked prompt brings no candidate, a blocked or used-up answer a candidate
without content or without parts.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from stylekl.gather.ask import Answer, Ask, Request, Writer
from stylekl.gather.wire import building
from stylekl.gather.wire.draft import Draft
from stylekl.gather.wire.payload import mapping, mappings, word
from stylekl.gather.wire.quirks import quirk
from stylekl.gather.wire.usage import normal

_ROLES = {"user": "user", "assistant": "model"}


def request(writer: Writer, ask: Ask, key: str | None) -> Request:
    """Return the streamed request of `ask` to `writer`. The key is a header, never part of the address."""
    model = writer.requested if "/" in writer.requested else f"models/{writer.requested}"
    return Request(
        url=building.endpoint(
            writer.base_url, "v1beta", f"{quote(model, safe='/')}:streamGenerateContent?alt=sse"
        ),
        headers=building.headers(writer, x_goog_api_key=key),
        body=building.sent(
            systemInstruction={"parts": [{"text": ask.system}]} if ask.system is not None else None,
            contents=[
                {"role": _ROLES[role], "parts": [{"text": text}]} for role, text in building.turns(ask)
            ],
            generationConfig=building.sent(
                maxOutputTokens=ask.max_output_tokens,
                temperature=ask.temperature,
                thinkingConfig={"thinkingLevel": ask.effort.upper()} if ask.effort is not None else None,
            ),
        ),
    )


class Stream(Draft):
    """An answer that comes as partial responses. Parts that are thoughts are not content."""

    def take(self, body: dict[str, Any]) -> None:
        """Read one partial response, or a whole one."""
        self.name(body.get("modelVersion"), body.get("responseId"))
        candidates = mappings(body.get("candidates"))
        for candidate in candidates[:1]:
            self._candidate(candidate)
        feedback = mapping(body.get("promptFeedback"))
        blocked = word(feedback.get("blockReason"))
        if blocked and not candidates:
            self.stop, self.stop_raw = "filter", blocked
            self.refuse(word(feedback.get("blockReasonMessage")) or blocked)
        usage = mapping(body.get("usageMetadata"))
        if usage:  # each chunk brings the counts so far
            self.usage = normal(
                usage,
                prompt=usage.get("promptTokenCount"),
                output=usage.get("candidatesTokenCount"),
                reasoning=usage.get("thoughtsTokenCount"),
                cached=usage.get("cachedContentTokenCount"),
                total=usage.get("totalTokenCount"),
                documented=quirk(self.writer, "reasoning_included", False),
            )

    def _candidate(self, candidate: dict[str, Any]) -> None:
        for part in mappings(mapping(candidate.get("content")).get("parts")):
            if not part.get("thought"):
                self.add(part.get("text"))
        self.ended(word(candidate.get("finishReason")), words=word(candidate.get("finishMessage")))


def whole(body: dict[str, Any], writer: Writer | None = None) -> Answer:
    """Return the answer in a body that was not streamed. Raises ProviderError where it reports an error."""
    return Stream(writer).whole(body)
