"""Judgments as other tools write them: a table of scores, one object, MT-bench's single judgments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stylekl.errors import RecordError, UnknownFormatError
from stylekl.results import load

FORMATS = Path("/work/shared/data/formats")
there = pytest.mark.skipif(not FORMATS.exists(), reason="the collected formats are not here")
HEAD = (
    "question_id,question_text,judge_name,plain_response,fancy_response,"
    "wit_A,wit_B,tact_A,tact_B,total_A,total_B,verdict\n"
)


def table(tmp_path: Path, *rows: str, head: str = HEAD) -> str:
    path = tmp_path / "judge.csv"
    path.write_text(f"\ufeff{head}" + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return str(path)


def test_a_table_gives_judgments_and_each_reply_once(tmp_path: Path) -> None:
    """A byte-order mark in front, and tabs behind keys and verdicts, are no part of them."""
    found = load(
        table(
            tmp_path,
            "q1,Why?,one,Because.,For a reason.,4,3,4,4,8,7,A",
            "q1\t,Why?\t,two\t,Because.,For a reason.,3,3,3,3,6,6,tie\t",
        )
    )
    first, second = found.other["judgments"]

    assert [model.id for model in found.models] == ["plain", "fancy"]
    assert [(reply.model, reply.text) for reply in found.replies] == [
        ("plain", "Because."),
        ("fancy", "For a reason."),
    ]
    assert [prompt.id for prompt in found.prompts] == ["q1"]
    assert (first["judge"], first["prompt"], first["A"], first["B"]) == ("one", "q1", "plain", "fancy")
    assert first["scores"] == {"A": {"wit": 4, "tact": 4}, "B": {"wit": 3, "tact": 4}}
    assert (first["totals"], first["verdict"], "flags" in first) == ({"A": 8, "B": 7}, "A", False)
    assert (second["judge"], second["verdict"]) == ("two", "tie")
    assert first["rubric"] == {"dimensions": ["wit", "tact"], "low": 1, "high": 5}


def test_a_total_that_is_none_and_a_verdict_against_the_totals_are_flagged(tmp_path: Path) -> None:
    (row,) = load(table(tmp_path, "q1,Why?,one,x,y,4,3,4,4,9,7,B")).other["judgments"]

    assert row["flags"] == ["wrong_total", "verdict_contradicts_totals"]
    assert (row["totals"], row["stated"], row["verdict"]) == ({"A": 8, "B": 7}, {"A": 9, "B": 7}, "B")


def test_a_scale_is_that_of_the_whole_table(tmp_path: Path) -> None:
    rows = load(table(tmp_path, "q1,W,j,x,y,4,3,4,4,8,7,A", "q2,V,j,x,y,9,3,4,4,13,7,A")).other["judgments"]

    assert {row["rubric"]["high"] for row in rows} == {10}


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ("q1,Why?,one,x,y,4.5,3,4,4,8,7,A", "wit_A"),
        ("q1,Why?,one,x,y,4,,4,4,8,7,A", "wit_B"),
        ("q1,Why?,one,x,y,4,3,4,4,8,7,C", "verdict"),
        ("q1,Why?,one,x,y,4,3,4,4,8,7,", "verdict"),
    ],
)
def test_a_row_that_is_no_judgment_is_an_error_with_its_line(tmp_path: Path, row: str, field: str) -> None:
    with pytest.raises(RecordError, match=rf"judge.csv: line 2: field {field}"):
        load(table(tmp_path, row))


def test_a_table_of_replies_without_a_verdict_gives_replies(tmp_path: Path) -> None:
    head = "turn_id,customer_input,a_response,b_response\n"
    found = load(table(tmp_path, "1,Hello?,Hi.,Good day.", "2,Why?,Because.,Well.", head=head))

    assert [model.id for model in found.models] == ["A", "B"]
    assert (len(found.replies), found.other) == (4, {})


def test_other_columns_of_a_table_are_kept(tmp_path: Path) -> None:
    """Beside each judgment; one that is empty says nothing."""
    head = HEAD.replace("verdict\n", "verdict,run_id,note\n")
    (row,) = load(table(tmp_path, "q1,Why?,one,x,y,4,3,4,4,8,7,A,r1,", head=head)).other["judgments"]

    assert row["extra"] == {"run_id": "r1"}


def test_an_object_gives_one_judgment_alone_or_within_a_report(tmp_path: Path) -> None:
    own = {"scores": {"A": {"wit": 3}, "B": {"wit": 4}}, "totals": {"A": 3, "B": 4}, "verdict": "B"}
    alone, within = tmp_path / "verdict.json", tmp_path / "run.json"
    alone.write_text(json.dumps(own))
    within.write_text(
        json.dumps({"scenario": {"name": "s"}, "evaluator": {"model": "e"}, "said": own, "x": {}})
    )

    (one,), (other,) = (load(str(path)).other["judgments"] for path in (alone, within))

    assert (one["judge"], one["verdict"], one["raw"]) == ("unknown", "B", alone.read_text())
    assert (other["judge"], other["prompt"], other["totals"]) == ("e", "s", {"A": 3, "B": 4})


@pytest.mark.parametrize(
    "change",
    [
        {"scores": {"A": {"wit": 3}, "B": {"tact": 4}}},
        {"scores": {"A": {"wit": True}, "B": {"wit": 4}}},
        {"scores": {"A": [3], "B": [4]}},
        {"verdict": "A | B | tie"},
    ],
)
def test_an_object_that_breaks_the_contract_is_an_error(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "verdict.json"
    own = {"scores": {"A": {"wit": 3}, "B": {"wit": 4}}, "verdict": "B"}
    path.write_text(json.dumps(own | change))

    with pytest.raises(RecordError):
        load(str(path))


def single(**more: object) -> dict[str, object]:
    return {
        "question_id": 81,
        "model": "m",
        "judge": ["j", "v1"],
        "judgment": "x",
        "score": 7,
        "turn": 1,
    } | more


def test_single_judgments_are_scores_of_one_reply_and_minus_1_is_none(tmp_path: Path) -> None:
    path = tmp_path / "single.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (single(), single(turn=2, score=-1))))
    first, second = load(str(path)).other["judgments"]

    assert (first["judge"], first["prompt"], first["A"], first["turn"]) == ("j", "81", "m", 1)
    assert first["scores"] == {"A": {"rating": 7}}
    assert (second["invalid"], "scores" in second, "B" in second) == ("no score", False, False)


@pytest.mark.parametrize(
    "change", [{"score": 11}, {"score": 0}, {"score": None}, {"score": True}, {"judge": []}]
)
def test_a_single_judgment_without_a_score_or_a_judge_is_an_error(
    tmp_path: Path, change: dict[str, object]
) -> None:
    path = tmp_path / "single.jsonl"
    path.write_text(json.dumps(single(**change)) + "\n" + json.dumps(single()))

    with pytest.raises(RecordError, match="line 1"):
        load(str(path))


def test_an_object_with_scores_of_one_side_is_of_no_known_form(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"scores": {"A": {"wit": 1}}, "verdict": "A"}))

    with pytest.raises(UnknownFormatError):
        load(str(path))


@there
def test_the_published_files_are_read_whole() -> None:
    menu = load(FORMATS / "ejentum_eval" / "menu_rag_5q" / "judge_data.csv")
    talk = FORMATS / "ejentum_eval" / "agentvsagent_ev0"
    whole = load(talk / "agentvsagent_ev0.csv", talk / "agentvsagent_ev0.json")
    scores = load(FORMATS / "mt_bench" / "model_judgment" / "gpt-4_single.jsonl").other["judgments"]

    assert (len(menu.other["judgments"]), len(menu.prompts), len(menu.replies)) == (19, 5, 10)
    assert {row["prompt"] for row in menu.other["judgments"]} == {prompt.id for prompt in menu.prompts}
    assert ([model.id for model in whole.models], len(whole.replies)) == (["A", "B"], 12)
    assert whole.other["judgments"][0]["totals"] == {"A": 23, "B": 35}
    assert len(whole.other["judgments"][0]["rubric"]["dimensions"]) == 7
    assert len(scores) == 160
    assert sum(row["scores"]["A"]["rating"] == 10 for row in scores) == 83
