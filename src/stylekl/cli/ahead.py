"""Replies of files are counted while later files are read, where what is compared of a reply depends on no other."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.cli.by import Lenses
    from stylekl.cli.settings import Settings
    from stylekl.counts.ahead import Ahead
    from stylekl.results import Results
    from stylekl.results.reading import Reading


@dataclass(frozen=True)
class Reader:
    """Loads files as `results.load` does, and has the tokens counted that are not known to be kept on the disk."""

    ahead: Ahead
    cached: bool

    def load(self, *paths: str, reading: Reading) -> Results:
        """Load files; processes that count them are started only now, where the files are worth it."""
        from stylekl.results import load

        self.ahead.start(sum(map(_size, paths)))
        return load(*paths, reading=reading, seen=self._see if self.ahead.started else None)

    def _see(self, part: Results) -> None:
        from stylekl.counts.cache import is_noted

        if not (self.cached and part.sources and all(is_noted(source.sha256) for source in part.sources)):
            self.ahead.see(reply.text for reply in part.replies)

    def counted(self, results: Results) -> None:
        """Note that the tokens of these files are counted."""
        from stylekl.counts.cache import note

        if self.cached and self.ahead.began:
            note(source.sha256 for source in results.sources)


@contextmanager
def counting_ahead(settings: Settings, lenses: Lenses | None = None) -> Iterator[Reader | None]:
    """Yield what reads files and has them counted; None where it cannot be known yet what is to be counted of them."""
    of_style = lenses is None or lenses.by in (None, "style")
    some = settings.topic or settings.prompts or settings.condition
    if not of_style or some or settings.facet != "tokens" or settings.match_length:
        yield None
        return
    from stylekl.counts.ahead import Ahead

    with Ahead(settings.jobs, keep_thinking=settings.keep_thinking, plain=settings.plain) as ahead:
        yield Reader(ahead, cached=not settings.no_cache)


def _size(path: str) -> int:
    """Return how large a file is, and those of a folder together; 0 where that cannot be told."""
    try:
        if os.path.isdir(path):
            with os.scandir(path) as entries:
                return sum(entry.stat().st_size for entry in entries if entry.is_file())
        return os.path.getsize(path)
    except (OSError, ValueError):
        return 0
