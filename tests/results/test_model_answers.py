"""Answers of MT-bench and Arena-Hard, and the questions beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import RecordError
from stylekl.results import load

from .strategies import write_lines

if TYPE_CHECKING:
    from pathlib import Path


def answer(number: int, *turns: Any, model: str = "m") -> dict[str, Any]:
    return {
        "question_id": number,
        "model_id": model,
        "choices": [{"index": 0, "turns": list(turns)}],
        "tstamp": 1.5,
    }


def question(number: int, *turns: str) -> dict[str, Any]:
    return {"question_id": number, "category": "writing", "turns": list(turns)}


def test_the_questions_beside_are_the_prompts(tmp_path: Path) -> None:
    """They are found in the folder above; the first turn is the reply, the later one is kept."""
    write_lines(tmp_path, "bench/question.jsonl", question(1, "One?", "More?"), question(2, "Two?"))
    rows = answer(1, "One.", "More."), answer(2, {"content": "Two.", "token_len": 2})
    found = load(write_lines(tmp_path, "bench/model_answer/m.jsonl", *rows))
    replies = [(each.prompt, each.text) for each in found.replies]

    assert [(each.id, each.text, each.topic) for each in found.prompts] == [
        ("1", "One?", "writing"),
        ("2", "Two?", "writing"),
    ]
    assert replies == [("1", "One."), ("2", "Two.")]
    assert found.replies[0].extra["turns"] == ["More."]
    assert found.replies[1].extra["turn"] == {"token_len": 2}
    (warning,) = found.warnings
    assert "1 conversation has several turns, of which the first is read" in warning


def test_questions_given_with_the_answers_are_found_anywhere(tmp_path: Path) -> None:
    """Whichever is named first."""
    asked = write_lines(tmp_path, "far/questions-en.jsonl", question(1, "One?"), question(2, "Two?"))
    said = write_lines(tmp_path, "near/m.jsonl", answer(1, "One."), answer(2, "Two."))

    for files in ((asked, said), (said, asked)):
        found = load(*files)
        assert [each.text for each in found.prompts] == ["One?", "Two?"]
        assert len(found.replies) == 2


def test_answers_without_questions_meet_no_prompt_of_another_set(tmp_path: Path) -> None:
    """The same number in two benchmarks is not the same question."""
    files = [
        write_lines(tmp_path, f"{name}/model_answer/m.jsonl", answer(1, name), answer(2, name))
        for name in ("a", "b")
    ]
    found = load(*files)

    assert len(found.prompts) == 4
    assert len({each.prompt for each in found.replies}) == 4
    assert "the text of 2 questions is not known" in found.warnings[0]


def test_every_choice_is_a_sample_and_an_empty_one_is_flagged(tmp_path: Path) -> None:
    row = answer(1, "A.")
    row["choices"] += [{"index": 1, "turns": [None]}]
    found = load(write_lines(tmp_path, "m.jsonl", row, answer(2, "B.")))

    assert [(each.text, each.flags, each.sample) for each in found.replies] == [
        ("A.", [], 1),
        ("", ["empty"], 2),
        ("B.", [], None),
    ]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    broken = answer(2, "B.") | {"choices": []}
    with pytest.raises(RecordError, match="line 2: field choices"):
        load(write_lines(tmp_path, "m.jsonl", answer(1, "A."), broken))


@pytest.mark.parametrize("key", ["question_id", "uid", "id"])
def test_questions_alone_are_prompts_without_replies(key: str, tmp_path: Path) -> None:
    rows = [{key: "a", "category": "c", "prompt": "One?"}, {key: "b", "category": "c", "question": "Two?"}]
    found = load(write_lines(tmp_path, "question.jsonl", *rows))

    assert [(each.id, each.text) for each in found.prompts] == [("a", "One?"), ("b", "Two?")]
    assert found.replies == []
