"""Requirements 1 to 5: stdout carries one JSON document, the same bytes wherever it goes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from . import made
from .run import at_terminal, call, run

PLAIN, AGAIN, LISTS = made.THREE
COMMANDS = (("matrix", "--floor"), ("pair", PLAIN, LISTS), ("focus", LISTS))


def fail(constant: str) -> Any:
    raise AssertionError(f"{constant} is not JSON")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_json_is_the_same_bytes_everywhere(command: tuple[str, ...]) -> None:
    """From two runs, any width, any language, with colour forced, into a pipe and at a terminal."""
    first = run(*command, "--json", "--quiet")
    others = [
        run(*command, "--json", "--quiet", env={"COLUMNS": "40", "LC_ALL": "C", "PYTHONIOENCODING": ""}),
        run(*command, "--json", "--quiet", "--color", "always", "--width", "200", env={"FORCE_COLOR": "1"}),
        at_terminal(*command, "--json", "--quiet", columns=61, env={"COLORTERM": "truecolor"}),
    ]

    assert (first.code, first.err) == (0, "")
    assert all(first == other for other in others)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_json_is_one_document_that_fits_its_schema(command: tuple[str, ...]) -> None:
    """One object and a newline, no escape, no NaN, as `stylekl schema` says it."""
    done = call(*command, "--json", env={"FORCE_COLOR": "1"})
    schema = json.loads(call("schema", command[0]).out)
    document = json.loads(done.out, parse_constant=fail)

    assert done.out == json.dumps(document, indent=2) + "\n"
    assert done.out.isascii()
    assert "\x1b" not in done.out
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    assert [f"stylekl/{command[0]}/v1", command[0]] == [document["schema"], document["command"]]


def test_the_envelope_says_what_was_read_and_asked_for() -> None:
    """`source` has the file, its sha256 and its form, `params` the options in force."""
    path = made.write(made.sample(made.THREE))
    asked = ("--threshold", "0.3", "--skew", "0.9", "--seed", "7", "--topic", "advice", "--topic", "work")
    document = json.loads(call("matrix", path, "--json", *asked).out)
    params = document["params"]

    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert document["source"] == [{"path": path, "sha256": digest, "form": "native"}]
    assert [params["threshold"], params["skew"], params["seed"]] == [0.3, 0.9, 7]
    assert params["topics"] == ["advice", "work"]


@pytest.mark.parametrize(
    ("prompts", "prefix"),
    [(1, ""), (3, ""), (30, ""), (30, "own ")],
    ids=["one", "three", "same", "disjoint"],
)
@pytest.mark.parametrize("command", [("matrix", "--floor"), ("pair", "a", "b"), ("focus", "a")])
def test_what_cannot_be_computed_is_null(command: tuple[str, ...], prompts: int, prefix: str) -> None:
    """One unit, few units, equal replies, no prompt in common: null and a reason, never NaN."""
    replies = [
        {"model": model, "prompt": f"{prefix and model}{prompt}", "response": "Yes, and the rest of it."}
        for model in "ab"
        for prompt in range(prompts)
    ]
    done = call(*command, made.write(replies), "--json")
    document = json.loads(done.out, parse_constant=fail)
    schema = json.loads(call("schema", command[0]).out)

    Draft202012Validator(schema).validate(document)
    assert done.code == 0
    if prefix and command[0] == "matrix":
        assert document["data"]["pairs"][0]["undefined"] == "no prompt in common"
        assert document["data"]["pairs"][0]["kl_ab"] is None


def test_notes_and_warnings_go_to_stderr() -> None:
    """Neither is part of the answer; --quiet leaves stderr empty and the answer as it was."""
    path = made.write(made.rows(["a", "b"], prompts=3))
    loud, quiet = call("matrix", path), call("matrix", path, "--quiet")

    read, warning = loud.err.splitlines()
    assert read.startswith("note: read 1 file: records with a model, a prompt and a response")
    assert warning == "warning: 3 prompts only: the result speaks of these and of no others"
    assert ("", loud.out) == (quiet.err, quiet.out)
    assert "warning" not in loud.out
    assert json.loads(call("matrix", path, "--json", "-q").out)["warnings"] == [warning[9:]]


def test_json_keeps_the_text_of_the_file_as_it_is() -> None:
    """Names are escaped by JSON, not replaced as on a terminal."""
    name = "\x1b[31mred\u202e文"
    path = made.write(made.rows([name, "b"], prompts=10))
    document = json.loads(call("matrix", path, "--json").out)

    assert name in document["data"]["order"]
