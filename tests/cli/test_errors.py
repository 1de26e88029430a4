"""Requirements 22 to 24: what goes wrong is said in at most three lines, with what to do about it."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import stylekl

from . import made
from .run import call, run

PLAIN, AGAIN, LISTS = made.THREE


def reply(model: str, prompt: int, text: str, **more: object) -> dict[str, object]:
    return {"model": model, "prompt": f"p{prompt}", "text": text, **more}


def native(*replies: dict[str, object]) -> dict[str, object]:
    return {
        "format": "stylekl/1",
        "models": [{"id": "a"}, {"id": "b"}],
        "prompts": [{"id": f"p{i}", "text": f"prompt {i}"} for i in range(12)],
        "replies": list(replies),
    }


def text(value: object) -> bytes:
    return json.dumps(value).encode()


CONTENTS = {
    "empty": b"",
    "white": b" \n\t\n",
    "not json": b'{"format": "stylekl/1",\n "models": [}',
    "lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "unknown": b'{"hello": 1}',
    "number": b"7",
    "words": b"These are words.\nNothing but words.\n",
    "latin": '[{"model": "a", "prompt": "é", "response": "x"}]'.encode("latin-1"),
    "torn gzip": gzip.compress(text(made.rows(["a", "b"])))[:200],
    "deep": b"[" * 100_000,
    "deep object": b'{"format":' * 100_000,
    "newer": b'{"format": "stylekl/9"}',
    "no text": text(native({"model": "a", "prompt": "p1"})),
    "no such prompt": text(native(reply("a", 99, "x"))),
    "conflict": text(native(reply("a", 1, "one", sample=1), reply("a", 1, "two", sample=1))),
    "one model": text(made.rows(["a"])),
    "nothing usable": text(native(reply("a", 1, " "), reply("b", 1, "No.", flags=["refusal"]))),
    "nobody": text(native()),
}
# what is asked -> what the error says, what the hint says
FILES = {
    "empty": ("r.json: the file is empty", "check the download"),
    "white": ("r.json: the file is empty", "check the download"),
    "not json": ("r.json: line 2, column 13: not JSON", "JSON or JSON Lines"),
    "lfs": ("r.json: a Git LFS pointer", "git lfs pull"),
    "unknown": ("r.json: not a form that stylekl reads: an object with the keys hello", "it reads"),
    "number": ("r.json: not a form that stylekl reads: a number", "it reads"),
    "words": ("r.json: line 1, column 1: not JSON", "JSON or JSON Lines"),
    "latin": ("r.json: line 1, byte 27: not UTF-8", "iconv -f WINDOWS-1252"),
    "torn gzip": ("r.json: the gzip data end too early", "download the file again"),
    "deep": ("r.json: JSON nested too deep", "a few levels deep"),
    "deep object": ("r.json: JSON nested too deep", "a few levels deep"),
    "newer": ('r.json: field format: "stylekl/9"', "a newer stylekl"),
    "no text": ("r.json: reply 1: missing field text", "docs/results-file.md"),
    "no such prompt": ('r.json: reply 1: field prompt: the file has no prompt "p99"', "docs/results-file.md"),
    "conflict": (
        "model a, prompt p1, sample 1 has two different texts: r.json: reply 1 and",
        "leave `sample` out",
    ),
    "one model": ("a comparison needs replies of two models; 1 of 1 has any", "several models together"),
    "nothing usable": ("left out: 1 empty, 1 refusal", "several models together"),
    "nobody": ("a comparison needs replies of two models; 0 of 2 has any", "several models together"),
}
ASKED = {
    ("matrix", "none.json"): ("none.json: no such file", "check the path"),
    ("matrix", "."): (".: a folder without texts", "name each text after the id"),
    ("matrix", "none\0.json"): ("none␀.json: cannot be read", "check the path"),
    ("focus", "SmolLM2 lits"): ('"SmolLM2 lits" is no model of this file', "nearest: SmolLM2 lists"),
    ("pair", PLAIN, "smollm2-tersse"): (
        '"smollm2-tersse" is no model of this file',
        "nearest: SmolLM2 terse",
    ),
    ("matrix", "--models", f"{PLAIN},gpt"): ('"gpt" is no model of this file', "SmolLM2"),
    ("focus", "smollm2-p"): (
        '"smollm2-p" fits more than one model',
        "one of: SmolLM2 plain, SmolLM2 plain again",
    ),
    ("focus", ""): ('"" is no model of this file', "SmolLM2"),
    ("pair", PLAIN, "SMOLLM2 PLAIN"): ("are the same model", "name two models"),
    ("matrix", "--models", PLAIN): ("a matrix of one model", "two models or more"),
    ("focus", PLAIN, "--models", PLAIN): ("has no neighbour", "name another model"),
    ("matrix", "--topic", "cooking"): ('no topic "cooking" in this file', "it has: "),
    ("matrix", "--prompts", "p0"): ('no prompt "p0" in this file', "it has: "),
    ("matrix", "--condition", "calm"): ('no condition "calm" in this file', "it has: control"),
    ("matrix", "--facet", "runes"): ('no facet "runes"', "one of: "),
    ("matrix", "--json", "--csv"): ("--json and --csv exclude each other", "ask for one"),
    ("focus", PLAIN, "--csv", "--markdown"): ("--csv and --markdown exclude each other", "ask for one"),
    ("matrix", "--color", "nevr"): (
        "'nevr' is not one of 'auto', 'always', 'never'",
        "stylekl matrix --help",
    ),
    ("matrix", "--width", "wide"): ("Invalid value for '--width'", "stylekl matrix --help"),
    ("matrix", "--width", "3"): ("Invalid value for '--width'", "stylekl matrix --help"),
    ("matrix", "--threshold", "nan"): ("Invalid value for '--threshold': nan", "stylekl matrix --help"),
    ("matrix", "--skew", "nan"): ("Invalid value for '--skew': nan", "stylekl matrix --help"),
    ("matrix", "--skew", "1.5"): ("Invalid value for '--skew'", "stylekl matrix --help"),
    ("matrix", "--vmax", "0"): ("Invalid value for '--vmax'", "stylekl matrix --help"),
    ("matrix", "--vmax", "inf"): ("Invalid value for '--vmax'", "stylekl matrix --help"),
    ("matrix", "--vmax", "nan"): ("Invalid value for '--vmax'", "stylekl matrix --help"),
    ("matrix", "--colour", "never"): (
        "No such option: --colour (Possible options: --color",
        "stylekl matrix --help",
    ),
    ("pair", PLAIN): ("Missing argument 'B'", "stylekl pair --help"),
    ("matrx",): ("No such command 'matrx'. Did you mean 'matrix'?", "stylekl --help"),
    ("schema", "matrx"): ('no schema for "matrx"', "one of: battery, check, diff"),
    ("matrix", "--vocabulary", "none"): ("none: No such file", "--save-vocabulary"),
    ("matrix", "--vocabulary", "."): (".: Is a directory", "--save-vocabulary"),
    ("matrix", "--save-vocabulary", "no/where"): ("no/where: not written", "unchanged"),
}
VOCABULARIES = {
    "no json": b"the of and",
    "list": b'["the"]',
    "no symbols": b'{"facet": "tokens"}',
    "numbers": b'{"facet": "tokens", "symbols": [1]}',
    "other facet": b'{"facet": "words", "symbols": ["the"]}',
    "no list": b'{"facet": "tokens", "symbols": 7}',
    "latin": b'{"facet": "tokens", "symbols": ["\xe9"]}',
    "deep": b"[" * 100_000,
}


def check(arguments: tuple[str, ...], error: str, hint: str) -> None:
    """Assert that the command says just this, and that it wrote nothing anywhere."""
    before = sorted(Path().rglob("*"))
    done = call(*arguments)
    lines = [line for line in done.err.splitlines() if not line.startswith("note: ")]

    assert (done.code, done.out) == (2, "")
    assert [line.partition(" ")[0] for line in lines] == ["error:", "hint:"]
    assert error in lines[0]
    assert hint in lines[1]
    assert before == sorted(Path().rglob("*"))


@pytest.mark.parametrize("arguments", ASKED, ids=" ".join)
def test_what_cannot_be_asked_is_an_error_with_a_hint(arguments: tuple[str, ...]) -> None:
    """Bad paths, names, options and values: exit 2, nothing on stdout, nothing written."""
    check(arguments, *ASKED[arguments])


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_results_is_an_error_with_a_hint(name: str) -> None:
    """The error names the file, the place and what is wrong; also where a vocabulary was to be written."""
    Path("r.json").write_bytes(CONTENTS[name])

    check(("matrix", "r.json", "--save-vocabulary", "v.json"), *FILES[name])


@pytest.mark.parametrize("name", VOCABULARIES)
def test_a_bad_vocabulary_is_an_error_with_a_hint(name: str) -> None:
    """Not JSON, not the right shape, or of another facet."""
    Path("v.json").write_bytes(VOCABULARIES[name])

    check(("matrix", "--vocabulary", "v.json"), "v.json: ", "name a file that --save-vocabulary wrote")


def test_two_files_that_disagree_name_both_places() -> None:
    """One explicit identity with two texts is an error wherever the two stand."""
    made.write(native(reply("a", 1, "one", sample=1)), "x.json")
    made.write(native(reply("a", 1, "two", sample=1)), "y.json")

    check(
        ("matrix", "x.json", "y.json"),
        "two different texts: x.json: reply 1 and y.json: reply 1",
        "leave `sample`",
    )


def test_a_file_that_may_not_be_read_is_an_error() -> None:
    """Permissions are named as the reason."""
    path = Path(made.write(made.rows(["a", "b"])))
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")

    check(("matrix", "r.json"), "r.json: cannot be read: Permission denied", "check the path")


def test_debug_shows_where_without_locals() -> None:
    """The traceback names file and line, before the same two lines; no value of a variable is in it."""
    made.write({"token": "SECRET-VALUE"}, "r.json")
    short, long = call("matrix", "r.json"), call("matrix", "r.json", "--debug")

    assert "Traceback" not in short.err
    assert long.err.startswith("Traceback (most recent call last):\n")
    assert long.err.endswith(short.err)
    assert "cli/main.py" in long.err
    assert "SECRET-VALUE" not in long.err


def test_a_damaged_package_is_an_internal_error(tmp_path: Path) -> None:
    """A copy of the package whose vocabulary is cut short exits 3, and says what to do."""
    copy = tmp_path / "copy" / "stylekl"
    shutil.copytree(Path(stylekl.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    packed = copy / "facets" / "vocabulary" / "o200k_base.tiktoken.gz"
    start = f"import sys; sys.path.insert(0, {str(copy.parent)!r}); from stylekl.cli import main; main()"
    program = (sys.executable, "-c", start)
    whole = packed.read_bytes()
    ends = {}
    for name, content in (("cut", whole[:1000]), ("other", gzip.compress(b"IQ== 0\n"))):
        packed.write_bytes(content)
        ends[name] = run("matrix", str(made.SAMPLE), program=program)

    assert [done[:2] for done in ends.values()] == [(3, ""), (3, "")]
    assert ends["cut"].err.startswith("error: the tokens' vocabulary cannot be read: ")
    assert ends["other"].err.startswith("error: the tokens' vocabulary is not the published one\n")
    assert all(done.err.endswith("\nhint: install stylekl again\n") for done in ends.values())
