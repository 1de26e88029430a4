"""Hostile and broken files: each is read, or refused in words that say what it is; none stops the program."""

from __future__ import annotations

import codecs
import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bench.fuzzing.cases import case
from bench.fuzzing.corpus import corpus
from bench.fuzzing.worker import attempt

from stylekl.errors import InputError, UnknownModelError
from stylekl.gather.names_file import load_names
from stylekl.lenses.quality import examine
from stylekl.results import find_model, load, readers, save, select
from stylekl.results.check import check

from .strategies import write

if TYPE_CHECKING:
    from collections.abc import Callable

    from stylekl.results import Results

DEEP = 100_000
FUZZED = 18
ROW = {"model": "m", "prompt": "What is rain?", "response": "Water."}


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def read(tmp_path: Path, content: str | bytes, name: str = "r.jsonl") -> Results:
    return load(write(tmp_path, name, content))


@pytest.mark.parametrize(
    ("content", "said", "advice"),
    [
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
            "Git LFS pointer",
            "git lfs pull",
        ),
        (b"", "the file is empty", "download"),
        (b" \r\n" * 1000, "the file is empty", "download"),
        (gzip.compress(b"", mtime=0), "the file is empty", "download"),
        (lines(ROW).decode().encode("utf-16-le"), "UTF-16LE", "UTF-8"),
        (lines(ROW).decode().encode("utf-16-be"), "UTF-16BE", "UTF-8"),
        ('{"model": "m", "prompt": "é"}'.encode("latin-1"), "not UTF-8", "Latin-1"),
        ("model,prompt,response\nm,“Why?”,é\n".encode("cp1252"), "line 2, byte", "1252"),
        (lines(ROW) + b'{"model": "m", "pro\n' + lines(ROW), "line 2", ""),
        (lines(ROW) + b"null\n" + lines(ROW), "line 2", ""),
        (gzip.compress(lines(ROW) * 99)[:-20], "gzip", "again"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not UTF-8", ""),
        (b"<!DOCTYPE html><html><body>404</body></html>", "not", ""),
    ],
    ids=[
        *("lfs pointer", "no bytes", "white space", "gzip of nothing", "utf-16-le", "utf-16-be", "latin-1"),
        *("cp1252 table", "torn line", "line without an object", "gzip cut", "picture", "page"),
    ],
)
def test_what_stands_in_place_of_results_is_said(
    content: bytes, said: str, advice: str, tmp_path: Path
) -> None:
    """The message says what the file is and where, the hint what to do about it."""
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)

    assert said in caught.value.message
    assert advice in caught.value.hint


@pytest.mark.parametrize("marked", ["utf-16-le", "utf-16-be"])
def test_utf_16_with_its_mark_is_read(marked: str, tmp_path: Path) -> None:
    """What PowerShell writes is text like any other."""
    mark = codecs.BOM_UTF16_LE if marked == "utf-16-le" else codecs.BOM_UTF16_BE
    found = read(tmp_path, mark + lines(ROW | {"response": "“Water” 😀"}, ROW).decode().encode(marked))

    assert [reply.text for reply in found.replies] == ["“Water” 😀", "Water."]


def test_a_torn_last_line_hides_nothing_before_it(tmp_path: Path) -> None:
    """The finished records count, and a warning says that one does not."""
    found = read(tmp_path, lines(ROW, ROW | {"prompt": "Why?"}) + b'{"model": "m", "prompt": "Ho')

    assert len(found.replies) == 2
    assert any("line 3, the last, is cut short" in warning for warning in found.warnings)


DEPTHS: dict[str, Callable[[str], str | bytes]] = {
    "object": lambda deep: deep,
    "array": lambda deep: f"[{deep}]",
    "line": lambda deep: lines(ROW).decode() + deep + "\n",
    "field": lambda deep: '{"model": "m", "prompt": "p", "response": "r", "x": ' + deep + "}",
    "text of a field": lambda deep: lines(ROW | {"prompt": deep}, ROW | {"response": deep}),
    "text in messages": lambda deep: lines({"model": "m", "messages": deep}),
    "battle cell": lambda deep: (
        "model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
        + ",".join(["m", "n", *['"' + deep.replace('"', '""') + '"'] * 3, "1", "0", "0"])
        + "\n"
    ),
    "table cell": lambda deep: 'model,prompt,response\nm,p,"' + deep.replace('"', '""') + '"\n',
}


