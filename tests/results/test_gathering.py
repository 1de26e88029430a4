"""Folders of results files."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import ConflictError, InputError, UnknownFormatError
from stylekl.results import Reading, Results, gathering, load
from stylekl.results.gathering import DEEPEST, gather

from .strategies import write, write_json, write_lines

if TYPE_CHECKING:
    from pathlib import Path

SKIP = Reading(skip_bad=True)
SCORES = {"results": {}, "configs": {}, "versions": {}, "n-shot": {}, "model_name": "vendor/m"}


def row(model: str, prompt: str = "P?", text: str = "x") -> dict[str, str]:
    return {"model": model, "prompt": prompt, "response": text}


def ids(results: Results) -> list[str]:
    return [model.id for model in results.models]


def sample(place: int, **more: Any) -> dict[str, Any]:
    return {"doc_id": place, "doc": {}, "arguments": [[f"P{place}?", {}]], "resps": [["x"]], **more}


def test_a_folder_stands_for_the_results_files_in_it(tmp_path: Path) -> None:
    """In the order of their names, those of folders below in their place; as if they were named one by one."""
    for name in ("c.jsonl", "b/z.jsonl", "b/a/deep.jsonl", "a.jsonl"):
        write_lines(tmp_path, name, row(name))
    loaded = load(tmp_path)

    assert ids(loaded) == ["a.jsonl", "b/a/deep.jsonl", "b/z.jsonl", "c.jsonl"]
    assert load(*(tmp_path / each for each in ids(loaded))) == loaded
    assert [source.path for source in loaded.sources] == [str(tmp_path / each) for each in ids(loaded)]


def test_folders_and_files_keep_their_order(tmp_path: Path) -> None:
    """A folder's files come where the folder is named."""
    write_lines(tmp_path, "f/m.jsonl", row("m"))
    first, last = write_lines(tmp_path, "z.jsonl", row("z")), write_lines(tmp_path, "a.jsonl", row("a"))

    assert ids(load(first, tmp_path / "f", last)) == ["z", "m", "a"]


def test_what_is_no_results_file_is_counted_in_one_warning(tmp_path: Path) -> None:
    """By the endings of names, in any case of letters; hidden files and folders are left alone."""
    write_lines(tmp_path, "m.JSONL", row("m"))
    write(tmp_path, "t.tsv", "model\tprompt\tresponse\nt\tP?\tx\n")
    for name in ("README.md", "notes.txt", "plot.png", ".DS_Store", "run.log", "x.json.bak"):
        write(tmp_path, name, "x")
    write_lines(tmp_path, ".git/index.json", row("no"))
    os.mkfifo(tmp_path / "pipe.json")
    loaded = load(tmp_path)

    assert ids(loaded) == ["m", "t"]
    assert loaded.warnings == [f"{tmp_path}: left out: 2 hidden files, 4 other files, 2 texts"]


def test_texts_beside_results_files_are_left_out(tmp_path: Path) -> None:
    """A folder of texts alone is one of writers; one results file makes it a folder of results."""
    write(tmp_path, "P?.txt", "a text")
    assert ids(load(tmp_path)) == [tmp_path.name]

    write_lines(tmp_path, "m.jsonl", row("m"))
    assert ids(load(tmp_path)) == ["m"]


