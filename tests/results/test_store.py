"""Replies on the disk are the list that they would be in memory."""

from __future__ import annotations

import gzip
import io
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.errors import ConflictError, EncodingFault, RecordError
from stylekl.lenses import style
from stylekl.lenses.style.options import StyleOptions
from stylekl.results import Model, Prompt, Reply, Results, load, merge, select, source
from stylekl.results.json_text import JsonText
from stylekl.results.store import Places, Replies, picked

from .strategies import texts, unknown, write

if TYPE_CHECKING:
    from pathlib import Path

replies = st.builds(
    Reply,
    model=st.sampled_from("ab"),
    prompt=st.sampled_from("pq"),
    text=texts | st.just("\ud800"),
    sample=st.none() | st.integers(0, 3),
    flags=st.lists(texts, max_size=2),
    extra=unknown,
    unknown=unknown,
)


def on_disk(given: list[Reply]) -> Replies:
    found = Replies(given)
    found.to_disk()
    return found


@given(st.lists(replies, max_size=8), st.data())
def test_on_the_disk_they_are_the_same_list(given: list[Reply], data: st.DataObject) -> None:
    """One by one, all in turn, in any order, and after changes: big integers and lone surrogates included."""
    found = on_disk(given)
    assert not found.in_memory
    assert (list(found), len(found)) == (given, len(given))
    assert found == given

    order = data.draw(st.permutations(range(len(given))))
    assert list(picked(found, order)) == [given[place] for place in order]
    if given:
        place = data.draw(st.integers(-len(given), len(given) - 1))
        assert found[place] == given[place]
        assert list(found[1:3]) == given[1:3]
        found[0] = given[0] = Reply(model="c", prompt="r", text="new")
        found.number(len(given) - 1, 9)
        given[-1] = msgspec.structs.replace(given[-1], sample=9)
        assert list(found) == given


def test_they_move_to_the_disk_when_their_text_gets_too_long() -> None:
    """What is read back is equal and no longer the same object."""
    reply = Reply(model="m", prompt="p", text="x" * 600)
    found = Replies(limit=1000)
    found.append(reply)
    assert found[0] is reply

    found.append(reply)
    assert not found.in_memory
    assert found[0] == reply
    assert found[0] is not reply


@given(st.lists(st.tuples(st.sampled_from(["a: line", "b: line"]), st.integers(0, 9))))
def test_places_are_a_list_of_pairs(given: list[tuple[str, int]]) -> None:
    """Each is kept as two numbers."""
    found = Places(given)

    assert list(found) == given
    assert list(found[1:]) == given[1:]
    assert found == given


def file_of(name: str, given: list[Reply], *, disk: bool) -> Results:
    return Results(
        models=[Model(id="a"), Model(id="b")],
        prompts=[Prompt(id=name, text="P" if name == "p" else "Q") for name in "pq"],
        replies=on_disk(given) if disk else Replies(given),
        places=Places((f"{name}: line", number) for number in range(len(given))),
    )


@given(st.lists(replies, max_size=6), st.lists(replies, max_size=6))
def test_files_join_alike_in_memory_and_on_the_disk(first: list[Reply], second: list[Reply]) -> None:
    """Numbers, what counts once, conflicts and places are the same."""

    def joined(*, disk: bool) -> Any:
        try:
            whole = merge(file_of(name, each, disk=disk) for name, each in (("1", first), ("2", second)))
        except ConflictError as error:
            return error.message
        return (
            whole,
            list(whole.places),
            [each.id for each in select(whole).prompts],
            list(select(whole).replies),
        )

    assert joined(disk=True) == joined(disk=False)


def test_style_says_the_same_of_replies_on_the_disk(two_writers: Results) -> None:
    """To the last bit, and the copies that models share too."""
    stored = merge([two_writers])
    stored.replies = on_disk(list(two_writers.replies))
    options = StyleOptions(seed=1, cache=False)

    assert style.matrix(stored, options) == style.matrix(two_writers, options)
    assert style.pair(stored, "a", "b", options) == style.pair(two_writers, "a", "b", options)


@pytest.fixture
def two_writers() -> Results:
    """Forty prompts with two replies of each of two models; some replies are long and shared, one is only thinking."""
    words = {"a": "plainly said, and then some", "b": "**well** - perhaps; who knows"}
    given = [
        Reply(
            model=model,
            prompt=f"p{prompt:02}",
            sample=sample,
            text="shared " * 30 if prompt < 3 else f"{words[model]} {prompt} {sample} " * (1 + prompt % 4),
        )
        for model in "ab"
        for prompt in range(40)
        for sample in (1, 2)
    ]
    given.append(Reply(model="a", prompt="p00", sample=3, text="<think>nothing</think>"))
    return Results(
        models=[Model(id="a"), Model(id="b")],
        prompts=[Prompt(id=f"p{prompt:02}", text=f"Prompt {prompt}") for prompt in range(40)],
        replies=Replies(given),
    )


LINES = b'{"model": "m", "prompt": "P\xc3\xa9", "response": "one"}\n{"model": "m", "prompt": "Q", "response": "two"}\n'
TABLE = b'model,prompt,response\nm,P\xc3\xa9,one\nm,Q,"two\nlines"\n'


@pytest.mark.parametrize("content", [LINES, TABLE], ids=["lines", "table"])
@pytest.mark.parametrize(
    "packed",
    [
        bytes,
        gzip.compress,
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.decode().encode("utf-16"),
    ],
    ids=["plain", "gzip", "bom", "utf-16"],
)
def test_a_file_that_is_not_held_in_memory_reads_the_same(
    content: bytes, packed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From its own place, or unpacked into a file that goes with the results."""
    path = write(tmp_path, "r.txt", packed(content))
    held = load(path)
    monkeypatch.setattr(source, "HELD", 8)
    found = load(path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(packed(content))))
    piped = load("-")

    assert found == held == piped
    assert found.sources[0].sha256 == held.sources[0].sha256 == piped.sources[0].sha256
    assert [each.text for each in held.prompts] == ["Pé", "Q"]


def test_a_line_longer_than_any_record_is_an_error_with_its_number() -> None:
    """And no more of it is read."""
    file = io.BytesIO(b'{"a": 1}\n' + b"x" * 100)
    with pytest.raises(RecordError, match="r: line 2: longer than"):
        list(JsonText("r", longest=50).lines(file))

    assert file.tell() == len(b'{"a": 1}\n') + 51


def test_bytes_that_are_not_utf_8_far_into_a_table_have_their_place(tmp_path: Path) -> None:
    """The hint names the encoding that it is likely to be."""
    rows = b"".join(b"m,P%d,%b\n" % (number, b"\xc3\xa9" * 600) for number in range(2000))
    path = write(tmp_path, "t.csv", b"model,prompt,response\n" + rows + b"m,Q,\xe9t\xe9\n")
    with pytest.raises(EncodingFault, match=f"line 2002, byte {22 + len(rows) + 4}") as caught:
        load(path)

    assert "iconv -f WINDOWS-1252" in caught.value.hint


def test_utf_16_without_a_mark_is_named(tmp_path: Path) -> None:
    """Its hint is the command that converts it."""
    for form in ("utf-16-le", "utf-16-be"):
        with pytest.raises(Exception, match="without a byte order mark") as caught:
            load(write(tmp_path, form, LINES.decode().encode(form)))
        assert form.replace("-", "")[:5].upper() in caught.value.hint.replace("-", "").upper()
