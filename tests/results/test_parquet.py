"""Parquet files, and the columns that published data sets have in them."""

from __future__ import annotations

import datetime
import io
import json
import math
import sys
import uuid
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.errors import InputError, RecordError
from stylekl.results import Reading, load, parquet
from stylekl.results.parquet import parquet_rows

from .strategies import texts, write, write_lines

if TYPE_CHECKING:
    from pathlib import Path

columns = st.lists(
    st.sampled_from(
        [
            st.none() | texts,
            st.none() | st.integers(-(2**63), 2**63 - 1),
            st.none() | st.floats(allow_nan=False, allow_infinity=False),
            st.booleans(),
            st.lists(texts, max_size=2),
            st.fixed_dictionaries({"role": texts, "turn": st.none() | st.integers(0, 9)}),
            st.lists(st.fixed_dictionaries({"content": st.none() | texts}), max_size=2),
        ]
    ),
    min_size=1,
    max_size=4,
)


def stored(table: pa.Table, **more: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **more)
    return file.getvalue()


def rows_of(raw: bytes, warnings: list[str] | None = None) -> list[dict[str, Any]]:
    found = list(parquet_rows("a.parquet", io.BytesIO(raw), warnings))
    assert [number for number, _ in found] == list(range(1, len(found) + 1))
    return [row for _, row in found]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_rows_come_back_as_they_were_stored(data: st.DataObject) -> None:
    """In order, whatever the row groups, the compression and the dictionaries."""
    kinds = data.draw(columns)
    rows = data.draw(st.lists(st.tuples(*kinds), min_size=1, max_size=12))
    table = pa.Table.from_pylist([{f"c{place}": each for place, each in enumerate(row)} for row in rows])
    raw = stored(
        table,
        row_group_size=data.draw(st.integers(1, 5)),
        compression=data.draw(st.sampled_from(["none", "snappy", "zstd", "gzip"])),
        use_dictionary=data.draw(st.booleans()),
    )

    assert rows_of(raw) == table.to_pylist()
    assert json.loads(json.dumps(rows_of(raw))) == rows_of(raw)


def test_every_kind_of_value_is_plain_json() -> None:
    """Times in ISO form, nanoseconds too; bytes as the text that they are, or a note of how many there were."""
    moment = datetime.datetime(2026, 1, 5, 10, 0, 0, 1, tzinfo=datetime.UTC)
    key = uuid.UUID(int=7)
    nested = [{"at": 1_767_607_200_000_000_001}]
    table = pa.table(
        {
            "moment": pa.array([moment], pa.timestamp("us", "UTC")),
            "nano": pa.array([1_767_607_200_000_000_001], pa.timestamp("ns")),
            "nested": pa.array([nested], pa.list_(pa.struct([("at", pa.timestamp("ns"))]))),
            "day": pa.array([moment.date()]),
            "time": pa.array([datetime.time(10, 0, 1)]),
            "took": pa.array([datetime.timedelta(seconds=1.5)]),
            "whole": pa.array([Decimal("7.00")]),
            "part": pa.array([Decimal("0.25")]),
            "huge": pa.array([Decimal(10) ** 30]),
            "nan": pa.array([math.nan]),
            "half": pa.array([1.5], pa.float16()),
            "text": pa.array(["caf\u00e9".encode()], pa.binary()),
            "bytes": pa.array([b"\xff\x00"], pa.binary()),
            "map": pa.array([[("k", [1])]], pa.map_(pa.string(), pa.list_(pa.int8()))),
            "category": pa.array(["x"]).dictionary_encode(),
            "id": pa.array([key.bytes], pa.uuid()),
            "large": pa.array(["y"], pa.large_string()),
            "null": pa.array([None], pa.null()),
        }
    )
    warnings: list[str] = []
    row = rows_of(stored(table), warnings)[0]

    assert row == {
        "moment": "2026-01-05T10:00:00.000001+00:00",
        "nano": "2026-01-05T10:00:00",
        "nested": [{"at": "2026-01-05T10:00:00"}],
        "day": "2026-01-05",
        "time": "10:00:01",
        "took": 1.5,
        "whole": 7,
        "part": 0.25,
        "huge": f"1{'0' * 30}",
        "nan": None,
        "half": 1.5,
        "text": "caf\u00e9",
        "bytes": "<2 bytes>",
        "map": {"k": [1]},
        "category": "x",
        "id": str(key),
        "large": "y",
        "null": None,
    }
    assert warnings == [
        "a.parquet: NaN or infinite numbers read as null: 1",
        "a.parquet: bytes that are no text, left out: 1",
    ]


