"""The runs file of EQ-Bench's creative writing: runs by name, in each the tasks of every iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stylekl.results.readers.completion import Said
from stylekl.results.readers.conversation import Asked
from stylekl.results.readers.recording import Recording, kept

if TYPE_CHECKING:
    from stylekl.results.document import Document
    from stylekl.results.records import Results

name = "creative_runs"
describe = "EQ-Bench creative writing runs (test_model, creative_tasks)"
_SEED = "<SEED>"


def recognise(document: Document) -> bool:
    """Whether the file is one object of runs, each with a model and creative tasks."""
    first = document.first
    return (
        document.kind == "object"
        and isinstance(first, dict)
        and bool(first)
        and all(
            isinstance(run, dict) and {"test_model", "creative_tasks"} <= run.keys() for run in first.values()
        )
    )


def read(document: Document) -> Results:
    """Return a reply for each task and seed of every iteration; the judge's scores stay under `extra`.

    The prompt is the task's with its seed put in; a seed without a result is a prompt without a reply. Raises
    RecordError for a task without a prompt.
    """
    recording = Recording(document)
    number = 0
    for label, run in document.value.items():
        model = recording.model(recording.text(1, run, "test_model"))
        for iteration, tasks in _items(run["creative_tasks"]):
            for place, task in _items(tasks):
                base = recording.text(1, task, "base_prompt")
                seeds = task.get("seed_modifiers")
                for seed in seeds if isinstance(seeds, list) else []:  # asked for, whatever came of it
                    if isinstance(seed, str):
                        wanted = f"{task.get('prompt_id', place)}-{seed}"
                        recording.prompt(base.replace(_SEED, seed), wanted)
                for seed, result in _items(task.get("results_by_modifier")):
                    number += 1
                    text = result.get("model_response")
                    said = Said(text) if isinstance(text, str) else Said("", ["error"])
                    extra = kept(result, "model_response") | kept(task, "base_prompt", "results_by_modifier")
                    extra |= {"run": label, "iteration": iteration, "seed": seed}
                    recording.record(
                        number,
                        model,
                        Asked(base.replace(_SEED, seed)),
                        said,
                        wanted=f"{task.get('prompt_id', place)}-{seed}",
                        extra=extra,
                    )
        recording.results.unknown[f"creative {label}"] = kept(run, "creative_tasks")
    return recording.done()


def _items(value: Any) -> list[tuple[str, dict[str, Any]]]:
    if not isinstance(value, dict):
        return []
    return [(key, item) for key, item in value.items() if isinstance(item, dict)]