def test_texts_answer_the_prompts_of_a_folder_of_results(tmp_path: Path) -> None:
    """As they do those of files."""
    write_lines(tmp_path, "results/m.jsonl", row("m") | {"prompt_id": "p1"})
    people = tmp_path / "anna"
    people.mkdir()
    write(people, "p1.txt", "hers")

    assert [(each.model, each.prompt) for each in load(people, tmp_path / "results").replies] == [
        ("m", "p1"),
        ("anna", "p1"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b'{"model": "m", "prompt": 1}\n{"model": ', "not a form|line 1|not JSON"),
        (b"\x1f\x8bnothing", "gzip"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer"),
        (b'{"what": "else"}', "not a form that stylekl reads"),
    ],
    ids=["empty", "torn", "gzip", "pointer", "other"],
)
def test_a_bad_file_is_left_out_only_where_that_is_said(content: bytes, message: str, tmp_path: Path) -> None:
    """Else it is an error that names it and says how; named itself, it is one in any case."""
    write_lines(tmp_path, "a.jsonl", row("a"))
    bad = write(tmp_path, "b.json", content)
    write_lines(tmp_path, "c.jsonl", row("c"))
    with pytest.raises(InputError, match=message) as caught:
        load(tmp_path)
    assert str(bad) in caught.value.message
    assert caught.value.hint.endswith("--skip-bad reads the other files of the folder")

    loaded = load(tmp_path, reading=SKIP)
    assert ids(loaded) == ["a", "c"]
    assert [str(bad) in warning for warning in loaded.warnings] == [True]
    with pytest.raises(InputError) as caught:
        load(tmp_path / "a.jsonl", bad, reading=SKIP)
    assert "--skip-bad" not in caught.value.hint


def test_where_nothing_is_left_it_is_an_error(tmp_path: Path) -> None:
    """With the reason for the last of the files."""
    write(tmp_path, "a.json", "")
    write(tmp_path, "b.json", '{"what": "else"}')
    with pytest.raises(InputError, match=r"of 2 results files none can be read, .*not a form"):
        load(tmp_path, reading=SKIP)


def test_what_several_files_contradict_is_no_bad_file(tmp_path: Path) -> None:
    """One reply with two texts is an error whatever is said of bad files."""
    for name in ("a", "b"):
        write_lines(tmp_path, f"{name}.jsonl", row("m", text=name) | {"sample": 1})
    with pytest.raises(ConflictError):
        load(tmp_path, reading=SKIP)


def test_scores_and_likelihoods_beside_samples_fail_no_folder(tmp_path: Path) -> None:
    """They hold no replies by their nature: left out and counted, and an error where they are named or alone."""
    write_lines(tmp_path, "vendor__m/samples_a_2026-01-05T10-00-00.0.jsonl", sample(1), sample(2))
    scores = write_json(tmp_path, "vendor__m/results_2026-01-05T10-00-00.0.json", SCORES)
    write_lines(
        tmp_path, "vendor__m/samples_b_2026-01-05T10-00-00.0.jsonl", sample(1, resps=[[["-1.5", "False"]]])
    )
    loaded = load(tmp_path)

    assert (ids(loaded), len(loaded.replies)) == (["vendor/m"], 2)
    assert loaded.warnings == [f"{tmp_path}: left out: 2 files without replies"]
    with pytest.raises(InputError, match="scores of lm-eval"):
        load(scores)
    write_json(tmp_path, "other/results_2026-01-05T10-00-00.0.json", SCORES)
    with pytest.raises(InputError, match="of 1 results files none can be read"):
        load(tmp_path / "other")


def test_a_table_of_figures_fails_no_folder(tmp_path: Path) -> None:
    """A leaderboard beside the answers is no bad file; a table with texts in it is."""
    write_lines(tmp_path, "m.jsonl", row("m"))
    write(tmp_path, "leaderboard.csv", "name,rate,error,n,wins\na,1.5,.2,800,7%\nb,nan,1e-3,,8%\n")
    assert load(tmp_path).warnings == [f"{tmp_path}: left out: 1 file without replies"]

    write(tmp_path, "more.csv", f"name,said,a,b,c\na,{'a long text ' * 20},1,2,3\n")
    with pytest.raises(UnknownFormatError):
        load(tmp_path)


