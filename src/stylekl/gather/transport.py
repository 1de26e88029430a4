"""One call to a provider: over a connection of its own, streamed, with retries of what may pass.

A retry repeats a call that brought no answer: 408, 409, 429, all from 500, a connection that fails, a stream that
breaks off or falls silent. It is no attempt in the sense of the method, and is counted apart. Nothing here follows a
redirect, so a key goes to the host it was meant for and to no other.
"""

from __future__ import annotations

import asyncio
import random
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from stylekl.errors import ProviderError, UsageError
from stylekl.gather.keys import mask
from stylekl.gather.wire import REQUEST_ID_HEADERS, WIRES
from stylekl.gather.wire.faults import fault
from stylekl.gather.wire.payload import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx2

    from stylekl.gather.ask import Answer, Ask, Writer
    from stylekl.gather.keys import Secret
    from stylekl.gather.schedule import Lane
    from stylekl.gather.wire.draft import Draft

_MOST = 32_000_000  # bytes of a body that is not streamed
_MOST_ERROR = 64_000  # bytes of the body of an error
_LONGEST = 300  # characters of a reason


class Unreached(ProviderError):
    """No HTTP response came at all: the network, the name, the port, or a proxy."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a call may take and how often it is repeated; all times in seconds.

    `first` is the time to the first content, reasoning not being content; `silence` the time between two events after
    it; `total` a whole call. `waiting` limits all the waits of one attempt together: a provider that asks for a longer
    one is not asked again.
    """

    connect: float = 20.0
    first: float = 600.0
    silence: float = 120.0
    total: float = 1200.0
    retries: int = 8
    base: float = 1.0
    longest: float = 60.0
    waiting: float = 600.0


