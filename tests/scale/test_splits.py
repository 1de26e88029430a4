"""Which records a split has: every record one, whatever the boundaries."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.counts.scale.mapping import Counting, map_partition
from stylekl.counts.scale.plan import planned
from stylekl.counts.scale.splits import Place, Split, Unreached, lines_before, lines_of
from stylekl.errors import InputError, UsageError
from stylekl.results import Reading
from tests.scale.made import parquet, rows, write_lines

if TYPE_CHECKING:
    from pathlib import Path

lines = st.lists(
    st.sampled_from(["", "a", "{}", "naïve", "日本語" * 3, "x" * 40, "\u2028", "\r"]), max_size=12
)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("splits") / "file"


def _splits(path: Path, bounds: list[int], origin: int = 0) -> list[Split]:
    place = Place(number=0, path=str(path), url=str(path), size=path.stat().st_size)
    cut = sorted({origin, place.size, *(each for each in bounds if origin < each < place.size)})
    return [
        Split(number=number, place=place, kind="lines", low=low, high=high, origin=origin)
        for number, (low, high) in enumerate(pairwise(cut))
    ]


@settings(deadline=None)
@given(lines, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans(), st.lists(st.integers(1, 300)))
def test_every_line_is_in_one_split_and_in_the_one_it_begins_in(scratch, texts, end, closed, marked, bounds):
    """Line ends of both kinds, blank lines, wide characters, a last line without an end, a byte order mark."""
    content = end.join(texts).encode() + (end.encode() if closed else b"")
    origin = 3 if marked else 0
    scratch.write_bytes(b"\xef\xbb\xbf"[:origin] + content)
    splits = _splits(scratch, bounds, origin)
    parts = [lines_of(split)[0] for split in splits]
    assert b"".join(parts) == content
    begun = origin
    for split, part in zip(splits, parts, strict=True):
        if part:
            assert split.low <= begun < split.high
            assert begun == origin or content[begun - origin - 1 : begun - origin] == b"\n"
        assert not part or lines_before(split) == content[: begun - origin].count(b"\n")
        begun += len(part)


@settings(deadline=None)
@given(lines, st.lists(st.integers(1, 300)))
def test_a_split_says_that_its_file_ends_where_no_later_one_has_a_line(scratch, texts, bounds):
    scratch.write_bytes("\n".join(texts).encode())
    found = [lines_of(split) for split in _splits(scratch, bounds)]
    for number, (_, ends) in enumerate(found):
        assert not ends or not any(part for part, _ in found[number + 1 :])
    assert not found or found[-1][1]


def test_a_line_longer_than_the_splits_and_than_what_is_read_at_once(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"a\n" + b"x" * 3_000_000 + b"\nb\n")
    parts = [lines_of(split)[0] for split in _splits(path, [1_000_000, 2_000_000])]
    assert [len(part) for part in parts] == [3_000_003, 0, 2]


def test_files_are_split_by_their_form(tmp_path):
    """Lines that a reader takes one by one are parted; an array, a table and a small file are read whole."""
    records = rows(["one", "two"], 20)
    write_lines(tmp_path / "a.jsonl", records)
    (tmp_path / "b.json").write_text(json.dumps(records))
    plan = planned([str(tmp_path / "*")], 1000, Reading())
    assert {split.kind for split in plan.splits if split.place.number == 0} == {"lines"}
    assert [split.kind for split in plan.splits if split.place.number == 1] == ["file"]
    assert [split.number for split in plan.splits] == [*range(len(plan.splits))]
    assert [split.kind for split in planned([str(tmp_path / "a.jsonl")], 1 << 20, Reading()).splits] == [
        "file"
    ]


def test_two_stars_stand_for_any_folders(tmp_path):
    for name in ("a.jsonl", "x/b.jsonl", "x/y/c.jsonl", "x/y/c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f'{{"model": "{name}"}}\n')
    found = planned([f"file://{tmp_path}/**/*.jsonl"], 1000, Reading())
    assert [place.path.removeprefix(f"{tmp_path}/") for place in found.places] == [
        "a.jsonl",
        "x/b.jsonl",
        "x/y/c.jsonl",
    ]


def test_a_file_that_comes_twice_counts_once(tmp_path):
    first = write_lines(tmp_path / "a.jsonl", rows(["one"], 3))
    second = write_lines(tmp_path / "b.jsonl", rows(["one"], 3))
    plan = planned([str(first), str(second), str(first)], 1000, Reading())
    assert [place.path for place in plan.places] == [str(first)]
    assert [said for each in plan.warnings.values() for said in each] == [
        f"{path}: the same file as one before, counted once" for path in (second, first)
    ]


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("-", UsageError, "standard input cannot be split"),
        (".", UsageError, ".: a folder"),
        ("absent.jsonl", InputError, "absent.jsonl: no such file"),
        ("absent/**/*.jsonl", InputError, "absent/**/*.jsonl: no file matches"),
        ("what://bucket/a.jsonl", InputError, "what://bucket/a.jsonl: Protocol not known: what"),
    ],
)
def test_what_cannot_be_split_is_said(tmp_path, monkeypatch, name, kind, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind) as error:
        planned([name], 1000, Reading())
    assert error.value.message == said


def test_what_a_network_does_is_no_damage_of_a_file(tmp_path, monkeypatch):
    """It may pass: whoever runs the work tries again, and the reader does not say that the file is bad."""
    from fsspec.implementations.memory import MemoryFile, MemoryFileSystem

    path = parquet(tmp_path / "a.parquet", rows(["one", "two"], 40), 10)
    MemoryFileSystem().pipe_file("/far/a.parquet", path.read_bytes())
    plan = planned(["memory://far/a.parquet"], 1000, Reading())
    assert len(plan.splits) > 1

    def broken(_file: MemoryFile, *_size: int) -> bytes:
        raise TimeoutError("no answer")

    monkeypatch.setattr(MemoryFile, "read", broken)
    with pytest.raises(Unreached, match="TimeoutError: no answer"):
        map_partition(plan.splits[0], Counting())
    with pytest.raises(InputError, match=r"memory:///?far/a\.parquet: cannot be read: .*no answer"):
        planned(["memory://far/a.parquet"], 1000, Reading())
