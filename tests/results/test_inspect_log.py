"""Logs of Inspect in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import InputError, RecordError
from stylekl.results import load

from .strategies import write_json

if TYPE_CHECKING:
    from pathlib import Path


def sample(name: int | str, text: Any, epoch: int = 1, **changes: Any) -> dict[str, Any]:
    output = {"model": "m-0101", "choices": [{"message": {"content": text}, "stop_reason": "stop"}]}
    return {"id": name, "epoch": epoch, "input": f"Q{name}?", "messages": [], "output": output} | changes


def log(*samples: Any) -> dict[str, Any]:
    run = {"model": "v/m", "task": "t", "eval_id": "e"}
    return {"version": 2, "status": "success", "eval": run, "samples": list(samples)}


def test_epochs_are_samples_and_the_run_is_kept(tmp_path: Path) -> None:
    """Ids are numbers or texts; reasoning is no part of the text."""
    parts = [{"type": "reasoning", "reasoning": "Hm"}, {"type": "text", "text": "B."}]
    found = load(
        write_json(tmp_path, "log.json", log(sample(1, "A."), sample("p", parts), sample(1, "C.", 2)))
    )

    assert [(each.id, each.returned) for each in found.models] == [("v/m", "m-0101")]
    assert [each.id for each in found.prompts] == ["1", "p"]
    assert [(each.prompt, each.text, each.sample) for each in found.replies] == [
        ("1", "A.", 1),
        ("p", "B.", None),
        ("1", "C.", 2),
    ]
    assert found.replies[2].extra["epoch"] == 2
    assert found.unknown["inspect e"]["status"] == "success"


def test_the_system_prompt_of_the_messages_counts(tmp_path: Path) -> None:
    """The input does not hold it."""
    messages = [{"role": "system", "content": "Brief."}, {"role": "user", "content": "Q?"}]
    found = load(write_json(tmp_path, "log.json", log(sample(1, "A.", messages=messages), sample(2, "B."))))

    assert [each.system for each in found.conditions] == [None, "Brief."]


def test_a_sample_that_failed_is_flagged(tmp_path: Path) -> None:
    """Whether it has no choices or half a reply."""
    none = sample(1, "", output={"choices": []}, error={"message": "x"})
    half = sample(2, "Half", error={"message": "x"})
    found = load(write_json(tmp_path, "log.json", log(none, half)))

    assert [each.flags for each in found.replies] == [["error"], ["error"]]


def test_a_log_without_samples_and_one_without_an_input_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a log without samples \(status success\)"):
        load(write_json(tmp_path, "a.json", log()))
    with pytest.raises(RecordError, match="sample 1: field input"):
        load(write_json(tmp_path, "b.json", log(sample(1, "A.", input=None))))
