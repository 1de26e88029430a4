"""Results files for the tests: the sample and parts of it, and files made to be large or hostile."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SAMPLE = Path(__file__).parents[2] / "data" / "sample.json"
THREE = ("smollm2-plain", "smollm2-plain-again", "smollm2-lists")
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
