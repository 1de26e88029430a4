"""Entries that are read in part: what is read is what was written, or is known to be damaged."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.counts import blocks, shelf

KEY = bytes(range(32))
BLOCKS = {"one": b"first", "two": bytes(300), "none": b"", "three/4": "größer".encode()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of an entry that was written."""
    found = tmp_path / "kept" / "entry.work"
    blocks.write(found, KEY, BLOCKS.items())
    return found


def read(path: Path, key: bytes = KEY) -> dict[str, bytes] | None:
    entry = blocks.find(path, key)
    if entry is None:
        return None
    try:
        return {name: entry.read(name) for name in BLOCKS}
    finally:
        entry.close()


def test_blocks_come_back_by_name(path: Path) -> None:
    """And nobody else can read them."""
    assert read(path) == BLOCKS
    assert path.stat().st_mode & 0o077 == 0
    entry = blocks.find(path, KEY)
    assert entry is not None
    assert "one" in entry
    assert "five" not in entry
    with pytest.raises(blocks.Damaged) as caught:
        entry.read("five")
    assert caught.value.entry is entry
    entry.delete()
    assert not path.exists()


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 255))
def test_no_changed_byte_is_ever_believed(place: int, flip: int) -> None:
    """An entry with one is none, or the block with it is damaged; all others are read."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "entry.work"
        blocks.write(path, KEY, BLOCKS.items())
        data = bytearray(path.read_bytes())
        data[place % len(data)] ^= flip
        path.write_bytes(data)
        if (entry := blocks.find(path, KEY)) is None:
            assert not path.exists()
            return
        damaged = 0
        for name, whole in BLOCKS.items():
            try:
                assert entry.read(name) == whole
            except blocks.Damaged:
                damaged += 1
        entry.close()
        assert damaged == 1


@pytest.mark.parametrize("size", [0, 1, 14, 15, 39, 40, 60, 200, -1])
def test_a_torn_entry_is_none(path: Path, size: int) -> None:
    """And is deleted."""
    path.write_bytes(path.read_bytes()[:size])
    assert read(path) is None
    assert not path.exists()


def test_a_longer_one_and_another_keys_are_none(path: Path) -> None:
    assert read(path, bytes(32)) is None
    blocks.write(path, KEY, BLOCKS.items())
    path.write_bytes(path.read_bytes() + b"\0")
    assert read(path) is None


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="it gives a file to somebody else")
def test_another_users_entry_is_none(path: Path) -> None:
    os.chown(path, 12345, -1)
    assert read(path) is None


def test_what_there_is_no_room_for_is_not_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.unlink()
    monkeypatch.setenv("STYLEKL_CACHE_SIZE", "200")
    blocks.write(path, KEY, BLOCKS.items())
    assert list(path.parent.iterdir()) == []


def test_a_block_that_cannot_be_made_leaves_nothing(path: Path) -> None:
    """What was there before stays."""

    def made():
        yield "one", b"1"
        raise UnicodeEncodeError("utf-8", "\ud800", 0, 1, "no character")

    with suppress(UnicodeEncodeError):
        blocks.write(path, KEY, made())
    assert read(path) == BLOCKS
    assert [*path.parent.iterdir()] == [path]


def test_entries_are_counted_cleared_and_deleted_for_room(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Like everything that is kept; the one used last goes last."""
    monkeypatch.setenv("STYLEKL_CACHE_DIR", str(tmp_path))
    (tmp_path / "kept").rename(tmp_path / "counts")
    first = tmp_path / "counts" / path.name
    assert shelf.content().entries == 1
    os.utime(first, (0, 0))
    monkeypatch.setenv("STYLEKL_CACHE_SIZE", str(int(first.stat().st_size * 1.5)))
    second = first.with_name("second.work")
    blocks.write(second, KEY, BLOCKS.items())
    assert [*first.parent.iterdir()] == [second]
    assert shelf.clear().entries == 1
    assert [*first.parent.iterdir()] == []
