"""The database of the tool llm."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.errors import InputError, RecordError, UnknownFormatError
from stylekl.results import Reading, load, sqlite

from .strategies import write, write_json

if TYPE_CHECKING:
    from pathlib import Path

OLD = """
create table conversations (id text primary key, name text, model text);
create table responses (id text primary key, model text, prompt text, system text, prompt_json text, options_json text,
  response text, response_json text, conversation_id text, datetime_utc text, input_tokens integer, schema_id text);
create table fragments (id integer primary key, hash text, content text);
create table fragment_aliases (alias text primary key, fragment_id integer);
create table prompt_fragments (response_id text, fragment_id integer, "order" integer);
create table schemas (id text primary key, content text);
create table tools (id integer primary key, hash text, name text, description text, input_schema text);
create table tool_responses (tool_id integer, response_id text);
create table tool_calls (id integer primary key, response_id text, tool_id integer, name text, arguments text,
  tool_call_id text);
create table tool_results (id integer primary key, response_id text, tool_id integer, name text, output text,
  tool_call_id text);
create table attachments (id text primary key, type text, path text, url text, content blob);
create table prompt_attachments (response_id text, attachment_id text, "order" integer);
"""
NEW = """
create table threads (id text primary key, name text);
create table turns (id text primary key, thread_id text, parent_message_hash text, tip_message_hash text, model text,
  resolved_model text, options_json text, input_tokens integer, datetime_utc text, response_json text);
create table messages (hash text primary key, parent_hash text, role text);
create table parts (id integer primary key, message_hash text, position integer, type text, tool_name text, text text,
  payload text);
"""
Rows = dict[str, list[tuple[Any, ...]]]
prints = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def database(path: Path, schema: str, rows: Rows) -> Path:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as made:
        made.executescript(f"pragma synchronous = off; {schema}")
        for table, listed in rows.items():
            for row in listed:
                made.execute(f"insert into {table} values ({', '.join('?' * len(row))})", row)
        made.commit()
    return path


def response(
    name: str, prompt: Any = "Q?", text: Any = "A.", system: Any = None, **more: Any
) -> tuple[Any, ...]:
    row = {
        "id": name,
        "model": "m",
        "prompt": prompt,
        "system": system,
        "prompt_json": None,
        "options_json": '{"temperature": 0}',
        "response": text,
        "response_json": None,
        "conversation_id": "c",
        "datetime_utc": "2026-01-05T10:00:00",
        "input_tokens": 3,
        "schema_id": None,
    }
    return tuple((row | more).values())


def turns(path: Path, *talks: tuple[str, list[tuple[str, str, str]]], extra: str = "") -> Path:
    """Make a newer database. A talk is the id of its last turn and messages: a role, the type of its part, a text."""
    rows: Rows = {"turns": [], "messages": [], "parts": [], "threads": [("t", "Talk")]}
    for name, messages in talks:
        tip = asked = None
        for place, (role, kind, text) in enumerate(messages):
            asked, parent, tip = (tip if role == "assistant" else asked), tip, f"{name}{place}"
            rows["messages"].append((tip, parent, role))
            rows["parts"].append((None, tip, 0, kind, None, text, None))
        rows["turns"].append((name, "t", asked, tip, "m", "m-1", None, 5, "2026-02-01T00:00:00", None))
    return database(path, NEW + extra, rows)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(prints, prints, st.none() | prints), min_size=1, max_size=5))
def test_older_tables_read_as_what_the_tool_prints_of_them(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, str, str | None]]
) -> None:
    """Models, prompts, replies, system prompts and all else; any text, NUL in it too."""
    folder = tmp_path_factory.mktemp("llm")
    rows = [response(f"{place:04}", *each) for place, each in enumerate(entries)]
    found = load(
        database(folder / "logs.db", OLD, {"responses": rows[::-1], "conversations": [("c", "C", "m")]})
    )
    names = [
        *json.loads(json.dumps([part.split()[0] for part in OLD.split("responses (")[1].split(",")[:11]]))
    ]
    printed = [
        dict(zip(names, row, strict=False))
        | {
            "options_json": {"temperature": 0},
            "conversation_name": "C",
            "conversation_model": "m",
            "schema_json": None,
        }
        | {
            f"{each}s": []
            for each in ("prompt_fragment", "system_fragment", "tool", "tool_call", "tool_result")
        }
        | {"attachments": []}
        for row in rows
    ]

    assert found == load(write_json(folder, "logs.json", printed))


def test_the_real_databases_equal_what_the_tool_printed(shared: Path) -> None:
    """In both schemas, in a folder that cannot be written to."""
    folder = shared / "data" / "formats" / "llm"
    for version in ("0.26", "0.36"):
        found = load(folder / f"logs_{version}.db")

        assert found == load(folder / f"logs_{version}.json")
        assert len(found.replies) == 3
    assert not [each for each in folder.iterdir() if each.suffix not in (".db", ".json")]


def test_a_turn_is_what_was_asked_last_and_all_that_was_said_to_it(tmp_path: Path) -> None:
    """The system prompt is the first message, reasoning no part of the reply, a tool's result no part of the prompt."""
    said = [("assistant", "reasoning", "Hm"), ("assistant", "text", "A"), ("assistant", "text", "B")]
    path = turns(
        tmp_path / "logs.db",
        ("01", [("system", "text", "Brief."), ("user", "text", "One?"), ("assistant", "text", "1")]),
        ("02", [("user", "text", "One?"), ("assistant", "text", "1"), ("user", "text", "Two?"), *said[:1]]),
    )
    with closing(sqlite3.connect(path)) as made:
        made.execute(
            "insert into parts values (null, '023', 1, 'text', null, null, ?)",
            (json.dumps({"text_ref": [{"literal": "A"}, {"fragment": 9}, {"literal": "B"}]}),),
        )
        made.execute(
            "insert into parts values (null, '023', 2, 'tool_call', 'f', null, ?)",
            (json.dumps({"name": "f", "arguments": {"x": 1}}),),
        )
        made.commit()
    found = load(path)

    assert [each.text for each in found.prompts] == ["One?", "Two?"]
    assert [each.text for each in found.replies] == ["1", "AB"]
    assert [each.system for each in found.conditions] == [None, "Brief."]
    assert found.models[0].returned == "m-1"
    extra = found.replies[1].extra
    assert (extra["reasoning"], extra["conversation_id"], extra["conversation_name"]) == ("Hm", "t", "Talk")
    assert extra["tool_calls"][0]["arguments"] == {"x": 1}
    assert extra["input_tokens"] == 5


