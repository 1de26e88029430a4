"""Tokens counted while files are still read: the processes of `pool` begin with the first file, not after the last.

What will be compared of a reply depends on no other reply, unless replies are cut to a common length, so the texts can
be counted before it is known which of them count and in which order. A process takes off what is no part of an answer,
counts what is left, and sends the digest of it along; by that the counts are found again. Texts that were not seen, or
whose process died, are counted by `pool`, as if nothing had been counted ahead: that is where errors are told.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from queue import Full, Queue, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from stylekl.counts import cores, pool, workers
from stylekl.counts.table import Gathering, Tally, tally_of
from stylekl.errors import WorkerError
from stylekl.facets.fast import wanted as fast_wanted
from stylekl.facets.taking import taking
from stylekl.facets.texts import digest_of_text
from stylekl.facets.tokens import batches

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Self

    from stylekl.facets.texts import Texts

WAITING = 64  # batches that wait for a process, at most: reading is faster than counting


class _Known(NamedTuple):
    """The counts of texts, and the digest of each text."""

    digests: bytes
    tally: Tally


class Ahead:
    """Counts texts from `start` on, in as many processes as `jobs` says; to be closed, which `with` does.

    It does nothing where that would not pay or cannot be done: with one process, where processes are no forks, and
    where the fast tokenizer is there, which is done before a process has begun.
    """

    def __init__(self, jobs: int | None, *, keep_thinking: bool = False, plain: bool = False) -> None:
        self.began = False  # whether `start` has started any, closed or not
        self._jobs = jobs
        self._take = taking(keep_thinking=keep_thinking, plain=plain)
        self._workers: list[workers.Worker] = []
        self._threads: list[Thread] = []
        self._queue: Queue[pool.Batch | None] = Queue(WAITING)
        self._found: SimpleQueue[Any] = SimpleQueue()
        self._batches = pool.Batching()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def started(self) -> bool:
        """Whether texts that are seen are counted."""
        return bool(self._threads)

    def start(self, size: int) -> None:
        """Start the processes where files of `size` bytes are worth them. No other thread may run yet."""
        wanted = cores.wanted(self._jobs)
        if wanted < 2 or size < pool.FORKED or _fast_is_there() or not workers.may_fork():
            return
        # Each copy builds an encoding of its own: the files are read meanwhile.
        with suppress(OSError):  # no room for more of them
            for _ in range(wanted):
                self._workers.append(workers.Fork(self._workers, self._counted))
        source = pool.Source(iter(self._queue.get, None))
        self._threads = [
            Thread(target=pool.serve, args=(worker, source, self._found), daemon=True)
            for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()
        self.began = self.started

    def see(self, texts: Iterable[str]) -> None:
        """Have texts counted, as they are before anything is taken off them; waits where too many are."""
        if self.started:
            for batch in self._batches.add(texts):
                self._put(batch)

    def counts_of(self, texts: Texts) -> Tally | None:
        """Return the counts of texts; None where they are not known. Nothing more is to be seen after that."""
        if not self.started:
            return None
        for batch in self._batches.rest():
            self._put(batch)
        self._put(None)
        gathering, digests = Gathering(), bytearray()
        try:
            for known in pool.in_order(self._found, len(self._threads)):
                digests += known.digests
                gathering.add(known.tally)
        except WorkerError:
            return None
        finally:
            self.close()
        row = {bytes(digests[at : at + 32]): at // 32 for at in range(0, len(digests), 32)}
        asked = texts.measured[0]
        rows = [row.get(asked[at : at + 32], -1) for at in range(0, len(asked), 32)]
        return None if -1 in rows else gathering.done().rows(rows)

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.end()
        self._put(None)  # for a thread that waits for a batch
        for thread in self._threads:
            thread.join()
        workers.dismiss(self._workers)
        self._workers, self._threads = [], []

    def _put(self, batch: pool.Batch | None) -> None:
        """Put a batch where the threads find it, unless all of them are gone, as when their processes died."""
        while any(thread.is_alive() for thread in self._threads):
            with suppress(Full):
                self._queue.put(batch, timeout=pool.BEAT)
                return

    def _counted(self, texts: list[str]) -> _Known:
        """Count what will be compared of texts; in the process that counts."""
        taken = [self._take(text).text for text in texts]
        return _Known(b"".join(map(digest_of_text, taken)), tally_of(batches(taken)).small())


def _fast_is_there() -> bool:
    return fast_wanted() and find_spec("gigatoken") is not None
