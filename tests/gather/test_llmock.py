"""A provider with faults, by other hands, that grades how its client took them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.gather.keys import Secret

from .fake import QUICK as IMPATIENT
from .fake import battery, collect, writer

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = {"openai-chat": "", "anthropic": "/v1", "gemini": "/v1beta"}  # which the providers' clients add
MODELS = {"openai-chat": "gpt-4o-mini", "anthropic": "claude-haiku-4-5", "gemini": "gemini-2.5-flash"}
WIRES = {"openai-chat": "openai", "anthropic": "anthropic", "gemini": "gemini"}


def faults(mock: Any, provider: str) -> dict[str, Any]:
    return {
        "rate limit": lambda: mock.rate_limit(times=2, retry_after=0.05, provider=provider),
        "server error": lambda: mock.fail(500, times=1, provider=provider),
        "overloaded": lambda: mock.fail(529, times=1, retry_after=0.05, provider=provider),
        "disconnect": lambda: mock.disconnect(after_chunks=1, provider=provider),
        "truncate": lambda: mock.truncate(after_chunks=1, provider=provider),
        "corrupt": lambda: mock.corrupt(after_chunks=1, provider=provider),
    }


@pytest.mark.parametrize("fault", faults(None, ""))
@pytest.mark.parametrize("wire", WIRES)
def test_a_fault_is_taken_as_a_client_should(wire: str, fault: str, llmock: Any, tmp_path: Path) -> None:
    """Asked again, after the wait that was asked for, and nothing of a broken answer is kept."""
    llmock.reply("The first answer is this one, in some words.", times=None)
    faults(llmock, WIRES[wire])[fault]()
    url = llmock.base_url(WIRES[wire]) + VERSIONS[wire]

    one = writer(url, wire=wire, requested=MODELS[wire], key="MOCK_KEY")
    results, ended = collect(
        tmp_path, one, what=battery(2), keys={"one": Secret("llmock-test-key")}, patience=IMPATIENT
    )

    assert [reply.text for reply in results.replies] == ["The first answer is this one, in some words."] * 2
    assert {tuple(reply.flags) for reply in results.replies} == {()}
    assert sum(tally.retried for tally in ended.tallies.values()) == (2 if fault == "rate limit" else 1)
    llmock.assert_resilient()