def test_an_entry_in_both_tables_counts_once_and_the_order_is_that_of_the_ids(tmp_path: Path) -> None:
    path = turns(
        tmp_path / "logs.db", ("02", [("user", "text", "N?"), ("assistant", "text", "new")]), extra=OLD
    )
    with closing(sqlite3.connect(path)) as made:
        for name in ("03", "02", "01"):
            row = response(name, text=name)
            made.execute(f"insert into responses values ({', '.join('?' * len(row))})", row)
        made.commit()

    assert [each.text for each in load(path).replies] == ["01", "new", "03"]


def test_fragments_tools_and_attachments_are_kept_and_fragments_are_part_of_the_prompt(
    tmp_path: Path,
) -> None:
    """As the tool sends them: before the prompt, in their order."""
    rows: Rows = {
        "responses": [
            response("01", prompt="Sum up.", schema_id="s"),
            response("02", prompt=None),
            response("03", prompt=None),
        ],
        "schemas": [("s", '{"type": "object"}')],
        "fragments": [(1, "h1", "One."), (2, "h2", "Two.")],
        "fragment_aliases": [("one", 1)],
        "prompt_fragments": [("01", 2, 0), ("01", 1, 1), ("02", 1, 0)],
        "tools": [(7, "h", "f", "does", '{"x": 1}')],
        "tool_responses": [(7, "01")],
        "tool_calls": [(1, "01", 7, "f", '{"x": 2}', "c1")],
        "tool_results": [(1, "01", 7, "f", "out", "c1")],
        "attachments": [("a", "image/png", None, "u", b"\x89PNG")],
        "prompt_attachments": [("01", "a", 0)],
    }
    found = load(database(tmp_path / "logs.db", OLD, rows))
    extra = found.replies[0].extra

    assert [each.text for each in found.prompts] == ["Two.\nOne.\nSum up.", "One.", ""]
    assert extra["prompt_fragments"][1] == {"hash": "h1", "content": "One.", "aliases": ["one"]}
    assert extra["schema_json"] == {"type": "object"}
    assert extra["tools"][0]["input_schema"] == {"x": 1}
    assert extra["tool_calls"][0]["arguments"] == {"x": 2}
    assert extra["tool_results"][0]["output"] == "out"
    assert extra["attachments"] == [
        {"id": "a", "type": "image/png", "path": None, "url": "u", "content_length": 4}
    ]


def test_a_fragment_that_the_prompt_holds_is_not_put_before_it_again(tmp_path: Path) -> None:
    """The newer tool prints the whole prompt, and the beginning of a long fragment."""
    row = dict.fromkeys(("id", "model", "response", "conversation_id", "datetime_utc"), "x")
    row |= {"prompt": "A long fragment.\nSum up.", "prompt_fragments": [{"content": "A long fra..."}]}

    assert load(write_json(tmp_path, "logs.json", [row])).prompts[0].text == "A long fragment.\nSum up."


