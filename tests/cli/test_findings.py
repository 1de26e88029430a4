"""`stylekl findings`: its JSON, its options, its errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from stylekl.lenses.style.claims import KINDS, MISSING
from stylekl.lenses.words import PLAIN

from . import made
from .run import call, run

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "findings"


def document(*arguments: str) -> Any:
    done = call("findings", *arguments, "--json", "--quiet")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out, parse_constant=pytest.fail)
    schema = json.loads(call("schema", SCHEMA).out)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(found)
    return found


def test_json_fits_its_schema_and_bears_its_sentences_out() -> None:
    data = document()["data"]

    assert data["findings"]
    for found in data["findings"]:
        assert KINDS[found["kind"]].check(found["evidence"])
        assert KINDS[found["kind"]].sentence(found["evidence"], PLAIN) == (found["lead"], found["text"])
    for lacking in data["not_supported"]:
        assert MISSING[lacking["kind"]].sentence(lacking["evidence"], PLAIN)[0] == lacking["text"]


def test_json_is_the_same_bytes_in_a_process_of_its_own() -> None:
    path = made.write(made.sample(made.THREE))
    first = run("findings", path, "--json", env={"COLUMNS": "40", "LC_ALL": "C"})

    assert first == run("findings", path, "--json", "--color", "always", "--width", "200")
    assert first.out == call("findings", path, "--json").out


@pytest.mark.parametrize(
    ("prompts", "prefix"),
    [(1, ""), (3, ""), (30, ""), (30, "own ")],
    ids=["one", "three", "same", "disjoint"],
)
def test_what_cannot_be_said_is_not(prompts: int, prefix: str) -> None:
    """One unit, few units, equal replies, no prompt in common: no claim with a q, and a reason."""
    replies = [
        {"model": model, "prompt": f"{prefix and model}{prompt}", "response": "Yes, and the rest of it."}
        for model in "abc"
        for prompt in range(prompts)
    ]
    data = document(made.write(replies))["data"]

    assert all(found["q"] is None for found in data["findings"])
    assert data["not_supported"]


def test_most_says_how_many_sentences_are_shown() -> None:
    path = made.write(made.rows(list("abcd"), prompts=30))
    few, many = (call("findings", path, "--most", most, "--width", "200").out for most in ("2", "500"))

    assert "more (" in few
    assert "more (" not in many
    assert len(many.splitlines()) > len(few.splitlines())


def test_the_first_line_of_each_form() -> None:
    path = made.write(made.rows(["a", "b"], prompts=20))

    assert call("findings", path).out.startswith(
        "Supported, strongest first\n  Apart. a and b write differently"
    )
    assert call("findings", path, "--csv").out.startswith("supported,kind,lens,text,")
    assert call("findings", path, "--markdown").out.startswith("| supported | kind |")


def test_a_wrong_name_is_an_error_with_the_near_one() -> None:
    done = call("findings", "--models", "smollm2-plane", "--quiet")

    assert done.code == 2
    assert done.out == ""
    assert "SmolLM2 plain" in done.err


def test_two_forms_exclude_each_other() -> None:
    assert call("findings", "--json", "--csv").code == 2


def test_one_model_on_two_servers_is_not_told_apart(shared: Path) -> None:
    """Among models of other makers, all of which are apart: the closest pair, and kin."""
    models = ("vicuna-13b-v1.5", "vicuna-13b-v1.5-togetherai", "gpt4", "Yi-34B-Chat", "zephyr-7b-beta")
    files = [str(shared / "data" / "alpaca_eval" / f"{model}.json.gz") for model in models]
    kinds = {found["kind"]: found for found in reversed(document(*files)["data"]["findings"])}

    for kind in ("closest pair", "not told apart", "kin"):
        assert kinds[kind]["models"] == list(models[:2])
    assert kinds["apart"]["evidence"]["apart"] == 9
    assert kinds["not told apart"]["evidence"]["js"]["upper"] < 0.001
