"""A real model behind a real server, asked over three wire formats; then the questions that stylekl is for.

`scripts/test --real` runs this: it makes the environment of the server and names its Python in STYLEKL_REAL.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.run import environment, run

if TYPE_CHECKING:
    from collections.abc import Iterator

PYTHON = os.environ.get("STYLEKL_REAL")
pytestmark = pytest.mark.skipif(
    not PYTHON, reason="no real model here: `scripts/test --real` fetches one and runs this"
)
WIRES = {"chat": "openai-chat", "responses": "openai-responses", "messages": "anthropic"}
WRITING = """
id: eight
version: 1
instruction: Use at most 40 words.
length: {max: 40, tolerance: 1.0, over_length: ask_again}
cap: 160
prompts:
"""
ASKED = (
    *("What is rain?", "Why is the sky dark at night?", "How do I boil an egg?", "What should I read next?"),
    *("Describe a quiet street.", "What makes bread rise?", "Why do cats purr?", "How does a bell ring?"),
)


@contextmanager
def model() -> Iterator[str]:
    """Run the server for the length of a block; yield its address."""
    script = Path(__file__).with_name("serve_model.py")
    with subprocess.Popen(
        [str(PYTHON), str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith("listening "):
                    break
            else:
                pytest.fail("the server of the model ended before it listened")
            yield line.split()[1]
        finally:
            process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Collect the one-word battery and eight prompts, once, over all three wire formats."""
    place = tmp_path_factory.mktemp("real")
    prompts = "".join(f"  - {{id: w{n}, text: '{text}'}}\n" for n, text in enumerate(ASKED, 1))
    (place / "eight.yaml").write_text(WRITING.lstrip() + prompts)
    with model() as url:
        writers = "".join(
            f"  - {{id: {name}, name: SmolLM2 {name}, provider: local, wire: {wire}, base_url: '{url}',"
            f" requested: SmolLM2-135M-Instruct}}\n"
            for name, wire in WIRES.items()
        )
        (place / "models.yaml").write_text(f"models:\n{writers}")
        for battery, name in (("eight.yaml", "eight.json"), ("one-word", "words.json")):
            command = ("collect", battery, "--models", "models.yaml", "-o", name)
            done = stylekl(*command, folder=place)
            assert done.returncode == 0, done.stderr
    return place


def stylekl(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stylekl", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=1800,
        check=False,
    )


def replies(folder: Path, name: str) -> list[dict[str, Any]]:
    return json.loads((folder / name).read_text())["replies"]


def test_every_question_is_answered_once_over_each_wire(folder: Path) -> None:
    for name, each in (("eight.json", 8), ("words.json", 27)):
        found = Counter(reply["model"] for reply in replies(folder, name))
        assert found == dict.fromkeys(WIRES, each)
        identities = {
            (r["model"], r["prompt"], r.get("condition"), r["sample"]) for r in replies(folder, name)
        }
        assert len(identities) == 3 * each


def test_what_the_wires_say_of_a_reply_is_recorded(folder: Path) -> None:
    for reply in replies(folder, "eight.json") + replies(folder, "words.json"):
        assert reply["text"].strip() or "empty" in reply["flags"]
        assert "error" not in reply.get("flags", [])
        assert reply["version"] == "SmolLM2-135M-Instruct"
        assert reply["connection"] == "new"
        assert reply["usage"]["input"] > 0
        assert reply["usage"]["output"] > 0
        assert reply["usage"]["raw"]
        assert reply["request_id"]
        if reply["text"]:
            assert 0 < reply["first_content_ms"] <= reply["latency_ms"]


def test_the_wires_count_the_same_input(folder: Path) -> None:
    """The same prompt has as many tokens over each wire, cached ones included."""
    counts: dict[str, set[int]] = {}
    for reply in replies(folder, "eight.json"):
        counts.setdefault(reply["prompt"], set()).add(reply["usage"]["input"])

    assert [len(found) for found in counts.values()] == [1] * 8


def test_a_reply_that_the_cap_cuts_is_flagged_where_the_server_says_so(folder: Path) -> None:
    """llama.cpp's responses say "completed" for those too; the other two wires tell."""
    for reply in replies(folder, "eight.json"):
        if reply["model"] != "responses":
            cut = reply["usage"]["output"] >= reply["max_output_tokens"]
            assert ("truncated" in reply.get("flags", [])) == cut


@pytest.mark.parametrize(
    "command",
    [
        ("check", "eight.json"),
        ("check", "words.json"),
        ("matrix", "eight.json"),
        ("pair", "chat", "messages", "eight.json"),
        ("focus", "chat", "eight.json"),
        ("matrix", "eight.json", "--json"),
        ("verdicts", "words.json"),
        ("matrix", "words.json", "--by", "verdicts"),
        ("pair", "chat", "messages", "words.json", "--by", "verdicts"),
        ("focus", "chat", "words.json", "--by", "verdicts"),
        ("findings", "words.json", "--by", "verdicts"),
        ("rank", "words.json", "--by", "verdicts"),
    ],
)
def test_the_commands_take_what_was_collected(command: tuple[str, ...], folder: Path) -> None:
    done = run(*command, cwd=folder)

    assert done.code == 0, done.err
    assert done.out


def test_every_one_word_answer_is_counted_under_its_condition(folder: Path) -> None:
    """Three models, three questions, three conditions, three samples; times and tokens were measured."""
    done = run("verdicts", "words.json", "--json", cwd=folder)
    cells = json.loads(done.out)["data"]["cells"]

    assert len(cells) == 27
    for cell in cells:
        assert cell["samples"] + cell["failed"] == cell["asked"] == 3
        assert cell["yes"] + cell["no"] + cell["other"] == cell["samples"]
        assert (cell["majority"] is None) == (cell["samples"] == 0)
        if cell["samples"]:
            assert 0 < cell["latency_ms"]["min"] <= cell["latency_ms"]["median"]
            assert cell["output_tokens"]["median"] > 0
            assert cell["cost"] is None  # nobody has said what this machine costs


def test_the_leaderboard_ranks_all_three_writers_within_the_edition(folder: Path) -> None:
    done = run("rank", "words.json", "--by", "verdicts", "--json", cwd=folder)
    data = json.loads(done.out)["data"]

    assert {each["model"] for each in data["standings"]} == set(WIRES)
    assert data["edition"]["mock"] is False
    for each in data["standings"]:
        assert 0 <= each["composite"] <= 1
        assert each["region"]
        assert set(each["sensitivity"]) == {"asserted", "denied"}


def test_collecting_again_asks_nothing(folder: Path) -> None:
    """The server is gone: a call would fail."""
    before = (folder / "eight.json").read_bytes()

    done = stylekl("collect", "eight.yaml", "--models", "models.yaml", "-o", "eight.json", folder=folder)

    assert (done.returncode, "nothing to ask" in done.stdout) == (0, True)
    assert (folder / "eight.json").read_bytes() == before
