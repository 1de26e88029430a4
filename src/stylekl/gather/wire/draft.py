"""What has come of an answer so far: the part that all wire formats share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stylekl.gather.ask import Answer, Usage
from stylekl.gather.wire import faults, stops
from stylekl.gather.wire.payload import checked, joined, parse, word

if TYPE_CHECKING:
    from stylekl.errors import ProviderError
    from stylekl.gather.ask import Writer


class Draft:
    """An answer in the making. A wire format adds `take`, which reads one object of the stream, or a whole body.

    `writer` tells the quirks of the provider; without one, none are assumed.
    """

    def __init__(self, writer: Writer | None = None) -> None:
        self.writer = writer
        self.parts: list[str] = []
        self.refused: list[str] = []
        self.stop: str | None = None
        self.stop_raw: str | None = None
        self.version: str | None = None
        self.request_id: str | None = None
        self.usage: Usage | None = None

    def take(self, body: dict[str, Any]) -> None:
        """Read one object of the stream, or a whole body."""
        raise NotImplementedError

    def event(self, name: str | None, data: str) -> bool:
        """Read one server-sent event; True where it brought the first content. Reasoning is not content.

        Raises ProviderError for an error object, and (retryable) for what is not JSON.
        """
        if data.strip() in ("", "[DONE]"):
            return False
        began = bool(self.parts)
        self._read(parse(data), name)
        return not began and bool(self.parts)

    def whole(self, body: dict[str, Any]) -> Answer:
        """Read a body that was not streamed. Raises ProviderError where it reports an error."""
        self._read(checked(body), None)
        return self.answer()

    def _read(self, body: dict[str, Any], name: str | None) -> None:
        error = faults.inside(body, name)
        if error is not None:
            raise error
        self.take(body)

    def fail(self, error: dict[str, Any]) -> ProviderError:
        """Return the error that an error object deeper inside a body stands for."""
        return faults.described(error)

    def add(self, text: object) -> None:
        """Append content."""
        if isinstance(text, str) and text:
            self.parts.append(text)

    def refuse(self, words: object) -> None:
        """Append what the model said in refusing; it is not content."""
        if isinstance(words, str) and words:
            self.refused.append(words)

    def name(self, version: object, request_id: object) -> None:
        """Note who answers, where the object says so."""
        self.version = word(version) or self.version
        self.request_id = word(request_id) or self.request_id

    def ended(self, raw: str | None, *, native: str | None = None, words: str | None = None) -> None:
        """Note a stop reason. Where it declines the request, `words` (else the reason itself) say why."""
        stop = stops.settled(raw, native)
        if stop is None:
            return
        self.stop, self.stop_raw = stop, native or raw
        decisive = native if native and stops.ours(native) == stop else raw
        if stops.declines(decisive) and not self.refused:
            self.refuse(words or self.stop_raw)

    def answer(self) -> Answer:
        """Return what came so far.

        Until a stop reason has come, the counts of output, reasoning and total are those so far and not those of
        the answer: they are None, and stay in the raw object.
        """
        usage = self.usage
        if usage is not None and self.stop is None:
            usage = replace(usage, output=None, reasoning=None, total=None)
        declined = self.refused and self.stop == "stop"
        return Answer(
            text=joined(self.parts),
            stop="refusal" if declined else self.stop,
            stop_raw=self.stop_raw,
            refusal=joined(self.refused) if self.refused else None,
            version=self.version,
            usage=usage,
            request_id=self.request_id,
        )
