"""`stylekl plan`: what it prints, writes, keeps and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from wcwidth import wcswidth

from tests.gather import voting

from .run import call


@pytest.fixture
def files(tmp_path) -> tuple[str, str]:
    return voting.write(tmp_path, voting.battery(), "trees.yaml"), voting.write(tmp_path, name="all.json")


@pytest.mark.parametrize("command", [("pairings",), ("sessions", "-n", "7")])
def test_json_fits_its_schema_and_is_the_same_each_time(files, command) -> None:
    battery, results = files
    arguments = ("plan", command[0], battery, *command[1:], "--results", results, "--json")
    done = call(*arguments)
    document = json.loads(done.out)
    schema = json.loads(call("schema", f"plan-{command[0]}").out)

    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    assert (document["command"], done.code, done.err) == (f"plan-{command[0]}", 0, "")
    assert call(*arguments, env={"COLUMNS": "40", "LC_ALL": "C"}).out == done.out


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("command", [("pairings",), ("sessions", "-n", "7")])
def test_every_width_holds_it(files, command, width) -> None:
    battery, results = files
    for env in ({}, {"PYTHONIOENCODING": "ascii"}):
        out = call(
            *("plan", command[0], battery, *command[1:], "--results", results, "--width", str(width)), env=env
        ).out

        assert out
        assert all(wcswidth(line) <= width for line in out.splitlines())
        assert not env or out.isascii()


def test_the_pairings_that_a_file_holds_are_kept(files, tmp_path) -> None:
    """Written again over the same file, with another seed, nothing moves."""
    battery, results = files
    target = tmp_path / "pairings.json"
    arguments = ("plan", "pairings", battery, "--results", results, "-o", str(target))
    assert call(*arguments).err == f"wrote {target}\n"
    first = target.read_bytes()
    again = call(*arguments, "--seed", "8")
    pairs = json.loads(target.read_bytes())["pairings"]

    assert "Kept from an earlier version: all 18." in again.out
    assert pairs == json.loads(first)["pairings"]


def test_new_prompts_take_what_restores_the_balance_and_this_is_said(files, tmp_path) -> None:
    battery, results = files
    old = str(tmp_path / "old.json")
    call("plan", "pairings", battery, "--results", results, "-o", old)
    new = ("p70", "p71")
    gone = voting.PROMPTS[:2]
    newer = voting.write(tmp_path, voting.battery((*voting.PROMPTS[2:], *new), gone, 2), "newer.yaml")
    more = voting.write(tmp_path, voting.results(prompts=voting.PROMPTS + new), "more.json")
    lost = [(p["a"], p["b"]) for p in json.loads(Path(old).read_text())["pairings"] if p["prompt"] in gone]

    data = json.loads(call("plan", "pairings", newer, "--results", more, "--keep", old, "--json").out)["data"]
    taken = [(each["a"], each["b"]) for each in data["taken"] for _ in range(each["prompts"])]
    assert sorted(taken) == sorted(lost)
    assert {p["prompt"] for p in data["pairings"] if not p["kept"]} == set(new)
    assert {each["prompt"] for each in data["released"]} == set(gone)
    told = call("plan", "pairings", newer, "--results", more, "--keep", old, "--width", "200").out
    assert "New prompts (*) take what restores the balance" in told
    few = voting.write(tmp_path, voting.battery(voting.PROMPTS[2:], gone, 2), "few.yaml")
    refused = call("plan", "pairings", few, "--results", results, "--keep", old)
    assert refused.code == 2
    assert "takes 18 prompts, and 16 are in use" in refused.err
    assert all(f"{a} against {b}" in refused.err for a, b in lost)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("sessions", "-n", "3", "--fights", "5"), "every model at least 3 times cannot be met"),
        (("sessions", "-n", "3", "--fights", "18"), "takes 18 prompts and 1 for the instructed check"),
        (("sessions", "-n", "3", "--per-pairing", "1"), "no pairing more than 1 times cannot be met"),
        (("sessions", "-n", "3", "--model", "Ahs"), '"Ahs" is no model of this file'),
        (("pairings", "--each", "4"), "takes 24 prompts, and 18 are in use"),
        (("pairings", "--model", "ash"), "a pairing takes two models, and there is 1"),
        (("pairings", "--keep", "nothing.json"), "nothing.json"),
    ],
)
def test_the_impossible_is_refused_and_nothing_is_written(files, tmp_path, arguments, said) -> None:
    battery, results = files
    target = tmp_path / "out.json"
    done = call("plan", arguments[0], battery, *arguments[1:], "--results", results, "-o", str(target))

    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 2
    assert not target.exists()


def test_results_of_another_battery_are_refused(files) -> None:
    done = call("plan", "pairings", "everyday", "--results", files[1])

    assert done.code == 2
    assert "no reply that counts to any prompt of everyday" in done.err


def test_without_models_it_says_what_is_missing(files) -> None:
    done = call("plan", "pairings", files[0])

    assert done.code == 2
    assert "a battery does not say who answers it" in done.err