def test_columns_of_one_name_are_all_kept() -> None:
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], ["x", "x"])

    assert rows_of(stored(table)) == [{"x": "a", "x (2)": "b"}]


def test_a_text_that_is_not_utf8_is_an_error_that_names_the_row() -> None:
    column = pa.array([b"good", b"\xff"], pa.binary()).view(pa.string())
    with pytest.raises(RecordError, match="row 1 or one soon after it: a text that is not UTF-8"):
        rows_of(stored(pa.table({"x": column})))


@settings(max_examples=150, deadline=None)
@given(changes=st.lists(st.tuples(st.integers(0), st.integers(0, 255)), max_size=5), kept=st.integers(10, 30))
def test_a_damaged_file_reads_or_is_an_input_error(changes: list[tuple[int, int]], kept: int) -> None:
    """Bytes changed or cut off anywhere."""
    row = {"m": "model", "c": [{"role": "user", "content": "Hi"}], "t": 1.5}
    raw = bytearray(stored(pa.Table.from_pylist([row] * 20), row_group_size=7))
    for place, value in changes:
        raw[place % len(raw)] = value
    del raw[len(raw) * kept // 25 :]
    try:
        rows_of(bytes(raw))
    except InputError as error:
        assert error.message.startswith("a.parquet: ")  # noqa: PT017  (no error is right as well)


def test_a_large_row_group_is_unpacked_a_few_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is unpacked is a small part of what the group holds."""
    monkeypatch.setattr(parquet, "BATCH", 1 << 18)
    column = pa.array([f"{place:06}" * 500 for place in range(10_000)])
    whole = column.nbytes
    raw = stored(pa.table({"x": column}), row_group_size=10_000, use_dictionary=False, compression="none")
    del column
    before = pa.total_allocated_bytes()
    most = 0
    for _, row in parquet_rows("a.parquet", io.BytesIO(raw)):
        most = max(most, pa.total_allocated_bytes() - before)
        assert len(row["x"]) == 3000

    assert most < whole / 4


def test_a_long_value_that_is_stored_once_is_not_unpacked_for_every_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A dictionary makes a small file of rows that together are larger than memory."""
    monkeypatch.setattr(parquet, "WIDEST", 8 << 20)
    long = "".join(map(str, range(150_000)))
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * 300_000, pa.int32()), pa.array([long]))
    rows = parquet_rows("a.parquet", io.BytesIO(stored(pa.table({"x": repeated}))))
    before = pa.total_allocated_bytes()
    number, row = next(rows)
    unpacked = pa.total_allocated_bytes() - before
    rows.close()

    assert (number, row["x"]) == (1, long)
    assert unpacked < 2 * parquet.WIDEST


def test_a_file_that_says_it_unpacks_to_far_more_is_refused_unread() -> None:
    raw = stored(pa.table({"x": pa.array(["a" * (70 << 20)])}), use_dictionary=False, compression="zstd")
    with pytest.raises(InputError, match="a decompression bomb"):
        rows_of(raw)


def test_without_the_package_the_error_names_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError) as caught:
        rows_of(b"PAR1")

    assert "pip install 'stylekl[formats]'" in caught.value.hint


def test_any_reader_of_rows_reads_parquet_as_lines(tmp_path: Path) -> None:
    rows = [{"model": "m", "prompt": f"Q{n}?", "response": f"A{n}", "sample": n} for n in (1, 2)]
    path = write(tmp_path, "a.parquet", stored(pa.Table.from_pylist(rows)))

    assert load(path) == load(write_lines(tmp_path, "a.jsonl", *rows))


def talk(*texts_: str, **more: Any) -> list[dict[str, Any]]:
    roles = ("user", "assistant")
    return [{"role": roles[place % 2], "content": text} | more for place, text in enumerate(texts_)]


def test_chats_keep_what_their_messages_say_beside_their_text(tmp_path: Path) -> None:
    """As WildChat and LMSYS-Chat-1M have them; an address of whoever asked is not kept."""
    rows = [
        {
            "conversation_hash": "h",
            "model": "m",
            "timestamp": datetime.datetime(2026, 1, 5, tzinfo=datetime.UTC),
            "conversation": talk("Q1?", "A1", "Q2?", "A2", language="English", redacted=False, hashed_ip="i"),
            "turn": 2,
            "language": "English",
            "openai_moderation": [{"flagged": False}],
            "redacted": True,
            "hashed_ip": "i",
        }
    ]
    path = write(tmp_path, "chat.parquet", stored(pa.Table.from_pylist(rows)))
    first, last = load(path), load(path, reading=Reading(turn="last"))
    extra = first.replies[0].extra

    assert [(first.prompts[0].text, first.replies[0].text)] == [("Q1?", "A1")]
    assert [(last.prompts[0].text, last.replies[0].text)] == [("Q2?", "A2")]
    assert extra["asked"] == [{"language": "English", "redacted": False}]
    assert extra["message"]["language"] == "English"
    assert extra["timestamp"] == "2026-01-05T00:00:00+00:00"
    assert extra["openai_moderation"] == [{"flagged": False}]
    assert (extra["redacted"], extra["turn"], len(extra["turns"])) == (True, 2, 2)
    assert "hashed_ip" not in extra["asked"][0].keys() | extra.keys()


