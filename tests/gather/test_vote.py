"""A vote is cast blind, and once it is cast it is never lost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl import load
from stylekl.errors import StyleklError, UsageError
from stylekl.gather.ballot import ballot_of
from stylekl.gather.lines import lines_of, words_in
from stylekl.gather.vote import PICKS, Booth, session_id
from stylekl.gather.vote_file import VoteFile, votes_of
from stylekl.results.records import Model, Prompt, Results
from stylekl.results.select_votes import text_key

from . import voting

AT = "2026-11-30T12:00:00Z"


def booth_of(path: str, seed: int = 1, session: str = "arena-1") -> Booth:
    return Booth(ballot_of(load(path), seed)[0], session, AT)


def votes_in(path: str) -> list[dict]:
    return json.loads(Path(path).read_text()).get("votes", [])


def cast(file: VoteFile, number: int) -> None:
    for place in range(number):
        vote = {"id": f"v{place}", "source": "arena", "a": "ash", "b": "elm", "pick": "left", "prompt": "p01"}
        file.write({"vote": vote})


@pytest.mark.parametrize("action", sorted(PICKS))
def test_a_vote_holds_who_fought_who_stood_left_and_the_pick(tmp_path, action) -> None:
    booth = booth_of(voting.write(tmp_path))
    battle = booth.battle
    session, vote = booth.press(action, AT, 2.5)

    assert session == {
        "session": {"id": "arena-1", "source": "arena", "started": AT, "finished": True, "seed": 1}
    }
    a, b = sorted((battle.left.model, battle.right.model))
    by_model = {reply.model: reply.text for reply in (battle.left, battle.right)}
    assert vote["vote"] == {
        "id": "arena-1-0001",
        "session": "arena-1",
        "source": "arena",
        "prompt": battle.prompt.id,
        "a": a,
        "b": b,
        "shown_left": battle.left.model,
        "pick": PICKS[action],
        "pick_latency_ms": 2500,
        "cast": AT,
        "reply_a": text_key(by_model[a]),
        "reply_b": text_key(by_model[b]),
    }


def test_a_vote_stands_and_the_next_battle_waits_until_it_is_asked_for(tmp_path) -> None:
    booth = booth_of(voting.write(tmp_path))
    booth.press("a", AT, 1)
    first = booth.battle

    assert [booth.press(action, AT, 2) for action in ("a", "b", "weak", "good", "skip")] == [[]] * 5
    assert booth.battle is first
    booth.press("next", AT, 3)
    assert booth.battle is not first
    assert booth.pick is None
    (vote,) = booth.press("b", AT, 3.25)
    assert (vote["vote"]["id"], vote["vote"]["pick_latency_ms"]) == ("arena-1-0002", 250)


def test_skipping_casts_nothing(tmp_path) -> None:
    booth = booth_of(voting.write(tmp_path))
    first = booth.battle

    assert booth.press("skip", AT, 1) == []
    assert (booth.cast, booth.skipped) == (0, 1)
    assert booth.battle.two != first.two
    assert booth.press("next", AT, 1) == []


def test_sessions_of_the_arena_have_ids_of_their_own() -> None:
    assert len({session_id() for _ in range(50)}) == 50
    assert re.fullmatch(r"arena-[0-9a-f]{12}", session_id())


def test_a_vote_is_on_the_disk_before_the_next_and_in_the_file_after_merging(tmp_path) -> None:
    path = voting.write(tmp_path)
    with VoteFile(path) as file:
        cast(file, 1)
        lines = votes_of(path).read_text().splitlines()
        assert json.loads(lines[-1])["vote"]["id"] == "v0"
        assert votes_in(path) == []
        file.merge()
    assert [vote["id"] for vote in votes_in(path)] == ["v0"]


def test_merging_changes_nothing_else(tmp_path) -> None:
    made = voting.results() | {"votes": [{"id": "old", "source": "import"}], "mine": {"kept": [1]}}
    path = voting.write(tmp_path, made)
    before = load(path)
    with VoteFile(path) as file:
        cast(file, 2)
        file.merge()
    after = load(path)

    assert [vote["id"] for vote in after.other.pop("votes")] == ["old", "v0", "v1"]
    before.other.pop("votes")
    assert after == before


@pytest.mark.parametrize("name", ["r.jsonl", "r.json.gz", "r.jsonl.gz"])
def test_every_form_of_a_results_file_takes_votes(tmp_path, name) -> None:
    from stylekl.results import save

    path = str(tmp_path / name)
    save(load(voting.write(tmp_path)), path)
    with VoteFile(path) as file:
        cast(file, 2)
        file.merge()

    assert len(load(path).other["votes"]) == 2


def test_what_was_not_merged_is_merged_by_the_next_run_once(tmp_path) -> None:
    path = voting.write(tmp_path)
    with VoteFile(path) as file:
        cast(file, 3)
    assert votes_in(path) == []
    with VoteFile(path) as file:
        assert file.waiting == 3
        file.merge()
    with VoteFile(path) as file:
        assert file.waiting == 0
        file.merge()
    assert [vote["id"] for vote in votes_in(path)] == ["v0", "v1", "v2"]


def test_a_kill_between_writing_the_file_and_saying_so_doubles_nothing(tmp_path) -> None:
    path = voting.write(tmp_path)
    with VoteFile(path) as file:
        cast(file, 3)
        file.merge()
    journal = votes_of(path)
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    with VoteFile(path) as file:
        assert file.waiting == 3
        file.merge()
    assert [vote["id"] for vote in votes_in(path)] == ["v0", "v1", "v2"]


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_line_that_was_torn_is_dropped_with_a_warning(tmp_path, cut) -> None:
    path = voting.write(tmp_path)
    with VoteFile(path) as file:
        cast(file, 2)
    journal = votes_of(path)
    journal.write_bytes(journal.read_bytes()[:-cut])
    with VoteFile(path) as file:
        assert "cut short" in file.warnings[0]
        file.merge()
    assert [vote["id"] for vote in votes_in(path)] == ["v0"]


KILLED = """
import os, signal, sys
from stylekl.gather.vote_file import VoteFile
file = VoteFile(sys.argv[1])
for place in range(100):
    file.write({"vote": {"id": f"v{place}", "source": "arena"}})
    if place == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("last", [0, 7])
