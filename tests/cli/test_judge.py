"""`stylekl judge` as a user runs it, and what the other commands then say."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.gather.fake import Provider, Reply, provider, said
from tests.gather.test_judge import DIMENSIONS, prefers_longer, verdict

from .made import sample, write
from .run import call

if TYPE_CHECKING:
    from collections.abc import Iterator

TWO = ("smollm2-plain", "smollm2-lists")
JUDGE = ("judge", "r.json", "--a", TWO[0], "--b", TWO[1], "--judge", "ref")


@pytest.fixture
def server() -> Iterator[Provider]:
    with provider() as found:
        found.answer = prefers_longer
        yield found


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Provider) -> None:
    monkeypatch.chdir(tmp_path)
    whole = sample(TWO)
    kept = {row["id"] for row in whole["prompts"][:12]}
    whole["replies"] = [row | {"flags": []} for row in whole["replies"] if row["prompt"] in kept]
    write(whole)
    Path("models.yaml").write_text(
        "models:\n"
        f"  - {{id: ref, provider: local, base_url: '{server.url}', requested: m, family: other,\n"
        "     price: {input: 1, output: 2, currency: USD, read: 2026-01-05}}\n"
        f"  - {{id: umpire, provider: local, base_url: '{server.url}', requested: n, family: third}}\n"
        f"  - {{id: kin, provider: local, base_url: '{server.url}', requested: k, family: SmolLM2}}\n"
    )


def judgments(path: str = "r.json") -> list[dict[str, object]]:
    return json.loads(Path(path).read_text())["judgments"]


def test_judging_writes_into_the_results_file_and_again_asks_nothing(server: Provider) -> None:
    done = call(*JUDGE, "--both-orders")
    asked = len(server.asked)

    assert (done.code, asked, len(judgments())) == (0, 24, 24)
    assert "24 questions answered, 24 of 24 in all, about USD" in done.out
    assert "ref: 24 judgments" in done.out
    again = call(*JUDGE, "--both-orders")
    assert (again.code, len(server.asked)) == (0, asked)
    assert "nothing to ask" in again.out


@pytest.mark.parametrize("flag", ["--dry-run", "--show-package"])
def test_nothing_is_asked_or_written_where_only_looking_is_asked_for(server: Provider, flag: str) -> None:
    before = sorted(os.listdir())
    done = call(*JUDGE, flag)

    assert (done.code, server.asked, sorted(os.listdir())) == (0, [], before)
    assert "12 questions to ask" in done.out or len(json.loads(done.out)) == 12


def test_what_show_package_prints_is_what_is_sent(server: Provider) -> None:
    shown = json.loads(call(*JUDGE, "--show-package", "--seed", "4").out)
    call(*JUDGE, "--seed", "4")

    assert sorted(json.dumps(each["body"], sort_keys=True) for each in shown) == sorted(
        json.dumps(each.body, sort_keys=True) for each in server.asked
    )
    for each in shown:
        assert "smollm2" not in json.dumps(each).casefold()


def test_several_judges_and_another_file_and_every_pair(server: Provider) -> None:
    done = call("judge", "r.json", "--all-pairs", "--judges", "ref,umpire", "-o", "out.json")

    assert done.code == 0, done.err
    assert len(judgments("out.json")) == 24
    assert "judgments" not in json.loads(Path("r.json").read_text())
    assert len(json.loads(Path("out.json").read_text())["replies"]) == len(
        json.loads(Path("r.json").read_text())["replies"]
    )
    said_by = call("pair", *TWO, "out.json", "--by", "judgments", "--json")
    assert said_by.code == 0, said_by.err
    data = json.loads(said_by.out)["data"]["lenses"]["judgments"]
    assert [row["judge"] for row in data["judges"]] == ["ref", "umpire"]
    assert data["agreement"][0]["value"] == 1.0


@pytest.mark.parametrize(
    "command",
    [
        ("pair", *TWO, "r.json"),
        ("focus", TWO[0], "r.json"),
        ("matrix", "r.json"),
        ("rank", "r.json"),
        ("findings", "r.json"),
    ],
)
def test_the_other_commands_read_what_was_judged(command: tuple[str, ...]) -> None:
    call(*JUDGE, "--both-orders")
    for form in ((), ("--json",), ("--csv",)):
        if command[0] == "findings" and form == ("--csv",):
            continue
        done = call(*command, "--by", "judgments", *form)

        assert (done.code, bool(done.out)) == (0, True), done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("judge", "r.json", "--judge", "ref"), "two models are to be named"),
        (("judge", "r.json", "--all-pairs"), "no judge is named"),
        (("judge", "r.json", "--all-pairs", "--judge", "reff"), '"reff"'),
        (("judge", "r.json", "--a", TWO[0], "--b", "smollm2-plane", "--judge", "ref"), "smollm2-plane"),
        (("judge", "r.json", "--a", TWO[0], "--b", TWO[0], "--judge", "ref"), "the same model"),
        (
            ("judge", "r.json", "--all-pairs", "--a", TWO[0], "--judge", "ref"),
            "--all-pairs judges every pair",
        ),
        ((*JUDGE, "--prompt", "nowhere"), "nowhere"),
        ((*JUDGE, "--rubric", "absent.yaml"), "no such file"),
        ((*JUDGE[:-1], "kin"), "of the family that it is to judge"),
    ],
)
def test_what_cannot_be_meant_is_said_and_nothing_is_asked(
    server: Provider, words: tuple[str, ...], message: str
) -> None:
    done = call(*words)

    assert (done.code, done.out, server.asked) == (2, "", [])
    assert message in done.err
    assert "hint:" in done.err


def test_the_same_family_may_judge_where_that_is_said() -> None:
    done = call(*JUDGE[:-1], "kin", "--allow-same-family")

    assert done.code == 0, done.err
    assert "kin judges its own family" in done.err
    assert "kin judges its own family" in call("rank", "r.json", "--by", "judgments").err


def test_a_second_run_is_compared_with_the_first(server: Provider) -> None:
    call(*JUDGE)
    flips = iter(range(100))

    def other(asked: object) -> Reply:
        turn = next(flips)
        if turn < 3:
            return Reply(said(verdict(3, 3, "tie")))
        return prefers_longer(asked)  # type: ignore[arg-type]

    server.answer = other
    before = json.loads(Path("r.json").read_text())
    del before["judgments"], before["collection"]
    write(before, "again.json")
    done = call("judge", "again.json", *JUDGE[2:], "--against", "r.json")

    assert done.code == 0, done.err
    assert "against the earlier run, 12 judgments in both: same bytes 9, other verdict 3" in done.out


def test_replies_that_are_no_judgment_are_counted_and_nothing_is_lost(server: Provider) -> None:
    server.answer = lambda _: Reply(said("Both replies are very good."))
    done = call(*JUDGE)

    assert done.code == 0
    assert "ref: 0 judgments; 12 replies invalid (no_json 12)" in done.out
    assert all(row["raw"] == "Both replies are very good." for row in judgments())
    assert len(server.asked) == 24
    assert call("rank", "r.json", "--by", "judgments").code == 2


def test_a_file_of_another_form_wants_an_output(server: Provider) -> None:
    rows = [{"model": model, "prompt": "Why?", "response": f"{model} says."} for model in ("one", "two")]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("judge", "rows.jsonl", "--all-pairs", "--judge", "ref")

    refused = call(*words)
    assert (refused.code, "-o" in refused.err) == (2, True)
    assert call(*words, "-o", "judged.json").code == 0
    assert len(judgments("judged.json")) == 1
    assert len(DIMENSIONS) == 5
