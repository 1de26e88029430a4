"""`stylekl collect` as a user runs it: dry run, resuming, Ctrl-C, progress, errors."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.run import COMMAND, bare, call, environment, run

from .fake import Asked, Provider, Reply, provider, said

if TYPE_CHECKING:
    from collections.abc import Iterator

BATTERY = "id: numbers\nversion: 1\ninstruction: One sentence.\nprompts:\n" + "".join(
    f"  - {{id: p{n}, text: Say something about {n}.}}\n" for n in range(1, 21)
)
COLLECT = ("collect", "battery.yaml", "--models", "models.yaml", "-o", "results.json")


@pytest.fixture
def server() -> Iterator[Provider]:
    with provider() as found:
        yield found


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Provider) -> None:
    monkeypatch.chdir(tmp_path)
    Path("battery.yaml").write_text(BATTERY)
    price = "{input: 1, output: 2, currency: USD, read: 2026-01-05}"
    Path("models.yaml").write_text(
        "models:\n"
        f"  - {{id: one, name: Model One, provider: local, base_url: '{server.url}', requested: m, price: {price}}}\n"
        f"  - {{id: two, name: Model Two, provider: local, base_url: '{server.url}', requested: n}}\n"
    )


def replies() -> list[dict[str, object]]:
    return json.loads(Path("results.json").read_text())["replies"]


def test_a_dry_run_says_calls_and_cost_and_asks_nothing(server: Provider) -> None:
    done = call(*COLLECT, "--dry-run")

    assert (done.code, done.err) == (0, "")
    assert "40 questions to ask, 0 answered already." in done.out
    assert "At most 80 calls" in done.out
    bound = re.search(r"Cost: at most USD ([\d.]+)", done.out)
    assert bound is not None
    assert 2 * 20 * 2000 * 2 / 1e6 < float(bound[1]) < 0.18
    assert "Without a price, so not in the cost: two." in done.out
    assert server.asked == []
    assert sorted(os.listdir()) == ["battery.yaml", "models.yaml"]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_dry_run_fits_its_width(width: int) -> None:
    lines = bare(call(*COLLECT, "--dry-run", env={"COLUMNS": str(width)}).out)

    assert max(map(len, lines)) <= width


def test_collecting_writes_the_file_and_again_does_nothing(server: Provider) -> None:
    done = call(*COLLECT)

    assert (done.code, done.err) == (0, "")
    assert "40 questions answered, 40 of 40 in all, about USD" in done.out
    assert len(replies()) == len(server.asked) == 40
    before = Path("results.json").read_bytes(), os.stat("results.json").st_mtime_ns

    again = call(*COLLECT)

    assert (again.code, again.out) == (0, "nothing to ask: all 40 questions answered: results.json\n")
    assert (Path("results.json").read_bytes(), os.stat("results.json").st_mtime_ns) == before
    assert len(server.asked) == 40
    assert call("matrix", "results.json", "-q").code == 0


def test_the_results_file_comes_back_from_the_journal() -> None:
    call(*COLLECT)
    before = Path("results.json").read_bytes()
    Path("results.json").unlink()

    assert call(*COLLECT).code == 0
    assert Path("results.json").read_bytes() == before


def test_a_journal_that_is_gone_is_not_papered_over(server: Provider) -> None:
    call(*COLLECT)
    Path("results.json.journal").unlink()

    done = call(*COLLECT)

    assert done.code == 2
    assert "its journal does not know" in done.err
    assert len(server.asked) == 40


def test_only_asks_one_model_and_the_rest_later(server: Provider) -> None:
    assert call(*COLLECT, "--only", "two").code == 0
    assert {asked.body["model"] for asked in server.asked} == {"n"}
    assert call(*COLLECT).code == 0
    assert len(replies()) == len(server.asked) == 40


def test_redo_asks_again_and_says_why(server: Provider) -> None:
    call(*COLLECT)
    assert call(*COLLECT, "--redo", "p3").code == 2
    done = call(*COLLECT, "--redo", "p3", "--why", "the question was unclear")

    assert done.code == 0
    assert len(server.asked) == 42
    archive = json.loads(Path("results.json").read_text())["archive"]
    assert [(row["prompt"], row["reason"]) for row in archive] == [("p3", "the question was unclear")] * 2


def test_mock_needs_neither_keys_nor_network(server: Provider) -> None:
    text = Path("models.yaml").read_text().replace("provider: local", "provider: openai")
    Path("models.yaml").write_text(text)
    assert call(*COLLECT).code == 2

    done = call(*COLLECT, "--mock", "--samples", "3", "--period", "2026-W49")

    assert done.code == 0
    assert server.asked == []
    document = json.loads(Path("results.json").read_text())
    assert document["collection"][0]["mock"] is True
    assert len(document["replies"]) == 120
    assert {reply["period"] for reply in document["replies"]} == {"2026-W49"}


def test_a_cost_limit_stops_with_the_command_that_goes_on() -> None:
    text = Path("models.yaml").read_text()
    Path("models.yaml").write_text(text[: text.index("  - {id: two")])

    done = call(*COLLECT, "--max-cost", "0.0043", "--concurrency", "1")

    assert done.code == 1
    assert "stopped: the next call could go beyond --max-cost" in done.out
    command = (
        "stylekl collect battery.yaml --models models.yaml -o results.json --max-cost 0.0043 --concurrency 1"
    )
    assert f"resume: {command}" in done.err
    assert 0 < len(replies()) < 20


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (("--only", "three"), 'no model "three" in the models file'),
        (("--redo", "p99", "--why", "x"), 'no prompt "p99" in use in the battery'),
        (("--why", "x"), "--redo"),
        (("--max-cost", "5"), "hold"),
        (("-o", "results.txt"), "ends in .json"),
        (("-o", "none/results.json"), "folder does not exist"),
        (("--env", "none.env"), "none.env"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_asked(
    extra: tuple[str, ...], words: str, server: Provider
) -> None:
    text = Path("models.yaml").read_text().replace("requested: n", "requested: n, key: SOME_KEY")
    Path("models.yaml").write_text(text)
    words = "two" if words == "hold" else words

    done = call(*COLLECT, *extra)

    assert done.code == 2
    assert done.err.startswith("error: ")
    assert words in done.err
    assert "\nhint: " in done.err
    assert server.asked == []
    assert not Path("results.json.journal").exists()


def slow(release: threading.Event, reached: threading.Event, number: int):
    """Answer at once up to the n-th request; let that one begin and wait."""
    count = []

    def answer(asked: Asked) -> Reply:
        count.append(asked)
        if len(count) < number:
            return Reply(said("Quick."))
        reached.set()
        release.wait(20)
        return Reply(said("Late."))

    return answer


def start(*extra: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *COLLECT, *extra],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )


def test_the_first_ctrl_c_lets_what_is_in_flight_come_in_and_resumes(server: Provider) -> None:
    release, reached = threading.Event(), threading.Event()
    server.answer = slow(release, reached, 5)
    with start("--concurrency", "1") as process:
        assert reached.wait(30)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        told = process.stderr.readline().decode()
        release.set()
        rest = process.stderr.read().decode()
        assert process.wait(20) == 130
    assert "waiting for 1 in flight" in told
    assert len(replies()) == len(server.asked) == 5
    assert {reply["text"] for reply in replies()} == {"Quick.", "Late."}
    command = re.search(r"resume: stylekl (.*)", rest)
    assert command is not None

    done = run(*shlex.split(command[1]))

    assert done.code == 0
    assert len(replies()) == len(server.asked) == 40


def test_the_second_ctrl_c_leaves_at_once_and_keeps_what_came_back(server: Provider) -> None:
    release, reached = threading.Event(), threading.Event()
    server.answer = slow(release, reached, 5)
    with start("--concurrency", "1") as process:
        assert reached.wait(30)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 130
    release.set()
    assert sum('"attempt"' in line for line in Path("results.json.journal").read_text().splitlines()) == 4
    assert sorted(os.listdir()) == ["battery.yaml", "models.yaml", "results.json.journal"]

    server.answer = lambda _: Reply(said("Later."))
    assert run(*COLLECT).code == 0
    assert len(replies()) == 40
    assert len(server.asked) == 41