def test_nothing_is_lost_after_kill_9(tmp_path, last) -> None:
    path = voting.write(tmp_path)
    ended = subprocess.run([sys.executable, "-c", KILLED, path, str(last)], check=False).returncode

    assert ended == -9
    assert len(load(path).replies) == 72
    with VoteFile(path) as file:
        file.merge()
    assert [vote["id"] for vote in votes_in(path)] == [f"v{place}" for place in range(last + 1)]


def test_what_another_program_wrote_meanwhile_stays(tmp_path) -> None:
    path = voting.write(tmp_path)
    with VoteFile(path) as file:
        cast(file, 1)
        made = voting.results()
        made["replies"].append(voting.reply("ash", "p01", sample=7, text="new"))
        voting.write(tmp_path, made)
        file.merge()
    after = load(path)

    assert "new" in {reply.text for reply in after.replies}
    assert len(after.other["votes"]) == 1


def test_a_file_that_cannot_be_written_leaves_the_votes_in_the_journal(tmp_path) -> None:
    path = voting.write(tmp_path)
    with VoteFile(path) as file:
        cast(file, 1)
        Path(path).write_text("{broken")
        with pytest.raises(StyleklError) as error:
            file.merge()
        assert "the votes are safe in" in error.value.hint
    voting.write(tmp_path)
    with VoteFile(path) as file:
        file.merge()
    assert len(votes_in(path)) == 1


def test_two_votes_on_one_file_at_a_time_are_refused(tmp_path) -> None:
    path = voting.write(tmp_path)
    with VoteFile(path), pytest.raises(UsageError, match="another vote on this file is under way"):
        VoteFile(path)


def test_a_later_record_takes_the_place_of_an_earlier_one(tmp_path) -> None:
    path = voting.write(tmp_path)
    for finished in (False, True):
        with VoteFile(path) as file:
            file.write({"session": {"id": "s1", "source": "panel", "finished": finished}})
            file.merge()
    assert json.loads(Path(path).read_text())["sessions"] == [
        {"id": "s1", "source": "panel", "finished": True}
    ]


def test_a_participant_is_a_hash_with_the_salt_of_the_file(tmp_path) -> None:
    one, other = voting.write(tmp_path), voting.write(tmp_path, name="other.json")
    with VoteFile(one) as file:
        first = file.hashed("5f0c2d")
        file.write({"session": {"id": "s1", "participant": first}})
        file.merge()
    with VoteFile(one) as file:
        assert file.hashed("5f0c2d") == first
        assert file.hashed("5f0c2e") != first
    with VoteFile(other) as file:
        assert file.hashed("5f0c2d") != first
    assert re.fullmatch("[0-9a-f]{32}", first)
    assert "5f0c2d" not in Path(one).read_text() + votes_of(one).read_text()


def test_a_file_of_votes_alone_gets_models_and_prompts(tmp_path) -> None:
    path = str(tmp_path / "votes.json")
    with VoteFile(path, Results()) as file:
        cast(file, 1)
        file.know([Model(id="ash"), Model(id="elm")], [Prompt(id="p01", text="Say something about p01.")])
        file.merge()
    after = load(path)

    assert [model.id for model in after.models] == ["ash", "elm"]
    assert [prompt.id for prompt in after.prompts] == ["p01"]


@given(st.text(alphabet="ab 文\n\t e\u0301👩‍👧", max_size=200), st.integers(4, 60))
def test_lines_are_no_wider_than_asked_and_hold_every_word(text, cells) -> None:
    from rich.cells import cell_len

    lines = lines_of(text, cells)

    assert lines
    assert all(cell_len(line) <= cells for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_lines_are_those_of_the_text_broken_at_spaces() -> None:
    assert lines_of("one two three\r\n\r\n  four", 8) == ("one two", "three", "four")
    assert lines_of("") == lines_of(" \n ") == ("",)


def test_words_to_read_are_counted_in_any_script() -> None:
    assert words_in("one two three") == 3
    assert words_in("文字文字文字") == 3
    assert words_in("用 Python 写") == 2
    assert words_in("") == 1
