from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stylekl.errors import ConflictError, InputError, RecordError, UnknownChoiceError, UnknownFormatError
from stylekl.results import Condition, Model, Prompt, Reading, Reply, Results, load, save

from .strategies import small, write

ALPACA = {"instruction": "P?", "output": "Text.", "generator": "g", "dataset": "d"}
PLAIN = {"model": "m", "prompt": "P?", "response": "Text."}


def read(tmp_path: Path, content: Any, name: str = "r.json", **options: Any) -> Results:
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    return load(write(tmp_path, name, text), reading=Reading(**options))


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_an_object_and_its_lines_are_the_same(tmp_path: Path) -> None:
    """Both native forms hold the same, unknown fields of the file, of records and of replies included."""
    whole = small(note={"by": "hand"}, votes=[{"id": "v", "z": 1}])
    whole["replies"][0] |= {"mood": "good", "usage": {"input": 3}, "sample": 4}
    names = {"models": "model", "prompts": "prompt", "replies": "reply", "votes": "vote"}
    rows = [{"record": "file", "format": "stylekl/1", "note": {"by": "hand"}}]
    rows += [{"record": names[array]} | row for array in names for row in whole[array]]
    from_object, from_lines = read(tmp_path, whole), read(tmp_path, lines(*rows), "r.jsonl")

    assert from_object == from_lines
    assert from_object.replies[0].unknown == {"mood": "good", "usage": {"input": 3}}
    assert from_object.unknown == {"note": {"by": "hand"}}
    assert from_object.other == {"votes": [{"id": "v", "z": 1}]}


def test_one_line_is_a_file(tmp_path: Path) -> None:
    """JSON Lines of a single record look like a JSON object, and are read all the same."""
    assert [Model(id="m")] == read(tmp_path, {"record": "model", "id": "m"}).models
    assert [reply.text for reply in read(tmp_path, PLAIN).replies] == ["Text."]


