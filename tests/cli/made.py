"""Results files for the tests: the sample and parts of it, and files made to be large or hostile."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import lens_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SAMPLE = Path(__file__).parents[2] / "data" / "sample.json"
THREE = ("smollm2-plain", "smollm2-plain-again", "smollm2-lists")
DATES = ("smollm2@2026-01-05", "smollm2@2026-02-02", "smollm2@2026-03-02")
WORDS = re.findall(
    r"\w+",
    "the a of to and is it in that was for on are with as at be this have from or one had by word but not what "
    "all were we when your can said there use an each which she do how their if will up other about out many",
)
# What text may do to a terminal, to a reader, and to rich.
HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\x1b]52;c;aGk=\x07clip",
    "\x1b]8;;http://x\x1b\\link",
    "\x1b]0;title",
    "\x9b31mcsi",
    "back\x08\x08cr\rnul\x00",
    "abc\u202edef\u2066",
    "zero\u200bwidth\ufeff",
    "tag\U000e0041\U000e007f",
    "line\u2028sep",
    "[/] [b]bold[/b]",
    "[link=file:///x]y[/link]",
    ":smile: 文字 👩‍👩‍👧",
    "new\nline\ttab | cell",
    "<img src=x> `code`",
)


@cache
def _sample() -> str:
    return SAMPLE.read_text(encoding="utf-8")


def sample(models: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the shipped sample, with these models only where some are named."""
    whole: dict[str, Any] = json.loads(_sample())
    if models is not None:
        wanted = set(models)
        whole["models"] = [model for model in whole["models"] if model["id"] in wanted]
        whole["replies"] = [reply for reply in whole["replies"] if reply["model"] in wanted]
    return whole


def dated() -> dict[str, Any]:
    """Return three writers of the sample as one model on three dates: the same at first, then writing lists."""
    results = sample(THREE)
    dates = dict(zip(THREE, DATES, strict=True))
    results["models"] = [{"id": dates[model["id"]]} for model in results["models"]]
    results["replies"] = [reply | {"model": dates[reply["model"]]} for reply in results["replies"]]
    return results


def newer() -> dict[str, Any]:
    """Return the three writers asked again: one gave new replies, one writes lists now, one gave the same replies."""
    results = sample(THREE)
    again, lists = (
        {reply["prompt"]: reply for reply in results["replies"] if reply["model"] == model}
        for model in THREE[1:]
    )
    taken = {THREE[0]: again, THREE[1]: lists, THREE[2]: lists}
    results["replies"] = [
        taken[reply["model"]][reply["prompt"]] | {"model": reply["model"]} for reply in results["replies"]
    ]
    return results


def panel() -> str:
    """Return a battery of the prompts of the sample."""
    rows = [f"  - {{id: {row['id']}, text: {json.dumps(row['text'])}}}" for row in sample()["prompts"]]
    return "\n".join(["id: panel", "version: 1", "prompts:", *rows]) + "\n"


# A text to attribute, which one writer of the sample could have written.
REPLY = """**A walk in the rain**

- **When:** After lunch, before it gets dark
- **Where:** The path along the river
- **Bring:** An umbrella and a small towel

**What to wear**

- **Coat:** One with a hood
- **Shoes:** Boots that keep the water out
- **Bring:** A pair of dry socks

**Afterwards**

- Put the kettle on
- Dry the dog
- Hang up the coat
"""


def one_word() -> dict[str, Any]:
    """Return three writers' answers to three one-word questions under three conditions, with times and tokens.

    One follows what it is told, one stays with no, one answers in sentences; times and tokens differ by writer.
    """
    conditions = {
        "control": None,
        "asserted": "A {subject} counts as a soup.",
        "denied": "A {subject} does not.",
    }
    said = {
        THREE[0]: {"control": "Yes.", "asserted": "Yes.", "denied": "No."},
        THREE[1]: dict.fromkeys(conditions, "No."),
        THREE[2]: dict.fromkeys(conditions, "- It depends on the bowl."),
    }
    soups = {"soup-cereal": "bowl of cereal", "soup-smoothie": "smoothie", "soup-fondue": "fondue"}
    replies = [
        {
            "model": model,
            "prompt": prompt,
            "condition": condition,
            "sample": sample,
            "text": text,
            "latency_ms": 400.0 * place + 10 * sample,
            "first_content_ms": 300.0 * place + 10 * sample,
            "usage": {"input": 20, "output": 2 + len(text) // 4, "total": 22 + len(text) // 4},
        }
        for place, (model, answers) in enumerate(said.items(), 1)
        for prompt in soups
        for condition, text in answers.items()
        for sample in (1, 2, 3)
    ]
    return {
        "format": "stylekl/1",
        "models": [{"id": model} for model in said],
        "prompts": [
            {
                "id": name,
                "text": f"Does a {soup} count as a soup? One word.",
                "kind": "one_word",
                "topic": "soup",
            }
            for name, soup in soups.items()
        ],
        "conditions": [
            {"id": name} | ({} if system is None else {"system": system})
            for name, system in conditions.items()
        ],
        "replies": replies,
    }


# What the examples of help and documentation read, besides the sample.
EXAMPLES: dict[str, Callable[[], dict[str, Any]]] = {
    "results.json": sample,
    "dated.json": dated,
    "old.json": lambda: sample(THREE),
    "new.json": newer,
    "words.json": one_word,
    "votes.json": lens_files.votes,
    "choices.json": lens_files.choices,
    "judgments.json": lens_files.judgments,
    "asked-again.json": lens_files.dated_choices,
}


def provide(arguments: Iterable[str], *, folder: Path | None = None) -> None:
    """Write the files among `arguments` that examples read."""
    if "models.yaml" in arguments or "judge" in arguments:
        for name in ("battery.yaml", "models.yaml"):
            template = files("stylekl") / "gather" / "templates" / name
            ((folder or Path()) / name).write_bytes(template.read_bytes())
    if "panel.yaml" in arguments:
        ((folder or Path()) / "panel.yaml").write_text(panel(), encoding="utf-8")
    if "reply.txt" in arguments:
        ((folder or Path()) / "reply.txt").write_text(REPLY, encoding="utf-8")
    for name in EXAMPLES.keys() & set(arguments):
        write(EXAMPLES[name](), name, folder=folder)


def write(results: Any, name: str = "r.json", *, folder: Path | None = None) -> str:
    """Write JSON into the folder of the test and return its name there."""
    path = (folder or Path()) / name
    path.write_text(json.dumps(results), encoding="utf-8")
    return str(path)


def rows(models: Sequence[str], prompts: int = 20, words: int = 40) -> list[dict[str, str]]:
    """Return replies of each model, every one with its own mixture of common words."""
    found = []
    for place, model in enumerate(models):
        chance = random.Random(place)
        weights = [chance.random() ** 2 for _ in WORDS]
        for prompt in range(prompts):
            text = " ".join(chance.choices(WORDS, weights, k=words))
            found.append({"model": model, "prompt": f"prompt {prompt}", "response": f"{text}."})
    return found
