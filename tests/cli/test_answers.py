"""Answers kept on disk: the same bytes as those made anew, for the same question about the same files alone."""

from __future__ import annotations

import ast
import json
from dataclasses import fields
from pathlib import Path

import pytest

from stylekl import load, matrix
from stylekl.cli import answers
from stylekl.cli.by import Lenses
from stylekl.cli.settings import Color, Measure, Settings
from stylekl.results import readers

from . import made
from .run import call

HOME = {"STYLEKL_CACHE_DIR": "kept"}
ASKED = [
    ("matrix", ()),
    ("pair", ("a", "b")),
    ("focus", ("b",)),
]
FORMS = [("--json",), ("--csv",), ("--markdown",), ("--color", "always", "--width", "100"), ("--width", "40")]


@pytest.fixture
def large(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a file that counts as large enough to be kept."""
    monkeypatch.setattr(answers, "LEAST", 1)
    return made.write(made.rows(["a", "b", "c", "d"], prompts=12, words=60), "large.json")


def kept() -> list[Path]:
    return sorted(Path("kept").glob("counts/*.answer"))


@pytest.mark.parametrize(("verb", "names"), ASKED, ids=[verb for verb, _ in ASKED])
def test_every_form_of_an_answer_is_the_same_whether_it_was_kept_or_not(
    large: str, verb: str, names: tuple[str, ...]
) -> None:
    """Byte for byte on both streams, from one entry for all forms."""
    for form in FORMS:
        fresh = call(verb, *names, large, *form, "--no-cache", env=HOME)
        assert fresh.code == 0
        assert [call(verb, *names, large, *form, env=HOME) for _ in range(2)] == [fresh, fresh]
        assert len(kept()) == 1


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: data[:0],
        lambda data: data[:-1],
        lambda data: data[:40],
        lambda data: data + b"\0",
        lambda data: b"x" + data[1:],
        lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
        lambda data: data[:60] + bytes(20) + data[80:],
    ],
    ids=["empty", "torn", "head", "longer", "mark", "a bit", "key"],
)
def test_a_damaged_answer_is_made_anew(large: str, harm) -> None:
    """And then it is whole again."""
    fresh = call("matrix", large, "--json", env=HOME)
    (entry,) = kept()
    whole = entry.read_bytes()
    entry.write_bytes(harm(whole))

    assert call("matrix", large, "--json", env=HOME) == fresh
    assert entry.read_bytes() == whole


def test_the_answer_to_another_question_is_not_taken_for_this_ones(large: str) -> None:
    """Though its file has this one's name."""
    call("matrix", large, "--json", env=HOME)
    (first,) = kept()
    wanted = call("matrix", large, "--json", "--facet", "marks", env=HOME)
    (second,) = set(kept()) - {first}
    second.write_bytes(first.read_bytes())

    assert call("matrix", large, "--json", "--facet", "marks", env=HOME) == wanted


def test_one_changed_letter_is_another_file(large: str) -> None:
    before = call("matrix", large, "--json", env=HOME)
    text = Path(large).read_text()
    Path(large).write_text(text.replace("the ", "thy ", 1) if "the " in text else text.replace("a", "b", 1))

    after = call("matrix", large, "--json", env=HOME)
    assert len(kept()) == 2
    assert json.loads(before.out)["source"] != json.loads(after.out)["source"]


def test_no_cache_neither_reads_nor_writes(large: str) -> None:
    call("matrix", large, "--json", "--no-cache", env=HOME)
    assert not Path("kept").exists()


def test_the_name_of_a_file_is_part_of_the_question(large: str) -> None:
    """It stands in the answer."""
    Path("other.json").write_bytes(Path(large).read_bytes())
    for name in (large, "other.json"):
        assert json.loads(call("matrix", name, "--json", env=HOME).out)["source"][0]["path"] == name


def test_folders_are_kept_by_what_is_in_them(large: str) -> None:
    """A file more is another question."""
    Path("all").mkdir()
    Path(large).rename("all/one.json")
    first = call("matrix", "all", "--json", env=HOME)
    assert call("matrix", "all", "--json", env=HOME) == first
    assert len(kept()) == 1
    made.write(made.rows(["e"], prompts=12, words=60), "all/two.json")

    assert len(json.loads(call("matrix", "all", "--json", env=HOME).out)["data"]["models"]) == 5


def test_small_files_pipes_and_other_lenses_are_not_kept(large: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor what takes another file into account."""
    made.write({"models": [{"id": "a", "name": "A"}]}, "names.yaml")
    call("matrix", large, "--json", "--names", "names.yaml", env=HOME)
    monkeypatch.setattr(answers, "LEAST", 1 << 30)
    call("matrix", large, "--json", env=HOME)
    assert answers.question("matrix", Settings(), Lenses(), ["-"]) == answers.Question()
    assert answers.question("matrix", Settings(), Lenses(by="votes"), [large]) == answers.Question()

    assert kept() == []


def test_every_setting_that_changes_an_answer_is_part_of_its_name(
    large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And none that changes only how it looks."""
    monkeypatch.setenv("STYLEKL_CACHE_DIR", "kept")
    plain = answers.question("matrix", Settings(), Lenses(), [large])
    assert plain.key is not None
    other = {
        "color": Color.always,
        "rank": Measure.js,
        "condition": "x",
        "facet": "words",
        "format": "native",
    }
    for field in fields(Settings):
        now = getattr(Settings(), field.name)
        changed = other.get(field.name)
        if changed is None:
            changed = not now if isinstance(now, bool) else now + 1 if isinstance(now, int | float) else ["x"]
        asked = answers.question("matrix", Settings(**{field.name: changed}), Lenses(), [large])
        if field.name in answers._FILES or field.name == "no_cache":
            assert asked == answers.Question()
        else:
            assert (asked.key == plain.key) == (field.name in answers._SHOWN), field.name
    assert answers.question("matrix", Settings(), Lenses(), [large], floor=True).key != plain.key
    assert answers.question("pair", Settings(), Lenses(), [large]).key != plain.key


def test_forms_whose_readers_look_at_neighbouring_files_are_known() -> None:
    """Their answers hang on files that nobody named."""
    looking = set()
    for reader in readers.READERS:
        tree = ast.parse(Path(reader.__file__).read_text(encoding="utf-8"))
        taken = {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
        }
        if taken & {"beside", "folders", "existing"}:
            looking.add(reader.name)

    assert looking <= readers.AROUND


def test_the_answer_of_a_file_that_changed_while_it_was_read_is_not_kept(large: str) -> None:
    """It would be given for the file that was there before."""
    settings, report = Settings(), matrix(load(large))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STYLEKL_CACHE_DIR", "kept")
        asked = answers.question("matrix", settings, Lenses(), [large])
        Path(large).write_text(Path(large).read_text() + " ")
        asked.keep(load(large), report)
        assert kept() == []
        answers.question("matrix", settings, Lenses(), [large]).keep(load(large), report)

    assert len(kept()) == 1