def test_null_is_no_value(tmp_path: Path) -> None:
    """A null in an optional field is the same as no field."""
    whole = small(models=[{"id": "a", "name": None}, {"id": "b"}], conditions=None)

    assert Model(id="a") == read(tmp_path, whole).models[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"replies": [{"model": "a", "prompt": "p1", "text": 1}]},
            "reply 1: field text: expected str, got int",
        ),
        ({"replies": [{"model": "a", "prompt": "p1"}]}, "reply 1: missing field text"),
        (
            {"replies": [{"model": "x", "prompt": "p1", "text": ""}]},
            'reply 1: field model: the file has no model "x"',
        ),
        (
            {"replies": [{"model": "a", "prompt": "x", "text": ""}]},
            'reply 1: field prompt: the file has no prompt "x"',
        ),
        ({"replies": ["text"]}, "reply 1: expected an object, found text"),
        ({"models": [{"id": "a"}, {"name": "b"}]}, "model 2: missing field id"),
        (
            {"prompts": [{"id": "p", "text": "", "tags": [1]}]},
            r"prompt 1: field tags\[0\]: expected str, got int",
        ),
        ({"replies": {"a": 1}}, "field replies: expected an array, found an object with the keys a"),
    ],
)
def test_a_bad_record_names_file_place_and_field(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    """One line says where to look and what should stand there."""
    with pytest.raises(InputError, match=rf"r\.json: {message}"):
        read(tmp_path, small(**change))


def test_a_bad_line_names_its_number(tmp_path: Path) -> None:
    """In JSON Lines the place is the line, blank ones counted."""
    content = lines({"record": "model", "id": "a"}) + "\n" + lines({"record": "model"})
    with pytest.raises(RecordError, match="line 3: missing field id"):
        read(tmp_path, content)
    with pytest.raises(RecordError, match="line 2: field record: expected one of file, model"):
        read(tmp_path, lines({"record": "model", "id": "a"}, {"record": "wish"}))
    with pytest.raises(RecordError, match="line 2: expected an object, found a number"):
        read(tmp_path, lines({"record": "model", "id": "a"}, 7, {"record": "model", "id": "b"}))


@pytest.mark.parametrize("version", ["stylekl/2", "stylekl/10", "stylekl/"])
def test_another_version_is_an_error_that_says_so(version: str, tmp_path: Path) -> None:
    """A file of a later form is never read half."""
    with pytest.raises(InputError, match="not a version that this stylekl reads"):
        read(tmp_path, small(format=version))
    with pytest.raises(InputError, match="not a version"):
        read(tmp_path, lines({"record": "file", "format": version}, {"record": "model", "id": "m"}))


def test_one_id_with_two_contents_is_an_error(tmp_path: Path) -> None:
    """Equal repeats are one; others name both places."""
    assert len(read(tmp_path, small(models=[{"id": "a"}] * 2, replies=[])).models) == 1
    with pytest.raises(ConflictError, match=r'prompt "p" .*prompt 1 and .*prompt 2'):
        read(tmp_path, small(prompts=[{"id": "p", "text": "1"}, {"id": "p", "text": "2"}], replies=[]))


def test_a_condition_that_the_file_defines_is_ours(tmp_path: Path) -> None:
    """Without conditions of its own the field goes to `extra`; with them an unknown one is an error."""
    replies = [{"model": "a", "prompt": "p1", "text": "x", "condition": "c"}]
    foreign = read(tmp_path, small(replies=replies))
    ours = read(tmp_path, small(replies=replies, conditions=[{"id": "control"}, {"id": "c"}]))

    assert (foreign.replies[0].condition, foreign.replies[0].extra) == (None, {"condition": "c"})
    assert (ours.replies[0].condition, ours.replies[0].extra) == ("c", {})
    assert [Condition(id="control"), Condition(id="c")] == ours.conditions
    with pytest.raises(RecordError, match='field condition: the file has no condition "c"'):
        read(tmp_path, small(replies=replies, conditions=[{"id": "control"}]))


def test_a_control_that_adds_text_is_a_warning(tmp_path: Path) -> None:
    """The first condition is the control by definition, so one that adds something is suspect."""
    loaded = read(tmp_path, small(conditions=[{"id": "terse", "suffix": "Be brief."}]))

    assert "is the control but adds text" in loaded.warnings[0]


@pytest.mark.parametrize("form", ["array", "lines"])
def test_alpaca_eval_is_read(form: str, tmp_path: Path) -> None:
    """Model = generator, topic = dataset, a null output is flagged, other fields go to extra."""
    rows = [ALPACA, ALPACA | {"generator": "h", "output": None}, ALPACA | {"instruction": "Q?", "more": 1}]
    loaded = read(tmp_path, rows if form == "array" else lines(*rows))

    assert [model.id for model in loaded.models] == ["g", "h"]
    assert [(prompt.text, prompt.topic) for prompt in loaded.prompts] == [("P?", "d"), ("Q?", "d")]
    assert [reply.flags for reply in loaded.replies] == [[], ["empty"], []]
    assert [reply.extra for reply in loaded.replies] == [{}, {}, {"more": 1}]


def test_both_ways_of_reading_alpaca_eval_agree(tmp_path: Path) -> None:
    """The quick way takes usual rows straight from the bytes; lines go the way that takes anything."""
    rows = [ALPACA, ALPACA | {"output": None}, {**ALPACA, "dataset": None, "instruction": "Q?"}]

    assert read(tmp_path, rows) == read(tmp_path, lines(*rows), "r.jsonl")


def test_the_placeholder_generator_gives_way_to_the_file_name(tmp_path: Path) -> None:
    """A file made from the benchmark's template has "example" for its model."""
    content = gzip.compress(json.dumps([ALPACA | {"generator": "example"}]).encode())

    assert [Model(id="Null-1.5")] == read(tmp_path, content, "Null-1.5.json.gz").models


def test_an_input_is_part_of_the_prompt(tmp_path: Path) -> None:
    """One instruction with two inputs is two prompts."""
    rows = [ALPACA | {"input": each} for each in ("x", "y", "")]
    plain = [{"model": "m", "instruction": "P?", "input": each, "output": "T"} for each in ("x", "y", "")]

    for content in (rows, plain):
        assert [prompt.text for prompt in read(tmp_path, content).prompts] == ["P?\n\nx", "P?\n\ny", "P?"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ALPACA | {"output": [1]}], "record 1: field output: expected text, found an array"),
        (
            [ALPACA, {"instruction": "P?", "output": "x"}],
            "record 2: field generator: expected text, found nothing",
        ),
        ([PLAIN, PLAIN | {"response": {"a": 1}}], "record 2: field response: expected text, found an object"),
        ([PLAIN | {"prompt": None}], "record 1: field prompt: expected text, found null"),
        ([PLAIN, {"model": "m", "prompt": "p"}], "record 2: no reply: expected one of response, reply"),
        ([PLAIN, {"model": "m", "text": "t"}], "record 2: no prompt: expected one of prompt, instruction"),
        ([PLAIN, 3], "record 2: expected an object, found a number"),
    ],
)
def test_what_is_not_text_is_an_error_with_its_place(rows: Any, message: str, tmp_path: Path) -> None:
    """No value is turned into text in silence."""
    with pytest.raises(RecordError, match=message):
        read(tmp_path, rows)