def test_what_the_tool_has_not_put_into_the_database_yet_is_read(tmp_path: Path) -> None:
    """From the file beside it, and nothing is written there."""
    path = database(tmp_path / "logs.db", OLD, {"responses": [response("01")]})
    with closing(sqlite3.connect(path)) as made:
        made.execute("pragma journal_mode = wal")
        made.execute("pragma wal_autocheckpoint = 0")
        made.execute(f"insert into responses values ({', '.join('?' * 12)})", response("02", text="Late."))
        made.commit()
        for each in tmp_path.iterdir():
            shutil.copy(each, tmp_path / each.name.replace("logs", "copy"))
    (tmp_path / "copy.db-shm").unlink()
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    found = load(tmp_path / "copy.db")

    assert [each.text for each in found.replies] == ["A.", "Late."]
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_a_gzipped_database_reads(tmp_path: Path) -> None:
    path = database(tmp_path / "logs.db", OLD, {"responses": [response("01")]})
    packed = write(tmp_path, "logs.db.gz", gzip.compress(path.read_bytes()))

    assert load(packed).replies == load(path).replies


def test_another_database_is_refused_with_its_tables(tmp_path: Path) -> None:
    """A view is no table, whatever its name: it may never end."""
    endless = "create view responses as with recursive n(id) as (select 1 union all select id + 1 from n) select id, "
    endless += "'m' as model, 'Q' as prompt, 'A' as response from n; create table people (name text);"
    with pytest.raises(UnknownFormatError, match="an SQLite database with the tables people"):
        load(database(tmp_path / "a.db", endless, {}))
    with pytest.raises(UnknownFormatError, match="an SQLite database"):
        load(tmp_path / "a.db", reading=Reading(format="llm_logs"))
    with pytest.raises(UnknownFormatError, match="without tables"):
        load(database(tmp_path / "b.db", "create table x (y); drop table x;", {}))


def test_errors_name_the_table_the_row_and_the_field(tmp_path: Path) -> None:
    """A text that is no UTF-8, a prompt that is a number or a blob."""
    path = tmp_path / "a.db"
    rows: Rows = {"responses": [response("01")]}
    with closing(sqlite3.connect(database(path, OLD, rows))) as made:
        made.execute("update responses set response = cast(x'41ff' as text)")
        made.commit()
    with pytest.raises(RecordError, match="table responses, row 1: field response: bytes that are no text"):
        load(path)
    with pytest.raises(RecordError, match="record 1: field prompt: expected text"):
        load(
            database(path, OLD.replace("prompt text", "prompt"), {"responses": [response("01", prompt=1.5)]})
        )
    with pytest.raises(RecordError, match="table responses, row 1: field prompt: bytes that are no text"):
        load(database(path, OLD, {"responses": [response("01", prompt=b"ABC")]}))


def test_messages_in_a_circle_end(tmp_path: Path) -> None:
    path = turns(tmp_path / "a.db", ("01", [("user", "text", "Q?"), ("assistant", "text", "A")]))
    with closing(sqlite3.connect(path)) as made:
        made.execute("update messages set parent_hash = '011' where hash = '010'")
        made.commit()

    assert [each.text for each in load(path).replies] == ["A"]


def test_a_database_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE", -1.0)
    monkeypatch.setattr(sqlite, "STEPS", 1)
    with pytest.raises(InputError, match="takes too long"):
        load(database(tmp_path / "a.db", OLD, {"responses": [response("01")]}))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.db"
    return turns(path, ("02", [("user", "text", "Q?"), ("assistant", "text", "A")]), extra=OLD).read_bytes()


@settings(max_examples=150, deadline=None)
@given(changes=st.lists(st.tuples(st.integers(0), st.integers(0, 255)), max_size=8), kept=st.integers(10, 30))
def test_a_damaged_database_reads_or_is_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, whole: bytes, changes: list[tuple[int, int]], kept: int
) -> None:
    """Bytes changed where something stands, and the end cut off."""
    raw = bytearray(whole)
    filled = [place.start() for place in re.finditer(rb"[^\0]", whole)]
    for place, value in changes:
        raw[filled[place % len(filled)]] = value
    del raw[len(raw) * kept // 25 :]
    path = write(tmp_path_factory.mktemp("damaged"), "b.db", bytes(raw))
    try:
        load(path)
    except InputError as error:
        assert "b.db" in error.message  # noqa: PT017  (no error is right as well)
