"""Token counts in one form, and stop reasons in our words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.gather.wire import WIRES, stops
from stylekl.gather.wire.usage import count, normal, reasoning_included
from tests.gather.wires import writer

COUNTS = st.integers(0, 10_000)
DOCUMENTED = st.sampled_from([True, False, None])


@given(COUNTS, COUNTS, st.integers(1, 10_000), DOCUMENTED)
def test_the_sum_decides_over_what_is_documented(
    prompt: int, output: int, reasoning: int, said: bool | None
) -> None:
    assert reasoning_included(prompt, output, reasoning, prompt + output + reasoning, said) is False
    assert reasoning_included(prompt, output, reasoning, prompt + output, said) is True


@given(COUNTS, COUNTS, st.integers(1, 10_000), st.none() | COUNTS, DOCUMENTED)
def test_where_no_sum_holds_the_documents_decide(
    prompt: int, output: int, reasoning: int, total: int | None, said: bool | None
) -> None:
    if total in (prompt + output, prompt + output + reasoning):
        total = None
    assert reasoning_included(prompt, output, reasoning, total, said) is said


@given(COUNTS, COUNTS, st.sampled_from([0, None]), DOCUMENTED)
def test_without_reasoning_tokens_the_documents_decide(
    prompt: int, output: int, reasoning: int | None, said: bool | None
) -> None:
    assert reasoning_included(prompt, output, reasoning, prompt + output, said) is said


def test_the_published_case_of_reasoning_outside() -> None:
    assert reasoning_included(10_120, 1_499, 2_809, 14_428, True) is False


@pytest.mark.parametrize("value", [None, "3", -1, 1.5, True, False, [], {}, float("inf"), float("nan")])
def test_what_is_no_count_is_null_and_never_zero(value: object) -> None:
    assert count(value) is None


@given(COUNTS)
def test_a_count_is_itself(value: int) -> None:
    assert value == count(value) == count(float(value))


def test_no_object_is_no_usage_and_the_raw_one_is_untouched() -> None:
    assert normal({}, prompt=1, output=2) is None
    raw = {"a": {"b": [1, None, "x"]}}
    usage = normal(raw, prompt=None, output=None)
    assert usage is not None
    assert usage.raw is raw


@given(st.none() | COUNTS, st.none() | COUNTS, st.none() | COUNTS)
def test_anthropic_s_input_is_new_and_read_and_written_together(
    new: int | None, read: int | None, written: int | None
) -> None:
    raw = {
        "input_tokens": new,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
        "output_tokens": 1,
    }
    usage = WIRES["anthropic"].whole({"type": "message", "stop_reason": "end_turn", "usage": raw}).usage

    assert usage is not None
    assert usage.cached == read
    assert usage.input == (None if new is None else new + (read or 0) + (written or 0))


def test_anthropic_s_raw_counts_are_those_of_both_events_together() -> None:
    stream = WIRES["anthropic"].Stream()
    start = {
        "type": "message_start",
        "message": {"usage": {"input_tokens": 5, "output_tokens": 1, "tier": "x"}},
    }
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    stream.event("message_start", json.dumps(start))
    early = stream.answer().usage
    stream.event("message_delta", json.dumps(end | {"usage": {"input_tokens": None, "output_tokens": 9}}))
    late = stream.answer().usage

    assert early is not None
    assert late is not None
    assert early.raw == {"input_tokens": 5, "output_tokens": 1, "tier": "x"}
    assert late.raw == {"input_tokens": 5, "output_tokens": 9, "tier": "x"}
    assert (early.output, late.output) == (None, 9)


@pytest.mark.parametrize(
    ("provider", "quirks", "known"),
    [
        ("openai", {}, True),
        ("xai", {}, False),
        ("example", {}, None),
        ("openai", {"reasoning_included": None}, None),
    ],
)
def test_what_a_provider_documents_is_used_where_its_sum_cannot_tell(
    provider: str, quirks: dict[str, None], known: bool | None
) -> None:
    body = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}}
    usage = WIRES["openai-chat"].whole(body, writer(provider=provider, quirks=quirks)).usage
    assert usage is not None
    assert usage.reasoning_included is known


TABLE = {
    "stop": "stop end_turn stop_sequence STOP completed",
    "length": "length max_tokens max_output_tokens MAX_TOKENS model_context_window_exceeded",
    "refusal": "refusal",
    "filter": "content_filter SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII",
    "tool": "tool_calls function_call tool_use MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL",
    "other": "pause_turn OTHER MALFORMED_RESPONSE cancelled max_messages steered incomplete unheard_of",
}


@pytest.mark.parametrize(
    ("theirs", "ours"), [(raw, ours) for ours, words in TABLE.items() for raw in words.split()]
)
def test_each_word_of_each_provider_has_one_of_ours(theirs: str, ours: str) -> None:
    assert ours == stops.ours(theirs)


@given(st.text())
def test_no_other_word_is_ever_stop(word: str) -> None:
    assert stops.ours(word) in (None, "other") or any(
        word.lower() in words.lower().split() for words in TABLE.values()
    )


@pytest.mark.parametrize("nothing", [None, "", "null", "FINISH_REASON_UNSPECIFIED"])
def test_no_word_is_no_stop(nothing: str | None) -> None:
    assert stops.ours(nothing) is None


@pytest.mark.parametrize(
    ("routed", "native", "ours"),
    [
        ("stop", "end_turn", "stop"),
        ("stop", "MAX_TOKENS", "length"),
        ("stop", "refusal", "refusal"),
        ("stop", "SAFETY", "filter"),
        ("stop", "unheard_of", "stop"),
        ("stop", None, "stop"),
        ("length", "stop", "length"),
        ("content_filter", "stop", "filter"),
        ("content_filter", "refusal", "refusal"),
        (None, "STOP", "stop"),
        (None, None, None),
    ],
)
def test_a_router_s_stop_hides_no_cut_and_no_refusal_behind_it(
    routed: str | None, native: str | None, ours: str | None
) -> None:
    assert ours == stops.settled(routed, native)


def test_a_filter_that_is_no_refusal_is_none() -> None:
    assert not any(map(stops.declines, ("RECITATION", "LANGUAGE", "stop", "other", None)))
    assert all(map(stops.declines, ("content_filter", "SAFETY", "refusal", "PROHIBITED_CONTENT")))
