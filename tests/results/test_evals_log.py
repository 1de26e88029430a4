"""Logs of OpenAI evals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stylekl.errors import RecordError
from stylekl.results import load

from .strategies import write_lines

if TYPE_CHECKING:
    from pathlib import Path

SPEC = {"spec": {"completion_fns": ["m"], "run_id": "r"}}


def event(**data: object) -> dict[str, object]:
    return {"run_id": "r", "event_id": 0, "sample_id": "s.1", "type": "sampling", "data": data}


def test_every_sampled_text_is_a_reply(tmp_path: Path) -> None:
    """The prompt is a text or messages, what was sampled a text or a list; other events are kept."""
    chat = [{"role": "user", "content": "Q?"}]
    report = {"final_report": {"accuracy": 1}}
    rows = [SPEC, event(prompt="Q?", sampled="A."), event(prompt=chat, sampled=["B.", "C."]), report]
    found = load(write_lines(tmp_path, "log.jsonl", *rows))

    assert [each.id for each in found.models] == ["m"]
    assert [each.text for each in found.prompts] == ["Q?"]
    assert [each.text for each in found.replies] == ["A.", "B.", "C."]
    assert found.replies[0].extra["sample_id"] == "s.1"
    assert found.unknown == {"evals r": [SPEC, report]}


def test_of_several_completion_functions_the_one_that_answered_is_the_model(tmp_path: Path) -> None:
    """A model and its grader; an event that does not say who answered is of all."""
    spec = {"spec": {"completion_fns": ["v/m", "m-large", "judge"], "run_id": "r"}}
    models = ["m-0101", "m-large-0101", "judge", "else", None]
    rows = [event(prompt="Q?", sampled="A.", model=each) for each in models]
    found = load(
        write_lines(tmp_path, "log.jsonl", spec, *(row | {"created_at": "2026-01-05"} for row in rows))
    )

    everyone = "v/m, m-large, judge"
    assert [each.model for each in found.replies] == ["v/m", "m-large", "judge", everyone, everyone]
    assert found.replies[0].collected == "2026-01-05"


def test_an_event_without_a_prompt_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="line 2: field prompt"):
        load(write_lines(tmp_path, "log.jsonl", SPEC, event(sampled="A.")))
