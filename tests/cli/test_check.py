"""`stylekl check`: what it says of files, in which shape, and its exit code."""

from __future__ import annotations

import csv
import io
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.cli.run import bare, call, run

SOUND = "What is to be said of {} is that it is a matter of taste, and {} would not have it any other way."


def write(name: str, rows: list[dict[str, Any]]) -> str:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return name


def rows(model: str, reply: str = SOUND, size: int = 8) -> list[dict[str, Any]]:
    return [
        {"model": model, "prompt": f"What is to be said of number {n}?", "response": reply.format(n, model)}
        for n in range(size)
    ]


def data(*arguments: str) -> Any:
    done = call("check", *arguments, "--json", "-q")
    assert done.code == 0, done.err
    return json.loads(done.out)["data"]


def test_sound_files_pass_and_say_what_they_are() -> None:
    one, two = write("one.jsonl", rows("m")), write("two.jsonl", rows("n"))
    done = call("check", one, two, "--strict")

    told = " ".join(done.out.split())
    assert (done.code, done.err) == (0, "")
    assert told.startswith("2 models: 16 replies to 8 prompts one.jsonl: records with ")
    assert "Each model: 8 prompts answered, 1 reply to a prompt." in told
    assert "Languages: prompts English 100%; replies English 100%." in told
    assert told.endswith("No trouble found.")


def test_trouble_is_named_with_its_place_and_fails_only_where_asked_to() -> None:
    path = write("r.jsonl", [*rows("m"), *rows("dull", "It is the same to me, whatever you may ask.")])
    done, strict = call("check", path), call("check", path, "--strict")

    assert (done.code, strict.code) == (0, 1)
    assert done.out == strict.out
    told = " ".join(done.out.split())
    assert "Trouble (1) dull: one text for all prompts, 8 of 8 replies (r.jsonl: line 9)" in told


def test_notes_alone_do_not_fail() -> None:
    path = write("r.jsonl", [*rows("m"), *rows("n", " " + SOUND)])
    done = call("check", path, "--strict")

    assert done.code == 0
    assert "Notes (1)" in done.out


def test_the_json_is_what_its_schema_says_and_carries_the_place() -> None:
    path = write("r.jsonl", [*rows("m"), *rows("n", SOUND + "<|im_end|>"), *rows("o")[:-1]])
    schema = json.loads((files("stylekl") / "schemas" / "check.json").read_text())
    Draft202012Validator.check_schema(schema)
    done = call("check", path, "--json", "--strict", "-q", env={"COLUMNS": "30", "FORCE_COLOR": "1"})
    document = json.loads(done.out)

    Draft202012Validator(schema).validate(document)
    assert (done.code, document["params"]) == (1, {"strict": True})
    assert document["data"]["trouble"] == 2
    assert [
        {key: finding[key] for key in ("kind", "severity", "models", "replies", "of", "prompts", "place")}
        for finding in document["data"]["findings"]
    ] == [
        {"kind": "missing_prompts", "severity": "trouble", "models": ["o"], "replies": None, "of": None,
         "prompts": 1, "place": None},
        {"kind": "special_tokens", "severity": "trouble", "models": ["n"], "replies": 8, "of": 8,
         "prompts": 8, "place": "r.jsonl: line 9"},
    ]  # fmt: skip
    (file,) = document["data"]["files"]
    assert (file["path"], file["form"], file["encoding"]) == ("r.jsonl", "plain_lines", "UTF-8")


def test_every_kind_of_finding_is_in_the_schema() -> None:
    from stylekl.lenses.quality import ORDER
    from stylekl.show.check_findings import TITLES

    schema = json.loads((files("stylekl") / "schemas" / "check.json").read_text())
    finding = schema["properties"]["data"]["properties"]["findings"]["items"]["properties"]

    assert set(finding["kind"]["enum"]) == set(ORDER) == set(TITLES)


def test_the_tables_say_the_kinds_by_model() -> None:
    path = write("r.jsonl", [*rows("m"), *rows("n", " same")])
    (m, n) = csv.DictReader(io.StringIO(call("check", path, "--csv", "-q").out))

    assert (m["troubles"], m["notes"]) == ("", "")
    assert (n["troubles"], n["notes"]) == ("near_empty; constant", "leading_space")
    assert call("check", path, "--markdown", "-q").out.count("\n") == 4


def test_files_that_contradict_each_other_are_told_and_fail() -> None:
    """In place of an error at the first: what can be read is checked, and the contradictions are trouble."""
    for name, text in (("1.json", "A"), ("2.json", "B")):
        value = {
            "format": "stylekl/1",
            "models": [{"id": "m"}],
            "prompts": [{"id": "p", "text": "P?"}],
            "replies": [{"model": "m", "prompt": "p", "sample": 1, "text": text}],
        }
        Path(name).write_text(json.dumps(value))
    done = call("check", "1.json", "2.json", "--strict", "--width", "200")

    assert done.code == 1
    assert (
        "the reply of m to p, sample 1, differs between 1.json: reply 1 and 2.json: reply 1; the first counts"
        in done.out
    )


def test_a_file_that_cannot_be_read_is_an_error() -> None:
    Path("r.json").write_text("{")
    done = call("check", "r.json", "--strict")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: r.json: ")


def test_standard_input_is_checked_too() -> None:
    content = Path(write("r.jsonl", rows("m"))).read_bytes()
    done = run("check", "-", "--json", "-q", input=content)

    (file,) = json.loads(done.out)["data"]["files"]
    assert (done.code, file["path"], file["encoding"], file["form"]) == (0, "-", None, "plain_lines")


def test_the_sample_says_nothing_of_where_it_is_installed() -> None:
    done = call("check", "--json", "-q")

    assert str(Path(__file__).parents[2]) not in done.out
    assert json.loads(done.out)["data"]["files"][0]["form"] == "native"


@pytest.mark.parametrize("width", [20, 40, 80, 120, 200])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_report_fits_its_width(width: int, encoding: str) -> None:
    """With a long name, one that would paint the terminal, and much that is odd."""
    path = write(
        "r.jsonl",
        [
            *rows("m"),
            *rows("a-name-that-is-as-long-as-names-of-models-that-were-tuned-on-several-sets-tend-to-be"),
            *rows("\x1b[31mred", "It &amp; the others.\x00"),
            *rows("模型", "")[:-2],
            *rows("n", SOUND + "<|im_end|>"),
        ],
    )
    done = call("check", path, "--width", str(width), "-q", env={"PYTHONIOENCODING": encoding})

    assert done.code == 0
    assert max(map(len, bare(done.out))) <= width
    assert "\x1b" not in done.out
    assert "\0" not in done.out


def test_many_models_of_which_nothing_is_to_be_said_take_a_sentence() -> None:
    path = write("r.jsonl", [row for n in range(15) for row in rows(f"m{n}", size=8 if n else 7)])
    out = call("check", path, "--width", "100").out

    assert "Replies: 8 from 14 models; 7 from m0." in out
    assert len(out.splitlines()) < 20
    assert len(data(path)["models"]) == 15
