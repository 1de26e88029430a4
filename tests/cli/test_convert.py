"""`stylekl convert`: what it writes and says, and what it refuses."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from stylekl.results import load
from tests.cli.run import call, run

ROWS = [
    {"model": "m", "prompt": "One?", "response": "A", "seed": 5, "note": "kept"},
    {"model": "m", "prompt": "Two?", "response": "B", "seed": 6},
    {"model": "n", "prompt": "One?", "response": "C"},
]


def write(name: str = "r.jsonl") -> str:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return name


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".json.gz", ".jsonl.gz"])
def test_any_file_becomes_a_results_file_that_becomes_itself(suffix: str) -> None:
    first = call("convert", write(), "-o", f"a{suffix}")
    second = call("convert", f"a{suffix}", "--output", f"b{suffix}")

    assert (first.code, first.out, second.code) == (0, "", 0)
    assert Path(f"a{suffix}").read_bytes() == Path(f"b{suffix}").read_bytes()
    assert load(f"a{suffix}") == load("r.jsonl")


def test_it_says_what_it_read_and_wrote_and_where_the_rest_went() -> None:
    done = call("convert", write(), "-o", "a.json")

    assert done.err.splitlines()[0].startswith("read 1 file: ")
    assert done.err.splitlines()[1:] == [
        "wrote a.json: 2 models, 2 prompts, 3 replies",
        "kept in extra: seed (2), note (1)",
    ]
    assert call("convert", "r.jsonl", "-o", "b.json", "--quiet").err == ""


def test_nothing_that_is_there_is_replaced_without_force() -> None:
    write()
    Path("a.json").write_text("precious")
    refused = call("convert", "r.jsonl", "-o", "a.json")

    assert (refused.code, Path("a.json").read_text()) == (2, "precious")
    assert (
        refused.err == "error: a.json: exists already\nhint: name another file, or replace it with --force\n"
    )
    assert call("convert", "r.jsonl", "-o", "a.json", "--force").code == 0
    assert len(load("a.json").replies) == 3


def test_what_is_read_is_never_replaced() -> None:
    before = Path(write()).read_bytes()
    done = call("convert", "r.jsonl", "-o", "./r.jsonl", "--force")

    assert (done.code, Path("r.jsonl").read_bytes()) == (2, before)
    assert "is one of the files that are read" in done.err


def test_a_name_that_says_another_form_is_refused() -> None:
    done = call("convert", write(), "-o", "a.csv")

    assert (done.code, Path("a.csv").exists()) == (2, False)
    assert "a results file ends in .json or .jsonl" in done.err


def test_standard_output_and_input_pass_it_on() -> None:
    write()
    first = run("convert", "r.jsonl", "-o", "-")
    second = run("convert", "-", "-o", "-", "-q", input=first.out.encode())

    assert (first.code, second.code, second.err) == (0, 0, "")
    assert first.out == second.out
    assert "wrote standard output: 2 models" in first.err
    assert json.loads(first.out)["format"] == "stylekl/1"


def test_a_file_that_cannot_be_read_leaves_nothing_behind() -> None:
    Path("bad.json").write_bytes(gzip.compress(b"{")[:-6])
    done = call("convert", "bad.json", "-o", "a.json")

    assert done.code == 2
    assert [path.name for path in Path().iterdir()] == ["bad.json"]


def test_names_and_forms_are_told_as_to_every_command() -> None:
    write()
    done = call("convert", "r.jsonl", "-o", "a.json", "--format", "plain_lines", "--rename", "m=main")

    assert done.code == 0, done.err
    assert {model.id for model in load("a.json").models} == {"main", "n"}
