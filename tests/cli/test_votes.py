"""`--by votes` from the command line, and a sealed arena that no command gives away."""

from __future__ import annotations

import json
import re

import pytest

from stylekl.results import Reply, save
from tests.votes import MODELS, session, vote, with_votes

from .run import call, run

TEXTS = (
    "Keep it short. Start early, and end it.",
    "First, plan it.\n- then do it\n- then rest",
    "**Why** not now?",
    "No.",
)
COMMANDS = {
    "matrix": ["matrix"],
    "pair": ["pair", "ash", "birch"],
    "focus": ["focus", "ash"],
    "findings": ["findings"],
    "rank": ["rank"],
    "tree": ["tree"],
    "check": ["check"],
    "drift": ["drift"],
    "verdicts": ["verdicts"],
    "who-wrote": ["who-wrote"],
}
WITHOUT_EVIDENCE = ("drift", "verdicts", "who-wrote")
BY_VOTES = ("matrix", "pair", "focus", "findings", "rank")


def written(folder, source: str, picks: str) -> str:
    """Write replies and 660 votes on them; `picks` says who wins, and nothing else depends on it."""
    sides = {"first": ("left", "left", "both_good"), "second": ("right", "both_weak", "right")}[picks]
    prompts = {f"p{n}": ("work", "play")[n % 2] for n in range(10)}
    votes = [
        vote(
            n,
            MODELS[n % 4],
            MODELS[(n + 1 + n // 4 % 3) % 4],
            sides[n % 3],
            source,
            session=f"s{n % 30}",
            prompt=f"p{n % 10}",
        )
        for n in range(660)
    ]
    replies = [
        Reply(model=model, prompt=prompt, text=f"{TEXTS[place]} {prompt}")
        for place, model in enumerate(MODELS)
        for prompt in prompts
    ]
    rows = [session(f"s{n}", source) for n in range(30)]
    path = folder / "results.json"
    save(with_votes(votes, rows, prompts=prompts, replies=replies), path)
    return str(path)


def said(tmp_path, source: str, picks: str, *arguments: str, by: tuple[str, ...] = ()):
    """Return what a command says on one path, whatever the file holds; its digest is taken out."""
    done = call(*arguments, written(tmp_path, source, picks), *by)
    return done.code, re.sub("[0-9a-f]{64}", "", done.out), done.err


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)], ids=["text", "json", "csv"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_tells_who_won_while_the_arena_is_sealed(tmp_path, command, form):
    if command == "check" and form == ("--csv",):
        form = ("--json",)
    asked = [form, ("--by", "votes", *form)] if command in BY_VOTES else [form]
    for options in asked:
        first, second = (
            said(tmp_path, "arena", picks, *COMMANDS[command], by=options) for picks in ("first", "second")
        )
        assert first == second
        assert command in WITHOUT_EVIDENCE or first[0] == 0


def test_the_votes_of_a_file_are_counted_and_not_told(tmp_path):
    first, second = (said(tmp_path, "arena", picks, "vote", "--status") for picks in ("first", "second"))

    assert first == second


def test_a_sealed_ranking_succeeds_and_says_how_far_it_is(tmp_path):
    path = written(tmp_path, "arena", "first")
    done, as_json = call("rank", path, "--by", "votes"), call("rank", path, "--json")

    assert (done.code, done.err) == (0, "")
    assert "The arena is sealed" in done.out
    assert "660 of 1,000" in done.out
    assert json.loads(as_json.out)["data"]["sealed"] is True
    assert json.loads(as_json.out)["data"]["votes"] == 660


def test_the_panel_is_ranked_and_open(tmp_path):
    code, out, _ = said(tmp_path, "panel", "first", "rank", by=("--source", "panel"))

    assert code == 0
    assert "Panel ranking by Bradley-Terry" in out
    assert said(tmp_path, "panel", "second", "rank")[1] != out


def test_a_source_without_votes_is_a_user_s_error(tmp_path):
    code, out, err = said(tmp_path, "panel", "first", "rank", by=("--by", "votes", "--source", "arena"))

    assert (code, out) == (2, "")
    assert "no votes of source arena" in err
    assert "panel (660)" in err


def test_votes_of_another_tool_are_ranked_from_a_table(tmp_path):
    rows = [f"ash,birch,{'tie' if n % 5 == 0 else 'model_a' if n % 3 else 'model_b'}" for n in range(60)]
    (tmp_path / "votes.csv").write_text("\n".join(["model_a,model_b,winner", *rows]))
    done = run("rank", "votes.csv", cwd=tmp_path)
    ranked = [line.split()[0] for line in done.out.splitlines() if line.startswith(("ash", "birch"))]

    assert done.code == 0, done.err
    assert "Imported ranking by Bradley-Terry" in done.out
    assert ranked == ["ash", "birch"]


def test_a_label_that_is_none_ends_with_its_place(tmp_path):
    (tmp_path / "votes.csv").write_text("model_a,model_b,winner\nash,birch,who knows\n")
    done = run("rank", "votes.csv", cwd=tmp_path)

    assert done.code == 2
    assert 'votes.csv: line 2: field winner: "who knows"' in done.err
