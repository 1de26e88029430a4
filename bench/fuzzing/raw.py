"""Changes to bytes: what disks, editors, transfers and other encodings do to a file."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_CHUNKS = (
    *(
        b"\0",
        b"\0" * 100,
        b"\xff",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\xc3",
        b"\xe2\x80\xa8",
        b"\x85",
    ),
    *(
        b"\r",
        b"\r\n",
        b"\n",
        b"\n\n\n",
        b"\x1a",
        b"\x0c",
        b'"',
        b"'",
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b"\t",
        b";",
    ),
    *(
        b"PK\x03\x04",
        b"PAR1",
        b"SQLite format 3\0",
        b"\x1f\x8b\x08",
        b"version https://git-lfs.github.com/spec/v1\n",
    ),
    *(
        b"\x1b[2J",
        b"null",
        b"\n{",
        b"}\n{",
        b"<html>",
        b"\x28\xb5\x2f\xfd",
        b"BZh9",
        b"\xfd7zXZ\0",
        b"   " * 1000,
    ),
)


def damage(draw: random.Random, data: bytes) -> bytes:
    """Return the bytes with one thing done to them."""
    at = draw.randrange(len(data) + 1)
    end = min(len(data), at + draw.choice((1, 2, 8, 100, 5000)))
    what = draw.randrange(9)
    if what == 0:
        changed = bytearray(data)
        for _ in range(draw.choice((1, 1, 3, 30))):
            if changed:
                changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
        return bytes(changed)
    if what == 1:
        return data[:at]
    if what == 2:
        return data[at:]
    if what == 3:
        return data[:at] + data[end:]
    if what == 4:
        return data[:end] + data[at:]
    if what == 5:
        return data[:at] + draw.choice(_CHUNKS) + data[at:]
    if what == 6:
        return data[:at] + draw.randbytes(end - at) + data[end:]
    if what == 7:
        return draw.choice(_CHUNKS) + data
    return data + draw.choice(_CHUNKS)


def encode(draw: random.Random, data: bytes) -> bytes:
    """Return text in another encoding, with other ends of lines, or packed."""
    what = draw.randrange(12)
    if what < 6:
        text = data.decode("utf-8", "replace")
        name = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252")[what]
        return text.encode(name, "replace")
    if what == 6:
        return b"\xef\xbb\xbf" + data
    if what == 7:
        return data.replace(b"\n", b"\r\n")
    if what == 8:
        return data.replace(b"\n", draw.choice((b"\r", "\u2028".encode(), b"\n\n", b"\n\0", b" ")))
    packed = gzip.compress(data, 1, mtime=0)
    if what == 9:
        return packed
    if what == 10:
        return gzip.compress(packed, 1, mtime=0)
    return damage(draw, packed)
