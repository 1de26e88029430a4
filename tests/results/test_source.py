from __future__ import annotations

import gzip
import hashlib
import io
import sys
from typing import TYPE_CHECKING, Any

import pytest

from stylekl.errors import EmptyFileError, InputError, SyntaxFault, UnknownFormatError, UsageError
from stylekl.results import source
from stylekl.results.document import Document, read_document
from stylekl.results.source import Content

from .strategies import write

if TYPE_CHECKING:
    from pathlib import Path


def read(tmp_path: Path, content: str | bytes, name: str = "r.json") -> Document:
    return read_document(str(write(tmp_path, name, content)))


class Terminal(io.StringIO):
    """Standard input of somebody who typed nothing."""

    def isatty(self) -> bool:
        """Say that this is a terminal."""
        return True


@pytest.mark.parametrize(
    "content",
    [
        b'{"a": "\xc3\xa9"}',
        b'\xef\xbb\xbf{"a": "\xc3\xa9"}',
        '{"a": "é"}'.encode("utf-16"),
        b"\xfe\xff" + '{"a": "é"}'.encode("utf-16-be"),
        gzip.compress('{"a": "é"}'.encode()),
        gzip.compress(b'{"a": ') + gzip.compress('"é"}'.encode()) + b"\0\0",
    ],
    ids=["utf-8", "bom", "utf-16-le", "utf-16-be", "gzip", "gzip members"],
)
def test_content_tells_encoding_and_compression(content: bytes, tmp_path: Path) -> None:
    """The name says nothing; the sha256 is that of the file as it is on the disk."""
    document = read(tmp_path, content)

    assert document.value == {"a": "é"}
    assert hashlib.sha256(content).hexdigest() == document.sha256


