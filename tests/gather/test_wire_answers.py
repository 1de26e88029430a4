"""Every payload of the fixtures becomes the answer or the error that stands beside it."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.errors import ProviderError
from stylekl.gather.wire import WIRES
from tests.gather.wires import FIXTURES, Case, cases, events, read, told

STREAMS = [case for case in cases(".sse") if "answer" in case.expected]
BROKEN_STREAMS = [case for case in cases(".sse") if "error" in case.expected]
BODIES = [case for case in cases(".json") if "answer" in case.expected]
BROKEN_BODIES = [case for case in cases(".json") if "error" in case.expected]
RAW = {"openai-chat": "usage", "openai-responses": "usage", "anthropic": "usage", "gemini": "usageMetadata"}


def named(case: Case) -> str:
    return f"{case.wire}/{case.name}"


@pytest.mark.parametrize("case", STREAMS, ids=named)
def test_a_stream_becomes_its_answer(case: Case) -> None:
    answer, first = read(case, [case.file(".sse").read_bytes()])

    assert case.expected["answer"] == told(answer), case.expected["why"]
    content = case.expected["first_content"]
    assert (content is not None) == bool(first)
    assert len(first) == bool(answer.text), "the first content comes once, and only where there is content"
    assert all(content in data for data in first)


@pytest.mark.parametrize("case", BODIES, ids=named)
def test_a_body_becomes_its_answer(case: Case) -> None:
    body = json.loads(case.file(".json").read_text("utf-8"))
    answer = WIRES[case.wire].whole(body, case.writer)

    assert case.expected["answer"] == told(answer), case.expected["why"]
    if answer.usage is not None:
        assert body[RAW[case.wire]].items() >= answer.usage.raw.items()


def check(case: Case, error: ProviderError) -> None:
    expected = dict(case.expected["error"])
    said = expected.pop("says")
    assert expected == {name: getattr(error, name) for name in expected}, case.expected["why"]
    assert said in error.message


@pytest.mark.parametrize("case", BROKEN_STREAMS, ids=named)
def test_an_error_inside_a_stream_is_an_error(case: Case) -> None:
    with pytest.raises(ProviderError) as caught:
        read(case, [case.file(".sse").read_bytes()])
    check(case, caught.value)


@pytest.mark.parametrize("case", BROKEN_BODIES, ids=named)
def test_an_error_inside_a_body_is_an_error_whatever_its_status(case: Case) -> None:
    with pytest.raises(ProviderError) as caught:
        WIRES[case.wire].whole(json.loads(case.file(".json").read_text("utf-8")), case.writer)
    check(case, caught.value)


def test_every_fixture_is_used() -> None:
    assert {case.wire for case in STREAMS} == {case.wire for case in BODIES} == set(WIRES)
    used = {case.file(suffix) for suffix in (".sse", ".json") for case in cases(suffix)}
    used |= {case.file(".expected.json") for suffix in (".sse", ".json") for case in cases(suffix)}
    assert used == {path for wire in WIRES for path in (FIXTURES / wire).iterdir()}


@settings(max_examples=150, deadline=None)
@given(case=st.sampled_from(STREAMS), data=st.data())
def test_where_the_bytes_of_a_stream_are_cut_changes_nothing(case: Case, data: st.DataObject) -> None:
    raw = case.file(".sse").read_bytes()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=40)))
    pieces = [raw[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]

    assert read(case, [raw]) == read(case, pieces)


@settings(max_examples=150, deadline=None)
@given(case=st.sampled_from(STREAMS), data=st.data())
def test_a_stream_cut_short_gives_the_beginning_of_its_text_and_never_another_stop(
    case: Case, data: st.DataObject
) -> None:
    raw = case.file(".sse").read_bytes()
    whole, _ = read(case, [raw])
    part, _ = read(case, [raw[: data.draw(st.integers(0, len(raw)))]])

    assert whole.text.startswith(part.text.rstrip("\ud83d"))
    assert part.stop in (None, whole.stop)
    if part.stop is None and part.usage is not None:
        assert (part.usage.output, part.usage.reasoning, part.usage.total) == (None, None, None)


@pytest.mark.parametrize("wire", WIRES)
@given(data=st.text())
def test_no_text_in_an_event_brings_anything_but_an_answer_or_a_provider_error(wire: str, data: str) -> None:
    stream = WIRES[wire].Stream()
    with suppress(ProviderError):
        stream.event(None, data)
    assert stream.answer().stop is None


SHAPES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
TYPES = [
    "response.completed",
    "message_delta",
    "message_start",
    "content_block_delta",
    "text",
    "error",
    "response",
]
WORDS = [
    "type",
    "object",
    "choices",
    "delta",
    "message",
    "content",
    "text",
    "finish_reason",
    "usage",
    "candidates",
]
WORDS += [
    "parts",
    "finishReason",
    "promptFeedback",
    "usageMetadata",
    "response",
    "status",
    "output",
    "error",
    "id",
]
WORDS += [
    "incomplete_details",
    "stop_reason",
    "stop_details",
    "native_finish_reason",
    "metadata",
    "reasons",
    "code",
]
KNOWN = st.sampled_from(TYPES)
OBJECTS = st.recursive(
    SHAPES | KNOWN,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6),
    max_leaves=20,
)


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=50, deadline=None)
@given(body=st.dictionaries(st.sampled_from(WORDS), OBJECTS, max_size=8))
def test_no_shape_of_an_object_brings_anything_but_an_answer_or_a_provider_error(
    wire: str, body: dict[str, object]
) -> None:
    try:
        answer = WIRES[wire].whole(body)
    except ProviderError:
        return
    assert isinstance(answer.text, str)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("body", [[], [{"error": {"code": 500}}], "text", None, 3])
def test_a_body_that_is_no_object_is_damaged(wire: str, body: object) -> None:
    with pytest.raises(ProviderError, match="no object") as caught:
        WIRES[wire].whole(body)  # type: ignore[arg-type]
    assert caught.value.retryable


def test_deeply_nested_json_is_damaged_and_no_crash() -> None:
    with pytest.raises(ProviderError, match="not JSON"):
        WIRES["openai-chat"].Stream().event(None, "[" * 200_000)


def test_comments_bring_no_event() -> None:
    assert [event.data for event in events([b": OPENROUTER PROCESSING\n\n", b"data: 1\n\n"])] == ["1"]
