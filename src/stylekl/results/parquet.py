"""Parquet files, row by row."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def parquet_rows(_path: str, file: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a Parquet file with their number from 1."""
    import pyarrow.parquet

    number = 0
    for batch in pyarrow.parquet.ParquetFile(file).iter_batches(batch_size=256):
        for row in batch.to_pylist():
            number += 1
            yield number, row
