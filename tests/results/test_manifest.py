"""The real files of every form: each reads with the counts of their list, or is refused for its note's reason."""

from __future__ import annotations

import csv
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from stylekl.errors import StyleklError
from stylekl.results import load

if TYPE_CHECKING:
    from pathlib import Path

NOT_YET = {
    "inspect/*.eval",
    "llm/*.db",
    "parquet/*",
    "promptfoo/*.csv",
}

REFUSED = {
    "*.md": "not JSON",
    "alpaca_eval/leaderboard/*": "not a form that stylekl reads: a table with the columns",
    "freeflow_traces/_published/*.tsv": "not a form that stylekl reads: a table with the columns",
    "dirty/empty_file_gpt-4_pair.jsonl": "the file is empty",
    "dirty/everything.jsonl": "line 11: field generator: expected text, found nothing",
    "dirty/git_lfs_pointer_kimi-k3.jsonl": "a Git LFS pointer",
    "dirty/latin1.csv": "not UTF-8",
    "lm_eval/*/results_*": "scores of lm-eval without replies",
    "lm_eval/*/samples_stylechoice_*": "likelihoods and no text",
}

# where the list counts otherwise than the file: conversations, topics or the prompts of other files
COUNTED = {
    "alpaca_eval/annotations/text_davinci_001.alpaca_eval_gpt4.json": (2, 804),
    "dirty/truncated.jsonl": (1, 39),
    "ejentum_eval/agentvsagent_ev0/agentvsagent_ev0.csv": (2, 6),
    "ejentum_eval/agentvsagent_ev0/agentvsagent_ev0.json": (2, 0),
    "ejentum_eval/medical-second-opinion/verdict.json": (2, 0),
    "eqbench/creative_bench_runs.synthetic.json": (1, 1),
    "lmsys_55k/train.synthetic.csv": (2, 1),
    "mt_bench/model_judgment/gpt-4_pair.jsonl": (2, 0),
    "mt_bench/model_judgment/gpt-4_single.jsonl": (1, 0),
    "mt_bench_ja/question.jsonl": (0, 60),
    "openai_batch/openai_doc_*.jsonl": (1, 1),
    "openai_evals/excerpt.jsonl": (1, 1),
    "sharegpt/dummy_conversation.json": (1, 52),
    "speechmap/analysis/*": (1, 50),
    "speechmap/questions/*": (0, 50),
    "speechmap/us_criticism/*": (1, 50),
    "speechmap/zh_china_criticism/*": (1, 50),
}


def _named(path: str, patterns: object) -> str | None:
    return next((each for each in patterns if fnmatch(path, each)), None)  # type: ignore[attr-defined]


def test_every_listed_file_reads_or_is_refused_for_its_reason(shared: Path) -> None:
    """All that differs is shown at once."""
    folder = shared / "data" / "formats"
    with (folder / "MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    differing = []
    for row in rows:
        path = row["path"]
        if _named(path, NOT_YET):
            continue
        refused, counted = _named(path, REFUSED), _named(path, COUNTED)
        expected = COUNTED[counted] if counted else (int(row["n_models"]), int(row["n_prompts"]))
        try:
            found = load(folder / path)
        except StyleklError as error:
            if refused is None or REFUSED[refused] not in error.message:
                differing.append(f"{path}: {error.message}")
        else:
            if refused is not None or (len(found.models), len(found.prompts)) != expected:
                differing.append(f"{path}: {len(found.models)} models, {len(found.prompts)} prompts")

    assert differing == []
    assert len(rows) > 150
