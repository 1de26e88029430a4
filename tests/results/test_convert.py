"""Writing any files as one results file: the same again from its own output, and nothing dropped on the way."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from stylekl.errors import InputError, UsageError
from stylekl.results import Model, Prompt, Reply, Results, load, save
from stylekl.results.convert import check_target, convert, converted
from stylekl.results.save import pieces

from .strategies import results, small, write, write_json

SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")
_SURROGATE = re.compile("[\ud800-\udfff]")
LARGEST = 400_000  # bytes of a real file that is read here


@given(results())
@settings(max_examples=12, deadline=None)
def test_converting_what_was_converted_changes_no_byte(given_results: Results) -> None:
    """In each form, and from each form to each other and back."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save(given_results, folder / "first.json")
        for suffix in SUFFIXES:
            convert(load(folder / "first.json"), str(folder / f"second{suffix}"))
            convert(load(folder / f"second{suffix}"), str(folder / f"third{suffix}"))
            convert(load(folder / f"third{suffix}"), str(folder / f"back{suffix}.json"))

            second = (folder / f"second{suffix}").read_bytes()
            assert second == (folder / f"third{suffix}").read_bytes()
            assert (folder / "first.json").read_bytes() == (folder / f"back{suffix}.json").read_bytes()
            assert load(folder / "first.json") == load(folder / f"third{suffix}")


def test_numbers_stay_as_they_were_read(tmp_path: Path) -> None:
    """1.0 is not 1, and an integer beyond 64 bits loses no digit."""
    text = (
        '{"format": "stylekl/1", "models": [{"id": "m", "a": 1.0, "b": 1, "c": -0.0, '
        '"d": 123456789012345678901234567890, "e": 5e-324, "f": 1.7976931348623157e+308, "g": 0.1}]}'
    )
    convert(load(write(tmp_path, "r.json", text)), str(tmp_path / "out.json"))

    row = json.loads((tmp_path / "out.json").read_text())["models"][0]
    assert repr(row) == repr(json.loads(text)["models"][0])


def test_keys_come_in_one_order_whatever_that_of_the_file(tmp_path: Path) -> None:
    reply = {"text": "One", "prompt": "p1", "model": "a", "stop": "stop", "sample": 1}
    for name, row in (("x", reply), ("y", dict(reversed(reply.items())))):
        convert(
            load(write_json(tmp_path, f"{name}.json", small(replies=[row]))),
            str(tmp_path / f"{name}.out.json"),
        )

    assert (tmp_path / "x.out.json").read_bytes() == (tmp_path / "y.out.json").read_bytes()


def test_a_file_that_is_there_is_not_replaced_unless_forced(tmp_path: Path) -> None:
    loaded = load(write_json(tmp_path, "r.json", small()))
    there = write(tmp_path, "there.json", "what a user collected")

    with pytest.raises(UsageError, match="exists already"):
        convert(loaded, str(there))
    assert there.read_text() == "what a user collected"
    convert(loaded, str(there), force=True)
    assert load(there) == loaded


def test_an_input_is_never_replaced(tmp_path: Path) -> None:
    """By whatever name it goes: a link to it, another spelling of its path."""
    path = write_json(tmp_path, "r.json", small())
    before = path.read_bytes()
    (tmp_path / "link.json").symlink_to(path)
    (tmp_path / "hard.json").hardlink_to(path)

    for name in ("r.json", "./r.json", "link.json", "hard.json"):
        with pytest.raises(UsageError, match="is one of the files that are read"):
            convert(load(path), str(tmp_path / name), force=True)
    assert path.read_bytes() == before


def test_a_folder_and_a_link_to_nothing_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "nothing.json")

    with pytest.raises(UsageError, match="a folder"):
        check_target(str(tmp_path / "folder.json"), (), force=True)
    with pytest.raises(UsageError, match="exists already"):
        check_target(str(tmp_path / "link.json"), ())


def test_a_field_that_json_lines_cannot_hold_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    """There "record" names the kind of a line; in one JSON object it is a field like others."""
    loaded = load(write_json(tmp_path, "r.json", small(models=[{"id": "a", "record": 7}, {"id": "b"}])))

    with pytest.raises(UsageError, match='a field "record"'):
        convert(loaded, str(tmp_path / "out.jsonl"))
    assert [tmp_path / "r.json"] == list(tmp_path.iterdir())
    convert(loaded, str(tmp_path / "out.json"))
    assert load(tmp_path / "out.json").models[0].unknown == {"record": 7}


def test_what_was_written_is_counted(tmp_path: Path) -> None:
    value = small(study="x")
    value["replies"][0]["extra"] = {"id": 5, "seed": 1}
    value["replies"][1]["extra"] = {"id": 6}
    value["models"][0]["colour"] = "red"
    value["votes"] = [{"id": "v"}]
    written = converted(load(write_json(tmp_path, "r.json", value)))

    assert (written.models, written.prompts, written.replies) == (2, 2, 2)
    assert (written.extra, written.others) == ({"id": 2, "seed": 1}, {"votes": 1})
    assert set(written.kept) == {"study", "colour"}