@pytest.mark.parametrize("deep", ['{"a":' * DEEP + "1" + "}" * DEEP, "[" * DEEP + "]" * DEEP, "[" * DEEP])
@pytest.mark.parametrize("where", DEPTHS)
def test_a_hundred_thousand_levels_are_text_or_refused(where: str, deep: str, tmp_path: Path) -> None:
    """A text is text whatever it looks like; JSON that deep is refused in words, wherever it stands."""
    refused, found = "", None
    try:
        found = read(tmp_path, DEPTHS[where](deep))
    except InputError as error:
        refused = error.message
    if found is None:
        assert where not in ("text of a field", "table cell")
        assert len(refused) < 3000
    else:
        assert any(
            deep[:9] in text for text in (*(r.text for r in found.replies), *(p.text for p in found.prompts))
        )


def test_yaml_names_do_not_grow(tmp_path: Path) -> None:
    """Aliases of aliases, and levels without end, are refused before they are written out."""
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
    )
    for content in (laughs, "m: " + "[" * DEEP + "]" * DEEP, "m: " + "{a: " * DEEP, "m: &a [*a]"):
        with pytest.raises(InputError):
            load_names(write(tmp_path, "names.yaml", content))


def test_a_megabyte_of_white_space_is_an_empty_reply(tmp_path: Path) -> None:
    """It counts as no text, whatever the white space is made of."""
    blanks = (" ", "\n", "\t \r\n", "\u3000", "\u200b", "\ufeff")
    rows = (ROW | {"prompt": f"p{n}", "response": blank * 1_000_000} for n, blank in enumerate(blanks))

    assert select(read(tmp_path, lines(*rows))).left_out == {"m": {"empty": len(blanks)}}


def test_what_strings_may_hold_survives(tmp_path: Path) -> None:
    """NUL, escapes, other line ends, noncharacters: as they were, also once written and read again."""
    text = "a\0b \x1b[31m \u2028\u2029\x85\x0b\x0c\r\n \ufffe\uffff \U0010ffff \u202e"
    found = read(tmp_path, lines(ROW | {"response": text, "model": text, "prompt": text}))
    save(found, tmp_path / "r.json")

    assert [found.replies[0].text, found.models[0].id, found.prompts[0].text] == [text] * 3
    assert load(tmp_path / "r.json") == found


def test_names_and_ids_of_a_megabyte_make_short_messages(tmp_path: Path) -> None:
    """They are read as they are; no message repeats them in full."""
    long = "n" * 1_000_000
    found = read(tmp_path, lines(ROW | {"model": long, "prompt_id": long}, ROW | {"model": long + "2"}))

    assert [len(model.id) for model in found.models] == [1_000_000, 1_000_001]
    with pytest.raises(UnknownModelError) as caught:
        find_model(found, "n" * 10)
    assert len(caught.value.message + caught.value.hint) < 5000
    with pytest.raises(InputError) as refused:
        read(tmp_path, json.dumps({long: 1, "b": {long: long}}), "other.json")
    assert len(refused.value.message + refused.value.hint) < 5000


def test_columns_by_the_thousand_are_read(tmp_path: Path) -> None:
    """What a table has no place for is kept, in as many columns as there are."""
    names = [f"c{n}" for n in range(5000)]
    table = (
        ",".join(["model", "prompt", "response", *names]) + "\n" + ",".join(["m", "p", "r", *names]) + "\n"
    )
    found = read(tmp_path, table, "r.csv")

    assert [reply.text for reply in found.replies] == ["r"]
    assert names[-1] in found.replies[0].extra
    with pytest.raises(InputError) as caught:
        read(tmp_path, ",".join(names) + "\n" + ",".join(names) + "\n", "other.csv")
    assert len(caught.value.message) < 3000


def test_dimensions_by_the_thousand_are_read(tmp_path: Path) -> None:
    """A table of judgments may score anything, and the work grows with its columns alone."""
    names = [f"d{n}_{side}" for n in range(20_000) for side in "AB"]
    head = ["question", "x_response", "y_response", *names, "total_A", "total_B", "verdict", "note"]
    row = ["Why?", "a", "b", *["1", "2"] * 20_000, "20000", "40000", "B", "n"]
    (judgment,) = read(tmp_path, ",".join(head) + "\n" + ",".join(row) + "\n", "r.csv").other["judgments"]

    assert (judgment["totals"], judgment["extra"]) == ({"A": 20_000, "B": 40_000}, {"note": "n"})


def test_models_by_the_thousand_are_checked_and_not_compared(tmp_path: Path) -> None:
    """All pairs of thousands are no picture and no patience: the program says how many are too many."""
    from tests.cli.run import call

    path = str(write(tmp_path, "r.jsonl", lines(*(ROW | {"model": f"m{n}"} for n in range(2000)))))

    assert len(load(path).models) == 2000
    assert call("check", path).code == 0
    for command in (("matrix",), ("pair", "m1", "m2"), ("focus", "m1"), ("findings",), ("tree",)):
        done = call(*command, path)
        assert (done.code, "2,000 models: more than" in done.err) == (2, True)


