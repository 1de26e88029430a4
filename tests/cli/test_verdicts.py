"""`stylekl verdicts` through the command: its forms, the word lists, and its errors."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from . import made
from .run import call

PLAIN, AGAIN, LISTS = made.THREE


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def words(**more: Any) -> str:
    return made.write(made.one_word() | more, "words.json")


def test_the_table_has_every_cell() -> None:
    done = call("verdicts", words(), "--csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    (row,) = (
        each
        for each in rows
        if (each["model"], each["question"], each["condition"]) == (PLAIN, "soup-fondue", "denied")
    )

    assert (done.code, done.err, len(rows)) == (0, "", 27)
    assert (row["majority"], row["no"], row["followed_rate"], row["latency_ms"]) == ("no", "3", "1", "420")
    assert row["cost"] == ""


def test_json_fits_its_schema_with_and_without_results() -> None:
    schema = json.loads(call("schema", "verdicts").out)
    Draft202012Validator.check_schema(schema)
    for arguments in ((words(),), (words(), "--no-text", "--condition", "denied"), ("--lists",)):
        done = call("verdicts", *arguments, "--json")
        document = json.loads(done.out)

        assert (done.code, done.err) == (0, "")
        Draft202012Validator(schema).validate(document)


def test_the_lists_are_printed_and_replaced() -> None:
    Path("mine.yaml").write_text("yes: [oui]\nno: [non, no]\n")
    shipped = json.loads(call("verdicts", "--lists", "--json").out)
    mine = json.loads(call("verdicts", "--lists", "--words", "mine.yaml", "--json").out)
    answered = json.loads(call("verdicts", words(), "--words", "mine.yaml", "--json").out)

    assert "yeah" in shipped["data"]["words"]["yes"]
    assert mine["data"]["words"] == {"yes": ["oui"], "no": ["non", "no"], "source": "mine.yaml"}
    assert mine["source"] == []
    counts = {(cell["yes"], cell["no"], cell["other"]) for cell in answered["data"]["cells"]}
    assert counts == {(0, 0, 3), (0, 3, 0)}


def test_literal_changes_what_the_words_of_the_method_change() -> None:
    results = made.one_word()
    for reply in results["replies"]:
        reply["text"] = '"Yes".'
    path = made.write(results)
    by_code, by_words = (
        {
            cell["majority"]
            for cell in json.loads(call("verdicts", path, "--json", *more).out)["data"]["cells"]
        }
        for more in ((), ("--literal",))
    )

    assert (by_code, by_words) == ({"other"}, {"yes"})


def test_two_editions_in_two_files_are_a_series() -> None:
    paths = []
    for period in ("2026-05", "2026-04"):
        results = made.one_word()
        for reply in results["replies"]:
            reply["period"] = period
            if period == "2026-05" and reply["model"] == AGAIN:
                reply["text"] = "Yes"
        paths.append(made.write(results, f"{period}.json"))
    done = call("verdicts", *paths, "--condition", "control", "--models", AGAIN)

    assert done.code == 0
    assert f"{AGAIN}, soup-fondue, control: no (2026-04) → yes (2026-05)" in done.out
    assert "Editions are not pooled" in done.out


def test_a_made_up_edition_beside_a_real_one_is_left_out_with_a_warning() -> None:
    results = made.one_word()
    for reply in results["replies"]:
        reply["period"] = "mock" if reply["model"] == LISTS else "real"
    prompts = [prompt["id"] for prompt in results["prompts"]]
    results["collection"] = [{"period": "mock", "mock": True, "prompts": prompts, "models": [LISTS]}]
    done = call("verdicts", made.write(results), "--json")

    assert "warning: made-up replies (mock) never mix with real ones; left out: edition mock" in done.err
    assert {cell["period"] for cell in json.loads(done.out)["data"]["cells"]} == {"real"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("words.json", "--period", "2026"), 'error: no period "2026" in this file'),
        (("words.json", "--condition", "loud"), 'error: no condition "loud" in this file'),
        (("words.json", "--words", "none.yaml"), "error: none.yaml: no such file"),
        (
            ("words.json", "--words", "bad.yaml"),
            'error: bad.yaml: line 1: field yes: "of course" is not one word',
        ),
        (("words.json", "--json", "--csv"), "error: --json and --csv exclude each other"),
        (("plain.json",), "error: no replies to one-word questions in this file"),
        (("words.json", "--models", "nobody"), 'error: "nobody" is no model of this file'),
    ],
)
def test_an_error_says_what_and_what_to_do(arguments: tuple[str, ...], said: str) -> None:
    words()
    made.write(made.sample([PLAIN]), "plain.json")
    Path("bad.yaml").write_text("yes: [of course]\nno: [no]\n")
    done = call("verdicts", *arguments)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(said)
    assert "\nhint: " in done.err
