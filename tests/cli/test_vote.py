"""Voting as a user does: at a terminal, with keys. Nothing sleeps; the tests wait for what the screen shows."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from wcwidth import wcswidth

from stylekl.gather.vote_file import votes_of
from tests.gather import voting

from .keyboard import AtKeyboard
from .made import HOSTILE, sample
from .run import call, run

NAMES = re.compile("Ash|Birch|Cedar|Elm|ash|birch|cedar|elm")


def plain_results(**more: Any) -> dict[str, Any]:
    """Return results whose replies do not name their models."""
    made = voting.results() | more
    for place, row in enumerate(made["replies"]):
        row["text"] = f"Reply number {place}.\n\nIts second line."
    return made


def words(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())


def saved(path: str = "results.json") -> dict[str, Any]:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def test_a_battle_is_blind_until_the_vote(tmp_path) -> None:
    """No name before it, both after it, no score at any time; the vote says what was on the screen."""
    path = voting.write(tmp_path, plain_results())
    with AtKeyboard("vote", path, "--seed", "3") as user:
        before = user.wait("[q] quit")
        assert not NAMES.search(before)
        for key in ("A is better", "B is better", "both weak", "both good", "skip"):
            assert key in before
        user.press("a")
        after = user.wait("You chose A.")
        told = re.search(r"A was (\w+); B was (\w+)\.", after)
        assert told
        assert not re.search(r"\d ?%|Elo|score|rank", after)
        user.press(" ")
        user.wait(lambda text: "Battle 2" in text and not NAMES.search(text))
        user.press("q")
        code, err = user.end()
        assert (code, err, user.put_back) == (0, "", True)
        assert words(user.text).startswith("1 vote cast; ")
    (vote,), (session,) = saved(path)["votes"], saved(path)["sessions"]
    left, right = (name.lower() for name in told.groups())
    assert {vote["a"], vote["b"]} == {left, right}
    assert (vote["shown_left"], vote["pick"], vote["source"]) == (left, "left", "arena")
    assert (session["id"], session["seed"], session["source"]) == (vote["session"], 3, "arena")
    texts = {(r["model"], r["prompt"]): r["text"].split("\n")[0] for r in saved(path)["replies"]}
    shown = re.search(r"A (Reply number \d+\.) +B (Reply number \d+\.)", before)
    assert shown
    assert shown.groups() == (texts[left, vote["prompt"]], texts[right, vote["prompt"]])


@pytest.mark.parametrize(
    ("key", "pick", "said"),
    [
        ("b", "right", "You chose B."),
        ("W", "both_weak", "You found both weak."),
        ("g", "both_good", "You found both good."),
    ],
)
def test_each_key_casts_its_vote(tmp_path, key, pick, said) -> None:
    path = voting.write(tmp_path, plain_results())
    with AtKeyboard("vote", path) as user:
        user.wait("[q] quit")
        user.press(key)
        user.wait(said)
        user.press("q")
        user.end()
    assert [vote["pick"] for vote in saved(path)["votes"]] == [pick]


def test_skipping_shows_another_battle_and_casts_nothing(tmp_path) -> None:
    path = voting.write(tmp_path, plain_results())
    with AtKeyboard("vote", path) as user:
        first = user.wait("[q] quit")
        user.press("s")
        second = user.wait("Battle 2")
        assert first.splitlines()[3:] != second.splitlines()[3:]
        user.press("q")
        assert user.end()[0] == 0
    assert "votes" not in saved(path)


def test_a_vote_is_on_the_disk_before_the_next_key_and_survives_kill_9(tmp_path) -> None:
    """The next run counts it, and puts it into the file."""
    path = voting.write(tmp_path, plain_results())
    before = Path(path).read_bytes()
    with AtKeyboard("vote", path) as user:
        for number in (1, 2, 3):
            user.wait("[s] skip")
            user.press("a")
            user.wait("You chose A.")
            user.press("\r")
            user.wait(f"Battle {number + 1}")
        user.process.send_signal(signal.SIGKILL)
        assert user.end()[0] == -signal.SIGKILL
    assert Path(path).read_bytes() == before
    told = run("vote", path, "--status")
    assert (told.code, told.err) == (0, "")
    assert "holds 3 votes, arena 3. 3 votes of a run that was cut short are now in it." in words(told.out)
    assert len(saved(path)["votes"]) == 3
    assert "cut short" not in run("vote", path, "--status").out


@pytest.mark.parametrize("how", ["key", "SIGINT", "SIGTERM"])
def test_ctrl_c_saves_puts_the_terminal_back_and_says_where_to_resume(tmp_path, how) -> None:
    """Within a second, exit code 130."""
    path = voting.write(tmp_path, plain_results())
    with AtKeyboard("vote", path) as user:
        user.wait("[s] skip")
        user.press("b")
        user.wait("You chose B.")
        start = time.monotonic()
        if how == "key":
            user.press("\x03")
        else:
            user.process.send_signal(getattr(signal, how))
        code, err = user.end()
        assert time.monotonic() - start < 1.0
        assert (code, err, user.put_back) == (130, f"resume: stylekl vote {path}\n", True)
    assert len(saved(path)["votes"]) == 1


def test_a_terminal_that_is_closed_loses_no_vote(tmp_path) -> None:
    path = voting.write(tmp_path, plain_results())
    with AtKeyboard("vote", path) as user:
        user.wait("[s] skip")
        user.press("g")
        user.wait("You found both good.")
        user.process.send_signal(signal.SIGHUP)
        user.end()
    assert len(saved(path)["votes"]) == 1


def test_long_replies_scroll(tmp_path) -> None:
    made = plain_results()
    for row in made["replies"]:
        row["text"] = "\n".join(f"line {number}" for number in range(1, 61))
    with AtKeyboard("vote", voting.write(tmp_path, made)) as user:
        top = user.wait("lines 1–")
        assert "line 60" not in top
        user.press(" ")
        user.wait(lambda text: "lines 1–" not in text and "lines" in text)
        for _ in range(5):
            user.press("\x1b[6~")
        assert "[q] quit" in user.wait("line 60")
        user.press("\x1b[H")
        user.wait("lines 1–")
        user.press("\x1bOB")
        user.wait("lines 2–")
        user.press("\x1b[1;5A")
        user.wait("lines 1–")
        user.press("q")
        assert user.end()[0] == 0


@pytest.mark.parametrize("columns", [20, 40, 72, 80, 200])
def test_every_width_holds_the_screen(tmp_path, columns) -> None:
    """Wide characters too; no row is wider than the terminal, and all keys are there."""
    made = plain_results()
    for row in made["replies"]:
        row["text"] = "文字化け、" * 40 + "\n\n" + "👩‍👩‍👧 family " * 9 + "\n\n    indented"
    with AtKeyboard("vote", voting.write(tmp_path, made), columns=columns) as user:
        user.wait("quit")
        user.press("w")
        text = user.wait("[space] next")
        assert "文字" in text or columns < 40
        user.press("q")
        assert user.end()[0] == 0
    rows = re.findall(r"\x1b\[\d+;1H([^\x1b]*(?:\x1b\[[0-9;]*m[^\x1b]*)*)", user.sent.decode())
    assert rows
    for row in rows:
        assert wcswidth(re.sub(r"\x1b\[[0-9;]*m", "", row).rstrip("\r\n")) <= columns


def test_only_what_changes_is_written_again(tmp_path) -> None:
    """After a vote the replies, which stay, cost nothing: for a slow line."""
    made = plain_results()
    for row in made["replies"]:
        row["text"] = "word " * 100
    with AtKeyboard("vote", voting.write(tmp_path, made)) as user:
        user.wait("[q] quit")
        first = len(user.sent)
        user.press("a")
        user.wait("[space] next")
        assert first > 1000
        assert len(user.sent) - first < 600
        assert "word" not in user.sent[first:].decode()
        user.press("q")
        user.end()


def test_another_size_draws_anew(tmp_path) -> None:
    with AtKeyboard("vote", voting.write(tmp_path, plain_results())) as user:
        user.wait("[q] quit")
        user.resize(60, 30)
        user.wait(lambda text: re.search(r"^B Reply", text, re.MULTILINE))
        user.press("q")
        assert user.end()[0] == 0


def test_without_colour_and_in_ascii_the_screen_says_the_same(tmp_path) -> None:
    path = voting.write(tmp_path, plain_results())
    with AtKeyboard("vote", path, env={"NO_COLOR": "1", "PYTHONIOENCODING": "ascii"}) as user:
        user.wait("[q] quit")
        user.press("a")
        user.wait("A was ")
        user.press("q")
        user.end()
    assert not re.search(rb"\x1b\[[0-9;]*m", user.sent)
    assert user.sent.isascii()


def test_nothing_in_a_file_acts_on_the_terminal(tmp_path) -> None:
    """Replies, prompts and names full of escape sequences: what is sent holds none but our own."""
    made = plain_results()
    for place, row in enumerate(made["replies"]):
        row["text"] = "\n".join(HOSTILE[place % 15 :] + HOSTILE[:3])
    for place, row in enumerate(made["prompts"]):
        row["text"] = HOSTILE[place % 15] + row["text"]
    for place, row in enumerate(made["models"]):
        row["name"] = HOSTILE[place] + row["id"]
    with AtKeyboard("vote", voting.write(tmp_path, made), rows=50) as user:
        for number in range(1, 7):
            user.wait(f"Battle {number} ")
            user.wait("[s] skip")
            user.press("a")
            user.wait("You chose A.")
            user.press(" ")
        user.wait("Battle 7")
        user.press("q")
        user.end()
    ours = rb"\x1b\[(?:\d+;1H|K|2J|H|\?1049[hl]|\?25[hl]|[0-9;]*m)"
    left = re.sub(ours, b"", user.sent).decode()
    assert not re.findall("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff]", left)


def test_votes_on_the_sample_go_to_a_file_of_the_user_s(tmp_path) -> None:
    target = str(tmp_path / "mine.json")
    with AtKeyboard("vote", "-o", target, "--models", "smollm2-terse, smollm2-lists") as user:
        user.wait("[s] skip")
        user.press("a")
        user.wait("SmolLM2")
        user.press("q")
        assert user.end()[0] == 0
    (vote,) = saved(target)["votes"]
    assert (vote["a"], vote["b"]) == ("smollm2-lists", "smollm2-terse")
    assert len(saved(target)["replies"]) == len(sample()["replies"])


def test_what_cannot_be_voted_on_is_refused(tmp_path) -> None:
    lines = voting.write(tmp_path, '{"model": "a", "prompt": "x", "response": "y"}\n' * 2, "plain.jsonl")
    path = voting.write(tmp_path, plain_results(), "some.json")
    for arguments, said in (
        (("vote", path), "voting needs a terminal"),
        (("vote",), "no results file given"),
        (("vote", lines), "not a file that votes can be written into"),
        (("vote", path, "--consent", "x"), "--consent belongs to a panel"),
        (("vote", "--panel", path), "not a plan of sessions"),
    ):
        done = call(*arguments)
        assert (done.code, done.out) == (2, "")
        assert said in done.err
        assert done.err.count("\n") == 2
    with AtKeyboard("vote", path, env={"TERM": "dumb"}) as user:
        code, err = user.end()
        assert (code, user.sent) == (2, b"")
        assert "cannot move its cursor" in err
    with AtKeyboard("vote", path, "--models", "ahs") as user:
        code, err = user.end()
        assert code == 2
        assert 'error: "ahs" is no model of this file' in err
    assert not votes_of(lines).exists()


# A paced session takes its time: 1.4 seconds a line. Two pairs of two lines are the shortest that shows everything.


def short_plan(folder: Path, consent: bool = True) -> str:
    """Write a plan of one fight and one instructed check, each with one line a side."""
    made = voting.results(("ash", "birch"), ("p01", "p02"))
    for row in made["replies"]:
        row["text"] = f"Only line of {row['prompt']}."
    battery = voting.write(folder, voting.battery(("p01", "p02")), "two.yaml")
    text = voting.write(folder, "You read two pairs.\n\nYou may leave.", "consent.txt")
    plan = str(folder / "plan.json")
    done = call(
        *(
            "plan",
            "sessions",
            battery,
            "-n",
            "2",
            "--results",
            voting.write(folder, made),
            "--each",
            "2",
            "-o",
            plan,
        ),
        *("--fights", "1", "--plain", "0", "--least", "1", "--most", "1", "--code", "SEEN-IT"),
        *(("--consent", text) if consent else ()),
    )
    assert done.code == 0, done.err
    content = json.loads(Path(plan).read_text())
    content["instructed"] = ["Please choose this reply."]
    content["calibration"] = content["calibration"][:5]
    Path(plan).write_text(json.dumps(content))
    return plan


def read_sentences(user: AtKeyboard) -> None:
    """Agree, and press enter at every sentence."""
    assert "You may leave." in user.wait("[y] I agree")
    user.press("y")
    user.wait("[enter] show the first sentence")
    for number in range(1, 6):
        user.press("\r")
        user.wait(f"sentence {number} of 5")
    user.press("\r")
    first = user.wait("[enter] show the replies")
    assert "Pair 1 of 2" in first
    assert "Only line" not in first


def interrupted_session(plan: str) -> tuple[dict[str, Any], str]:
    """Read one pair, mark a line, choose Neither, then B, and leave with Ctrl-C; return the file and stderr."""
    with AtKeyboard("vote", "--panel", plan, "--participant", "reader-17") as user:
        read_sentences(user)
        user.press("\r")
        user.wait("A    Only line of")
        start = time.monotonic()
        user.press(" ")
        user.wait("A  * Only line of")
        user.wait("B    Only line of")
        assert time.monotonic() - start > 1.2
        user.wait("[n] Neither")
        assert not NAMES.search(user.text)
        user.press("n")
        user.wait("If you had to choose one?")
        user.press("b")
        user.wait("Pair 2 of 2")
        start = time.monotonic()
        user.press("\x03")
        code, err = user.end()
        assert time.monotonic() - start < 1.0
        assert (code, user.put_back) == (130, True)
        assert "unfinished: 1 of 2 pairs answered" in words(user.text)
    return saved(str(Path(plan).parent / "results.json")), err


def test_a_paced_session_is_interrupted_resumed_and_finished(tmp_path) -> None:
    """Consent, reading speed, a fight, Ctrl-C; then the instructed check and the completion code."""
    plan = short_plan(tmp_path)
    content, err = interrupted_session(plan)
    (session,), (vote,) = content["sessions"], content["votes"]
    assert (session["finished"], session["too_fast"]) == (False, True)
    assert err.startswith("resume: stylekl vote --panel ")
    assert err.endswith(f" --session {session['id']}\n")
    assert (vote["pick"], vote["forced_pick"], vote["source"]) == ("neither", "right", "panel")
    (mark,) = vote["marks"]
    assert (mark["side"], mark["line"], mark["laugh_after_reveal"]) == ("left", 1, False)
    assert 0 <= mark["laugh_ms_after_reveal"] < 1400
    assert "reader-17" not in Path(tmp_path / "results.json").read_text()

    with AtKeyboard("vote", "--panel", plan, "--participant", "reader-17", columns=40) as user:
        user.wait("[y] I agree")
        user.press("y")
        user.wait("Pair 2 of 2")
        user.press("\r")
        user.wait("[n] Neither")
        user.press("b")
        user.wait("SEEN-IT")
        user.press("\r")
        code, err = user.end()
        assert (code, err, user.put_back) == (0, "", True)
        assert "Completion code: SEEN-IT" in words(user.text)
    content = saved(str(tmp_path / "results.json"))
    (session,) = content["sessions"]
    assert (session["finished"], session["attention_instructed_pass"]) == (True, True)
    assert [vote.get("check") for vote in content["votes"]] == [None, "instructed"]
    assert "2 sessions, 1 finished, 0 unfinished." in words(call("vote", "--panel", plan, "--status").out)
    with AtKeyboard("vote", "--panel", plan, "--session", session["id"]) as user:
        code, err = user.end()
        assert (code, "is finished" in err) == (2, True)


def test_without_consent_nothing_starts_and_nothing_is_kept(tmp_path) -> None:
    plan = short_plan(tmp_path, consent=False)
    done = call("vote", "--panel", plan)
    assert done.code == 2
    assert "consent" in done.err
    with AtKeyboard("vote", "--panel", plan, "--consent", str(tmp_path / "consent.txt")) as user:
        user.wait("[n] I do not agree")
        user.press("n")
        code, err = user.end()
        assert (code, err, user.put_back) == (0, "", True)
    assert "sessions" not in saved(str(tmp_path / "results.json"))


def test_ctrl_c_before_consent_keeps_the_session_free(tmp_path) -> None:
    plan = short_plan(tmp_path)
    with AtKeyboard("vote", "--panel", plan) as user:
        user.wait("[y] I agree")
        user.press("\x03")
        code, err = user.end()
        assert (code, err) == (130, f"resume: stylekl vote --panel {plan}\n")
    assert "sessions" not in saved(str(tmp_path / "results.json"))