def test_a_file_that_another_was_read_with_is_a_source(tmp_path: Path) -> None:
    """Once, with its path and hash, in a folder and outside it."""
    question = write_lines(tmp_path, "bench/question.jsonl", {"question_id": 1, "turns": ["One?"]})
    answer = {"question_id": 1, "choices": [{"index": 0, "turns": ["One."]}]}
    for model in ("m", "n"):
        write_lines(tmp_path, f"bench/model_answer/{model}.jsonl", answer | {"model_id": model})
    digest = hashlib.sha256(question.read_bytes()).hexdigest()
    answers = [str(tmp_path / "bench" / "model_answer" / f"{model}.jsonl") for model in ("m", "n")]

    for given in ((*answers,), (tmp_path / "bench" / "model_answer",), (tmp_path / "bench",)):
        loaded = load(*given)
        assert sorted(source.path for source in loaded.sources) == [*answers, str(question)]
        assert {source.sha256 for source in loaded.sources if source.path == str(question)} == {digest}
        assert [prompt.text for prompt in loaded.prompts] == ["One?"]
        assert loaded.warnings == []


def test_the_path_of_a_source_starts_where_the_file_s_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is on this machine is nobody's business."""
    write_lines(tmp_path, "bench/question.jsonl", {"question_id": 1, "turns": ["One?"]})
    answer = {"question_id": 1, "model_id": "m", "choices": [{"index": 0, "turns": ["One."]}]}
    write_lines(tmp_path, "bench/model_answer/m.jsonl", answer)
    monkeypatch.chdir(tmp_path / "bench")
    sources = [source.path for source in load("model_answer/m.jsonl").sources]

    assert sources == [os.path.join("model_answer", "m.jsonl"), "question.jsonl"]


def test_questions_of_another_set_are_not_taken_for_those_of_a_folder(tmp_path: Path) -> None:
    """Ids of two sets may be the same: a file elsewhere in the folder says nothing."""
    write_lines(tmp_path, "one/question.jsonl", *({"question_id": n, "turns": [f"{n}?"]} for n in (1, 2)))
    answer = {"question_id": 1, "model_id": "m", "choices": [{"index": 0, "turns": ["x"]}]}
    write_lines(tmp_path, "two/x/y/model_answer/m.jsonl", answer)
    loaded = load(tmp_path)

    assert [prompt.text for prompt in loaded.prompts] == ["1?", "2?", "[question 1 of y]"]


def test_links_and_depth_end(tmp_path: Path) -> None:
    """A folder that a link leads back to is read once, and no folder is so deep that it takes for ever."""
    folder = tmp_path
    for depth in range(DEEPEST + 2):
        write_lines(folder, "m.jsonl", row(f"m{depth}"))
        (folder / "back").symlink_to(tmp_path)
        folder = folder / "d"
        folder.mkdir()
    found = gather(str(tmp_path))

    assert len(found.files) == DEEPEST + 1
    assert dict(found.left_out) == {"deeper folder": 1}


def test_a_disk_is_no_folder_of_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More entries than MOST are an error, before any is read."""
    monkeypatch.setattr(gathering, "MOST", 3)
    for place in range(4):
        write(tmp_path, f"{place}.json", "")
    with pytest.raises(InputError, match="more than 3 files and folders"):
        load(tmp_path)


def test_a_link_to_nothing_is_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """It is named, and can be left out."""
    write_lines(tmp_path, "m.jsonl", row("m"))
    (tmp_path / "n.jsonl").symlink_to("nowhere")
    with pytest.raises(InputError, match=r"n\.jsonl: no such file"):
        load(tmp_path)
    assert ids(load(tmp_path, reading=SKIP)) == ["m"]


@pytest.mark.parametrize(
    ("folder", "models", "replies"),
    [
        ("arena_hard_ko", 5, 2500),
        ("freeflow_bundles", 8, 2255),
        ("lm_eval", 1, 6),
        ("mt_bench_zh", 2, 160),
        ("openai_batch", 2, 5),
        ("speechmap/us_criticism", 9, 450),
    ],
)
def test_real_folders_are_read_whole(shared: Path, folder: str, models: int, replies: int) -> None:
    """Without a word on what belongs to the files."""
    loaded = load(shared / "data" / "formats" / folder)

    assert (len(loaded.models), len(loaded.replies)) == (models, replies)
    assert all(json.dumps(source.sha256) != '""' for source in loaded.sources)
