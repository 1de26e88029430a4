"""Files read one ahead: while one is made into records, a thread fetches and unpacks the next."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from stylekl.results.document import read_document
from stylekl.results.source import STDIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stylekl.results.document import Document
    from stylekl.results.reading import Reading

MOST = (
    16 << 20
)  # bytes of a file that is read ahead: two of the larger ones would be more than one needs memory for


def documents(paths: Sequence[str], given: tuple[str, ...], reading: Reading) -> Iterator[Document]:
    """Yield the document at each path, in order; what a file raises is raised in its place."""
    if len(paths) < 2 or not all(map(_is_small, paths)):
        yield from (read_document(path, given, reading) for path in paths)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        following = thread.submit(read_document, paths[0], given, reading)
        for path in [*paths[1:], None]:
            document = following.result()
            if path is not None:
                following = thread.submit(read_document, path, given, reading)
            yield document


def _is_small(path: str) -> bool:
    with suppress(OSError, ValueError):
        return path != STDIN and os.path.getsize(path) <= MOST
    return path != STDIN  # it is said in its place what is wrong with it