class _Made(Sequence[Reply]):
    """Replies that exist while they are looked at, as those on the disk do."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: Any) -> Any:
        return Reply(model="m", prompt="p", text=f"{place} " * 200, sample=place + 1)

    def __iter__(self) -> Iterator[Reply]:
        return (self[place] for place in range(self.size))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_memory_holds_one_record_at_a_time(suffix: str, tmp_path: Path) -> None:
    """Fifty times the replies need no more memory to write."""
    peaks = []
    for size in (100, 5000):
        made = Results(models=[Model(id="m")], prompts=[Prompt(id="p", text="P")], replies=_Made(size))  # type: ignore[arg-type]
        tracemalloc.start()
        save(made, tmp_path / f"{size}{suffix}")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    assert peaks[1] < peaks[0] + 200_000
    assert len(load(tmp_path / f"5000{suffix}").replies) == 5000


def test_pieces_are_the_file(tmp_path: Path) -> None:
    loaded = load(write_json(tmp_path, "r.json", small()))
    save(loaded, tmp_path / "out.json")
    save(loaded, tmp_path / "out.jsonl")

    assert b"".join(pieces(loaded)) == (tmp_path / "out.json").read_bytes()
    assert b"".join(pieces(loaded, lines=True)) == (tmp_path / "out.jsonl").read_bytes()


# Real files of every form.

# What readers leave out on purpose, by form: fields, and why.
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "inspect_log": ("samples.events",),  # the course of the run, ten times as large as all else
    "traces": ("raw.content.type", "raw.output.content.type"),  # "text": the part is one
    "batch": ("body.messages.role",),  # "system": the condition is one
    "evals_log": ("type", "data"),  # "sampling": the kind of event that a reply is
    "creative_runs": ("run1__vendor_model-x.creative_tasks.1.1.base_prompt",),  # kept with its seed put in
}


def _real(shared: Path) -> Iterator[Path]:
    folder = shared / "data" / "formats"
    for line in (folder / "MANIFEST.tsv").read_text().split("\n")[1:]:
        if line:
            path = folder / line.split("\t")[0]
            if path.stat().st_size <= LARGEST:
                yield path


def test_real_files_convert_to_what_converts_to_itself(shared: Path, tmp_path: Path) -> None:
    """`load` of the converted file is what `load` of the file was, and converting again gives the same bytes."""
    first, second = str(tmp_path / "first.json"), str(tmp_path / "second.json")
    differing, done = [], 0
    for path in _real(shared):
        try:
            loaded = load(path)
        except InputError:
            continue
        convert(loaded, first, force=True)
        again = load(first)
        convert(again, second, force=True)
        done += 1
        if again != loaded or Path(first).read_bytes() != Path(second).read_bytes():
            differing.append(path.name)

    assert differing == []
    assert done > 60


def _rows(path: Path) -> Any:
    """Return what a file of JSON or of a table says, null for one that is neither."""
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    text = data.decode("utf-8-sig", "replace")
    if path.name.endswith((".csv", ".tsv")):
        return list(
            csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if path.suffix == ".tsv" else ",")
        )
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except ValueError:
        return None


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, place)
    elif value is not None and not isinstance(value, bool) and value != "":
        yield place, value


class _Said:
    """All texts and numbers of a converted file."""

    def __init__(self, results: Results) -> None:
        leaves = [value for _, value in _leaves(json.loads(b"".join(pieces(results))))]
        self.numbers = {value for value in leaves if not isinstance(value, str)}
        self.texts = "\0".join(value for value in leaves if isinstance(value, str))

    def has(self, value: Any) -> bool:
        if not isinstance(value, str):
            return value in self.numbers or str(value) in self.texts
        value = _SURROGATE.sub("\ufffd", value)  # UTF-8 cannot hold one
        if value.strip() in self.texts:
            return True
        try:  # a cell that holds JSON or a number
            inner = json.loads(value)
        except ValueError:
            return False
        return not isinstance(inner, str) and all(self.has(each) for _, each in _leaves(inner))


def test_no_text_and_no_number_of_a_real_file_is_dropped(shared: Path) -> None:
    """Each is in the converted file: as it was, as part of a longer text, or as the number that a cell says."""
    dropped: dict[str, set[str]] = {}
    done = 0
    for path in _real(shared):
        rows = _rows(path)
        if rows is None:
            continue
        try:
            loaded = load(path)
        except InputError:
            continue
        form = loaded.sources[0].form or ""
        said = _Said(loaded)
        done += 1
        for place, value in _leaves(rows):
            if not place.startswith(LEFT_OUT.get(form, ("\0",))) and not said.has(value):
                dropped.setdefault(form, set()).add(place)

    assert dropped == {}
    assert done > 50
