"""Votes as other tools write them, and tables of text."""

from __future__ import annotations

import csv
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import RecordError, UnknownFormatError
from stylekl.results import load
from stylekl.results.document import read_document
from stylekl.results.select_votes import select_votes

if TYPE_CHECKING:
    from pathlib import Path


def rows_as(tmp_path: Path, form: str, rows: list[dict[str, Any]]) -> str:
    path = tmp_path / f"votes.{form}"
    if form in ("csv", "tsv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if form == "tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("\n".join(map(json.dumps, rows)) if form == "jsonl" else json.dumps(rows))
    return str(path)


FORMS = ["json", "jsonl", "csv", "tsv"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("a", "b"), [("model_a", "model_b"), ("left", "right")])
def test_battles_are_read_in_every_form(tmp_path, form, a, b):
    labels = ["model_a", "model_b", "tie", "tie (bothbad)", "both_bad", "left", "RIGHT", "ash", "birch"]
    path = rows_as(tmp_path, form, [{a: "ash", b: "birch", "winner": label} for label in labels])
    votes = load(path).other["votes"]

    assert [vote["pick"] for vote in votes] == [
        *("left", "right", "both_good", "both_weak", "both_weak", "left", "right", "left", "right")
    ]
    assert [vote["label"] for vote in votes] == labels
    assert {(vote["a"], vote["b"], vote["source"]) for vote in votes} == {("ash", "birch", "import")}
    assert len({vote["id"] for vote in votes}) == len(labels)
    assert len(select_votes(load(path), "import").fights) == len(labels)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("label", ["model_c", "", "0.5", "draw?"])
def test_an_unknown_winner_is_an_error_that_names_it_and_its_place(tmp_path, form, label):
    rows = [{"model_a": "ash", "model_b": "birch", "winner": each} for each in ("model_a", label)]
    with pytest.raises(RecordError) as error:
        load(rows_as(tmp_path, form, rows))

    place = {"json": "record 2", "jsonl": "line 2"}.get(form, "line 3")
    assert f"{place}: field winner" in error.value.message
    assert f'"{label}"' in error.value.message


def test_a_winner_that_is_missing_or_no_text_is_an_error(tmp_path):
    for winner in (None, 1, True, ["model_a"]):
        rows = [{"model_a": "ash", "model_b": "birch", "winner": winner}]
        with pytest.raises(RecordError, match="field winner"):
            load(rows_as(tmp_path, "json", rows))


def one_hot(*flags: Any) -> dict[str, Any]:
    names = ("winner_model_a", "winner_model_b", "winner_tie")
    return {"model_a": "ash", "model_b": "birch"} | dict(zip(names, flags, strict=True))


@pytest.mark.parametrize("form", ["json", "csv"])
def test_one_of_three_flags_says_who_won(tmp_path, form):
    path = rows_as(tmp_path, form, [one_hot(1, 0, 0), one_hot(0, 1, 0), one_hot(0, 0, 1)])

    assert [vote["pick"] for vote in load(path).other["votes"]] == ["left", "right", "both_good"]


@pytest.mark.parametrize("flags", [(1, 1, 0), (0, 0, 0), (2, 0, 0), ("", 0, 1)])
def test_flags_that_name_none_or_several_are_an_error(tmp_path, flags):
    with pytest.raises(RecordError, match="winner_model_a"):
        load(rows_as(tmp_path, "csv", [one_hot(*flags)]))


def test_who_voted_is_kept_as_a_hash_of_the_file_alone(tmp_path):
    rows = [
        {"model_a": "ash", "model_b": "birch", "winner": "tie", "judge": name, "tstamp": 5}
        for name in ("arena_user_973", "arena_user_973", "expert_1")
    ]
    first = load(rows_as(tmp_path, "json", rows)).other["votes"]
    other = load(rows_as(tmp_path, "json", [*rows, rows[0]])).other["votes"]

    assert first[0]["session"] == first[1]["session"] != first[2]["session"]
    assert first[0]["session"] != other[0]["session"]
    assert "973" not in json.dumps(first)


def test_the_replies_of_a_row_come_with_its_vote(tmp_path):
    """Turns are one text; a model that answered a prompt twice has two replies, and the vote says which it is about."""
    row = {"model_a": "ash", "model_b": "birch", "winner": "model_a", "prompt": json.dumps(["Why?", "So?"])}
    said = [(["Because.", "Thus."], ["No idea.", None]), (["Because.", "Thus."], ["Some idea."])]
    rows = [row | {"response_a": json.dumps(a), "response_b": json.dumps(b)} for a, b in said]
    results = load(rows_as(tmp_path, "csv", rows))
    first, second = results.other["votes"]

    assert [prompt.text for prompt in results.prompts] == ["Why?\n\nSo?"]
    assert sorted((reply.model, reply.text) for reply in results.replies) == [
        ("ash", "Because.\n\nThus."),
        ("birch", "No idea."),
        ("birch", "Some idea."),
    ]
    assert first["reply_b"] != second["reply_b"]
    assert "reply_a" not in first


def test_conversations_are_read_by_role(tmp_path):
    talk = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [{"type": "text", "text": "Ho"}]},
    ]
    rows = [
        {
            "model_a": "ash",
            "model_b": "birch",
            "winner": "both_bad",
            "conversation_a": talk,
            "conversation_b": [talk[0], {"role": "assistant", "content": "Hey"}],
        }
    ]
    results = load(rows_as(tmp_path, "json", rows))

    assert [prompt.text for prompt in results.prompts] == ["Hi"]
    assert [(reply.model, reply.text) for reply in results.replies] == [("ash", "Ho"), ("birch", "Hey")]


