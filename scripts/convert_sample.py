"""Make data/sample.json from the raw replies of the small model that wrote them.

    python scripts/convert_sample.py REPLIES.jsonl WRITERS.json data/sample.json

The output depends on the two inputs alone.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from stylekl.results import Model, Prompt, Reply, Results, save

PLAIN = "smollm2-plain"
BASE = "SmolLM2-135M-Instruct"
HOW = {
    "smollm2-plain": "nothing before the prompt",
    "smollm2-plain-again": "nothing before the prompt; differs from smollm2-plain in its seeds only",
}


def main(replies: str, writers: str, target: str) -> None:
    """Convert the replies and the description of their writers, and save the results at `target`."""
    rows = [
        json.loads(line) for line in Path(replies).read_text(encoding="utf-8").split("\n") if line.strip()
    ]
    about = json.loads(Path(writers).read_text(encoding="utf-8"))
    prompts = {row["prompt_id"]: row for row in rows}
    order = {name: place for place, name in enumerate(about["writers"])}
    rows.sort(key=lambda row: (order[row["model"]], row["prompt_id"]))
    results = Results(
        models=[_model(name, exchanges) for name, exchanges in about["writers"].items()],
        prompts=[
            Prompt(id=key, text=prompts[key]["prompt"], topic=prompts[key]["topic"], kind="open")
            for key in sorted(prompts)
        ],
        replies=[_reply(row) for row in rows],
        unknown={"provenance": _provenance(about, rows)},
    )
    save(results, target)


def _model(name: str, exchanges: list[dict[str, str]]) -> Model:
    how = HOW.get(name, f"{len(exchanges) // 2} example exchanges before every prompt")
    return Model(
        id=name,
        name=name.replace("smollm2", "SmolLM2").replace("-", " "),
        provider="llama.cpp, on one's own machine",
        family="SmolLM2",
        requested=BASE,
        returned=f"{BASE} Q4_1",
        unknown={"steered": how} | ({"exchanges": exchanges} if exchanges else {}),
    )


def _reply(row: dict[str, Any]) -> Reply:
    usage = row["usage"]
    return Reply(
        model=row["model"],
        prompt=row["prompt_id"],
        text=row["text"],
        flags=["truncated"] if row["finish_reason"] == "length" else [],
        stop=row["finish_reason"],
        collected=row["collected_at"],
        unknown={"usage": {"input": usage["prompt_tokens"], "output": usage["completion_tokens"]}},
        extra={"seed": row["seed"]},
    )


def _provenance(about: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    moments = sorted(row["collected_at"] for row in rows)
    return {
        "note": "Every reply here was written by one small model, steered into six ways of writing. The "
        "writers are named after it and how it was steered; none of them is another model.",
        "model": about["model"],
        "licence": "Apache-2.0",
        "server": "llama.cpp",
        "temperature": about["temperature"],
        "max_tokens": about["max_tokens"],
        "system_prompt": about["system_prompt"],
        "steering": about["note"],
        "prompts": "90 prompts written for stylekl",
        "collected": {"first": moments[0], "last": moments[-1]},
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
