"""Changes to what is no JSON: CSV, SQLite, zip and Parquet."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.fuzzing import hostile, raw, trees

if TYPE_CHECKING:
    import random

_ROWS = 40
_NAMES = (
    *(
        "model",
        "prompt",
        "response",
        "text",
        "winner",
        "model_a",
        "model_b",
        "left",
        "right",
        "question",
        "id",
        "A",
    ),
    *(
        "winner_model_a",
        "winner_model_b",
        "winner_tie",
        "response_a",
        "response_b",
        "sample",
        "verdict",
        "a",
        "b",
        "",
    ),
    *(
        "[openai:gpt] prompt",
        "output",
        "error",
        "judge",
        "score",
        "language",
        "condition",
        "messages",
        "Expected",
    ),
)


def change_csv(draw: random.Random, data: bytes) -> bytes:
    """Return a table with some of its cells, rows or columns changed."""
    rows = _parsed(data)[: draw.choice((3, 10, _ROWS))]
    for _ in range(draw.choice((1, 1, 2, 3))):
        _change_rows(draw, rows)
    delimiter = draw.choice((",", ",", ",", "\t", ";", "|"))
    quoting = draw.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    out = io.StringIO()
    writer = csv.writer(
        out, delimiter=delimiter, quoting=quoting, lineterminator=draw.choice(("\n", "\r\n", "\r"))
    )
    writer.writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


def _parsed(data: bytes) -> list[list[str]]:
    text = data.decode("utf-8", "replace").replace("\0", "")
    delimiter = max(",\t;", key=text.partition("\n")[0].count)
    csv.field_size_limit(1 << 30)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def _change_rows(draw: random.Random, rows: list[list[str]]) -> None:
    if not rows or not rows[0]:
        return
    what, row = draw.randrange(13), draw.choice(rows)
    column = draw.randrange(len(rows[0]))
    if what == 0:
        row.append(hostile.text(draw))
    elif what == 1 and row:
        row.pop()
    elif what in (2, 3) and row:
        row[draw.randrange(len(row))] = hostile.text(draw)
    elif what in (4, 5):
        for each in rows[1:]:
            if column < len(each):
                each[column] = hostile.text(draw)
    elif what == 6:
        rows[0][column] = draw.choice(_NAMES)
    elif what == 7:
        rows[0][column] = rows[0][draw.randrange(len(rows[0]))]
    elif what == 8:
        del rows[draw.randrange(len(rows)) :]
    elif what == 9:
        for each in rows:
            del each[column : column + 1]
    elif what == 10:
        width = draw.choice((1, 300, 3000))
        for each in rows:
            each.extend([draw.choice(("", "a", "1"))] * width)
    elif what == 11:
        draw.shuffle(rows)
    else:
        rows[1:] = rows[1:] * draw.choice((0, 2, 50))


def change_sqlite(draw: random.Random, data: bytes) -> bytes:
    """Return a database with other values, types, columns or tables."""
    if draw.random() < 0.25:
        return raw.damage(draw, data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changed.db"
        path.write_bytes(data)
        base = sqlite3.connect(path)
        try:
            base.execute("pragma foreign_keys = off")
            base.execute("pragma journal_mode = " + draw.choice(("delete", "delete", "wal")))
            for _ in range(draw.choice((1, 1, 2, 4))):
                try:
                    _change_base(draw, base)
                    base.commit()
                except (sqlite3.Error, UnicodeEncodeError, OverflowError):
                    base.rollback()
        except sqlite3.Error:
            pass
        finally:
            base.close()
        return path.read_bytes()


def _change_base(draw: random.Random, base: sqlite3.Connection) -> None:
    listed = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name"
    tables = [name for (name,) in base.execute(listed)]
    if not tables:  # dropped before
        return
    table = draw.choice(tables)
    columns = [row[1] for row in base.execute(f'pragma table_info("{table}")')]
    column = draw.choice(columns)
    what = draw.randrange(10)
    if what < 4:
        new: Any = draw.choice(
            (None, 0, -1, 2**62, 1.5, float("inf"), b"\xff\0", hostile.text(draw), "[]", "{}", "[1]")
        )
        where = draw.choice(("", f' where rowid in (select rowid from "{table}" limit 1)'))
        base.execute(f'update "{table}" set "{column}" = ?{where}', (new,))
    elif what == 4:
        base.execute(
            f'alter table "{table}" rename column "{column}" to "{draw.choice((*_NAMES[:-2], column + "2"))}"'
        )
    elif what == 5:
        base.execute(f'alter table "{table}" drop column "{column}"')
    elif what == 6:
        base.execute(f'drop table "{table}"')
    elif what == 7:
        base.execute(f'alter table "{table}" rename to "moved"')
        endless = "with recursive n(x) as (select 1 union all select x + 1 from n)"
        listed = ", ".join(f'x as "{each}"' for each in columns)
        source = draw.choice(
            (f"{endless} select {listed} from n", 'select * from "moved"', f'select * from "{table}"')
        )
        base.execute(f'create view "{table}" as {source}')
    elif what == 8:
        base.execute(f'delete from "{table}"')
    else:
        base.execute(f'insert into "{table}" select * from "{table}"')


def change_zip(draw: random.Random, data: bytes) -> bytes:
    """Return an archive with changed members, or with another table of them."""
    if draw.random() < 0.2:
        return raw.damage(draw, data)
    members = unpacked(data)
    for _ in range(draw.choice((1, 1, 2))):
        what = draw.randrange(8)
        if not members or what < 4:
            place = draw.randrange(len(members)) if members else 0
            if members:
                name, body = members[place]
                members[place] = (name, _changed_json(draw, body))
        elif what == 4:
            del members[draw.randrange(len(members))]
        elif what == 5:
            members.append(draw.choice(members))
        elif what == 6:
            place = draw.randrange(len(members))
            name = draw.choice(
                ("../../a.json", "/a.json", "a\0b", "samples/1_epoch_1.json", "header.json", "x" * 60_000)
            )
            members[place] = (name, members[place][1])
        else:
            members = members[: draw.randrange(len(members) + 1)]
    lie = draw.choice((0, 0, 0, 1, -1, 10**6, 2**32 - 2**20))
    return packed(members, draw.choice((0, 8, 8, 93)), lie=lie)


def _changed_json(draw: random.Random, body: bytes) -> bytes:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return raw.damage(draw, body)
    for _ in range(draw.choice((1, 1, 2))):
        value = trees.change(draw, value)
    return hostile.dumped(value)


def unpacked(data: bytes) -> list[tuple[str, bytes]]:
    """Return the members of an archive by name; those packed by zstandard too."""
    found = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if info.compress_type == 93:
                import zstandard

                start = info.header_offset
                name, extra = struct.unpack("<HH", data[start + 26 : start + 30])
                start += 30 + name + extra
                body = data[start : start + info.compress_size]
                found.append((info.filename, zstandard.ZstdDecompressor().decompressobj().decompress(body)))
            else:
                found.append((info.filename, archive.read(info)))
    return found


def packed(members: list[tuple[str, bytes]], method: int, *, lie: int = 0) -> bytes:
    """Return an archive whose members say that they are larger by `lie` than they are."""
    out, table = bytearray(), bytearray()
    for name, body in members:
        if method == 8:
            packer = zlib.compressobj(6, zlib.DEFLATED, -15)
            inner = packer.compress(body) + packer.flush()
        elif method == 93:
            import zstandard

            inner = zstandard.ZstdCompressor().compress(body)
        else:
            inner = body
        called = name.encode("utf-8", "replace")[:65_000]
        size = max(0, len(body) + lie) & 0xFFFFFFFF
        stored = (20, 0, method, 0, 0x21, zlib.crc32(body), len(inner), size, len(called), 0)
        start = len(out)
        out += b"PK\3\4" + struct.pack("<5H3I2H", *stored) + called + inner
        table += b"PK\1\2" + struct.pack("<6H3I5H2I", 20, *stored, 0, 0, 0, 0, start) + called
    end = struct.pack("<4H2IH", 0, 0, len(members) & 0xFFFF, len(members) & 0xFFFF, len(table), len(out), 0)
    return bytes(out + table) + b"PK\5\6" + end


def change_parquet(draw: random.Random, data: bytes) -> bytes:
    """Return a Parquet file of changed rows or of columns of other types."""
    if draw.random() < 0.3:
        return raw.damage(draw, data)
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(data)).slice(0, draw.choice((0, 1, 5, _ROWS)))
    try:
        if draw.random() < 0.5:
            rows = json.loads(json.dumps(table.to_pylist(), default=str))
            for _ in range(draw.choice((1, 1, 2))):
                rows = trees.change(draw, rows)
            table = pyarrow.Table.from_pylist(rows)
        else:
            table = _other_columns(draw, table)
        out = io.BytesIO()
        pyarrow.parquet.write_table(table, out, row_group_size=draw.choice((None, 1, 3)))
    except Exception:  # rows that no table holds raise a dozen kinds
        return raw.damage(draw, data)
    return out.getvalue()


def _other_columns(draw: random.Random, table: Any) -> Any:
    import pyarrow

    column = draw.randrange(table.num_columns)
    name, size = table.column_names[column], table.num_rows
    what = draw.randrange(8)
    if what == 0:
        return table.drop_columns([name])
    if what == 1:
        return table.rename_columns(
            [draw.choice(_NAMES) if at == column else n for at, n in enumerate(table.column_names)]
        )
    if what == 2:
        return table.append_column(name, table.column(column))
    if what == 3:
        wide = {f"c{n}": pyarrow.array([n] * size) for n in range(2000)}
        return pyarrow.table({**dict(zip(table.column_names, table.columns, strict=True)), **wide})
    values: list[Any] = [
        pyarrow.array([b"\xff\xfe"] * size),
        pyarrow.array([2**62] * size),
        pyarrow.array([float("nan")] * size),
        pyarrow.array([None] * size),
        pyarrow.array([2**62] * size, pyarrow.timestamp("ns")),
        pyarrow.array([2**60] * size, pyarrow.timestamp("s")),
        pyarrow.array([[("a", 1)]] * size, pyarrow.map_(pyarrow.string(), pyarrow.int64())),
        pyarrow.array(["a"] * size).dictionary_encode(),
        pyarrow.array([[[[["a"]]]]] * size),
        pyarrow.array([{"role": "user", "content": None}] * size),
        pyarrow.array([hostile.text(draw).encode("utf-8", "replace").decode()] * size),
        pyarrow.array([True] * size),
    ]
    return table.set_column(column, name, draw.choice(values))
