"""Made results, batteries and plans for the tests of votes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

MODELS = ("ash", "birch", "cedar", "elm")
PROMPTS = tuple(f"p{number:02}" for number in range(1, 19))


def reply(model: str, prompt: str, **more: Any) -> dict[str, Any]:
    text = f"What {model} says to {prompt}.\nA second line of {model}.\n\nAnd the third, about {prompt}."
    return {"model": model, "prompt": prompt, "text": text} | more


def results(models: tuple[str, ...] = MODELS, prompts: tuple[str, ...] = PROMPTS) -> dict[str, Any]:
    return {
        "format": "stylekl/1",
        "models": [{"id": model, "name": model.title()} for model in models],
        "prompts": [{"id": prompt, "text": f"Say something about {prompt}."} for prompt in prompts],
        "replies": [reply(model, prompt) for model in models for prompt in prompts],
    }


def battery(
    prompts: tuple[str, ...] = PROMPTS, retired: tuple[str, ...] = (), version: int = 1, **fields: Any
) -> str:
    lines = [
        "id: trees",
        f"version: {version}",
        *(f"{name}: {value}" for name, value in fields.items()),
        "prompts:",
    ]
    for prompt in (*prompts, *retired):
        lines += [f"  - id: {prompt}", f"    text: Say something about {prompt}."]
        if prompt in retired:
            lines.append("    retired: {on: 2026-01-05, why: nobody chose}")
    return "\n".join(lines) + "\n"


def write(folder: Path, content: Any = None, name: str = "results.json") -> str:
    path = folder / name
    path.write_text(
        content if isinstance(content, str) else json.dumps(content or results()), encoding="utf-8"
    )
    return str(path)
