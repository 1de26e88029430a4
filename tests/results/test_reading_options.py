"""What is said of files in Python: forms, turns and names together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stylekl
from stylekl.errors import UnknownChoiceError, UnknownFormatError
from stylekl.results import Named, Reading, find_model, load
from stylekl.results.readers import READERS
from stylekl.results.readers.columns import MODELS, ROLES
from stylekl.results.readers.conversation import Talk, talk
from stylekl.results.reading import Turn

from .strategies import write, write_json, write_lines

if TYPE_CHECKING:
    from stylekl.results import Results

PAGE = (Path(__file__).parents[2] / "docs" / "reading.md").read_text(encoding="utf-8")
TURNS = get_args(Turn)
FOUR = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "One?"},
    {"role": "assistant", "content": "1.", "id": 7},
    {"role": "user", "content": "Two?"},
    {"role": "assistant", "content": "2."},
]


def pairs(results: Results) -> list[tuple[str, str]]:
    texts = {prompt.id: prompt.text for prompt in results.prompts}
    return [(texts[reply.prompt], reply.text) for reply in results.replies]


@pytest.mark.parametrize(
    ("turn", "pair"),
    [("first", ("One?", "1.")), ("last", ("Two?", "2.")), ("all", ("One?\n\nTwo?", "1.\n\n2."))],
)
def test_a_turn_of_a_conversation_is_a_prompt_and_its_reply(
    turn: Turn, pair: tuple[str, str], tmp_path: Path
) -> None:
    """Two models that were asked the same have the same prompt; one warning a file says which turn it is."""
    rows = [{"model": "m", "messages": FOUR}, {"model": "n", "messages": FOUR[:3] + FOUR[3:]}]
    file = write_json(tmp_path, "c.json", rows)
    loaded = load(file, reading=Reading(turn=turn))

    assert pairs(loaded) == [pair, pair]
    assert len(loaded.prompts) == 1
    (warning,) = [each for each in loaded.warnings if "turns" in each]
    assert warning.startswith(f"{file}: 2 conversations have several turns, of which ")


@pytest.mark.parametrize("turn", TURNS)
def test_of_one_turn_nothing_is_said(turn: Turn, tmp_path: Path) -> None:
    """There is no other that could be read."""
    loaded = load(
        write_json(tmp_path, "c.json", [{"messages": FOUR[:3]}, {"messages": FOUR[:3]}]),
        reading=Reading(turn=turn),
    )

    assert pairs(loaded) == [("One?", "1."), ("One?", "1.")]
    assert not any("several turns" in warning for warning in loaded.warnings)


@pytest.mark.parametrize(
    ("turn", "prompt", "reply", "turns"),
    [
        ("first", "One?", "1.", [{"content": "2.", "tokens": 2}]),
        ("last", "Two?", "2.", [{"content": "1.", "tokens": 1}]),
        ("all", "One?\n\nTwo?", "1.\n\n2.", [{"tokens": 1}, {"tokens": 2}]),
    ],
)
def test_a_turn_of_mt_bench_answers(
    turn: Turn, prompt: str, reply: str, turns: list[Any], tmp_path: Path
) -> None:
    """The questions are those of the same turn; nothing that the others say is lost."""
    questions = ({"question_id": n, "turns": ["One?", "Two?"] if n == 1 else ["Only?"]} for n in (1, 2))
    write_lines(tmp_path, "b/question.jsonl", *questions)
    said = [{"content": f"{n}.", "tokens": n} for n in (1, 2)]
    answers = (
        {"question_id": n, "model_id": "m", "choices": [{"index": 0, "turns": said if n == 1 else said[:1]}]}
        for n in (1, 2)
    )
    write_lines(tmp_path, "b/model_answer/m.jsonl", *answers)
    loaded = load(tmp_path / "b", reading=Reading(turn=turn))

    assert pairs(loaded) == [(prompt, reply), ("Only?", "1.")]
    assert loaded.replies[0].extra["turns"] == turns
    assert len(loaded.prompts) == 2
    assert "1 conversation has several turns" in loaded.warnings[0]


def test_a_later_turn_of_an_unknown_question_has_a_name(tmp_path: Path) -> None:
    """It is neither empty nor that of the first turn."""
    answer = {"question_id": 7, "model_id": "m", "choices": [{"index": 0, "turns": ["1.", "2."]}]}
    file = write_lines(tmp_path, "set/model_answer/m.jsonl", answer, answer | {"question_id": 8})

    assert pairs(load(file, reading=Reading(turn="last")))[0] == ("[question 7 of set] turn 2", "2.")


def test_battles_are_about_whole_conversations(tmp_path: Path) -> None:
    """All turns are read unless one is asked for."""
    row = {
        "model_a": "a",
        "model_b": "b",
        "winner": "model_a",
        "conversation_a": FOUR[1:],
        "conversation_b": FOUR[1:],
    }
    file = write_json(tmp_path, "v.json", [row, row])
    found = {turn: pairs(load(file, reading=Reading(turn=turn)))[0] for turn in (None, *TURNS)}

    assert found == {
        None: ("One?\n\nTwo?", "1.\n\n2."),
        "all": ("One?\n\nTwo?", "1.\n\n2."),
        "first": ("One?", "1."),
        "last": ("Two?", "2."),
    }


roles = st.sampled_from(["user", "assistant", "system", "tool", "human", "gpt"])
messages = st.lists(st.fixed_dictionaries({"role": roles, "content": st.sampled_from("abcd")}), max_size=8)


@given(messages, st.sampled_from(TURNS))
def test_every_message_is_read_or_kept(given_messages: list[dict[str, str]], turn: Turn) -> None:
    """Whatever the turn: those that are in neither prompt nor reply nor system prompt are the rest."""
    found = talk(given_messages, turn)
    asks = any(message["role"] in ("user", "human") for message in given_messages)

    assert (found is not None) == asks
    if found is not None:
        texts = [text for text in (found.prompt, found.reply, found.system) if text]
        assert len("".join(texts).replace("\n\n", "")) + len(found.rest) == len(given_messages)


@given(messages)
def test_one_turn_is_the_same_whichever_is_asked_for(given_messages: list[dict[str, str]]) -> None:
    """And the last turn is one that has an answer, where any has."""
    found: dict[str, Talk | None] = {turn: talk(given_messages, turn) for turn in TURNS}
    first, last, everything = (found[turn] for turn in TURNS)
    if first and last and everything:
        if first.turns == 1:
            assert first == last == everything
        assert (last.reply is None) == (everything.reply is None)


def test_a_form_that_does_not_exist_is_answered_with_those_that_do(tmp_path: Path) -> None:
    """All of them, in the order of the alphabet."""
    file = write(tmp_path, "a.json", "[]")
    with pytest.raises(UnknownChoiceError, match='no form "xml"') as caught:
        load(file, reading=Reading(format="xml"))

    assert caught.value.hint == f"forms: {', '.join(sorted(reader.name for reader in READERS))}"


def test_a_file_of_no_known_form_is_answered_with_the_options(tmp_path: Path) -> None:
    """That say what it is."""
    with pytest.raises(UnknownFormatError) as caught:
        load(write(tmp_path, "a.csv", "who,what,said\nm,P?,x\n"))

    assert "--column" in caught.value.hint
    assert "--format" in caught.value.hint


def test_the_page_has_every_form_and_role() -> None:
    """docs/reading.md lists what the options take."""
    for name in (*(reader.name for reader in READERS), *ROLES):
        assert f"`{name}`" in PAGE
    assert f"--column {MODELS}=" in PAGE


def test_names_count_once_the_files_are_joined(tmp_path: Path) -> None:
    """A model is renamed in every file that has it, and named by its new name or an old one."""
    first = write_lines(
        tmp_path, "a.jsonl", *({"model": "m", "prompt": f"{n}?", "response": "x"} for n in (1, 2))
    )
    second = write_lines(
        tmp_path, "b.jsonl", *({"model": "vendor/m", "prompt": f"{n}?", "response": "y"} for n in (1, 2))
    )
    reading = stylekl.Reading(rename={"vendor/m": "m"}, names=(Named(key="VENDOR/M", name="Model M"),))
    loaded = stylekl.load(first, second, reading=reading)

    assert [(model.id, model.label) for model in loaded.models] == [("m", "Model M")]
    assert sorted((reply.prompt, reply.sample, reply.text) for reply in loaded.replies) == sorted(
        (prompt.id, sample, text) for prompt in loaded.prompts for sample, text in ((1, "x"), (2, "y"))
    )
    assert loaded.warnings == []


def test_no_name_of_a_model_is_lost_where_files_are_joined(tmp_path: Path) -> None:
    """What the second file calls it differently is an alias."""
    answer = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}
    for name, sent, returned in (("a", "vendor/m", "m-0513"), ("b", "router/m", "m-0806")):
        rows = (
            {"model": "m", "api_model": sent, "question": f"{n}?", "response": answer | {"model": returned}}
            for n in (1, 2)
        )
        write_lines(tmp_path, f"{name}.jsonl", *rows)
    loaded = load(tmp_path)

    assert len(loaded.models) == 1
    for name in ("m", "vendor/m", "m-0513", "router/m", "m-0806"):
        assert find_model(loaded, name).id == "m"
    assert [reply.version for reply in loaded.replies] == ["m-0513", "m-0513", "m-0806", "m-0806"]
