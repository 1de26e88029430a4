"""Conversations of one model a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stylekl.errors import RecordError
from stylekl.results import load, select

from .strategies import write_json, write_lines

if TYPE_CHECKING:
    from pathlib import Path

HUMAN, MODEL = {"from": "human", "value": "Who?"}, {"from": "gpt", "value": "Me."}


def test_a_row_without_a_model_is_of_the_files(tmp_path: Path) -> None:
    """The first turn counts, the later ones are kept."""
    found = load(
        write_json(tmp_path, "vicuna.json", [{"id": "a", "conversations": [HUMAN, MODEL, HUMAN, MODEL]}])
    )

    assert [each.id for each in found.models] == ["vicuna"]
    assert [(each.text, each.extra["turns"]) for each in found.replies] == [("Me.", [HUMAN, MODEL])]
    assert found.replies[0].extra["id"] == "a"


def test_contents_may_be_objects(tmp_path: Path) -> None:
    """As in the newer Arena-Hard: the uid is the id of the prompt, the metadata stay."""
    talk = [{"role": "user", "content": "Q?"}, {"role": "assistant", "content": {"answer": "A."}}]
    row = {"uid": "u1", "model": "m", "messages": talk, "metadata": {"token_len": 1}}
    found = load(write_lines(tmp_path, "x.jsonl", row, row | {"uid": "u2"}))

    assert [(each.id, each.text) for each in found.prompts] == [("u1", "Q?")]
    assert [each.text for each in found.replies] == ["A.", "A."]
    assert found.replies[0].extra == {"uid": "u1", "metadata": {"token_len": 1}}


def test_system_prompts_that_differ_are_conditions(tmp_path: Path) -> None:
    """The control is to have none; one that all share is a condition too, and the one that is compared under."""
    system = {"from": "system", "value": "Be brief."}
    mixed = [{"conversations": [HUMAN, MODEL]}, {"conversations": [system, HUMAN, MODEL]}]
    found = load(write_json(tmp_path, "a.json", mixed))
    same = load(write_json(tmp_path, "b.json", mixed[1:]))

    assert [each.system for each in found.conditions] == [None, "Be brief."]
    assert [each.condition or found.control for each in found.replies] == [
        each.id for each in found.conditions
    ]
    assert same.replies[0].condition == same.conditions[1].id == select(same).condition


def test_a_row_in_which_nobody_asks_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="record 2: no conversation"):
        load(write_json(tmp_path, "a.json", [{"conversations": [HUMAN, MODEL]}, {"conversations": [MODEL]}]))