@dataclass(frozen=True, slots=True)
class Retry:
    """A call that was repeated: why, its HTTP status, the wait after it, and whether an answer had begun."""

    why: str
    status: int | None
    waited: float
    begun: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attempt came to: an answer, or the error of the last call; and the calls before it."""

    answer: Answer | None
    error: ProviderError | None
    retries: tuple[Retry, ...] = ()
    begun: bool = False
    """Whether the last call broke off after an answer had begun, which providers may charge for."""


@dataclass(slots=True)
class _Try:
    """One call in the making."""

    stream: Draft
    began: float
    answer: Answer | None = None
    error: ProviderError | None = None
    after: float | None = None
    connection: str = "reused"
    first_ms: float | None = None
    phase: str = "first"
    responded: bool = False
    begun: bool = False
    request_id: str | None = None


class Transport:
    """Calls over HTTP. Use it as an asynchronous context."""

    def __init__(self, patience: Patience | None = None, *, seed: int = 0) -> None:
        self.patience = patience or Patience()
        self.seed = seed
        self.client: httpx2.AsyncClient | None = None

    async def __aenter__(self) -> Transport:
        try:
            import httpx2
        except ImportError:
            raise UsageError(
                "collecting needs the package httpx2", "pip install 'stylekl[collect]'"
            ) from None
        self.client = httpx2.AsyncClient(
            follow_redirects=False,
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
            timeout=httpx2.Timeout(None, connect=self.patience.connect),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.client is not None:
            await self.client.aclose()

    async def call(self, writer: Writer, ask: Ask, key: Secret | None, lane: Lane, name: str) -> Outcome:
        """Return what the provider answers. `name` seeds the jitter; `lane` holds the provider's pace.

        Raises schedule.Stopped where the collection is stopped between two calls.
        """
        retries: list[Retry] = []
        waited = 0.0
        while True:
            await lane.turn()
            tried = await self._once(writer, ask, key)
            error = tried.error
            turn = len(retries)
            if tried.answer is not None or error is None:
                return Outcome(tried.answer, None, tuple(retries))
            wait = pause(turn, tried.after, self.patience, f"{self.seed} {name} {turn}")
            too_long = waited + wait > self.patience.waiting
            if not error.retryable or turn >= self.patience.retries or too_long:
                return Outcome(None, error, tuple(retries), tried.begun)
            waited += wait
            retries.append(Retry(error.message[:_LONGEST], error.status, round(wait, 3), tried.begun))
            if tried.after is not None:
                lane.hold(wait)
            lane.retried()
            await lane.nap(wait)

    async def _once(self, writer: Writer, ask: Ask, key: Secret | None) -> _Try:
        import httpx2

        wire = WIRES[writer.wire]
        tried = _Try(wire.Stream(writer), perf_counter())
        try:
            async with asyncio.timeout(None) as clock:
                await self._exchange(tried, writer, ask, key, clock)
        except ProviderError as error:
            tried.error = error
        except TimeoutError:
            tried.error = ProviderError(self._late(tried.phase), retryable=True)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
            tried.error = _broken(error, tried.responded)
        if tried.error is not None and tried.stream.stop is not None and not tried.error.body:
            tried.error = None  # the connection broke off after the answer was complete
        if tried.error is None and tried.answer is None:
            tried.answer = tried.stream.answer()
        if tried.answer is not None:
            _settle(tried)
        return tried

    async def _exchange(
        self, tried: _Try, writer: Writer, ask: Ask, key: Secret | None, clock: asyncio.Timeout
    ) -> None:
        assert self.client is not None
        loop, patience = asyncio.get_running_loop(), self.patience
        end = loop.time() + patience.total
        clock.reschedule(min(end, loop.time() + patience.first))

        async def trace(event: str, _: Mapping[str, Any]) -> None:
            if event.startswith("connection.connect_") and event.endswith(".complete"):
                tried.connection = "new"

        sent = WIRES[writer.wire].request(writer, ask, key.reveal() if key else None)
        async with self.client.stream(
            "POST",
            sent.url,
            headers=dict(sent.headers) | {"connection": "close"},
            json=sent.body,
            extensions={"trace": trace},
        ) as response:
            tried.responded = True
            tried.request_id = next(
                (response.headers[name] for name in REQUEST_ID_HEADERS if response.headers.get(name)), None
            )
            if response.status_code != 200:
                tried.after = retry_after(response.headers)
                raise await _refused(response)
            tried.begun = True
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "text/event-stream":
                body = parse((await _body(response, _MOST)).decode("utf-8", "replace"))
                tried.answer = WIRES[writer.wire].whole(body, writer)
                return
            await self._events(tried, response, clock, end)

    async def _events(
        self, tried: _Try, response: httpx2.Response, clock: asyncio.Timeout, end: float
    ) -> None:
        import httpx2

        loop = asyncio.get_running_loop()
        async for event in httpx2.EventSource(response):
            if event.data.strip() == "[DONE]":
                return
            if tried.stream.event(event.event, event.data):
                tried.first_ms = (perf_counter() - tried.began) * 1000
                tried.phase = "silence"
            if tried.phase == "silence":
                clock.reschedule(min(end, loop.time() + self.patience.silence))

    def _late(self, phase: str) -> str:
        if phase == "first":
            return f"no first token within {min(self.patience.first, self.patience.total):g} s"
        return f"nothing for {self.patience.silence:g} s, or no end within {self.patience.total:g} s"


def pause(turn: int, after: float | None, patience: Patience, name: str) -> float:
    """Return how many seconds to wait before the next call.

    The backoff doubles from `base` to `longest`, times a factor from ½ to 1 that `name` draws. A provider's own wait
    counts where it is longer, with up to a tenth more, so that not all come back at once.
    """
    draw = random.Random(name).random()
    own = min(patience.longest, patience.base * 2.0 ** min(turn, 30)) * (0.5 + 0.5 * draw)
    return own if after is None else max(own, after * (1 + 0.1 * draw))


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that a provider asks to wait: `retry-after-ms`, or `retry-after` as a number or a date.

    A date counts from the provider's own clock where its `date` header gives one. Null where there is none, or none
    that can be read.
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,12}(\.\d*)?|\.\d+", value):
            return float(value) * scale
    when = _date(headers.get("retry-after", ""))
    if when is None:
        return None
    return max(0.0, (when - (now or _date(headers.get("date", "")) or datetime.now(UTC))).total_seconds())


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


async def _body(response: httpx2.Response, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > most:
            break
    return b"".join(parts)[:most]


async def _refused(response: httpx2.Response) -> ProviderError:
    """Return the error of a response whose status is not 200."""
    status = response.status_code
    if 300 <= status < 400:
        host = urlsplit(response.headers.get("location", "")).netloc or "another address"
        return ProviderError(
            mask(f"the provider redirects to {host}, which is not followed: it would carry the key there"),
            "give the address that it redirects to as base_url, if you trust it",
            status=status,
        )
    body = (await _body(response, _MOST_ERROR)).decode("utf-8", "replace")
    if status < 300:
        return ProviderError(
            f"the provider answered with {status}, without a reply", status=status, body=mask(body)
        )
    return fault(status, body)


def _broken(error: Exception, responded: bool) -> ProviderError:
    """Return what a fault of the connection means; a certificate that does not hold will not hold later."""
    words = mask(" ".join(str(error).split()))[:_LONGEST]
    what = f"{type(error).__name__}: {words}" if words else type(error).__name__
    if responded:
        return ProviderError(f"the answer broke off: {what}", retryable=True)
    final = "CERTIFICATE_VERIFY_FAILED" in words or type(error).__name__ in (
        "InvalidURL",
        "UnsupportedProtocol",
    )
    return Unreached(f"not reached: {what}", "check the network and base_url", retryable=not final)


def _settle(tried: _Try) -> None:
    """Complete the answer with what the connection tells; one without a stop reason is no reply."""
    answer = tried.answer
    assert answer is not None
    if answer.stop is None:
        tried.answer = None
        tried.error = ProviderError("the stream ended without a stop reason", retryable=True)
        return
    tried.answer = replace(
        answer,
        latency_ms=round((perf_counter() - tried.began) * 1000, 3),
        first_content_ms=None if tried.first_ms is None else round(tried.first_ms, 3),
        connection=tried.connection,
        request_id=tried.request_id or answer.request_id,
    )
