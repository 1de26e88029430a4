"""What files were taken for, and files that contradict each other."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import ConflictError, InputError
from stylekl.results import load
from stylekl.results.check_conflicts import MOST, load_all
from stylekl.results.check_files import files_read

from .strategies import small, write, write_json, write_lines

if TYPE_CHECKING:
    from pathlib import Path

ROW = {"instruction": "One?", "output": "Reply", "generator": "m"}


def replies(*texts: str, model: str = "a") -> list[dict[str, Any]]:
    return [{"model": model, "prompt": f"p{n}", "text": text, "sample": 1} for n, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("content", "encoding", "packed"),
    [
        (json.dumps([ROW]).encode(), "UTF-8", False),
        (b"\xef\xbb\xbf" + json.dumps([ROW]).encode(), "UTF-8 with a byte order mark", False),
        (json.dumps([ROW]).encode("utf-16"), "UTF-16", False),
        (gzip.compress(json.dumps([ROW]).encode()), "UTF-8", True),
    ],
    ids=["plain", "mark", "utf-16", "gzip"],
)
def test_a_file_says_its_form_and_encoding(
    content: bytes, encoding: str, packed: bool, tmp_path: Path
) -> None:
    loaded = load(write(tmp_path, "r.json", content))
    (file,) = files_read(loaded.sources)

    assert (file.form, file.encoding, file.gzip) == ("alpaca_eval", encoding, packed)
    assert file.described == "AlpacaEval outputs (instruction, output, generator)"
    assert file.sha256 == loaded.sources[0].sha256


def test_a_file_that_is_gone_has_no_encoding(tmp_path: Path) -> None:
    """Standard input is such a file: its bytes cannot be looked at twice."""
    path = write_json(tmp_path, "r.json", [ROW])
    loaded = load(path)
    path.unlink()

    assert [file.encoding for file in files_read(loaded.sources)] == [None]


def test_files_that_agree_are_read_as_load_reads_them(tmp_path: Path) -> None:
    paths = [
        str(write_json(tmp_path, "1.json", small(replies=replies("A", "B")))),
        str(write_json(tmp_path, "2.json", small(replies=replies("C", "D", model="b")))),
    ]
    conflicts: list[str] = []

    assert load_all(conflicts, *paths) == load(*paths)
    assert conflicts == []


def test_all_that_two_files_say_differently_is_named_and_the_first_counts(tmp_path: Path) -> None:
    """Not the first contradiction alone; what agrees is kept."""
    one = small(replies=replies("A", "B"), conditions=[{"id": "c"}], votes=[{"id": "v", "pick": "left"}])
    two = small(replies=replies("A2", "B2"), conditions=[{"id": "c"}], votes=[{"id": "v", "pick": "right"}])
    two["replies"] += replies("New", model="b")
    first, second = str(write_json(tmp_path, "1.json", one)), str(write_json(tmp_path, "2.json", two))
    with pytest.raises(ConflictError):
        load(first, second)
    conflicts: list[str] = []
    results = load_all(conflicts, first, second)

    assert conflicts == [
        f"the reply of a to p1, sample 1, differs between {first}: reply 1 and {second}: reply 1; the first counts",
        f"the reply of a to p2, sample 1, differs between {first}: reply 2 and {second}: reply 2; the first counts",
        f'record "v" of votes differs between {first} and {second}; the first counts',
    ]
    assert [(reply.model, reply.text) for reply in results.replies] == [("a", "A"), ("a", "B"), ("b", "New")]
    assert results.other["votes"] == [{"id": "v", "pick": "left"}]
    assert results.place(2) == f"{second}: reply 3"


def test_a_condition_that_differs_takes_its_replies_with_it(tmp_path: Path) -> None:
    def under(system: str, text: str) -> dict[str, Any]:
        row = {"model": "a", "prompt": "p1", "text": text, "condition": "x"}
        return small(conditions=[{"id": "c"}, {"id": "x", "system": system}], replies=[row])

    paths = [
        str(write_json(tmp_path, "1.json", under("Be brief.", "A"))),
        str(write_json(tmp_path, "2.json", under("Be long.", "B"))),
    ]
    conflicts: list[str] = []
    results = load_all(conflicts, *paths)

    assert len(conflicts) == 1
    assert conflicts[0].startswith('condition "x" differs')
    assert [reply.text for reply in results.replies] == ["A"]


def test_a_long_list_of_contradictions_is_counted(tmp_path: Path) -> None:
    size = MOST + 7
    prompts = [{"id": f"p{n}", "text": f"Prompt {n}?"} for n in range(1, size + 1)]
    paths = [
        str(
            write_json(
                tmp_path,
                f"{name}.json",
                small(prompts=prompts, replies=replies(*(f"{name} {n}" for n in range(size)))),
            )
        )
        for name in "ab"
    ]
    conflicts: list[str] = []
    load_all(conflicts, *paths)

    assert (len(conflicts), conflicts[-1]) == (MOST + 1, "and 7 more of this kind")


def test_one_file_that_contradicts_itself_is_an_error(tmp_path: Path) -> None:
    value = small(replies=[*replies("A"), *replies("B")])

    with pytest.raises(ConflictError):
        load_all([], str(write_json(tmp_path, "1.json", value)))


def test_other_errors_are_passed_on(tmp_path: Path) -> None:
    good = str(write_lines(tmp_path, "good.jsonl", ROW, ROW | {"instruction": "Two?"}))

    with pytest.raises(InputError, match="no such file"):
        load_all([], good, str(tmp_path / "none.jsonl"))
