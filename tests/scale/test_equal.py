"""Whatever the form of the files and the size of the splits, the answer is that of one process, to the last bit."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stylekl.errors import InputError, StyleklError, UsageError
from stylekl.lenses.style import StyleOptions
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.lenses.style.scaled import finish, require_countable, scaled_evidence
from stylekl.results import Reading, load
from stylekl.results.default import sample_path
from tests.scale.made import compared, parquet, rows, scaled, told, write_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODELS = ["one", "two", "three", "four"]


def same(files: list[Path], size: int, options: StyleOptions | None = None) -> dict[str, Any]:
    """Require that splits give what one process gives; return that."""
    options = options or StyleOptions(jobs=1, cache=False)
    found = compared(files, scaled(files, size, options), options)
    for name, value in found.one.items():
        given = found.splits[name]
        assert (sorted(given) == sorted(value)) if name == "warnings" else (given == value), name
    return found.one


@pytest.mark.parametrize("size", [600, 5000, 1 << 20])
def test_lines(tmp_path, size):
    path = write_lines(tmp_path / "a.jsonl", rows(MODELS, 20), "\r\n")
    found = same([path], size)
    assert found["copies"] == {(a, b): 1 for a in range(4) for b in range(a + 1, 4)}
    assert found["removed"] == {"one": {"reasoning": 1}}


@pytest.mark.parametrize("size", [2000, 1 << 20])
def test_parquet(tmp_path, size):
    same([parquet(tmp_path / "a.parquet", rows(MODELS, 20), 11)], size)


def test_alpaca_eval_in_gzip_a_file_a_model(tmp_path):
    files = []
    for record in (records := rows(MODELS, 20)):
        record["instruction"], record["output"] = record.pop("prompt"), record.pop("response")
        record["generator"] = record.pop("model")
    for name in MODELS:
        path = tmp_path / f"{name}.json.gz"
        own = [record for record in records if record["generator"] == name]
        path.write_bytes(gzip.compress(json.dumps(own).encode()))
        files.append(path)
    same(files, 100)


def test_several_replies_to_a_prompt_in_several_files(tmp_path):
    records = rows(MODELS, 12, samples=3)
    files = [write_lines(tmp_path / f"{n}.jsonl", records[n::2]) for n in range(2)]
    assert max(map(max, same(files, 3000)["samples"])) == 3


def test_the_sample_with_floors(tmp_path):
    same([sample_path()], 1000, StyleOptions(jobs=1, cache=False, floor=True))


@pytest.mark.parametrize(
    "options",
    [{"plain": True}, {"keep_thinking": True}, {"models": ("one", "three")}, {"measure": "kinship"}],
    ids=lambda options: next(iter(options)),
)
def test_options(tmp_path, options):
    path = write_lines(tmp_path / "a.jsonl", rows(MODELS, 20))
    same([path], 2000, StyleOptions(jobs=1, cache=False, **options))


# Our own form, with all that decides whether a reply counts.
_prompt = st.fixed_dictionaries(
    {"text": st.sampled_from([f"question {n}?" for n in range(16)])},
    optional={
        "topic": st.sampled_from(["here", "there"]),
        "kind": st.sampled_from(["open", "choice"]),
        "retired": st.just({"why": "old"}),
    },
)
_reply = st.fixed_dictionaries(
    {"model": st.sampled_from(MODELS[:3]), "prompt": st.integers(0, 11), "number": st.integers(0, 2)},
    optional={
        "sample": st.integers(0, 2),
        "condition": st.sampled_from(["control", "terse"]),
        "flags": st.lists(st.sampled_from(["refusal", "error"]), min_size=1, max_size=2),
        "period": st.sampled_from(["2024", "2025"]),
        "said": st.sampled_from(["", "<think>a</think>", " \n" + told(1, 1), told(99, 3)]),
    },
)
_file = st.fixed_dictionaries(
    {
        "prompts": st.lists(_prompt, min_size=12, max_size=12),
        "replies": st.lists(_reply, min_size=1, max_size=40),
        "conditions": st.booleans(),
        "again": st.integers(0, 3),
        "order": st.randoms(use_true_random=False),
        "end": st.sampled_from(["\n", "\r\n", "\n\n"]),
        "torn": st.sampled_from(["", "", "", '{"record": "reply", "mod']),
    }
)


def _written(path: Path, file: dict[str, Any], number: int) -> Path:
    records: list[dict[str, Any]] = [{"record": "model", "id": name} for name in MODELS[:3]]
    records += [{"record": "prompt", "id": f"p{n}", **each} for n, each in enumerate(file["prompts"])]
    if file["conditions"]:
        first = {"record": "condition", "id": "control"}
        records += [first, {"record": "condition", "id": "terse", "system": "be terse"}]
    replies = []
    for each in file["replies"]:
        reply = {"record": "reply", **each, "prompt": f"p{each['prompt']}"}
        text = told(MODELS.index(each["model"]), each["prompt"], reply.pop("number"))
        reply["text"] = reply.pop("said", text)
        if "sample" in reply:  # one identity, one text
            reply["text"] = told(MODELS.index(each["model"]), number, each["sample"])
            reply["period"] = f"file {number}"
            reply.pop("flags", None)
        replies.append(reply)
    records += replies + replies[: file["again"]]
    file["order"].shuffle(records)
    lines = [
        json.dumps(each, ensure_ascii=False) for each in [{"record": "file", "format": "stylekl/1"}, *records]
    ]
    path.write_text(file["end"].join(lines) + file["end"] + file["torn"], encoding="utf-8", newline="")
    return path


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(_file, min_size=1, max_size=3),
    st.sampled_from([400, 3000, 1 << 20]),
    st.fixed_dictionaries({}, optional={"topics": st.just(("here",)), "condition": st.just("terse")}),
)
def test_our_own_form_in_any_order_gives_the_same_or_the_same_error(tmp_path_factory, files, size, choice):
    """Prompts that several ids or files have, kinds, topics, conditions, samples that come twice, torn lines."""
    folder = tmp_path_factory.getbasetemp() / "native"
    folder.mkdir(exist_ok=True)
    paths = [_written(folder / f"{number}.jsonl", file, number) for number, file in enumerate(files)]
    options = StyleOptions(jobs=1, cache=False, **choice)
    said = _fault(lambda: gather_evidence(load(*map(str, paths)), options))
    found = _fault(lambda: scaled_evidence(scaled(paths, size, options), options))
    if found is None or "the unit is the reply" not in found:
        assert found == said
    if found is None:
        same(paths, size, options)


def _fault(work: Callable[[], object]) -> str | None:
    try:
        work()
    except StyleklError as error:
        return error.message
    return None


def test_a_record_that_cannot_be_read_is_named_as_in_the_whole_file(tmp_path):
    """The line is that of the file, though a split does not know how many stand before it."""
    records = rows(["one", "two"], 30)
    records[41]["response"] = 7
    path = write_lines(tmp_path / "a.jsonl", records)
    with pytest.raises(InputError) as whole:
        load(str(path))
    with pytest.raises(InputError) as splits:
        scaled([path], 500)
    assert splits.value.message == whole.value.message
    assert "line 42" in whole.value.message


@pytest.mark.parametrize("bad", ['{"model": "one", "prompt": ', b"\xff\xfe{}".decode("latin-1")])
def test_a_line_that_is_no_json_is_named_as_in_the_whole_file(tmp_path, bad):
    path = write_lines(tmp_path / "a.jsonl", rows(["one", "two"], 30))
    lines = path.read_bytes().splitlines(keepends=True)
    lines.insert(33, bad.encode("latin-1") + b"\n")
    path.write_bytes(b"".join(lines))
    with pytest.raises(InputError) as whole:
        load(str(path))
    with pytest.raises(InputError) as splits:
        scaled([path], 500)
    assert splits.value.message == whole.value.message


def test_a_row_of_parquet_that_cannot_be_read_is_named_as_in_the_whole_file(tmp_path):
    records = rows(["one", "two"], 30)
    records[41]["model"] = ""
    path = parquet(tmp_path / "a.parquet", records, 7)
    with pytest.raises(InputError) as whole:
        load(str(path))
    with pytest.raises(InputError) as splits:
        scaled([path], 3000)
    assert splits.value.message == whole.value.message
    assert "row 42" in whole.value.message


def test_two_texts_of_one_identity_are_named_with_both_places(tmp_path):
    first = write_lines(tmp_path / "a.jsonl", [each | {"sample": 1} for each in rows(["one", "two"], 20)])
    again = rows(["one", "two"], 20)[30:31]
    second = write_lines(
        tmp_path / "b.jsonl", [each | {"sample": 1, "response": "other"} for each in again] * 2
    )
    with pytest.raises(InputError) as whole:
        load(str(first), str(second))
    with pytest.raises(InputError) as splits:
        scaled([first, second], 700)
    assert splits.value.message == whole.value.message
    assert f"{first}: line 31 and {second}: line 1" in whole.value.message


def test_single_replies_are_not_known_where_they_would_be_the_unit(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", rows(["one", "two"], 5, samples=3))
    with pytest.raises(UsageError, match="fewer than 10 prompts with several replies"):
        finish(scaled([path], 500), StyleOptions())


@pytest.mark.parametrize("options", [{"facet": "words"}, {"match_length": True}], ids=["facet", "length"])
def test_what_splits_cannot_answer_is_refused(options):
    with pytest.raises(UsageError, match=r"--facet words is not|--match-length needs"):
        require_countable(StyleOptions(**options))


def test_the_same_bytes_under_two_names_are_refused_where_nothing_told_before(tmp_path, monkeypatch):
    """Files far away are not read twice to compare them; that they are the same shows once they are counted."""
    first = write_lines(tmp_path / "a.jsonl", rows(["one", "two"], 20))
    second = write_lines(tmp_path / "b.jsonl", rows(["one", "two"], 20))
    monkeypatch.setattr("stylekl.counts.scale.plan._digest", lambda _place: "")
    with pytest.raises(InputError, match=r"b\.jsonl: the same bytes as .*a\.jsonl"):
        scaled([first, second], 700)


def test_models_are_named_as_the_user_says(tmp_path):
    from stylekl.results import Named

    path = write_lines(tmp_path / "a.jsonl", rows(["one", "two"], 20))
    reading = Reading(names=(Named(key="one", name="The first"),))
    counted = scaled([path], 700, reading=reading)
    assert [model.label for model in counted.whole.results.models] == ["The first", "two"]