def annotation(preference: Any) -> dict[str, Any]:
    return {
        "instruction": "Say it.",
        "generator_1": "ash",
        "generator_2": "birch",
        "output_1": "It.",
        "output_2": "That.",
        "preference": preference,
    }


def test_preferences_go_to_the_nearer_output_and_a_missing_one_is_no_vote(tmp_path):
    given = [1, 2, 0, 1.5, 1.0025, 1.51, None, 2.0]
    results = load(rows_as(tmp_path, "json", [annotation(each) for each in given]))
    votes = results.other["votes"]

    assert [vote["pick"] for vote in votes] == [
        "left",
        "right",
        "both_good",
        "both_good",
        "left",
        "right",
        "right",
    ]
    assert votes[4]["preference"] == 1.0025
    assert [reply.text for reply in results.replies] == ["It.", "That."]
    assert "1 row left out: no preference" in results.warnings[0]


@pytest.mark.parametrize("preference", [3, 0.5, "left", True, -1, 2.1])
def test_an_unknown_preference_is_an_error_that_names_it(tmp_path, preference):
    with pytest.raises(RecordError, match=f'preference: "{preference}"'):
        load(rows_as(tmp_path, "json", [annotation(preference)]))


def judged(first: str, second: str) -> dict[str, Any]:
    return {"question_id": 81, "model_1": "ash", "model_2": "birch", "g1_winner": first, "g2_winner": second}


def test_a_model_must_win_both_games(tmp_path):
    pairs = [("model_1", "model_1"), ("model_2", "model_2"), ("model_1", "model_2"), ("model_1", "tie")]
    pairs += [("tie", "tie"), ("error", "model_1"), ("model_2", "error")]
    results = load(rows_as(tmp_path, "jsonl", [judged(*each) for each in pairs]))
    votes = results.other["votes"]

    assert [vote["pick"] for vote in votes] == ["left", "right", "both_good", "both_good", "both_good"]
    assert votes[2]["g2_winner"] == "model_2"
    assert {vote["prompt"] for vote in votes} == {"81"}
    assert "2 rows left out: the judge gave no verdict" in results.warnings[0]
    with pytest.raises(RecordError, match='g2_winner: "model_3"'):
        load(rows_as(tmp_path, "json", [judged("tie", "model_3")]))


# Tables


def document(tmp_path, text: str):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    return read_document(str(path))


def test_a_table_has_the_line_of_each_record(tmp_path):
    found = document(tmp_path, '\ufeffa,b\r\n1,"x\r\ny, ""z"""\r\n\r\n3,4\u2028\r\n')

    assert found.kind == "table"
    assert found.unit == "line"
    assert list(found.rows) == [(2, {"a": "1", "b": 'x\r\ny, "z"'}), (5, {"a": "3", "b": "4\u2028"})]


def test_columns_without_or_with_the_same_name_stay_apart(tmp_path):
    assert document(tmp_path, ",a,a\n1,2,3\n").first == {"": "1", "a": "2", "a (2)": "3"}


def test_a_long_cell_is_read(tmp_path):
    assert len(document(tmp_path, f'a,b\n1,"{"x" * 300_000}"\n').first["b"]) == 300_000


def test_a_record_of_another_width_is_an_error_and_a_torn_last_one_a_warning(tmp_path):
    with pytest.raises(RecordError, match="line 3: 3 cells where the header has 2"):
        _ = list(document(tmp_path, "a,b\n1,2\n1,2,3\n4,5\n").rows)
    with pytest.raises(RecordError, match="line 3: 1 cells"):
        _ = list(document(tmp_path, "a,b\n1,2\n1\n4,5\n").rows)
    torn = document(tmp_path, "a,b\n1,2\n1\n")

    assert len(list(torn.rows)) == 1
    assert "line 3, the last, is cut short" in torn.warnings[0]


def test_a_quoted_cell_that_does_not_end_is_an_error_with_its_line(tmp_path):
    with pytest.raises(RecordError, match="line 3: a quoted cell does not end"):
        _ = list(document(tmp_path, 'a,b\n1,2\n3,"4\n5,6\n').rows)


def test_a_table_that_nobody_reads_is_named_by_its_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("colour,taste\nred,sweet\n")
    with pytest.raises(UnknownFormatError, match="a table with the columns colour, taste"):
        load(path)


# Real files


def test_published_counts_of_real_annotations(shared):
    """112 wins, 672 losses and 20 draws of 804; 424, 378 and 3 of the weighted ones."""
    folder = shared / "data" / "formats" / "alpaca_eval" / "annotations"
    for name, wanted in (
        ("text_davinci_001.alpaca_eval_gpt4.json", (112, 672, 20)),
        ("FuseChat-Llama-3.2-3B-Instruct.weighted.json.gz", (424, 378, 3)),
    ):
        results = load(folder / name)
        picks = Counter(vote["pick"] for vote in results.other["votes"])
        assert (picks["right"], picks["left"], picks["both_good"]) == wanted
        assert len(select_votes(results, "import").fights) == sum(wanted)


def test_real_pair_judgments_and_one_hot_tables_are_read(shared):
    folder = shared / "data" / "formats"
    judged = load(folder / "mt_bench" / "model_judgment" / "gpt-4_pair.jsonl")
    table = load(folder / "lmsys_55k" / "train.synthetic.csv")
    (vicuna,) = (folder / "ja_vicuna_qa").glob("pairwise*")

    assert len(judged.other["votes"]) == 73
    assert [vote["pick"] for vote in table.other["votes"]] == ["left"]
    assert len(load(vicuna).replies) == 160