ARENA = {
    "33k": {
        "question_id": "q",
        "judge": "j1",
        "turn": 1,
        "anony": True,
        "tstamp": 1.5,
        "toxic_chat_tag": {"roberta": {"flagged": False}},
    },
    "100k": {
        "question_id": "q",
        "judge_hash": "j1",
        "is_code": False,
        "is_refusal": False,
        "tstamp": 1.5,
        "category_tag": {"math": True},
    },
    "140k": {
        "id": "i",
        "evaluation_session_id": "j1",
        "evaluation_order": 1,
        "is_code": False,
        "timestamp": datetime.datetime(2026, 1, 5),
    },
}
PICKS = {
    "model_a": "left",
    "model_b": "right",
    "tie": "both_good",
    "tie (bothbad)": "both_weak",
    "both_bad": "both_weak",
}
USED = {"question_id", "judge", "judge_hash", "evaluation_session_id", "tstamp", "timestamp"}


@pytest.mark.parametrize("kind", ARENA)
@pytest.mark.parametrize("winner", PICKS)
def test_arena_battles_keep_all_their_columns(tmp_path: Path, kind: str, winner: str) -> None:
    """Whoever judged is hashed; all turns count, or the one that is asked for."""
    row = ARENA[kind] | {"model_a": "m", "model_b": "n", "winner": winner, "language": "English"}
    row |= {"conversation_a": talk("Q?", "A"), "conversation_b": talk("Q?", "B", "More?", "C")}
    path = write(tmp_path, "arena.parquet", stored(pa.Table.from_pylist([row])))
    found = load(path)
    vote = found.other["votes"][0]

    assert (vote["pick"], vote["language"], vote["label"]) == (PICKS[winner], "English", winner)
    assert "j1" not in json.dumps(vote)
    assert vote["session"].startswith("s")
    assert vote["extra"].keys() == ARENA[kind].keys() - USED
    assert [each.text for each in found.prompts] == ["Q?"]
    assert [each.text for each in found.replies] == ["A", "B\n\nC"]
    assert [each.text for each in load(path, reading=Reading(turn="first")).replies] == ["A", "B"]


def test_images_in_a_battle_are_kept_beside_its_text(tmp_path: Path) -> None:
    """Content is a list of parts, as arena-human-preference-140k has it; the talk as a whole is there twice."""
    blank = dict.fromkeys(("text", "image", "mimeType"))
    image = blank | {"type": "image", "image": "u", "mimeType": "image/png"}
    asked = {"role": "user", "content": [blank | {"type": "text", "text": "Q?"}, image]}
    said = {"role": "assistant", "content": [blank | {"type": "text", "text": "A"}]}
    row = {"model_a": "m", "model_b": "n", "winner": "tie", "conversation_a": [asked, said]}
    row |= {"conversation_b": [asked, said], "full_conversation": [{"user": asked}]}
    found = load(write(tmp_path, "arena.parquet", stored(pa.Table.from_pylist([row]))))

    assert ([each.text for each in found.prompts], {each.text for each in found.replies}) == (["Q?"], {"A"})
    assert found.other["votes"][0]["extra"] == {
        "conversation_a_parts": [image],
        "conversation_b_parts": [image],
    }


def test_battles_of_one_hot_columns_read_from_parquet(tmp_path: Path) -> None:
    """As arena-human-preference-55k has them: turns are lists as JSON in a text."""
    row = {
        "id": 7,
        "model_a": "m",
        "model_b": "n",
        "prompt": '["Q?"]',
        "response_a": '["A"]',
        "response_b": "[null]",
    }
    row |= {"winner_model_a": 0, "winner_model_b": 0, "winner_tie": 1}
    found = load(write(tmp_path, "a.parquet", stored(pa.Table.from_pylist([row]))))

    assert [each.text for each in found.replies] == ["A", ""]
    assert (found.other["votes"][0]["pick"], found.other["votes"][0]["extra"]) == ("both_good", {"id": 7})
