"""Zip archives, read member by member. Nothing is unpacked to the disk."""

from __future__ import annotations

import struct
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, NamedTuple

from stylekl.errors import InputError
from stylekl.results.source import FREE, LIMIT, RATIO

if TYPE_CHECKING:
    from collections.abc import Iterator

STORED, DEFLATE, ZSTANDARD = 0, 8, 93
LARGEST = 512 << 20  # bytes of one member, which is held in memory while it is read
_CHUNK = 1 << 20
_WINDOW = 128 << 20  # bytes that a Zstandard frame may ask for: what its own tool grants
_HEADER = struct.Struct(
    "<4sHHHHHIIIHH"
)  # a member's local header; its last fields are the lengths that follow
_ENCRYPTED = 0x1
_NO_END = "File is not a zip file"  # which it is: it begins like one
_AGAIN = "copy or download the file again"


class Member(NamedTuple):
    """What a zip says of one of its files."""

    name: str
    packed: int
    size: int


class Archive:
    """The members of a zip. Of several members with one name the last counts, as it replaced the others."""

    def __init__(self, path: str, file: IO[bytes]) -> None:
        """Read the list of members; raises InputError where it is damaged, unsafe or a bomb."""
        self.path = path
        self._file = file
        try:
            with zipfile.ZipFile(file) as opened:
                listed = opened.infolist()
        except (
            zipfile.BadZipFile,
            NotImplementedError,
            struct.error,
            ValueError,
            OSError,
            EOFError,
        ) as error:
            reason = str(error) or type(error).__name__
            reason = "its end, with the list of members, is missing" if reason == _NO_END else reason
            raise InputError(f"{path}: a damaged zip: {reason}", _AGAIN) from None
        self._members = {each.filename: each for each in listed if not each.filename.endswith("/")}
        self._check()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[Member]:
        """Yield the members in the order of the zip."""
        for name, each in self._members.items():
            yield Member(name, each.compress_size, each.file_size)

    def read(self, name: str) -> bytes:
        """Return what member `name` holds.

        Raises InputError, naming it, where it is encrypted, packed in a way that cannot be undone here, damaged, or
        other than the list says.
        """
        member = self._members[name]
        if member.flag_bits & _ENCRYPTED:
            raise self._fault(
                name, "it is encrypted", "unpack the zip with its password, and pack it without"
            )
        if member.file_size > LARGEST:
            raise self._fault(name, f"it unpacks to {member.file_size} bytes", f"at most {LARGEST} are read")
        packed = self._packed(name, member)
        data = self._unpacked(name, member, packed)
        if len(data) != member.file_size:
            raise self._fault(name, f"{len(data)} bytes where the zip says {member.file_size}", _AGAIN)
        if zlib.crc32(data) != member.CRC:
            raise self._fault(name, "damaged: its checksum is another", _AGAIN)
        return data

    def _check(self) -> None:
        packed = size = 0
        for name, each in self._members.items():
            if name.startswith("/") or ".." in name.replace("\\", "/").split("/"):
                raise self._fault(name, "a name that leads out of the zip", "pack it anew without such names")
            packed, size = packed + each.compress_size, size + each.file_size
            if each.file_size > FREE and each.file_size > RATIO * each.compress_size:
                raise self._bomb(f"member {name}: {each.compress_size} bytes unpack to {each.file_size}")
        if size > LIMIT or (size > FREE and size > RATIO * packed) or packed > self._length():
            raise self._bomb(f"its members, {packed} bytes, unpack to {size}")

    def _length(self) -> int:
        """Return the size of the zip: members that together are packed in more overlap."""
        return self._file.seek(0, 2)

    def _packed(self, name: str, member: zipfile.ZipInfo) -> bytes:
        self._file.seek(max(0, member.header_offset))  # below 0 where what is before the members was cut off
        head = self._file.read(_HEADER.size)
        if len(head) != _HEADER.size or not head.startswith(b"PK\x03\x04"):
            raise self._fault(name, "damaged: its header is not where the zip says", _AGAIN)
        fields = _HEADER.unpack(head)
        self._file.seek(fields[-2] + fields[-1], 1)
        packed = self._file.read(member.compress_size)
        if len(packed) != member.compress_size:
            raise self._fault(name, "the zip ends within it", _AGAIN)
        return packed

    def _unpacked(self, name: str, member: zipfile.ZipInfo, packed: bytes) -> bytes:
        if member.compress_type == STORED:
            return packed
        if member.compress_type == DEFLATE:
            try:
                return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, member.file_size + 1)
            except zlib.error as error:
                raise self._fault(name, f"damaged: {error}", _AGAIN) from None
        if member.compress_type == ZSTANDARD:
            return self._zstandard(name, member, packed)
        raise self._fault(
            name,
            f"packed by method {member.compress_type}",
            "stored, deflated and Zstandard members are read; unpack the zip and pack it anew",
        )

    def _zstandard(self, name: str, member: zipfile.ZipInfo, packed: bytes) -> bytes:
        try:
            import zstandard
        except ImportError:
            raise self._fault(
                name, "packed with Zstandard, which needs a package", "pip install 'stylekl[formats]'"
            ) from None
        try:
            unpacking = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(
                packed, read_across_frames=True
            )
            parts, size = [], 0
            while size <= member.file_size and (part := unpacking.read(_CHUNK)):
                parts.append(part)
                size += len(part)
        except (zstandard.ZstdError, MemoryError) as error:
            raise self._fault(name, f"damaged: {error}", _AGAIN) from None
        return b"".join(parts)

    def _fault(self, name: str, reason: str, hint: str) -> InputError:
        return InputError(f"{self.path}: member {name}: {reason}", hint)

    def _bomb(self, what: str) -> InputError:
        return InputError(
            f"{self.path}: {what} (a zip bomb?)",
            f"what is read unpacks to at most {LIMIT >> 30} GiB and {RATIO} times its size",
        )
