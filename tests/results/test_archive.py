"""Zip archives, read member by member."""

from __future__ import annotations

import io
import struct
import sys
import zipfile
import zlib

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.errors import InputError
from stylekl.results import archive
from stylekl.results.archive import DEFLATE, STORED, ZSTANDARD, Archive

Members = list[tuple[str, bytes, int]]
contents = st.binary(max_size=300) | st.binary(max_size=3).map(lambda part: part * 500)
names = st.text("abz/._ 0é", min_size=1, max_size=6).filter(
    lambda name: ".." not in name and not name.startswith("/") and not name.endswith("/")
)


def zipped(members: Members) -> bytes:
    """Return a zip, made by hand where the standard library cannot."""
    body, listed = io.BytesIO(), io.BytesIO()
    for name, data, method in members:
        at, raw = body.tell(), name.encode()
        if method == DEFLATE:
            packing = zlib.compressobj(wbits=-zlib.MAX_WBITS)
            packed = packing.compress(data) + packing.flush()
        else:
            packed = zstandard.ZstdCompressor().compress(data) if method == ZSTANDARD else data
        # flags with the name in UTF-8; no times; checksum and sizes
        fields = struct.pack(
            "<HHHHIIIHH", 0x800, method, 0, 33, zlib.crc32(data), len(packed), len(data), len(raw), 0
        )
        body.write(b"PK\x03\x04\x14\x00" + fields + raw + packed)
        listed.write(b"PK\x01\x02\x14\x00\x14\x00" + fields + struct.pack("<HHHII", 0, 0, 0, 0, at) + raw)
    index = listed.getvalue()
    count = len(members)
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, len(index), body.tell(), 0)
    return body.getvalue() + index + end


def opened(data: bytes) -> Archive:
    return Archive("a.zip", io.BytesIO(data))


@given(st.dictionaries(names, st.tuples(contents, st.sampled_from([STORED, DEFLATE, ZSTANDARD])), max_size=5))
def test_every_member_reads_as_it_was_packed(members: dict[str, tuple[bytes, int]]) -> None:
    """Stored, deflated and with Zstandard, in the order of the zip."""
    found = opened(zipped([(name, *rest) for name, rest in members.items()]))

    assert {each.name: found.read(each.name) for each in found} == {
        name: data for name, (data, _) in members.items()
    }
    assert [each.name for each in found] == list(members)


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_zip_reads_or_is_an_input_error(data: st.DataObject) -> None:
    """One byte changed, the end cut off or bytes in between, at any place: never another error, never other content."""
    members = [("a", b"one " * 20, DEFLATE), ("b/c", b"two " * 20, ZSTANDARD), ("d", b"three", STORED)]
    raw = bytearray(zipped(members))
    place = data.draw(st.integers(0, len(raw) - 1))
    change = data.draw(st.sampled_from(["byte", "cut", "more"]))
    if change == "byte":
        raw[place] = data.draw(st.integers(0, 255))
    elif change == "cut":
        del raw[place:]
    else:
        raw[place:place] = data.draw(st.binary(min_size=1, max_size=4))
    read = {}
    try:
        found = opened(bytes(raw))
        for each in found:
            read[each.name] = found.read(each.name)
    except InputError as error:
        assert error.message.startswith("a.zip: ")  # noqa: PT017  (no error is right as well)

    assert set(read.values()) <= {content for _, content, _ in members}


def test_the_last_of_two_members_with_one_name_counts() -> None:
    found = opened(zipped([("a", b"old", STORED), ("a", b"new", STORED)]))

    assert [each.name for each in found] == ["a"]
    assert found.read("a") == b"new"


@pytest.mark.parametrize("name", ["../a", "/a", "b/../../a", "..\\a"])
def test_a_name_that_leads_out_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="leads out of the zip"):
        opened(zipped([(name, b"", STORED)]))


@pytest.mark.parametrize("method", [DEFLATE, ZSTANDARD])
def test_a_member_that_unpacks_to_far_more_is_refused_unread(method: int) -> None:
    """Whether the list of members says so or hides it."""
    size = 80 << 20
    raw = zipped([("bomb", bytes(size), method)])
    hidden = raw.replace(struct.pack("<I", size), struct.pack("<I", 5))

    with pytest.raises(InputError, match=r"member bomb: \d+ bytes unpack to 83886080 \(a zip bomb"):
        opened(raw)
    with pytest.raises(InputError, match=r"member bomb: (\d+ bytes where the zip says 5|damaged)"):
        opened(hidden).read("bomb")


def test_members_that_lie_in_each_other_are_refused() -> None:
    """One content under many names is how a small zip becomes a large one."""
    one = zipped([("a", bytes(range(256)) * 16, STORED)])
    start, end = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    entry = one[start:end]
    index = b"".join(entry.replace(b"a", bytes([letter])) for letter in range(97, 107))
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 10, 10, len(index), start, 0)

    with pytest.raises(InputError, match="a zip bomb"):
        opened(one[:start] + index + tail)


def test_a_zip_that_was_cut_short_is_named_as_such() -> None:
    with pytest.raises(
        InputError, match=r"a\.zip: a damaged zip: its end, with the list of members, is missing"
    ):
        opened(zipped([("a", b"x" * 100, STORED)])[:50])


def test_an_encrypted_member_and_another_method_are_named() -> None:
    raw = zipped([("a", b"x", STORED)])
    locked = raw.replace(struct.pack("<H", 0x800), struct.pack("<H", 0x801))
    other = zipped([("a", b"x", 12)])

    with pytest.raises(InputError, match="member a: it is encrypted"):
        opened(locked).read("a")
    with pytest.raises(InputError, match="member a: packed by method 12"):
        opened(other).read("a")


def test_a_member_too_large_to_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LARGEST", 2)

    with pytest.raises(InputError, match="member a: it unpacks to 3 bytes"):
        opened(zipped([("a", b"xyz", STORED)])).read("a")


def test_without_the_package_the_error_names_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)

    with pytest.raises(InputError, match="packed with Zstandard") as caught:
        opened(zipped([("a", b"x", ZSTANDARD)])).read("a")

    assert "pip install 'stylekl[formats]'" in caught.value.hint


def test_what_the_standard_library_writes_reads(tmp_path) -> None:
    """Folders in the zip are no members."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as target:
        target.mkdir("b")
        target.writestr("b/c", "text")
        with target.open("d", "w", force_zip64=True) as file:
            file.write(b"large")
    found = opened((tmp_path / "a.zip").read_bytes())

    assert {each.name: found.read(each.name) for each in found} == {"b/c": b"text", "d": b"large"}