@pytest.mark.parametrize("content", [b"", b" \n\t\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_a_file_without_content_is_an_error(content: bytes, tmp_path: Path) -> None:
    """Nothing, white space alone, a lone byte order mark and a gzip of nothing are all empty."""
    with pytest.raises(EmptyFileError):
        read(tmp_path, content)


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The path "-" is standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[1]")))
    document = read_document("-")

    assert (document.value, document.stem) == ([1], "stdin")


def test_a_terminal_is_no_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a user who does not know that they should type."""
    monkeypatch.setattr(sys, "stdin", Terminal())
    with pytest.raises(UsageError, match="nothing is piped"):
        read_document("-")


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    """The message starts with the path and says what is wrong with it."""
    with pytest.raises(InputError, match=r"none\.json: no such file"):
        read_document(str(tmp_path / "none.json"))
    with pytest.raises(InputError, match="a folder, not a file"):
        read_document(str(tmp_path))
    with pytest.raises(InputError, match="cannot be read"):
        read_document("a\0b")


def test_a_git_lfs_pointer_is_named(tmp_path: Path) -> None:
    """The user is told how to get the file, not that it is bad JSON."""
    with pytest.raises(InputError, match="Git LFS pointer") as caught:
        read(tmp_path, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")

    assert "git lfs pull" in caught.value.hint


def test_bytes_that_are_not_utf_8_have_their_place(tmp_path: Path) -> None:
    """Line and byte offset of the first bad byte."""
    with pytest.raises(InputError, match="line 2, byte 8: not UTF-8"):
        list(read(tmp_path, b'{"a":\n"\xc3\xa9"\n}'.replace(b"\xc3", b"a")).objects())


@pytest.mark.parametrize("cut", [5, 20, -4])
def test_gzip_that_is_cut_is_an_error(cut: int, tmp_path: Path) -> None:
    """A download that broke off is named as such."""
    with pytest.raises(InputError, match="gzip data end too early"):
        read(tmp_path, gzip.compress(b"[" + b"1," * 400 + b"1]")[:cut])


def test_damaged_gzip_is_an_error(tmp_path: Path) -> None:
    """A flipped bit is found by the checksum, and what follows a member is not ignored."""
    with pytest.raises(InputError, match="damaged gzip"):
        read(tmp_path, gzip.compress(b"[1]")[:-8] + b"\1" * 8)
    with pytest.raises(InputError, match="damaged gzip"):
        read(tmp_path, gzip.compress(b"[1]") + b"tail")


def test_a_zip_bomb_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpacking ends as soon as the ratio cannot be that of text; a small file of any ratio is read."""
    bomb = gzip.compress(b" " * 3_000_000 + b"[1]")
    assert read(tmp_path, bomb).value == [1]

    monkeypatch.setattr(source, "FREE", 1 << 20)
    with pytest.raises(InputError, match="zip bomb"):
        read(tmp_path, bomb)


def test_an_unpacked_size_beyond_the_limit_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The absolute limit holds whatever the ratio."""
    monkeypatch.setattr(source, "LIMIT", 100)
    with pytest.raises(InputError, match="zip bomb"):
        read(tmp_path, gzip.compress(bytes(range(200))))


@pytest.mark.parametrize(
    ("content", "kind", "rows"),
    [
        ('{"a": 1}', "object", [(1, {"a": 1})]),
        ('{"a": 1}\n', "object", [(1, {"a": 1})]),
        ('{\n"a": 1\n}', "object", [(1, {"a": 1})]),
        ('[{"a": 1}, 2]', "array", [(1, {"a": 1}), (2, 2)]),
        ("[]", "array", []),
        ('{"a": 1}\r\n\r\n{"a": 2}\r\n', "lines", [(1, {"a": 1}), (3, {"a": 2})]),
        ('{"a": "x\u2028y\x85z"}\n{"a": 2}', "lines", [(1, {"a": "x\u2028y\x85z"}), (2, {"a": 2})]),
        ('{"a": NaN}\n{"a": 2}', "lines", [(1, {"a": None}), (2, {"a": 2})]),
    ],
)
def test_content_tells_object_array_and_lines(
    content: str, kind: str, rows: list[Any], tmp_path: Path
) -> None:
    """Lines are split at the newline alone and keep their number."""
    document = read(tmp_path, content)

    assert (kind, rows, []) == (
        document.kind,
        list(document.rows),
        [w for w in document.warnings if "NaN" not in w],
    )


def test_nan_and_infinity_are_null_with_one_warning(tmp_path: Path) -> None:
    """JSON that Python writes is read as meant."""
    document = read(tmp_path, '{"a": [NaN, Infinity, -Infinity, 1e999], "b": "NaN"}')

    assert document.value == {"a": [None] * 4, "b": "NaN"}
    assert [f"{document.path}: NaN or infinite numbers read as null: 4"] == document.warnings


def test_lone_surrogates_are_replaced_with_one_warning(tmp_path: Path) -> None:
    """Half an emoji becomes U+FFFD, a whole one stays."""
    document = read(tmp_path, r'{"a": "\ud83d x \udc00", "b": "\ud83d\ude00", "\ud800": 1}')

    assert document.value == {"a": "\ufffd x \ufffd", "b": "😀", "\ufffd": 1}
    assert [f"{document.path}: lone surrogates read as U+FFFD: 3"] == document.warnings


@pytest.mark.parametrize("last", [b'{"a": 3, "te', b'{"a": "caf\xc3', b'{"a": 3\n\n'])
def test_a_torn_last_line_is_a_warning(last: bytes, tmp_path: Path) -> None:
    """What a killed process leaves hides no finished record, even cut inside a character."""
    document = read(tmp_path, b'{"a": 1}\n{"a": 2}\n' + last)

    assert list(document.rows) == [(1, {"a": 1}), (2, {"a": 2})]
    assert [f"{document.path}: line 3, the last, is cut short and left out"] == document.warnings


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ('{"a": 1}\n{"a": \n{"a": 3}', "line 2, column 7"),
        ('{"a": 1', "line 1, column 8"),
        ('[{"a": 1},\n{"a" 2}]', "line 2, column 6"),
        ("model|prompt\na|b", "line 1, column 1"),
        ('["a"]\n["b"]', "line 2, column 1"),
    ],
)
def test_what_is_not_json_has_line_and_column(content: str, place: str, tmp_path: Path) -> None:
    """A broken line that is not the last, and a broken document, are errors with their place."""
    with pytest.raises(SyntaxFault, match=place):
        list(read(tmp_path, content).objects())


@pytest.mark.parametrize("content", ["1", '"text"', "null", "true"])
def test_a_lone_value_is_no_results_file(content: str, tmp_path: Path) -> None:
    """JSON without a record is said to be what it is."""
    with pytest.raises(UnknownFormatError):
        list(read(tmp_path, content).objects())


@pytest.mark.parametrize("before", ["", '{"a": 1}\n', '{"a": NaN, "b": '])
def test_deep_json_is_an_error_and_no_crash(before: str, tmp_path: Path) -> None:
    """A hundred thousand levels are refused in a document, in a line and by the tolerant parser."""
    deep = before + '{"a": ' * 100_000 + "1" + "}" * 100_000 + ("}" if before.endswith(": ") else "")
    with pytest.raises(InputError, match="nested too deep"):
        list(read(tmp_path, deep).objects())


def test_a_number_of_too_many_digits_is_an_error(tmp_path: Path) -> None:
    """Python refuses to convert it, for good reason."""
    with pytest.raises(InputError, match="too many digits"):
        list(read(tmp_path, '{"a": NaN, "b": ' + "9" * 5000 + "}").objects())


def test_the_first_record_of_an_array_needs_no_full_parse(tmp_path: Path) -> None:
    """It is seen even where what follows is broken, or longer than the head that is looked at."""
    assert read(tmp_path, '[{"a": 1}, oops').first == {"a": 1}
    assert read(tmp_path, '[{"a": "' + "x" * 100_000 + '"}]').first == {"a": "x" * 100_000}
    assert read(tmp_path, "[]").first is None


@pytest.mark.parametrize(
    ("path", "stem"),
    [("a/Null.Model-v1.5.json.gz", "Null.Model-v1.5"), ("b.JSONL", "b"), ("c", "c"), (".json", ".json")],
)
def test_the_stem_is_the_name_without_its_own_suffixes(path: str, stem: str) -> None:
    """A dot in a model's name is no suffix."""
    assert stem == Document(path, Content("", 0, b"")).stem
