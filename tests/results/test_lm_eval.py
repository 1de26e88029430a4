"""The samples that lm-eval logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import InputError, RecordError
from stylekl.results import load

from .strategies import write_json, write_lines

if TYPE_CHECKING:
    from pathlib import Path

DATE = "2026-01-05T10-00-00.123456"


def sample(number: int, *texts: Any, **changes: Any) -> dict[str, Any]:
    arguments = {"gen_args_0": {"arg_0": f"Q{number}?", "arg_1": {"until": []}}}
    return {
        "doc_id": number,
        "doc": {},
        "arguments": arguments,
        "resps": [list(texts)],
        "filtered_resps": list(texts)[:1],
        "filter": "none",
    } | changes


def test_the_folder_names_the_model_and_every_response_is_a_sample(tmp_path: Path) -> None:
    """With a slash for two low lines; the name in the results file is kept beside it."""
    write_json(tmp_path, f"v__m/results_{DATE}.json", {"model_name": "local"})
    found = load(
        write_lines(tmp_path, f"v__m/samples_task_{DATE}.jsonl", sample(0, "A.", "B."), sample(1, ""))
    )

    assert [(each.id, each.requested) for each in found.models] == [("v/m", "local")]
    assert [(each.text, each.sample, each.flags) for each in found.replies] == [
        ("A.", 1, []),
        ("B.", 2, []),
        ("", None, ["empty"]),
    ]
    assert found.replies[0].extra["doc_id"] == 0


def test_the_results_file_names_the_model_where_the_folder_does_not(tmp_path: Path) -> None:
    write_json(tmp_path, f"out/results_{DATE}.json", {"model_name": "v/m"})

    assert load(write_lines(tmp_path, f"out/samples_t_{DATE}.jsonl", sample(0, "A."))).models[0].id == "v/m"


def test_a_sample_counts_once_whatever_the_filters(tmp_path: Path) -> None:
    """What another filter made of it is kept."""
    rows = sample(0, "A."), sample(0, "A.", filter="strict", filtered_resps=["[invalid]"])
    (reply,) = load(write_lines(tmp_path, "m/s.jsonl", *rows)).replies

    assert reply.extra["filters"][0]["filtered_resps"] == ["[invalid]"]


@pytest.mark.parametrize(
    "arguments",
    [
        [["Q0?", {"until": []}]],
        {"gen_args_0": {"arg_0": '[{"role": "user", "content": "Q0?"}]'}},
        {"gen_args_0": {"arg_0": ['[{"role": "user", "content": "Q0?"}]']}},
    ],
)
def test_prompts_are_found_in_older_and_in_chat_arguments(arguments: Any, tmp_path: Path) -> None:
    found = load(write_lines(tmp_path, "m/s.jsonl", sample(0, "A.", arguments=arguments), sample(1, "B.")))

    assert [each.text for each in found.prompts] == ["Q0?", "Q1?"]


def test_what_holds_no_text_is_refused(tmp_path: Path) -> None:
    """Likelihoods, and the scores of a run."""
    choice = sample(0, ["-0.1", "False"])
    scores = {"results": {}, "configs": {}, "versions": {}, "n-shot": {}}

    with pytest.raises(InputError, match="line 1: a task of multiple choice"):
        load(write_lines(tmp_path, "m/a.jsonl", choice, choice))
    with pytest.raises(InputError, match="scores of lm-eval without replies"):
        load(write_json(tmp_path, "m/results.json", scores))


def test_a_sample_without_arguments_is_named(tmp_path: Path) -> None:
    broken = {key: value for key, value in sample(1, "B.").items() if key != "arguments"}
    with pytest.raises(RecordError, match="line 2: field arguments"):
        load(write_lines(tmp_path, "m/s.jsonl", sample(0, "A."), broken))


def test_the_only_results_file_names_the_model_whatever_its_date(tmp_path: Path) -> None:
    """Of two nothing is taken."""
    write_json(tmp_path, "one/results_x.json", {"model_name": "v/m"})
    for name in ("x", "y"):
        write_json(tmp_path, f"two/results_{name}.json", {"model_name": "v/m"})
    models = [
        load(write_lines(tmp_path, f"{folder}/samples_t_{DATE}.jsonl", sample(0, "A."))).models[0].id
        for folder in ("one", "two")
    ]

    assert models == ["v/m", "two"]
