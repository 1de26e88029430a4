"""`drift`, `diff` and `matrix --baseline` as commands: exit codes, JUnit, annotations, files and streams."""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from . import made
from .run import call, run

DRIFT = ("drift", "smollm2", "dated.json")
DIFF = ("diff", "old.json", "new.json")
PLAIN, AGAIN, LISTS = made.THREE
GATES = {
    "drift: no gate": (DRIFT, 0),
    "drift: apart": ((*DRIFT, "--fail-if-apart"), 1),
    "drift: surely above": ((*DRIFT, "--fail-above", ".1"), 1),
    "drift: surely not above": ((*DRIFT, "--fail-above", "2"), 0),
    "drift: within the interval": ((*DRIFT, "--last", "--fail-above", ".5"), 4),
    "drift: of two that are alike": (
        (*DRIFT, "--models", "smollm2@2026-01-05,smollm2@2026-02-02", "--fail-if-apart", "--size", ".02"),
        0,
    ),
    "drift: too little text": (
        (*DRIFT, "--models", "smollm2@2026-01-05,smollm2@2026-02-02", "--fail-if-apart", "--size", ".001"),
        4,
    ),
    "drift: both, and one passes": ((*DRIFT, "--fail-if-apart", "--fail-above", "2"), 0),
    "diff: apart": ((*DIFF, "--fail-if-apart"), 1),
    "diff: the same replies": ((*DIFF, "--models", LISTS, "--fail-if-apart"), 0),
    "diff: new replies, too little text": (
        (*DIFF, "--models", PLAIN, "--fail-if-apart", "--size", ".001"),
        4,
    ),
    "diff: the same file": (("diff", "old.json", "old.json", "--fail-if-apart", "--fail-above", ".0001"), 0),
}


@pytest.mark.parametrize("name", GATES)
def test_the_exit_code_is_that_of_the_gate(name: str) -> None:
    """0 no drift, 1 drift, 4 could not tell; and the output says it."""
    arguments, code = GATES[name]
    made.provide(arguments)
    done = call(*arguments, "--quiet")
    outcome = {0: "passed", 1: "failed", 4: "could not tell"}[code]

    assert (done.code, done.err) == (code, "")
    assert (f"Gate: {outcome} (exit {code})" in done.out) == ("no gate" not in name)


def test_a_process_of_its_own_leaves_with_the_code() -> None:
    made.provide(DIFF)

    assert run(*DIFF, "--fail-if-apart", "--size", ".001", "--models", PLAIN, "--json").code == 4


@pytest.mark.parametrize(
    "command", [DRIFT, DIFF, ("matrix", "new.json", "--baseline", "old.json")], ids=lambda c: c[0]
)
def test_json_is_one_document_that_fits_its_schema(command: tuple[str, ...]) -> None:
    """With a gate too, whose outcome and reasons are in it; the exit code is the gate's none the less."""
    made.provide(command)
    gated = command if command[0] == "matrix" else (*command, "--fail-if-apart", "--size", ".02")
    done = call(*gated, "--json", "--quiet")
    document = json.loads(done.out)
    data = document["data"]

    Draft202012Validator(json.loads(call("schema", command[0]).out)).validate(document)
    assert done.err == ""
    if command[0] == "matrix":
        assert {m["row"] for m in data["baseline"]["moved"]} | {
            m["column"] for m in data["baseline"]["moved"]
        } >= {AGAIN}
        assert document["params"]["baseline"] == "old.json"
    else:
        assert done.code == 1
        assert data["gate"] == {"fail_above": None, "fail_if_apart": True, "size": 0.02, "outcome": "failed"}
        assert {change["gate"] for change in data["changes"]} == {"passed", "failed"}
        assert data["size"] == document["params"]["size"] == 0.02


def keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return {*value}.union(
            *(keys(item) for name, item in value.items() if name not in ("left_out", "removed"))
        )
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize(
    "command", [DRIFT, DIFF, ("matrix", "new.json", "--baseline", "old.json")], ids=lambda c: c[0]
)
def test_every_field_of_the_json_is_documented(command: tuple[str, ...]) -> None:
    made.provide(command)
    gate = () if command[0] == "matrix" else ("--fail-above", "1")
    page = Path(made.SAMPLE).parents[1] / "docs" / "json.md"
    named = set(re.findall(r"`([\w.]+)`", page.read_text(encoding="utf-8")))

    assert keys(json.loads(call(*command, *gate, "--json").out)) - named == set()


def test_both_files_are_sources_of_a_diff() -> None:
    made.provide(DIFF)
    document = json.loads(call(*DIFF, "--json").out)

    assert [source["path"] for source in document["source"]] == ["old.json", "new.json"]
    assert (document["data"]["old"], document["data"]["new"]) == ("old.json", "new.json")


def test_what_cannot_be_computed_is_null() -> None:
    """No prompt in common and too few prompts: null and a reason, and a gate that could not tell."""
    made.write(made.rows(["a", "b"], prompts=3), "few.json")
    made.write([row | {"prompt": f"other {row['prompt']}"} for row in made.rows(["a", "b"])], "other.json")
    schema = json.loads(call("schema", "diff").out)
    for old, undefined in (("few.json", None), ("other.json", "no prompt in common")):
        done = call("diff", old, "few.json", "--json", "--fail-if-apart", "--quiet")
        document = json.loads(done.out)

        Draft202012Validator(schema).validate(document)
        assert {(c["undefined"], c["q"], c["call"]) for c in document["data"]["changes"]} == {
            (undefined, None, "cannot say")
        }
        assert done.code == 4


def test_junit_has_a_test_for_each_comparison() -> None:
    """A failure where the gate failed, an error where it could not tell; written whole, and nothing on stdout."""
    made.provide(DRIFT)
    done = call(*DRIFT, "--fail-above", ".5", "--junit", "gate.xml", "--json", "--quiet")
    root = ET.fromstring(Path("gate.xml").read_text(encoding="utf-8"))
    (suite,) = root
    cases = {case.get("name"): case for case in suite}

    assert done.code == 4
    assert json.loads(done.out)["data"]["gate"]["outcome"] == "could not tell"
    assert suite.attrib == {"name": "stylekl drift smollm2", "tests": "3", "failures": "0", "errors": "2"}
    assert [len(case) for case in cases.values()] == [0, 1, 1]
    (error,) = cases["2026-03-02 against 2026-01-05"]
    assert (error.tag, error.get("type")) == ("error", ".5 bits lie within the interval")
    assert error.text.startswith(
        "could not tell: .5 bits lie within the interval, KL .49 bits per token [.34 .65]"
    )


def test_junit_of_hostile_names_is_xml() -> None:
    models = [*made.HOSTILE, 'quote " & <tag> \ufffe\uffff']
    path = made.write(made.rows(models, prompts=6))
    done = call("diff", path, path, "--fail-above", "1", "--junit", "gate.xml", "--quiet")
    names = [
        case.get("name")
        for case in ET.fromstring(Path("gate.xml").read_text(encoding="utf-8")).iter("testcase")
    ]

    assert done.code == 0
    assert len(names) == len(models)
    assert "new␊line→tab | cell".replace("␊", "⏎") in names


def test_junit_that_cannot_be_written_is_an_error() -> None:
    made.provide(DIFF)
    done = call(*DIFF, "--fail-if-apart", "--junit", "none/gate.xml", "--quiet")

    assert done.code == 2
    assert done.err.startswith("error: none")


