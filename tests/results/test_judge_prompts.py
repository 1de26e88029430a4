"""Questions in what a judge was given, and in the files beside a judgment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.results import load
from stylekl.results.readers.judge_prompts import question_in

from .strategies import write, write_json, write_lines

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "Is rain wet?\n\n[A line in brackets]\n### And a heading"
REFERENCE = "[The Start of Reference Answer]\nYes.\n[The End of Reference Answer]\n\n"
ANSWERS = "[The Start of Assistant A's Answer]\nYes.\n[The End of Assistant A's Answer]\n"
ANSWER = "[The Start of Assistant's Answer]\nYes.\n[The End of Assistant's Answer]"
TALK = (
    "<|The Start of Assistant A's Conversation with User|>\n\n"
    "### User:\n{q}\n\n### Assistant A:\nYes.\n\n### User:\nWhy?"
)
KNOWN = "<|The Start of Reference Answer|>\n\n### User:\n{q}\n\n### Reference answer:\nYes.\n\n### User:\nWhy?\n\n"
TEMPLATES = [
    "[User Question]\n{q}\n\n" + ANSWERS,
    "[User Question]\n{q}\n\n" + REFERENCE + ANSWERS,
    "[Instruction]\nJudge it.\n\n[Question]\n{q}\n\n" + ANSWER,
    "[Instruction]\nJudge it.\n\n[Question]\n{q}\n\n" + REFERENCE + ANSWER,
    TALK,
    KNOWN + TALK.replace("{q}", "Another?"),
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_question_of_every_template_is_found(template: str) -> None:
    """Of one turn and of two, with a reference and without."""
    assert question_in(template.replace("{q}", QUESTION)) == QUESTION


@given(st.text(max_size=40).filter(str.strip), st.sampled_from(TEMPLATES))
def test_a_question_is_what_was_put_in(question: str, template: str) -> None:
    assert question_in(template.replace("{q}", question)) == question


@pytest.mark.parametrize(
    "given", [None, 3, "", "Judge these.", "[Question]\n\n\n[The Start of Assistant's Answer]", QUESTION]
)
def test_another_text_holds_no_question(given: Any) -> None:
    assert question_in(given) is None


def single(turn: int, text: str) -> dict[str, Any]:
    return {
        "question_id": 81,
        "model": "m",
        "judge": ["j", "v1"],
        "user_prompt": text,
        "judgment": "[[7]]",
        "score": 7,
        "turn": turn,
    }


def test_single_judgments_bring_their_prompt_once(tmp_path: Path) -> None:
    """Both turns are judgments of one prompt; a row of an unknown template names its question alone."""
    one, two = (template.replace("{q}", QUESTION) for template in (TEMPLATES[2], TEMPLATES[4]))
    path = write_lines(
        tmp_path, "s.jsonl", single(1, one), single(2, two), single(1, "?") | {"question_id": 82}
    )
    found = load(path)

    assert [(each.id, each.text) for each in found.prompts] == [("81", QUESTION)]
    assert [each["prompt"] for each in found.other["judgments"]] == ["81", "81", "82"]
    assert found.other["judgments"][0]["extra"] == {"user_prompt": one, "judge": ["j", "v1"]}


def test_pair_judgments_bring_their_prompt_and_keep_what_the_judge_wrote(tmp_path: Path) -> None:
    """A row without a verdict is no vote, and names its models and its prompt all the same."""
    row = {
        "question_id": 81,
        "model_1": "m",
        "model_2": "n",
        "g1_winner": "model_1",
        "g2_winner": "model_1",
        "judge": ["j", "v2"],
        "g1_user_prompt": TEMPLATES[0].replace("{q}", "One?"),
        "g1_judgment": "[[A]]",
    }
    lost = row | {
        "question_id": 82,
        "g1_winner": "error",
        "g1_user_prompt": TEMPLATES[1].replace("{q}", "Two?"),
    }
    found = load(write_lines(tmp_path, "p.jsonl", row, lost))
    (vote,) = found.other["votes"]

    assert [(each.id, each.text) for each in found.prompts] == [("81", "One?"), ("82", "Two?")]
    assert (vote["prompt"], vote["judge"]) == ("81", "j")
    assert vote["extra"] == {
        "judge": ["j", "v2"],
        "g1_user_prompt": row["g1_user_prompt"],
        "g1_judgment": "[[A]]",
    }


def test_the_prompt_of_one_judgment_stands_beside_it_or_in_it(tmp_path: Path) -> None:
    """In prompt.md of its folder, which is a source too; or as the summary of a scenario."""
    own = {"scores": {"A": {"wit": 3}, "B": {"wit": 4}}, "verdict": "B", "why": "x"}
    bare, beside = write_json(tmp_path, "a/v.json", own), write_json(tmp_path, "b/v.json", own | {"why": "y"})
    write(tmp_path / "b", "prompt.md", "Rain?\n")
    whole = write_json(
        tmp_path, "c.json", {"scenario": {"name": "s", "summary": "Sum."}, "said": own, "run": 1}
    )
    alone, found, scene = load(bare), load(beside), load(whole)

    assert alone.prompts == []
    assert [each.text for each in found.prompts] == ["Rain?"]
    assert found.other["judgments"][0]["prompt"] == found.prompts[0].id
    assert [each.path for each in found.sources] == [str(beside), str(tmp_path / "b" / "prompt.md")]
    assert [(each.id, each.text) for each in scene.prompts] == [("s", "Sum.")]
    assert scene.unknown == {"judgment c": {"scenario": {"name": "s", "summary": "Sum."}, "run": 1}}


def test_published_judgments_ask_the_questions_of_their_benchmark(shared: Path) -> None:
    folder = shared / "data" / "formats" / "mt_bench"
    asked = {each.text for each in load(folder / "question-judged.jsonl").prompts}
    for name, count in (("pair", 75), ("single", 80)):
        texts = {each.text for each in load(folder / "model_judgment" / f"gpt-4_{name}.jsonl").prompts}
        assert len(texts) == count
        assert texts <= asked


def test_rows_without_a_verdict_are_kept_whole(tmp_path: Path) -> None:
    """Of pair judgments and of annotations: what they say stands in the fields of the file."""
    pair = {
        "question_id": 1,
        "model_1": "m",
        "model_2": "n",
        "g1_winner": "error",
        "g2_winner": "tie",
        "g1_judgment": "?",
    }
    row = {"instruction": "P?", "output_1": "A", "output_2": "B", "generator_1": "m", "generator_2": "n"}
    pairs = load(write_lines(tmp_path, "p.jsonl", pair, pair | {"g1_winner": "tie"}))
    marks = load(
        write_json(tmp_path, "a.json", [row | {"preference": None, "price": 2}, row | {"preference": 1.2}])
    )

    assert pairs.unknown == {"pair judgments p": [pair]}
    assert (len(pairs.other["votes"]), len(marks.other["votes"])) == (1, 1)
    assert [failed["price"] for failed in marks.unknown["annotations a"]] == [2]
    assert [(each.model, each.text) for each in marks.replies] == [("m", "A"), ("n", "B")]


def test_questions_keep_what_stands_beside_them(tmp_path: Path) -> None:
    """Later turns and references; what the prompt says itself is not said twice."""
    row = {"question_id": 1, "category": "c", "turns": ["One?", "Two?"], "reference": ["x"]}
    found = load(
        write_lines(tmp_path, "q.jsonl", row, {"question_id": 2, "category": "c", "turns": ["Three?"]})
    )

    assert [each.unknown for each in found.prompts] == [
        {"question": {"turns": ["One?", "Two?"], "reference": ["x"]}},
        {},
    ]
