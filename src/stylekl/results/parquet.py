"""Parquet files, row by row, as JSON would hold them."""

from __future__ import annotations

import datetime
import decimal
import math
from collections import Counter
from typing import IO, TYPE_CHECKING, Any

from stylekl.errors import InputError, RecordError
from stylekl.results.source import FREE, LIMIT, RATIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyarrow.parquet import FileMetaData, ParquetFile

BATCH = 8 << 20  # bytes of rows that are unpacked at once, by what the file says of them
WIDEST = 256 << 20  # and at most, where its longest value stood in every row
ROWS = 1024  # of a batch
LEAST = 256  # rows that a batch may have, however large its group, where the first of them are short
PACKED = 20  # times that a group unpacks to its file, beyond which it is taken row by row
REPEATED = 512 << 20  # bytes that all may unpack to whose values are stored once, and more up to
REPEATS = 1000  # times the file
_BUFFER = 1 << 20
_HELD = (
    256 << 20
)  # a file up to here is read column by column: a damaged page can make a buffer as large as it claims
_WHOLE = 1 << 63
_AGAIN = "copy or download the file again"


def parquet_rows(
    path: str,
    file: IO[bytes],
    warnings: list[str] | None = None,
    groups: range | None = None,
    before: int = 0,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a Parquet file with their number from 1, however large the file and its row groups.

    `groups` are the row groups to read, all by default, and `before` how many rows stand before them.

    Dates and times are texts in ISO form, durations seconds, decimals numbers, maps objects, what is not a number null.
    Bytes that are no text become "<N bytes>", which `warnings` then say. Raises InputError for a damaged file, for one
    that unpacks to far more than it holds, and where pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise InputError(
            f"{path}: Parquet, which needs a package to be read", "pip install 'stylekl[formats]'"
        ) from None
    size = file.seek(0, 2)
    file.seek(0)
    counts: Counter[str] = Counter()
    number = before
    try:
        opened = ParquetFile(file, buffer_size=_BUFFER if size > _HELD else 0, pre_buffer=False)
        _check(path, opened.metadata, size)
        names = _distinct(opened.schema_arrow.names)
        for batch in _batches(path, opened, size, groups):
            for values in _values(batch, counts):
                number += 1
                yield number, dict(zip(names, values, strict=True))
    except UnicodeDecodeError:
        raise RecordError(
            path, f"row {number + 1} or one soon after it", "a text that is not UTF-8"
        ) from None
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError, RecursionError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(f"{path}: damaged Parquet, or a kind that is not read: {reason}", _AGAIN) from None
    if warnings is not None:
        warnings += [f"{path}: {what}: {count}" for what, count in counts.items()]


def _check(path: str, metadata: FileMetaData, size: int) -> None:
    """Raise InputError where the file says that it unpacks to more than a results file does."""
    whole = sum(metadata.row_group(place).total_byte_size for place in range(metadata.num_row_groups))
    if whole > LIMIT or (whole > FREE and whole > RATIO * size):
        raise _bomb(path, whole, size)


def _bomb(path: str, whole: int, size: int) -> InputError:
    return InputError(
        f"{path}: {size} bytes of Parquet unpack to more than {whole} (a decompression bomb?)",
        f"a results file unpacks to at most {LIMIT >> 30} GiB and {RATIO} times its size",
    )


def _batches(path: str, opened: ParquetFile, size: int, groups: range | None) -> Iterator[pa.RecordBatch]:
    """Yield batches of a few MiB each; a column that repeats one long value is what makes them grow."""
    unpacked = 0
    for place in range(opened.metadata.num_row_groups) if groups is None else groups:
        rows = _rows(opened, place, size)
        for batch in opened.iter_batches(batch_size=rows, row_groups=[place]):
            unpacked += batch.nbytes
            if unpacked > REPEATED and unpacked > REPEATS * size:
                raise _bomb(path, unpacked, size)
            yield batch


def _rows(opened: ParquetFile, place: int, size: int) -> int:
    """Return how many rows of a group are unpacked at once.

    No value is longer than the group, which holds it once: that bounds what a batch can take. Where this leaves a few
    rows only, the first of them tell whether it may be more. The columns would tell, but pyarrow ends the process where
    what a damaged file says of one is wrong.
    """
    group = opened.metadata.row_group(place)
    whole = max(1, group.total_byte_size)
    usual = max(1, min(ROWS, BATCH * max(1, group.num_rows) // whole))
    rows = min(usual, max(1, WIDEST // whole))
    if rows < LEAST and whole <= PACKED * size:
        first = next(opened.iter_batches(batch_size=min(usual, LEAST // 4), row_groups=[place]), None)
        if first is not None and first.num_rows:
            rows = max(rows, min(usual, LEAST, BATCH * first.num_rows // max(1, first.nbytes)))
    return int(rows)


def _values(batch: pa.RecordBatch, counts: Counter[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a batch, converted a few MiB at a time."""
    step = max(1, batch.num_rows * BATCH // max(1, batch.nbytes))
    for start in range(0, batch.num_rows, step):
        part = batch.slice(start, step)
        yield from zip(*(_listed(column, counts) for column in part.columns), strict=True)


def _listed(column: pa.Array, counts: Counter[str]) -> list[Any]:
    """Return the values of a column; most kinds are those of JSON already."""
    import pyarrow as pa

    if "[ns" in str(column.type):  # nanoseconds, which Python's own times do not have
        column = column.cast(_coarse(pa, column.type), safe=False)
    values = column.to_pylist()
    return list(values) if _is_plain(pa.types, column.type) else [_plain(each, counts) for each in values]


def _is_plain(types: Any, kind: pa.DataType) -> bool:
    """Whether Python's values of a type are those of JSON: texts, whole numbers, true and false, and lists of these."""
    if types.is_struct(kind):
        return all(_is_plain(types, kind.field(place).type) for place in range(kind.num_fields))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_dictionary(kind):
        return _is_plain(types, kind.value_type)
    tests = (types.is_string, types.is_large_string, types.is_integer, types.is_boolean, types.is_null)
    return any(test(kind) for test in tests)


def _coarse(pa: Any, kind: pa.DataType) -> pa.DataType:
    """Return a type with microseconds in the place of nanoseconds, however deep they stand."""
    types = pa.types
    if types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if types.is_time64(kind):
        return pa.time64("us")
    if types.is_duration(kind):
        return pa.duration("us")
    if types.is_struct(kind):
        fields = (kind.field(place) for place in range(kind.num_fields))
        return pa.struct([field.with_type(_coarse(pa, field.type)) for field in fields])
    if types.is_map(kind):
        return pa.map_(kind.key_type, _coarse(pa, kind.item_type))
    if types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_coarse(pa, kind.value_type)))
    if types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_coarse(pa, kind.value_type)))
    return kind


def _plain(value: Any, counts: Counter[str]) -> Any:
    """Return a value as JSON has it, counting in `counts` what had to go."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(each, counts) for key, each in value.items()}
    if isinstance(value, list | tuple):
        if value and all(isinstance(each, tuple) for each in value):  # a map
            return {str(_plain(key, counts)): _plain(each, counts) for key, each in value}
        return [_plain(each, counts) for each in value]
    if isinstance(value, bytes):
        return _text(value, counts)
    if isinstance(value, datetime.date | datetime.time):  # of which a datetime is one
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    return _number(value, counts)


def _text(value: bytes, counts: Counter[str]) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        counts["bytes that are no text, left out"] += 1
        return f"<{len(value)} bytes>"


def _number(value: Any, counts: Counter[str]) -> Any:
    if isinstance(value, int):
        return value
    if isinstance(value, decimal.Decimal):
        if value.is_finite() and value == value.to_integral_value():
            return int(value) if abs(value) < _WHOLE else str(value)
        value = float(value)
    elif not isinstance(value, float):
        return str(value)  # an id of its own type
    if math.isfinite(value):
        return float(value)
    counts["NaN or infinite numbers read as null"] += 1
    return None


def _distinct(names: list[str]) -> list[str]:
    """Return the names of the columns, those that come again with a number: "status (2)"."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found
