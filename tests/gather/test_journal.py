"""The journal: whole lines, on the disk before they count, and what becomes of a torn one."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.errors import InputError, StyleklError, UsageError
from stylekl.gather.journal import Journal, read
from stylekl.gather.keys import HIDDEN, Secret

from .fake import Reply, battery, collect, provider, said, writer

if TYPE_CHECKING:
    from pathlib import Path

LINES = [{"n": 1, "text": "één"}, {"n": 2, "text": "two\nlines\u2028"}, {"n": 3, "text": "\ud800 alone"}]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.json.journal"


def test_what_is_written_is_read_back(path: Path) -> None:
    with Journal(path) as journal:
        for line in LINES:
            journal.write(line)
        assert list(journal.records()) == LINES
    assert list(read(path)) == LINES
    assert path.read_bytes().count(b"\n") == 3
    assert os.listdir(path.parent) == [path.name]


@given(cut=st.integers(0, 400))
@settings(max_examples=40, deadline=None)
def test_wherever_a_write_is_torn_the_lines_before_it_stay(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("torn") / "j.journal"
    data = b"".join(json.dumps(line).encode() + b"\n" for line in LINES)
    path.write_bytes(data[: min(cut, len(data))])
    whole = path.read_bytes().count(b"\n")
    torn = len(path.read_bytes()) > 0 and not path.read_bytes().endswith(b"\n")

    with Journal(path) as journal:
        assert list(journal.records()) == LINES[:whole]
        assert [("dropped" in warning) for warning in journal.warnings] == [True] * torn
        journal.write({"n": 9})

    assert list(read(path)) == [*LINES[:whole], {"n": 9}]


def test_zeros_that_a_power_cut_left_are_dropped(path: Path) -> None:
    path.write_bytes(b'{"n": 1}\n' + b"\0" * 4096)

    with Journal(path) as journal:
        assert list(journal.records()) == [{"n": 1}]
        assert len(journal.warnings) == 1


def test_damage_before_the_end_is_an_error_and_nothing_is_cut(path: Path) -> None:
    path.write_bytes(b'{"n": 1}\nnot a line\n{"n": 2}\n')
    before = path.read_bytes()

    with pytest.raises(InputError, match="line 2"):
        Journal(path)

    assert path.read_bytes() == before


def test_two_collections_at_once_are_refused(path: Path) -> None:
    with Journal(path) as journal:
        journal.write({"n": 1})
        with pytest.raises(UsageError, match="another collection"):
            Journal(path)
    with Journal(path) as journal:
        assert list(journal.records()) == [{"n": 1}]


def test_lines_that_wait_share_one_flush(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushes = []
    flush = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (flushes.append(file), flush(file)))

    async def many(journal: Journal) -> None:
        await asyncio.gather(*(journal.append({"n": n}) for n in range(200)))

    with Journal(path) as journal:
        flushes.clear()
        asyncio.run(many(journal))

    assert [record["n"] for record in read(path)] == list(range(200))
    assert 1 <= len(flushes) < 20


def test_a_line_counts_only_after_its_flush(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    flush = os.fsync

    def noted(file: int) -> None:
        flush(file)
        seen.append(len(list(read(path))))

    async def one(journal: Journal) -> None:
        await journal.append({"n": 1})
        assert seen[-1] == 1

    with Journal(path) as journal:
        monkeypatch.setattr(os, "fsync", noted)
        asyncio.run(one(journal))


def _full(monkeypatch: pytest.MonkeyPatch, path: Path, *, reserve_helps: bool) -> None:
    """Let the disk be full: half of each write arrives, until the reserve is gone where that helps."""
    real = os.write
    reserve = path.with_name(path.name + ".reserve")

    def write(file: int, data: bytes) -> int:
        if reserve_helps and not reserve.exists():
            return real(file, data)
        real(file, bytes(data)[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", write)


def test_a_full_disk_costs_nothing_that_came_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reserve makes room for what is in flight, and the journal says that there is trouble."""
    with Journal(path) as journal:
        journal.write({"n": 1})
        _full(monkeypatch, path, reserve_helps=True)
        journal.write({"n": 2, "text": "x" * 100})
        assert journal.trouble is not None

    assert [record["n"] for record in read(path)] == [1, 2]


def test_where_even_the_reserve_does_not_help_the_journal_stays_whole(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(path) as journal:
        journal.write({"n": 1})
        _full(monkeypatch, path, reserve_helps=False)
        with pytest.raises(StyleklError, match="No space left"):
            journal.write({"n": 2})
        with pytest.raises(StyleklError, match="No space left"):
            asyncio.run(journal.append({"n": 3}))

    assert path.read_bytes() == b'{"n":1}\n'


def test_a_collection_on_a_full_disk_keeps_what_was_in_flight_and_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with provider() as server:
        path = tmp_path / "results.json.journal"
        calls = []

        def answer(asked):
            calls.append(asked)
            if len(calls) == 3:
                _full(monkeypatch, path, reserve_helps=True)
            return Reply(said("Text."))

        server.answer = answer
        with pytest.raises(StyleklError, match="disk is full"):
            collect(tmp_path, writer(server.url), what=battery(40))
        monkeypatch.undo()
        kept = sum("attempt" in record for record in read(path))
        assert kept == len(calls) < 40

        results, ended = collect(tmp_path, writer(server.url), what=battery(40))

    assert len(calls) == 40
    assert (len(results.replies), ended.left) == (40, 0)


def test_a_key_that_a_server_sends_back_is_not_written(path: Path) -> None:
    key = 'k"ey\\of-some-length'
    with Journal(path, [Secret(key)]) as journal:
        journal.write({"text": f"your key is {key}!"})

    assert list(read(path)) == [{"text": f"your key is {HIDDEN}!"}]


def test_a_folder_that_cannot_be_written_is_a_plain_error(tmp_path: Path) -> None:
    with pytest.raises(StyleklError, match="not written: No such file"):
        Journal(tmp_path / "none" / "j.journal")


def test_a_results_file_that_cannot_be_written_stays_whole_and_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with provider() as server:
        one = writer(server.url)
        collect(tmp_path, one, what=battery(2))
        before = (tmp_path / "results.json").read_bytes()

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "replace", full)
        with pytest.raises(StyleklError, match="No space left") as refused:
            collect(tmp_path, one, what=battery(5, version=2))
        assert "the journal beside it holds every reply" in refused.value.hint
        assert (tmp_path / "results.json").read_bytes() == before
        monkeypatch.undo()
        asked = len(server.asked)

        results, _ = collect(tmp_path, one, what=battery(5, version=2))

    assert (len(results.replies), len(server.asked)) == (5, asked) == (5, 5)
    assert sorted(os.listdir(tmp_path)) == ["results.json", "results.json.journal"]