def test_a_collection_that_asked_without_end_is_not_counted_out(tmp_path: Path) -> None:
    """What it says that it asked is a number in the file, and costs as much as one."""
    row = {"models": ["m"], "prompts": ["p"], "conditions": ["c"], "samples": 10**15, "period": [1]}
    content = {"format": "stylekl/1", "models": [{"id": "m"}], "prompts": [{"id": "p", "text": "P"}]}
    found = read(tmp_path, json.dumps(content | {"collection": [row, row | {"samples": 2}]}))
    report = check(found)

    assert report.models[0].missing == 2
    assert report.warnings == [
        "a collection of 1,000,000,000,000,000 replies: too many to look for those that are missing"
    ]


def test_votes_on_hundreds_of_models_say_how_many_resamples_they_take(tmp_path: Path) -> None:
    """Thousands of resamples of so many scores are minutes; what is granted is said, and done."""
    from tests.cli.run import call

    models = [f"m{n}" for n in range(300)]
    votes = [
        {
            "id": f"{n}-{step}",
            "source": "import",
            "a": model,
            "b": models[n - step],
            "pick": "left",
            "session": f"s{n % 40}",
        }
        for n, model in enumerate(models)
        for step in (1, 7)
    ]
    content = {"format": "stylekl/1", "models": [{"id": model} for model in models], "votes": votes}
    path = str(write(tmp_path, "r.json", json.dumps(content)))
    refused = call("focus", "m1", path, "--by", "votes")

    assert (refused.code, "300 models with votes: 2,000 resamples of them take too long" in refused.err) == (
        2,
        True,
    )
    granted = refused.err.split("--resamples ")[1].split()[0]
    assert (
        call(
            "focus", "m1", path, "--by", "votes", "--resamples", granted if int(granted) < 200 else "100"
        ).code
        == 0
    )


@pytest.mark.parametrize("own", [True, False], ids=["prompts of their own", "one text"])
def test_what_thousands_of_models_share_is_a_count(own: bool, tmp_path: Path) -> None:
    """Neither the pairs of models with one text nor the prompts that each lacks are listed one by one."""
    rows = (
        ROW | {"model": f"m{n}", "prompt": f"p{n * own}", "response": "Water. " * 30} for n in range(3000)
    )
    found = examine(read(tmp_path, lines(*rows))).findings
    said = [finding for finding in found if finding.kind == ("missing_prompts" if own else "copies")]

    assert [
        (each.models, "too many models" in each.text or "3,000 models" in each.text) for each in said
    ] == [((), True)]


def test_of_fewer_models_no_pair_is_refused() -> None:
    """The limit is far above what people compare."""
    from stylekl.cli.answer import MOST_MODELS

    assert MOST_MODELS >= 300


def test_a_zip_bomb_in_gzip_is_stopped(tmp_path: Path) -> None:
    """A hundred megabytes of white space are no results file, and take no such memory to find out."""
    packed = gzip.compress(b" " * (100 << 20), 1)
    with pytest.raises(InputError, match=r"zip bomb|empty"):
        read(tmp_path, packed + gzip.compress(lines(ROW)))


@pytest.mark.parametrize("first", range(0, FUZZED, 6))
def test_varied_files_of_every_form_do_no_harm(first: int, tmp_path: Path) -> None:
    """What `bench/fuzz.py` does for as long as one likes, on made-up files and for a fixed seed."""
    names = [reader.name for reader in readers.READERS]
    for number in range(first, first + 6):
        made = case(corpus(None), 8, number, names, largest=40_000)
        found = attempt(made, lambda _: None)
        assert found["failure"] is None, f"case {number}: {found['failure']}"


def test_a_case_depends_on_its_seed_and_number_alone() -> None:
    """Whoever has the same files makes the same case again, in any order."""
    names = [reader.name for reader in readers.READERS]
    made = [case(corpus(None), 3, number, names, largest=10_000) for number in range(30)]

    assert made == [case(corpus(None), 3, n, names, largest=10_000) for n in reversed(range(30))][::-1]
    assert made[0] != case(corpus(None), 4, 0, names, largest=10_000)


def test_the_fuzzer_names_what_fails(tmp_path: Path) -> None:
    """A limit that no stage keeps: every case that gets so far is a failure, with its files, and the exit code is 1."""
    fuzz = Path(__file__).parents[2] / "bench" / "fuzz.py"
    done = subprocess.run(
        [
            *(
                sys.executable,
                fuzz,
                "--folder",
                tmp_path / "none",
                "--seed",
                "0",
                "--cases",
                "3",
                "--jobs",
                "1",
            ),
            *("--memory", "1", "--keep", tmp_path / "kept"),
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 1, done.stderr
    assert "FAILED seed 0 case 0" in done.stdout
    assert (tmp_path / "kept" / "0-0" / "about.json").is_file()
