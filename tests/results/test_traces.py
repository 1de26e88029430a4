"""Traces: a file for each reply, or the samples of one model in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import RecordError
from stylekl.results import load

from .strategies import write_json

if TYPE_CHECKING:
    from pathlib import Path


def sample(text: str | None = "T.", **changes: Any) -> dict[str, Any]:
    names = {"model": "v/m-0101", "model_requested": "v/m", "provider": "host"}
    return {"prompt": "P?", "condition": "LONG", "result": text} | names | changes


def test_the_folder_of_a_trace_names_the_model(tmp_path: Path) -> None:
    """The names requested and returned are kept, and what the raw answer says beside its text."""
    raw = {
        "model": "v/m-0101",
        "choices": [{"message": {"content": "T.", "reasoning": "Hm"}, "finish_reason": "stop"}],
    }
    files = [write_json(tmp_path, f"cell/LONG_{n}.json", sample(f"T{n}.", raw=raw)) for n in (1, 2)]
    found = load(*files)
    (model,) = found.models

    assert (model.id, model.requested, model.returned, model.provider) == ("cell", "v/m", "v/m-0101", "host")
    assert [(each.text, each.sample, each.stop) for each in found.replies] == [
        ("T1.", 1, "stop"),
        ("T2.", 2, "stop"),
    ]
    assert found.replies[0].extra["condition"] == "LONG"
    assert found.replies[0].extra["raw"]["choice"]["message"] == {"reasoning": "Hm"}


def test_a_failed_trace_is_an_error_of_the_model_it_names(tmp_path: Path) -> None:
    """The folder counts only for a file that is named after its condition."""
    failed = {"error": "404", "model": "v/m", "condition": "LONG", "prompt": "P?", "http_status": 404}
    found = load(write_json(tmp_path, "dirty/failed.json", failed))

    assert [each.id for each in found.models] == ["v/m"]
    assert [(each.text, each.flags) for each in found.replies] == [("", ["error"])]
    assert found.replies[0].extra["http_status"] == 404


def test_the_samples_of_a_bundle_are_of_its_model(tmp_path: Path) -> None:
    """Other routes to it stay beside the sample."""
    samples = [sample(cell="a"), sample(cell="b", model_requested="w/m"), sample(None)]
    found = load(write_json(tmp_path, "m.json", {"model": "m", "samples": samples}))

    assert [(each.id, each.requested) for each in found.models] == [("m", "v/m")]
    assert [each.sample for each in found.replies] == [1, 2, 3]
    assert found.replies[1].extra["model_requested"] == "w/m"
    assert [each.flags for each in found.replies] == [[], [], ["empty"]]


def test_a_sample_without_a_prompt_is_named(tmp_path: Path) -> None:
    bundle = {"model": "m", "samples": [sample(), sample(prompt=None)]}
    with pytest.raises(RecordError, match="sample 2: field prompt"):
        load(write_json(tmp_path, "m.json", bundle))
