"""Arena-Hard's judgments in their older and their newer form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import RecordError
from stylekl.results import load
from stylekl.results.readers.arena_judgments import FIRST, LABELS, SECOND, TIED
from stylekl.results.select_votes import select_votes

from .strategies import write_lines

if TYPE_CHECKING:
    from pathlib import Path


def shown(question: str, a: str, b: str) -> str:
    def part(side: str, text: str) -> str:
        return f"<|The Start of Assistant {side}'s Answer|>\n{text}\n<|The End of Assistant {side}'s Answer|>"

    return f"<|User Prompt|>\n{question}\n\n{part('A', a)}\n\n{part('B', b)}"


def old(*scores: Any, question: str = "q1", **more: Any) -> dict[str, Any]:
    games = [{"judgment": f"My verdict: [[{score}]]", "score": score} for score in scores]
    return {"question_id": question, "model": "m", "judge": "j", "games": games} | more


def new(*scores: Any, **more: Any) -> dict[str, Any]:
    games = [{"score": score, "judgment": {"answer": f"[[{score}]]"}} for score in scores]
    row = {"uid": "u1", "category": "hard", "subcategory": "s", "judge": "j", "model": "m", "baseline": "b"}
    return row | {"games": games} | more


def votes(tmp_path: Path, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = load(write_lines(tmp_path, "m.jsonl", *rows)).other["votes"]
    return found


@pytest.mark.parametrize("make", [old, new], ids=["old", "new"])
def test_the_second_game_is_mapped_back(tmp_path: Path, make: Any) -> None:
    """The baseline is A first and B then: a judge that always says A prefers nobody."""
    rows = [make(first, second) for first in LABELS for second in LABELS]
    expected = []
    for first in LABELS:
        for second in LABELS:
            if (first in SECOND and second in FIRST) or (first in FIRST and second in SECOND):
                expected.append("left" if first in SECOND else "right")
            else:
                expected.append("both_good")

    assert [each["pick"] for each in votes(tmp_path, *rows)] == expected
    assert len({*FIRST, *TIED, *SECOND}) == len(LABELS) == 10


def test_an_older_row_names_no_baseline_and_shows_what_the_judge_saw(tmp_path: Path) -> None:
    """Question and replies come from there; that the baseline has no name is said."""
    row = old("A>B", "B>>A", tstamp=5.0)
    row["games"][0]["user_prompt"] = shown("Q?", "Base.", "Mine.")
    row["games"][1]["user_prompt"] = shown("Q?", "Mine.", "Base.")
    path = write_lines(tmp_path, "m.jsonl", row)
    found = load(path)
    vote = found.other["votes"][0]

    assert (vote["a"], vote["b"], vote["pick"], vote["judge"], vote["cast"]) == (
        "m",
        "baseline",
        "right",
        "j",
        5.0,
    )
    assert [(each.id, each.text) for each in found.prompts] == [("q1", "Q?")]
    assert {each.model: each.text for each in found.replies} == {"m": "Mine.", "baseline": "Base."}
    assert [(game["winner"], game["score"]) for game in vote["games"]] == [
        ("baseline", "A>B"),
        ("baseline", "B>>A"),
    ]
    assert vote["games"][0]["judgment"] == "My verdict: [[A>B]]"
    assert "user_prompt" not in vote["games"][0]
    assert found.warnings == [f'{path}: the baseline is not named; it is called "baseline"']


def test_a_newer_row_names_its_baseline_and_its_question(tmp_path: Path) -> None:
    row = new("B>A", "A>B", metadata={"k": 1})
    asked = {"role": "user", "content": shown("Q?", "B", "M")}
    row["games"][0]["prompt"] = [{"role": "system", "content": "Judge."}, asked]
    found = load(write_lines(tmp_path, "m.jsonl", row))
    vote = found.other["votes"][0]

    assert (vote["a"], vote["b"], vote["pick"], vote["prompt"]) == ("m", "b", "left", "u1")
    assert found.prompts[0].topic == "hard"
    assert vote["extra"] == {"subcategory": "s", "metadata": {"k": 1}}
    assert vote["games"][0]["judgment"] == {"answer": "[[B>A]]"}
    assert found.warnings == []


def test_without_what_the_judge_saw_the_question_is_known_by_its_id(tmp_path: Path) -> None:
    found = load(write_lines(tmp_path, "m.jsonl", new("A=B", "A=B")))

    assert found.other["votes"][0]["prompt"] == "u1"
    assert (found.prompts, list(found.replies)) == ([], [])


def test_a_game_without_a_score_is_no_vote_and_its_row_is_kept(tmp_path: Path) -> None:
    """Whether the score or the game is missing."""
    rows = [new("A>B", "B>A"), new(None, "B>A"), new("A>B", "B>A") | {"games": [None, {"score": "A>B"}]}]
    path = write_lines(tmp_path, "m.jsonl", *rows)
    found = load(path)

    assert len(select_votes(found, "import").fights) == 1
    assert found.unknown["arena-hard m"] == rows[1:]
    assert found.warnings == [f"{path}: 2 rows left out: the judge gave no verdict"]


def test_another_label_and_another_number_of_games_are_errors(tmp_path: Path) -> None:
    good = new("A>B", "A>B")
    with pytest.raises(RecordError, match='line 2: field score: "A" is not one of A>>B'):
        votes(tmp_path, good, new("A>B", "A"))
    with pytest.raises(RecordError, match="line 2: field games: expected two, found 1"):
        votes(tmp_path, good, new("A>B"))
    with pytest.raises(RecordError, match="line 2: field games: expected two, found text"):
        votes(tmp_path, good, good | {"games": "x"})
    with pytest.raises(RecordError, match="line 2: field model"):
        votes(tmp_path, good, good | {"model": 1})
