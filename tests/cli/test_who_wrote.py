"""`stylekl who-wrote` through the command: what it reads, its forms, its errors, and the same answer everywhere."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from wcwidth import wcswidth

from tests.show.output import acting

from . import made
from .run import at_terminal, call, run

FOUR = ("smollm2-plain", "smollm2-bubbly", "smollm2-lists", "smollm2-terse")


def data(*arguments: str) -> Any:
    done = call("who-wrote", *arguments, "--json", "--quiet")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)["data"]


@pytest.fixture(autouse=True)
def reply() -> None:
    """Write a text to attribute, and a file of four writers, which is what is read where none is named."""
    Path("reply.txt").write_text(made.REPLY, encoding="utf-8")
    made.write(made.sample(FOUR), "results.json")


def piped(monkeypatch: pytest.MonkeyPatch, given: bytes, *arguments: str) -> Any:
    """Return the data of a run with these bytes on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    return data(*arguments)


@pytest.mark.parametrize("more", [(), ("--text", "reply.txt"), ("--models", "smollm2-t,smollm2-l")], ids=str)
def test_json_fits_its_schema(more: tuple[str, ...]) -> None:
    done = call("who-wrote", *more, "--json", "--quiet")
    schema = json.loads(call("schema", "who-wrote").out)
    document = json.loads(done.out)

    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    assert (done.code, document["schema"]) == (0, "stylekl/who-wrote/v1")
    assert done.out.isascii()


def test_json_is_the_same_bytes_everywhere() -> None:
    """From two runs, another width and language, and at a terminal."""
    first = run("who-wrote", "--text", "reply.txt", "--json", "-q")
    poor = {"COLUMNS": "40", "LC_ALL": "C", "PYTHONIOENCODING": "", "OPENBLAS_NUM_THREADS": "2"}

    assert (first.code, first.err) == (0, "")
    assert run("who-wrote", "--text", "reply.txt", "--json", "-q", env=poor) == first
    assert at_terminal("who-wrote", "--text", "reply.txt", "--json", "-q", columns=61) == first


def test_the_text_may_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the line ends of another system, a byte order mark, white space around it: the answer is the same."""
    named = data("--text", "reply.txt")["text"]
    foreign = f"\ufeff\n {made.REPLY}\n\n".replace("\n", "\r\n")

    assert piped(monkeypatch, foreign.encode(), "--text", "-")["text"] == named
    assert (named["call"], named["model"]) == ("named", "smollm2-lists")


def test_the_results_may_come_from_standard_input_too(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Path("results.json").read_bytes()

    assert piped(monkeypatch, whole, "-", "--text", "reply.txt") == data("--text", "reply.txt")


def test_two_writers_that_are_one_are_not_told_apart() -> None:
    """The sample has one writer twice; all other pairs are told apart, and of the names given most are right."""
    found = data(made.write(made.sample(), "six.json"))["recognition"]
    close = [pair for pair in found["pairs"] if pair["call"] == "could not tell"]

    assert [(pair["a"], pair["b"]) for pair in close] == [("smollm2-plain", "smollm2-plain-again")]
    assert found["answers"]["right"]["value"] >= 0.93
    assert found["accuracy"]["low"] > 2 * found["chance"]


def test_plain_text_is_attributed_by_its_words() -> None:
    """The layout of the text goes as that of the replies does."""
    plain, whole = data("--text", "reply.txt", "--plain"), data("--text", "reply.txt")

    assert plain["text"]["characters"] < whole["text"]["characters"]
    assert plain["recognition"]["accuracy"]["value"] < whole["recognition"]["accuracy"]["value"]


def test_strangers_are_as_likely_as_said() -> None:
    never, often = (data("--text", "reply.txt", "--stranger", prior)["text"] for prior in ("0", ".5"))

    assert never["none"] == 0 < often["none"]
    assert never["candidates"][0]["probability"] > often["candidates"][0]["probability"]


def test_a_facet_changes_nothing_and_is_told_so() -> None:
    loud = call("who-wrote", "--facet", "words")

    assert "note: recognition looks at several facets together; --facet changes nothing\n" in loud.err
    assert loud.out == call("who-wrote").out


@pytest.mark.parametrize(
    ("content", "error", "hint"),
    [
        (b"", "the text is empty", "give a text with words in it"),
        (b" \n\t", "the text is empty", "give a text with words in it"),
        (b"<think>never closed", "the text is empty, or nothing but reasoning", "give a text with words"),
        (b"caf\xe9", "t.txt: line 1, byte 3: not UTF-8", "where it is Latin-1"),
    ],
    ids=["empty", "white", "reasoning", "latin"],
)
def test_a_text_that_is_none_is_an_error(content: bytes, error: str, hint: str) -> None:
    Path("t.txt").write_bytes(content)
    done = call("who-wrote", "-q", "--text", "t.txt")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {error}")
    assert f"hint: {hint}" in done.err


def test_what_cannot_be_asked_is_an_error() -> None:
    made.write(made.rows(["a", "b"], prompts=3), "few.json")
    missing = call("who-wrote", "-q", "--text", "none.txt")
    twice = call("who-wrote", "-q", "-", "--text", "-")
    nobody = call("who-wrote", "-q", "--models", "smollm2-terse")
    few = call("who-wrote", "-q", "few.json")
    keyboard = at_terminal("who-wrote", "-q", "--text", "-", keyboard=True)

    assert missing.err.startswith("error: none.txt: no such file\n")
    assert twice.err.startswith('error: "-" is given twice\n')
    assert nobody.err.startswith("error: recognition needs replies of two models; 1 has any\n")
    assert few.err.startswith("error: recognition needs 4 prompts that two models answered; there are 3\n")
    assert keyboard.err.startswith('error: "-" reads the text from standard input')
    assert {done.code for done in (missing, twice, nobody, few, keyboard)} == {2}
    assert call("who-wrote", "--stranger", "0.7").code == 2


def test_hostile_names_and_texts_only_show() -> None:
    """Names of models, the text itself, a text of control characters, one without a letter, at three widths."""
    path = made.write(made.rows(list(made.HOSTILE), prompts=10), "hostile.json")
    texts = ["".join(made.HOSTILE) * 3, "\x1b\x00\x9b" * 200, "。" * 300, "\u202e" * 90]
    for number, text in enumerate(texts):
        Path(f"{number}.txt").write_text(text, encoding="utf-8")
    for columns, text in ((40, ()), (80, ()), (40, "0"), (80, "1"), (120, "2"), (60, "3")):
        asked = ("--text", f"{text}.txt") if text else ()
        done = call("who-wrote", path, "-q", "--width", str(columns), *asked)

        assert done.code == 0
        assert not acting(done.out + done.err)
        assert max(map(wcswidth, done.out.splitlines())) <= columns


def test_a_huge_text_is_looked_at_in_part() -> None:
    Path("huge.txt").write_text("word after word, and so on. " * 40_000, encoding="utf-8")
    found = data("--text", "huge.txt")["text"]

    assert found["characters"] == 28 * 40_000 - 1
    assert found["read"] == 200_000


def test_replies_without_any_difference_are_recognised_by_chance() -> None:
    """One text for all: ties go one way, every share is chance's, nothing is null that needs no reason."""
    rows = [
        {"model": model, "prompt": f"p{number}", "response": "Yes, and the rest of it."}
        for model in "abc"
        for number in range(20)
    ]
    found = data(made.write(rows))["recognition"]

    assert found["accuracy"]["value"] == pytest.approx(1 / 3)
    assert found["answers"]["right"]["value"] is None
    assert {pair["call"] for pair in found["pairs"]} == {"could not tell"}
