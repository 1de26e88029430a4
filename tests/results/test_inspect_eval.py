"""Inspect's own form of its logs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.errors import InputError, RecordError, UnknownFormatError
from stylekl.results import Reading, load
from stylekl.results.archive import DEFLATE, STORED, ZSTANDARD

from .strategies import texts, values, write, write_json
from .test_archive import zipped
from .test_inspect_log import log, sample

if TYPE_CHECKING:
    from pathlib import Path

METHODS = (DEFLATE, ZSTANDARD)


def evaluation(whole: dict[str, Any], method: int = DEFLATE, *, finished: bool = True) -> bytes:
    """Return a log as the zip that Inspect writes of it."""
    header = {key: value for key, value in whole.items() if key not in ("samples", "reductions")}
    summaries = [{key: each[key] for key in ("id", "epoch")} for each in whole["samples"]]
    members = {"_journal/start.json": {key: header[key] for key in ("version", "eval")}}
    members |= {f"samples/{each['id']}_epoch_{each['epoch']}.json": each for each in whole["samples"]}
    members["_journal/summaries/1.json"] = summaries
    if finished:
        members |= {"summaries.json": summaries, "header.json": header}
        members |= {"reductions.json": whole["reductions"]} if "reductions" in whole else {}
    return zipped([(name, json.dumps(each).encode(), method) for name, each in members.items()])


@st.composite
def logs(draw: st.DrawFn) -> dict[str, Any]:
    """Logs as Inspect writes them: ids are numbers or texts, samples lie in the order of epoch and id."""
    ids = draw(
        st.lists(st.integers(0, 30) | st.text("ab1/ .", min_size=1, max_size=3), max_size=4, unique_by=str)
    )
    ids = [each for each in ids if ".." not in str(each)] or ["p"]
    samples = [
        sample(
            name,
            draw(texts | st.just([{"type": "reasoning", "reasoning": "Hm"}, {"type": "text", "text": "B."}])),
            epoch,
            metadata=draw(values),
            events=[{"event": "model"}],
            choices=draw(st.none() | st.just(["yes", "no"])),
            messages=draw(st.just([]) | st.just([{"role": "system", "content": "Brief."}])),
            error=draw(st.none() | st.just({"message": "x"})),
        )
        for epoch in range(1, draw(st.integers(1, 2)) + 1)
        for name in sorted(ids, key=lambda each: each if isinstance(each, str) else str(each).zfill(20))
    ]
    whole = log(*samples) | {"status": draw(st.sampled_from(["success", "error", "cancelled"]))}
    return whole | draw(st.just({}) | st.just({"reductions": [{"scorer": "s"}]}))


@settings(max_examples=60, deadline=None)
@given(logs(), st.sampled_from([STORED, *METHODS]))
def test_a_log_reads_the_same_in_both_forms(
    tmp_path_factory: pytest.TempPathFactory, whole: dict[str, Any], method: int
) -> None:
    """Models, prompts, replies with all that is said of them, conditions, the run and its warnings."""
    folder = tmp_path_factory.mktemp("log")
    one = load(write_json(folder, "log.json", whole))
    other = load(write(folder, "log.eval", evaluation(whole, method)))

    assert one == other
    assert [each.replace("log.json", "log.eval") for each in one.warnings] == other.warnings


def test_samples_come_by_epoch_and_numbers_by_their_value(tmp_path: Path) -> None:
    """So that epochs are samples in their order, and 2 comes before 10 but "2" behind "10"."""
    named = [sample(name, str(name)) for name in (10, 2, "p")]
    mixed = [sample(name, name) for name in ("2", "10")]
    found = load(write(tmp_path, "a.eval", evaluation(log(sample(1, "E2", 2), sample(1, "E1", 1)))))
    numbers = load(write(tmp_path, "b.eval", evaluation(log(*named))))
    strings = load(write(tmp_path, "c.eval", evaluation(log(*mixed))))

    assert [(each.text, each.sample) for each in found.replies] == [("E1", 1), ("E2", 2)]
    assert [each.text for each in numbers.replies] == ["2", "10", "p"]
    assert [each.text for each in strings.replies] == ["10", "2"]


def test_choices_are_part_of_the_prompt(tmp_path: Path) -> None:
    """As they were sent, where the messages show it; two questions that differ in them alone are two."""
    sent = [{"role": "user", "content": "Pick one.\n\nQ1?\n\nA) x"}, {"role": "assistant", "content": "A"}]
    one = sample(1, "A", choices=["x"], messages=sent)
    two = sample(2, "B", choices=["y", "z"], input="Q1?")
    found = load(write_json(tmp_path, "log.json", log(one, two)))

    assert [each.text for each in found.prompts] == ["Pick one.\n\nQ1?\n\nA) x", "Q1?\n\nA) y\nB) z"]
    assert found.replies[1].extra["choices"] == ["y", "z"]


def test_an_unfinished_log_reads_as_far_as_it_was_written(tmp_path: Path) -> None:
    run = {"model": "v/m", "task": "t", "eval_id": "e", "dataset": {"samples": 3}, "config": {"epochs": 2}}
    whole = log(sample(1, "A.")) | {"eval": run}
    path = write(tmp_path, "a.eval", evaluation(whole, finished=False))
    found = load(path)

    assert [each.text for each in found.replies] == ["A."]
    assert found.warnings == [f"{path}: the log's status is started: it holds 1 sample of 6"]


def test_the_transcript_of_a_sample_is_not_kept(tmp_path: Path) -> None:
    """It is larger than all the rest; what Inspect moved out of the input is put back."""
    moved = sample(
        1,
        "A.",
        input="attachment://ff",
        attachments={"ff": "Long?"},
        events=[{"e": 1}],
        events_data={},
        scores={"s": 1},
    )
    for path in (
        write_json(tmp_path, "a.json", log(moved)),
        write(tmp_path, "a.eval", evaluation(log(moved))),
    ):
        found = load(path)

        assert [each.text for each in found.prompts] == ["Long?"]
        assert found.replies[0].extra["scores"] == {"s": 1}
        assert not {"events", "events_data", "attachments"} & found.replies[0].extra.keys()


def test_a_sample_that_lies_in_several_members_is_put_together(tmp_path: Path) -> None:
    """Its messages are chunks of a list, its long texts are in another."""
    whole = log(sample(1, "A.", input="attachment://1", message_refs=[[1, 3]]))
    del whole["samples"][0]["messages"]
    messages = [
        {"role": "user", "content": "No."},
        {"role": "system", "content": "attachment://0"},
        {"role": "user"},
    ]
    members = {
        "header.json": log() | {"samples": None},
        "samples/1_epoch_1/sample.json": whole["samples"][0],
        "samples/1_epoch_1/metadata.json": {"k": "v"},
        "samples/1_epoch_1/skeleton.json": {},
        "samples/1_epoch_1/messages/0.json": messages[:2],
        "samples/1_epoch_1/messages/2.json": messages[2:],
        "samples/1_epoch_1/events/0.json": [{}],
        "samples/1_epoch_1/attachments/0.json": ["Brief.", "Long?"],
    }
    raw = zipped([(name, json.dumps(each).encode(), DEFLATE) for name, each in members.items()])
    found = load(write(tmp_path, "a.eval", raw))

    assert [each.text for each in found.prompts] == ["Long?"]
    assert found.replies[0].extra["metadata"] == {"k": "v"}
    assert found.replies[0].extra["messages"] == [{"role": "system", "content": "Brief."}, {"role": "user"}]


def test_another_zip_is_refused_with_what_is_in_it(tmp_path: Path) -> None:
    files = [(f"{letter}.json", b"{}", DEFLATE) for letter in "abcdefg"]
    with pytest.raises(
        UnknownFormatError, match=r"a zip with a\.json, b\.json, c\.json, d\.json, e\.json …$"
    ) as caught:
        load(write(tmp_path, "a.zip", zipped(files)))

    assert "unpack" in caught.value.hint


@pytest.mark.parametrize("form", ["inspect_log", "llm_logs"])
def test_a_zip_is_no_file_of_another_form(tmp_path: Path, form: str) -> None:
    path = write(tmp_path, "a.eval", evaluation(log(sample(1, "A."))))
    with pytest.raises(UnknownFormatError, match="a zip"):
        load(path, reading=Reading(format=form))


def test_errors_name_the_member(tmp_path: Path) -> None:
    """A member that is not JSON, one that is no object, a header of nothing, a sample without an input."""
    good = {"header.json": json.dumps(log()).encode()}

    def refused(kind: type[InputError], match: str, **members: bytes) -> None:
        listed = good | {name.replace("__", "/") + ".json": data for name, data in members.items()}
        raw = zipped([(name, data, DEFLATE) for name, data in listed.items()])
        with pytest.raises(kind, match=match):
            load(write(tmp_path, "a.eval", raw))

    refused(InputError, r"member samples/1_epoch_1.json: line 1, column 2: not JSON", samples__1_epoch_1=b"{")
    refused(InputError, r"member samples/1_epoch_1.json: .*not UTF-8", samples__1_epoch_1=b'{"id": "\xff"}')
    refused(InputError, r"member samples/1_epoch_1.json: JSON nested", samples__1_epoch_1=b"[" * 10**5)
    refused(InputError, r"expected an object, found an array", samples__1_epoch_1=b"[]")
    refused(InputError, r"member header.json: expected an object with eval", header=b"[1]")
    refused(RecordError, r"sample 1: field input", samples__1_epoch_1=b"{}")
    refused(InputError, r"a log without samples \(status success\)")


def test_what_is_not_quite_json_is_said_once_for_all_members(tmp_path: Path) -> None:
    whole = log(sample(1, "A.", score=float("nan")), sample(2, "B.", score=float("nan")))
    path = write(tmp_path, "a.eval", evaluation(whole))
    found = load(path)

    assert found.warnings == [f"{path}: NaN or infinite numbers read as null: 2"]
    assert found.replies[0].extra["score"] is None


def test_the_real_logs_read_alike(shared: Path) -> None:
    """One run, logged in both forms; the samples of the one that failed are errors."""
    folder = shared / "data" / "formats" / "inspect"
    one, other = (load(folder / name) for name in ("generated.json", "generated_zstd.eval"))
    failed = load(folder / "generated_error_status.eval")

    assert [(each.prompt, each.text, each.sample) for each in one.replies] == [
        (each.prompt, each.text, each.sample) for each in other.replies
    ]
    assert one.prompts == other.prompts
    assert one.models == other.models
    assert {tuple(each.flags) for each in failed.replies} == {("error",)}
    assert "the log's status is error: it holds 6 samples" in failed.warnings[0]
