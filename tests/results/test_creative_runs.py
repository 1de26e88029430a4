"""Runs of EQ-Bench's creative writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results import load

from .strategies import write_json

if TYPE_CHECKING:
    from pathlib import Path


def test_seeds_make_prompts_and_iterations_make_samples(tmp_path: Path) -> None:
    """The judge's scores are kept; a response that is missing is an error."""

    def task(**results: Any) -> dict[str, Any]:
        return {"prompt_id": "7", "base_prompt": "Write of <SEED>.", "results_by_modifier": results}

    dust = {"model_response": "Dust.", "judge_scores": {"Coherent": 15.0}}
    runs = {
        "r": {
            "test_model": "v/m",
            "judge_model": "j",
            "creative_tasks": {
                "1": {"7": task(dust=dust, rain={"model_response": None})},
                "2": {"7": task(dust=dust)},
            },
        }
    }
    found = load(write_json(tmp_path, "runs.json", runs))

    assert [each.id for each in found.models] == ["v/m"]
    assert [each.text for each in found.prompts] == ["Write of dust.", "Write of rain."]
    assert [(each.text, each.flags, each.sample) for each in found.replies] == [
        ("Dust.", [], 1),
        ("", ["error"], None),
        ("Dust.", [], 2),
    ]
    assert found.replies[0].extra["judge_scores"] == {"Coherent": 15.0}
    assert found.unknown["creative r"]["judge_model"] == "j"


def test_a_seed_without_a_result_is_a_prompt_without_a_reply(tmp_path: Path) -> None:
    """It was asked for."""
    task = {"prompt_id": "7", "base_prompt": "Of <SEED>.", "seed_modifiers": ["dust", "rain"]}
    task |= {"results_by_modifier": {"rain": {"model_response": "Rain."}}}
    found = load(
        write_json(tmp_path, "a.json", {"r": {"test_model": "m", "creative_tasks": {"1": {"7": task}}}})
    )

    assert [(each.id, each.text) for each in found.prompts] == [
        ("7-dust", "Of dust."),
        ("7-rain", "Of rain."),
    ]
    assert [each.prompt for each in found.replies] == ["7-rain"]
