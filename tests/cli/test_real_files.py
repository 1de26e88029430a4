"""The command on real replies, where the folder of them is there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from .run import Outcome, call

if TYPE_CHECKING:
    from pathlib import Path

SERVERS = ("vicuna-13b-v1.5", "vicuna-13b-v1.5-togetherai")  # one model, two servers
FIVE = (*SERVERS, "gpt4", "Yi-34B-Chat", "zephyr-7b-beta")
ALONE = "a comparison needs replies of two models; 1 of 1 has any"
READABLE = (
    "bom.json",
    "crlf_blank_lines.jsonl",
    "gz.jsonl.gz",
    "gz_without_extension.jsonl",
    "missing_choices_o1-preview.jsonl",
    "nul_in_reply.jsonl",
    "null_finish_reason_r1-1776.jsonl",
    "truncated.jsonl",
    "utf16.json",
)


def alpaca(shared: Path, *models: str) -> list[str]:
    return [str(shared / "data" / "alpaca_eval" / f"{model}.json.gz") for model in models]


def dirty(shared: Path) -> list[Path]:
    return sorted((shared / "data" / "formats" / "dirty").iterdir())


def data(done: Outcome) -> Any:
    assert done.code == 0
    return json.loads(done.out)["data"]


@pytest.mark.parametrize("command", [("matrix",), ("pair", "gpt-5-5", "opus-4-8"), ("focus", "kimi-k2-6")])
def test_57_models_on_five_prompts(command: tuple[str, ...], shared: Path) -> None:
    """Ten samples a prompt: the unit is the reply, and the output speaks of these prompts only."""
    path = str(shared / "data" / "freeflow_all_models.derived.jsonl.gz")
    done = call(*command, path, "--width", "120")

    assert done.code == 0
    read, warning = done.err.splitlines()
    assert read.startswith("note: read 1 file: ")
    assert warning == "warning: 5 prompts only: the result speaks of these and of no others"
    assert "5 prompts" in done.out
    assert max(map(len, done.out.splitlines())) <= 120


def test_one_model_on_two_servers_is_too_close_to_call(shared: Path) -> None:
    """The corrected divergence is within its error of 0 where the raw one is not; in both commands alike."""
    files = alpaca(shared, *FIVE)
    pair = data(call("pair", *SERVERS, *files, "--json"))["lenses"]["style"]
    among = data(call("matrix", *files, "--json"))["pairs"]
    same = next(each for each in among if (each["a"], each["b"]) == SERVERS)

    for estimate in (pair["kl_ab"], pair["kl_ba"]):
        assert estimate["low"] <= 0 <= estimate["high"]
        assert estimate["raw"] - 3 * estimate["se"] > 0
    assert pair["call"] == "too close to call"
    assert [pair[name] for name in ("kl_ab", "kl_ba", "js", "p", "q")] == [
        same[name] for name in ("kl_ab", "kl_ba", "js", "p", "q")
    ]
    assert {each["call"] for each in among if each is not same} == {"apart"}
    assert pair["prompts"] == 805


def test_a_dirty_file_is_read_or_refused(shared: Path) -> None:
    """Each ends with 0 or 2, its error in two lines, never with a traceback; beside a clean file too."""
    for path in dirty(shared):
        for others in ([], alpaca(shared, "gpt4")):
            done = call("matrix", str(path), *others)
            errors = [line for line in done.err.splitlines() if not line.startswith(("warning: ", "note: "))]

            assert done.code in (0, 2), path.name
            assert "Traceback" not in done.err
            assert [line.partition(" ")[0] for line in errors] == (["error:", "hint:"] if done.code else [])
            assert (done.code == 0) == bool(done.out)
            readable = path.name in READABLE
            assert readable == (ALONE in done.err if not others else done.code == 0), path.name


def test_a_torn_last_line_is_a_warning(shared: Path) -> None:
    """What stands before it counts."""
    path = str(shared / "data" / "formats" / "dirty" / "truncated.jsonl")
    done = call("matrix", path, *alpaca(shared, "gpt4"), "--json")

    assert f"\nwarning: {path}: line 40, the last, is cut short and left out\n" in done.err
    assert data(done)["pairs"][0]["prompts"] == 39
