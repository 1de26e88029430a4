"""Tables and lines with a reply a record: which column is what, and what comes of the others."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import InputError, RecordError, UnknownFormatError, UsageError
from stylekl.results import Reading, Results, load

from .strategies import write, write_json, write_lines

if TYPE_CHECKING:
    from pathlib import Path


def table(folder: Path, *rows: tuple[Any, ...], mark: str = ",", **columns: str) -> Results:
    """Write rows as a table, the first as its header, and read it."""
    text = io.StringIO()
    csv.writer(text, delimiter=mark).writerows(rows)
    return load(write(folder, "runs.csv", text.getvalue()), reading=Reading(columns=columns))


def said(found: Results) -> list[tuple[str, str, str]]:
    texts = {each.id: each.text for each in found.prompts}
    return [(each.model, texts[each.prompt], each.text) for each in found.replies]


@pytest.mark.parametrize(
    "header",
    [
        ("model", "prompt", "response"),
        ("Model Name", "User Prompt", "Model Response"),
        ("model-id", "question-text", "generated-text"),
        ("modelName", "userPrompt", "modelOutput"),
        ("LLM", "Instruction", "Answer"),
        ("engine", "query", "completion"),
        ("MODEL", "Input", "OUTPUT"),
        ("llm_name", "Messages", "content"),
    ],
)
@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_columns_are_known_by_their_usual_names(header: tuple[str, ...], mark: str, tmp_path: Path) -> None:
    """In any case, with spaces, dashes, low lines or capitals between the words."""
    found = table(tmp_path, header, ("m", "Rain?", "Yes\n\nno"), ("n", "Rain?", ""), mark=mark)

    assert said(found) == [("m", "Rain?", "Yes\n\nno"), ("n", "Rain?", "")]
    assert [each.flags for each in found.replies] == [[], ["empty"]]
    assert found.warnings == []


def test_what_a_table_says_beside_is_used_or_kept(tmp_path: Path) -> None:
    """A number of a sample is one as text too; a reason to stop flags; a condition is not ours."""
    found = table(
        tmp_path,
        (
            "Prompt ID",
            "model",
            "prompt",
            "reply",
            "category",
            "vendor",
            "Sample",
            "finish_reason",
            "condition",
            "cost",
        ),
        ("q1", "m", "Rain?", "Yes", "sky", "v", "0", "stop", "OPEN", "1"),
        ("q1", "m", "Rain?", "Ye", "sky", "w", "1", "length", "OPEN", "2"),
        ("q2", "m", "Snow?", "No", "", "v", "b", "", "OPEN", "3"),
    )

    assert [(each.id, each.topic) for each in found.prompts] == [("q1", "sky"), ("q2", None)]
    assert found.models[0].provider == "v"
    assert [(each.sample, each.stop, each.flags) for each in found.replies] == [
        (0, "stop", []),
        (1, "length", ["truncated"]),
        (None, None, []),
    ]
    assert [each.extra for each in found.replies] == [
        {"condition": "OPEN", "cost": "1"},
        {"vendor": "w", "condition": "OPEN", "cost": "2"},
        {"Sample": "b", "condition": "OPEN", "cost": "3"},
    ]


def test_the_first_usual_name_counts_and_the_others_are_kept(tmp_path: Path) -> None:
    """Whatever the order of the columns."""
    found = table(tmp_path, ("text", "question", "answer", "prompt", "model"), ("T", "Q?", "A", "P?", "m"))

    assert said(found) == [("m", "P?", "A")]
    assert found.replies[0].extra == {"text": "T", "question": "Q?"}


def test_system_prompts_are_conditions(tmp_path: Path) -> None:
    found = table(
        tmp_path,
        ("model", "System Prompt", "prompt", "response"),
        ("m", "", "Rain?", "Yes"),
        ("m", "Be brief.", "Rain?", "Y"),
    )

    assert [each.system for each in found.conditions] == [None, "Be brief."]
    assert [each.extra for each in found.replies] == [{}, {}]


def test_columns_can_be_named(tmp_path: Path) -> None:
    """Each role; what is not named is told by its name, but for the columns that are taken."""
    found = table(
        tmp_path,
        ("wer", "Frage", "prompt", "was", "Lauf", "Ausgabe", "Thema", "Ende"),
        ("m", "Rain?", "unused", "Yes", "3", "2026-W40", "sky", "length"),
        model="wer",
        prompt="frage",
        reply="was",
        sample="Lauf",
        period="Ausgabe",
        topic="Thema",
        stop="Ende",
    )
    (reply,) = found.replies

    assert said(found) == [("m", "Rain?", "Yes")]
    assert (reply.sample, reply.period, reply.flags, reply.extra) == (
        3,
        "2026-W40",
        ["truncated"],
        {"prompt": "unused"},
    )
    assert found.prompts[0].topic == "sky"


def test_named_columns_go_before_every_other_reader(tmp_path: Path) -> None:
    """Where the file has them; another file of the same command is read as it is."""
    rows = [{"instruction": "P?", "output": "no", "generator": "g", "raw": "yes"}]
    reading = Reading(columns={"reply": "raw", "model": "generator"})
    other = write_json(tmp_path, "b.json", [{"instruction": "P?", "output": "B", "generator": "h"}])
    found = load(write_json(tmp_path, "a.json", rows), other, reading=reading)

    assert said(found) == [("g", "P?", "yes"), ("h", "P?", "B")]


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"reply": "said"}, InputError, 'no column "said" for the reply'),
        ({"replies": "response"}, UsageError, 'no part of a reply is called "replies"'),
    ],
)
def test_a_name_that_is_not_there_is_an_error_with_those_that_are(
    columns: dict[str, str], error: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message) as caught:
        table(tmp_path, ("model", "prompt", "response"), ("m", "P?", "A"), **columns)

    assert "model, prompt, re" in caught.value.hint  # type: ignore[attr-defined]


def test_a_file_of_one_model_is_named_after_it(tmp_path: Path) -> None:
    """With a warning; a model that one record leaves out is an error in a file that has the column."""
    found = table(tmp_path, ("prompt", "response", "score"), ("Rain?", "Yes", "3"))

    assert said(found) == [("runs", "Rain?", "Yes")]
    assert found.warnings == [
        f"{tmp_path}/runs.csv: no column names the model: all replies count as those of one, runs"
    ]
    with pytest.raises(RecordError, match="line 3: field model: expected the name of a model"):
        table(tmp_path, ("model", "prompt", "response"), ("m", "P?", "A"), (" ", "P?", "A"))
    with pytest.raises(RecordError, match="line 2: field model: expected text, found nothing"):
        load(
            write_lines(
                tmp_path, "x.jsonl", {"model": "m", "prompt": "P", "text": "T"}, {"prompt": "P", "text": "T"}
            )
        )


def test_the_id_stands_for_a_prompt_that_is_not_there(tmp_path: Path) -> None:
    """With a warning; a plain id does only in a table, where it is not that of an answer."""
    found = table(tmp_path, ("id", "model", "response"), ("q1", "m", "Yes"), ("q1", "n", "No"))

    assert said(found) == [("m", "q1", "Yes"), ("n", "q1", "No")]
    assert "each is called by its id" in found.warnings[0]
    with pytest.raises(UnknownFormatError):
        load(write_lines(tmp_path, "x.jsonl", *[{"id": "x", "model": "m", "text": "T"}] * 2))


def test_rows_without_anything_are_left_out(tmp_path: Path) -> None:
    """As spreadsheets write them below the last."""
    found = table(tmp_path, ("model", "prompt", "response"), ("m", "P?", "A"), ("", "", ""), ("", " ", ""))

    assert len(found.replies) == 1
    assert "2 records without any content left out" in found.warnings[0]


def test_a_cell_may_hold_a_conversation(tmp_path: Path) -> None:
    """As JSON: of the prompt what was asked, of the reply what was answered; other JSON is what the model wrote."""
    asked = [{"role": "system", "content": "S"}, {"role": "user", "content": "Rain?"}]
    answered = [{"role": "assistant", "content": [{"type": "text", "text": "Yes"}]}]
    rows = (
        (asked, answered),
        (asked, [*asked, *answered, {"role": "user", "content": "Why?"}]),
        (asked, {"model": "m-1", "choices": [{"message": {"content": "Raw"}, "finish_reason": "length"}]}),
        ("Rain?", ["a", "b"]),
        ("[Rain?", {"k": 1}),
    )
    cells = [("m", *(each if isinstance(each, str) else json.dumps(each) for each in row)) for row in rows]
    found = table(tmp_path, ("model", "prompt", "response"), *cells)

    assert said(found) == [
        ("m", "Rain?", "Yes"),
        ("m", "Rain?", "Yes"),
        ("m", "Rain?", "Raw"),
        ("m", "Rain?", '["a", "b"]'),
        ("m", "[Rain?", '{"k": 1}'),
    ]
    assert [each.flags for each in found.replies] == [[], [], ["truncated"], [], []]
    assert found.replies[1].extra == {"response": {"turns": [{"role": "user", "content": "Why?"}]}}
    assert [each.system for each in found.conditions] == [None, "S"]


@pytest.mark.parametrize(
    ("turn", "expected"), [(None, "1"), ("first", "1"), ("last", "2"), ("all", "1\n\n2")]
)
def test_a_list_of_turns_gives_the_turn_that_is_asked_for(turn: Any, expected: str, tmp_path: Path) -> None:
    """Of the prompt and of the reply; without turns in the prompt a list of replies are samples."""
    path = write_lines(tmp_path, "x.jsonl", {"model": "m", "prompt": ["1", "2"], "reply": ["1", "2"]})
    samples = write_lines(
        tmp_path, "y.jsonl", {"model": "m", "prompt": "1", "reply": ["1", None], "sample": 4}
    )

    assert said(load(path, reading=Reading(turn=turn))) == [("m", expected, expected)]
    assert [(each.text, each.sample, each.flags) for each in load(samples).replies] == [
        ("1", 1, []),
        ("", 2, ["empty"]),
    ]


def test_names_that_a_provider_returned_are_kept(tmp_path: Path) -> None:
    row = {"model": "m", "prompt": "P?", "text": "T", "api_model": "v/m", "served_model": "m-0101"}
    found = load(write_lines(tmp_path, "x.jsonl", row, row | {"api_model": "w/m"}))

    assert (found.models[0].requested, found.models[0].returned) == ("v/m", "m-0101")
    assert [each.version for each in found.replies] == ["m-0101", "m-0101"]
    assert [each.extra for each in found.replies] == [{}, {"api_model": "w/m"}]


@pytest.mark.parametrize(
    ("name", "model"),
    [("generated_v__m-7b.jsonl", "v/m-7b"), ("generated_m.jsonl", "m"), ("my__runs.jsonl", "my__runs")],
)
def test_a_file_that_a_tool_names_after_the_model_is_of_that_model(
    name: str, model: str, tmp_path: Path
) -> None:
    """Two low lines are its slash; in other files they are what they are."""
    found = load(write_lines(tmp_path, name, {"source": "s", "id": 0, "prompt": "P?", "output": "A."}))

    assert [each.id for each in found.models] == [model]
    assert [each.id for each in found.prompts] == ["0"]


@pytest.mark.parametrize("written", [json.dumps, repr])
def test_conversations_in_a_table_are_read(written: Any, tmp_path: Path) -> None:
    """As JSON, and as Python writes a list; alone in their column or as a prompt with its reply beside."""
    one = [{"role": "user", "content": "It's \\d?"}, {"role": "assistant", "content": 'The "A".'}]
    found = table(
        tmp_path, ("model", "conversation", "turn"), ("m", written(one), "1"), ("n", written(one[:2]), "1")
    )
    beside = table(tmp_path, ("model", "messages", "response"), ("m", written(one[:1]), "Yes"))

    assert said(found) == [("m", "It's \\d?", 'The "A".'), ("n", "It's \\d?", 'The "A".')]
    assert said(beside) == [("m", "It's \\d?", "Yes")]
