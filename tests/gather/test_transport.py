"""The payloads of every provider over HTTP arrive as what the wire makes of them."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from stylekl.gather.ask import Ask
from stylekl.gather.keys import Secret
from stylekl.gather.schedule import Lane
from stylekl.gather.transport import Transport

from .fake import QUICK
from .wires import Case, cases, told, writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.gather.ask import Answer
    from stylekl.gather.transport import Outcome

ANYTHING = re.compile(".*")
KEY = "a-key-of-some-length"
STREAMS = [case for case in cases(".sse") if "answer" in case.expected]
BODIES = [case for case in cases(".json") if "answer" in case.expected]


@pytest.fixture(scope="module")
def running() -> Iterator[HTTPServer]:
    with HTTPServer(threaded=True) as found:
        yield found


@pytest.fixture
def server(running: HTTPServer) -> HTTPServer:
    running.clear()
    return running


def sent(case: Case, server: HTTPServer) -> Outcome:
    """Ask once, as a collection does, with the writer of the case at this server."""

    async def call() -> Outcome:
        lane = Lane("one", deque(), asyncio.Event())
        there = writer(
            case.wire, provider=case.expected.get("provider", "example"), base_url=server.url_for("/v1")
        )
        async with Transport(QUICK) as transport:
            return await transport.call(there, Ask("What is rain?"), Secret(KEY), lane, "one")

    return asyncio.run(call())


def complete(case: Case) -> bool:
    return case.expected["answer"]["stop"] is not None


@pytest.mark.parametrize("case", STREAMS, ids=lambda case: f"{case.wire}-{case.name}")
def test_a_streamed_payload_arrives_as_its_answer(case: Case, server: HTTPServer) -> None:
    """One without a stop reason is no reply: it is asked for again, and then an error."""
    data = case.file(".sse").read_bytes()
    server.expect_request(ANYTHING).respond_with_handler(
        lambda _: Response(iter([data]), content_type="text/event-stream; charset=utf-8")
    )

    outcome = sent(case, server)

    if not complete(case):
        assert outcome.answer is None
        assert outcome.error is not None
        assert "without a stop reason" in outcome.error.message
        assert len(outcome.retries) == QUICK.retries
        return
    answer = outcome.answer
    assert answer is not None
    assert answer.connection == "new"
    assert answer.latency_ms is not None
    assert (answer.first_content_ms is None) == (case.expected["first_content"] is None)
    assert _plain(answer) == case.expected["answer"]


@pytest.mark.parametrize("case", BODIES, ids=lambda case: f"{case.wire}-{case.name}")
def test_a_whole_payload_arrives_as_its_answer(case: Case, server: HTTPServer) -> None:
    data = case.file(".json").read_bytes()
    server.expect_request(ANYTHING).respond_with_data(data, content_type="application/json")

    outcome = sent(case, server)

    if not complete(case):
        assert outcome.answer is None
        return
    assert outcome.answer is not None
    assert outcome.answer.first_content_ms is None
    assert _plain(outcome.answer) == case.expected["answer"]


def test_the_key_is_a_header_and_no_part_of_the_address(server: HTTPServer) -> None:
    server.expect_request(ANYTHING).respond_with_json({"error": {"message": "no"}}, 400)

    for wire in ("openai-chat", "openai-responses", "anthropic", "gemini"):
        sent(Case(wire, "none", {}), server)

    requests = [request for request, _ in server.log]
    assert len(requests) == 4
    assert all(KEY not in request.url for request in requests)
    assert all(any(KEY in value for _, value in request.headers) for request in requests)
    assert {request.headers["Connection"] for request in requests} == {"close"}


def _plain(answer: Answer) -> dict[str, Any]:
    return told(replace(answer, latency_ms=None, first_content_ms=None, connection=None))