def test_plain_records_keep_what_is_not_ours(tmp_path: Path) -> None:
    """prompt_id, topic, provider and sample are used; a condition, and whatever else, is kept."""
    row = PLAIN | {"prompt_id": 7, "topic": "t", "provider": "v", "sample": 2, "condition": "OPEN", "cost": 1}
    loaded = read(tmp_path, lines(row, row | {"sample": "b", "topic": "u"}))

    assert [Model(id="m", provider="v")] == loaded.models
    assert [Prompt(id="7", text="P?", topic="t")] == loaded.prompts
    assert loaded.replies[0].extra == {"condition": "OPEN", "cost": 1}
    assert loaded.replies[1].extra == {"condition": "OPEN", "cost": 1, "sample": "b", "topic": "u"}
    assert [reply.sample for reply in loaded.replies] == [2, 1]


def test_one_prompt_id_with_two_texts_is_two_prompts(tmp_path: Path) -> None:
    """Question numbers repeat from one category to the next; the text decides."""
    rows = [PLAIN | {"prompt_id": "1"}, PLAIN | {"prompt_id": "1", "prompt": "Q?"}]
    first, second = read(tmp_path, rows).prompts

    assert (first.id, first.text, second.text) == ("1", "P?", "Q?")
    assert first.id != second.id


def test_an_error_in_place_of_a_reply_is_a_flag(tmp_path: Path) -> None:
    """A failed call is a reply without text; a null reply without an error is an empty one."""
    rows = [
        {"model": "m", "prompt": "p", "error": "404"},
        {"model": "m", "prompt": "p", "error": {"code": 5}, "response": None},
        {"model": "m", "prompt": "p", "response": None},
        {"model": "m", "prompt": "p", "response": "fine", "error": None},
    ]
    replies = read(tmp_path, rows).replies

    assert [reply.flags for reply in replies] == [["error"], ["error"], ["empty"], []]
    assert [reply.text for reply in replies] == ["", "", "", "fine"]


def test_unknown_content_says_what_was_seen_and_what_is_read(tmp_path: Path) -> None:
    """The message names the keys, the hint the simplest form and where all are listed; or the one wished for."""
    with pytest.raises(UnknownFormatError, match="an object with the keys a, b") as caught:
        read(tmp_path, {"a": 1, "b": 2})
    assert "a model, a prompt and a response" in caught.value.hint
    assert "docs/results-file.md" in caught.value.hint
    with pytest.raises(UnknownFormatError) as wished:
        read(tmp_path, {"a": 1}, format="alpaca_eval")
    assert "AlpacaEval" in wished.value.hint
    with pytest.raises(UnknownFormatError, match="an array, the first record a number"):
        read(tmp_path, [1])
    with pytest.raises(UnknownFormatError, match="an empty array"):
        read(tmp_path, [])


def test_a_reader_can_be_named(tmp_path: Path) -> None:
    """The reader asked for is the only one tried."""
    assert [model.id for model in read(tmp_path, [PLAIN], format="plain_lines").models] == ["m"]
    with pytest.raises(UnknownFormatError):
        read(tmp_path, [PLAIN], format="native")
    with pytest.raises(UnknownChoiceError, match='no form "x"'):
        read(tmp_path, [PLAIN], format="x")


def test_the_examples_of_the_docs_load(tmp_path: Path) -> None:
    """Both examples in docs/results-file.md are results files, and the same."""
    text = (Path(__file__).parents[2] / "docs" / "results-file.md").read_text(encoding="utf-8")
    first, second = (text.split(f"```{form}\n")[1].split("```")[0] for form in ("json", "jsonl"))

    assert read(tmp_path, first) == read(tmp_path, second, "r.jsonl")
    assert len(read(tmp_path, first).replies) == 2


def test_the_sample_is_what_it_says(tmp_path: Path) -> None:
    """Six writers, 96 prompts, every reply that is cut or far too long flagged, and the same bytes when saved again."""
    path = Path(__file__).parents[2] / "data" / "sample.json"
    loaded = load(path)
    save(loaded, tmp_path / "again.json")

    assert (len(loaded.models), len(loaded.prompts), len(loaded.replies)) == (6, 96, 576)
    assert all("SmolLM2" in (model.name or "") for model in loaded.models)
    assert Counter((reply.stop, tuple(reply.flags)) for reply in loaded.replies) == {
        ("length", ("over_length", "truncated")): 20,
        ("length", ("truncated",)): 4,
        ("stop", ("over_length",)): 2,
        ("stop", ()): 550,
    }
    assert path.read_bytes() == (tmp_path / "again.json").read_bytes()


def test_replies_are_records_of_the_file_order(tmp_path: Path) -> None:
    """Models, prompts and replies keep the order in which the file names them."""
    loaded = read(tmp_path, [PLAIN | {"model": "z"}, PLAIN | {"model": "a"}])

    assert [Model(id="z"), Model(id="a")] == loaded.models
    assert [Reply(model=m, prompt=loaded.prompts[0].id, text="Text.") for m in "za"] == loaded.replies