@pytest.mark.parametrize("asked", ["flag", "environment"])
def test_annotations_go_to_stderr_for_what_did_not_pass(asked: str) -> None:
    """An error for what failed, a warning for what could not be told; stdout stays one JSON document."""
    made.provide(DRIFT)
    given = ("--github",) if asked == "flag" else ()
    env = {"GITHUB_ACTIONS": "true"} if asked == "environment" else {}
    done = call(*DRIFT, "--fail-above", ".5", "--json", *given, env=env)
    lines = done.err.splitlines()

    assert json.loads(done.out)["data"]["gate"]["outcome"] == "could not tell"
    assert [line.split("::")[1] for line in lines] == [
        f"warning title=stylekl drift%3A 2026-03-02 against {day}" for day in ("2026-01-05", "2026-02-02")
    ]
    failed = call(*DRIFT, "--fail-if-apart", "--size", ".05", *given, env=env).err
    assert failed.startswith(
        "::error title=stylekl drift%3A 2026-03-02 against 2026-01-05::failed: apart, KL .49 bits"
    )
    assert failed.count("\n") == 2


def test_a_name_cannot_make_an_annotation_of_its_own() -> None:
    """A line break would begin a command of its own, a colon or a comma end the title."""
    name = "a\n::error::b, c::d %0A"
    rows = made.rows([name], prompts=40)
    made.write(rows, "one.json")
    made.write([row | {"response": f"{row['response']} Yes."} for row in rows], "two.json")
    done = call("diff", "one.json", "two.json", "--fail-if-apart", "--github", "--json")
    (line,) = done.err.splitlines()

    assert done.code == 1
    assert line.split("::")[:2] == ["", "error title=stylekl diff%3A a⏎%3A%3Aerror%3A%3Ab%2C c%3A%3Ad %250A"]


def test_without_a_gate_nothing_is_annotated() -> None:
    made.provide(DIFF)

    assert call(*DIFF, env={"GITHUB_ACTIONS": "true"}).err == ""


ERRORS = {
    ("drift", "smolm2", "dated.json"): ('"smolm2" is no model of this file', "nearest: smollm2"),
    ("drift", PLAIN, "old.json"): (
        f'"{PLAIN}" has no sibling of another date, nor has any model of the file',
        "<model>@YYYY-MM-DD",
    ),
    ("drift", "smollm2", "dated.json", "--axis", "effort"): (
        "no model of the file has an effort level",
        "@NNlabel-YYYY-MM-DD",
    ),
    ("diff", "old.json", "dated.json"): ("the two files share no model", "they are matched by id or name"),
    ("diff", "old.json"): ("Missing argument 'NEW'", "stylekl diff --help"),
    ("diff", "old.json", "none.json"): ("none.json: no such file", ""),
    ("diff", "old.json", "new.json", "--junit", "x.xml"): (
        "--junit reports a gate, and there is none",
        "--fail-if-apart",
    ),
    ("diff", "old.json", "new.json", "--fail-above", "0"): ("0.0 is not a number above 0", ""),
    ("matrix", "new.json", "--baseline", "dated.json"): (
        "the two files share no model",
        "by id or name",
    ),
    ("matrix", "new.json", "--baseline", "old.json", "--measure", "kinship"): (
        "kinship depends on the other models",
        "kl or js",
    ),
}


@pytest.mark.parametrize("arguments", ERRORS, ids=" ".join)
def test_an_error_says_what_and_what_to_do(arguments: tuple[str, ...]) -> None:
    made.provide(arguments)
    done = call(*arguments)
    message, hint = ERRORS[arguments]

    assert (done.code, done.out) == (2, "")
    assert message in done.err.splitlines()[0]
    assert hint in done.err.splitlines()[1]
    assert not os.path.exists("x.xml")


def test_drift_reads_several_files_as_one() -> None:
    """A date a file, as a nightly collection writes them."""
    whole = made.dated()
    for place, date in enumerate(made.DATES):
        made.write(
            whole
            | {
                "models": [model for model in whole["models"] if model["id"] == date],
                "replies": [reply for reply in whole["replies"] if reply["model"] == date],
            },
            f"{place}.json",
        )
    made.write(whole, "dated.json")

    assert call("drift", "smollm2", "0.json", "1.json", "2.json", "--csv").out == call(*DRIFT, "--csv").out
