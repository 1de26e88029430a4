"""The real files of every form: each reads with the counts of their list, or is refused for its note's reason."""

from __future__ import annotations

import csv
import json
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from stylekl.errors import StyleklError
from stylekl.results import load

if TYPE_CHECKING:
    from pathlib import Path

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

# where the list counts something else than the prompts and models that the file itself holds
COUNTED = {
    # the fortieth of its lines is cut in the middle
    "dirty/truncated.jsonl": (1, 39),
    # six rows of six turns, as its `turn_id` counts them; its JSON says "turns": 6, and is one judgment of all of them
    "ejentum_eval/agentvsagent_ev0/agentvsagent_ev0.csv": (2, 6),
    "ejentum_eval/agentvsagent_ev0/agentvsagent_ev0.json": (2, 1),
    # one row: the list counts the two turns of its conversation
    "lmsys_55k/train.synthetic.csv": (2, 1),
    # 75 rows of 75 questions: five of the benchmark's eighty are not there
    "mt_bench/model_judgment/gpt-4_pair.jsonl": (2, 75),
    # every row names the same model
    "mt_bench/model_judgment/gpt-4_single.jsonl": (1, 80),
    # 60 lines of 60 questions
    "mt_bench_ja/question.jsonl": (0, 60),
    # two lines that ask one prompt under two system prompts
    "openai_batch/openai_doc_*.jsonl": (1, 1),
    # one event of sampling in four lines
    "openai_evals/excerpt.jsonl": (1, 1),
    # 500 conversations that begin with 52 different messages
    "sharegpt/dummy_conversation.json": (1, 52),
    # 50 lines of 50 questions each, of which the list counts 30
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


def test_what_the_list_counts_otherwise_is_so_in_the_files(shared: Path) -> None:
    """Counted from the lines themselves, without a reader."""
    folder = shared / "data" / "formats"

    def lines(path: str) -> list[dict[str, Any]]:
        text = (folder / path).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line.strip()]

    for path in sorted((folder / "speechmap").glob("*/*.jsonl")):
        assert len({row["question"] for row in lines(str(path))}) == 50
    pairs, singles = (lines(f"mt_bench/model_judgment/gpt-4_{form}.jsonl") for form in ("pair", "single"))
    talks = json.loads((folder / "sharegpt" / "dummy_conversation.json").read_text(encoding="utf-8"))
    events = [row.get("type") for row in lines("openai_evals/excerpt.jsonl")]
    asked = [row["body"]["messages"][-1]["content"] for row in lines("openai_batch/openai_doc_input.jsonl")]

    assert len({row["question_id"] for row in pairs}) == 75
    assert {row["model"] for row in singles} == {"phi-3-dpo"}
    assert len({row["turns"][0] for row in lines("mt_bench_ja/question.jsonl")}) == 60
    assert (len(talks), len({talk["conversations"][0]["value"] for talk in talks})) == (500, 52)
    assert events.count("sampling") == 1
    assert (len(asked), len(set(asked))) == (2, 1)
