"""Records of any content under the names that readers look for: they are read, or refused with a reason."""

from __future__ import annotations

import contextlib
import csv
import io
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stylekl.errors import StyleklError
from stylekl.results import Reading, load
from stylekl.text import visible

from .strategies import write, write_lines

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [
    *(
        "model",
        "prompt",
        "response",
        "text",
        "messages",
        "id",
        "prompt_id",
        "sample",
        "system",
        "topic",
        "error",
    ),
    *(
        "finish_reason",
        "instruction",
        "input",
        "output",
        "output_1",
        "output_2",
        "generator",
        "generator_1",
        "question",
    ),
    *(
        "custom_id",
        "key",
        "body",
        "params",
        "request",
        "result",
        "responses",
        "results",
        "choices",
        "provider",
        "vars",
    ),
    *(
        "doc_id",
        "doc",
        "arguments",
        "resps",
        "test_model",
        "creative_tasks",
        "condition",
        "samples",
        "raw",
        "verdict",
    ),
    *(
        "question_id",
        "judge",
        "score",
        "model_1",
        "model_2",
        "g1_winner",
        "g2_winner",
        "g1_user_prompt",
        "user_prompt",
    ),
    *(
        "a_response",
        "b_response",
        "wit_A",
        "wit_B",
        "scores",
        "v/m",
        "v/n",
        "preference",
        "candidates",
        "modelVersion",
    ),
]
TEXTS = st.sampled_from(
    [
        "",
        " ",
        "m",
        "A.",
        "[",
        "[1]",
        '["a"]',
        '[{"role": "user", "content": "Q"}]',
        '{"choices": []}',
        "A",
        "model_1",
        "7",
    ]
)
PARTS = st.sampled_from(
    ["role", "content", "type", "text", "choices", "message", "error", "raw", "A", "B", "parts", "m"]
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 12), st.just(1.5), TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PARTS, inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.dictionaries(st.sampled_from(NAMES), VALUES, min_size=1, max_size=7)
slow = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def is_read_or_refused(path: Path, **options: Any) -> None:
    """Load a file; what it raises is an error for the user."""
    try:
        found = load(path, reading=Reading(**options))
    except StyleklError:
        return
    assert {each.model for each in found.replies} <= {each.id for each in found.models}
    assert {each.prompt for each in found.replies} <= {each.id for each in found.prompts}
    assert all(isinstance(visible(each), str) for each in found.warnings)


@slow
@given(rows=st.lists(RECORDS, min_size=1, max_size=3))
def test_lines(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    is_read_or_refused(write_lines(tmp_path, "a.jsonl", *rows))


@slow
@given(
    first=RECORDS,
    columns=st.dictionaries(st.sampled_from(["model", "prompt", "reply", "models", "x"]), TEXTS),
)
def test_named_columns(first: dict[str, Any], columns: dict[str, str], tmp_path: Path) -> None:
    """Whatever is named."""
    is_read_or_refused(write_lines(tmp_path, "a.jsonl", first, first), columns=columns)


@slow
@given(
    header=st.lists(
        st.sampled_from(NAMES) | st.just("[m] {{q}}") | st.just("Status"), min_size=2, max_size=6
    ),
    cells=st.lists(st.lists(TEXTS, min_size=6, max_size=6), min_size=1, max_size=3),
)
def test_tables(header: list[str], cells: list[list[str]], tmp_path: Path) -> None:
    """Headers that come twice are columns of their own."""
    text = io.StringIO()
    csv.writer(text).writerows([header, *(row[: len(header)] for row in cells)])
    is_read_or_refused(write(tmp_path, "a.csv", text.getvalue()))


@slow
@given(first=RECORDS)
def test_a_record_that_one_reader_is_asked_to_read(first: dict[str, Any], tmp_path: Path) -> None:
    """Of every reader that is made for rows."""
    path = write_lines(tmp_path, "a.jsonl", first, first)
    for name in (
        "plain_lines",
        "wide_table",
        "reply_maps",
        "batch",
        "promptfoo",
        "lm_eval",
        "alpaca_farm",
        "traces",
    ):
        with contextlib.suppress(StyleklError):
            load(path, reading=Reading(format=name))
