"""Scenario states of HELM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import RecordError
from stylekl.results import load

from .strategies import write_json

if TYPE_CHECKING:
    from pathlib import Path


def state(prompt: str, *texts: str, **result: Any) -> dict[str, Any]:
    completions = [{"text": text, "finish_reason": {"reason": "stop"}, "tokens": []} for text in texts]
    return {
        "instance": {"id": "id1", "input": {"text": "Q?"}},
        "request": {"model": "v/m", "model_deployment": "host/m", "prompt": prompt},
        "result": {"success": True, "completions": completions} | result,
    }


def test_a_bare_prompt_is_the_instances_and_examples_are_part_of_it(tmp_path: Path) -> None:
    """Every completion is a sample; a failed request is a reply flagged "error"."""
    states = [
        state("Q?\n", "A.", "B."),
        state("X? Y.\n\nQ?", "C."),
        state("Q?", success=False, completions=[]),
    ]
    found = load(write_json(tmp_path, "s.json", {"adapter_spec": {"model": "v/m"}, "request_states": states}))

    assert [(each.id, each.requested) for each in found.models] == [("v/m", "host/m")]
    assert [each.text for each in found.prompts] == ["Q?", "X? Y.\n\nQ?"]
    assert [(each.text, each.stop, each.flags) for each in found.replies] == [
        ("A.", "stop", []),
        ("B.", "stop", []),
        ("C.", "stop", []),
        ("", None, ["error"]),
    ]
    assert found.replies[0].extra["completion"]["tokens"] == []


def test_a_state_without_a_prompt_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="request state 1"):
        load(write_json(tmp_path, "s.json", {"adapter_spec": {"model": "m"}, "request_states": [{}]}))


def test_what_a_newer_version_says_of_a_completion_is_kept(tmp_path: Path) -> None:
    """Messages are what was sent, thinking is no part of the text, and the trial of the examples stays."""
    one = state("", "A.") | {"train_trial_index": 1}
    one["request"]["messages"] = [{"role": "system", "content": "Brief."}, {"role": "user", "content": "Q?"}]
    one["result"]["completions"][0]["thinking"] = {"text": "Hm"}
    found = load(write_json(tmp_path, "s.json", {"adapter_spec": {}, "request_states": [one]}))

    assert ([each.text for each in found.prompts], [each.text for each in found.replies]) == (["Q?"], ["A."])
    assert [each.system for each in found.conditions] == [None, "Brief."]
    assert found.replies[0].extra["completion"]["thinking"] == {"text": "Hm"}
    assert found.replies[0].extra["train_trial_index"] == 1
