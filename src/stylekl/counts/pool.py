"""Counting on several cores: texts are handed out in batches to processes that count, and counts come back.

Each process has one batch at a time and one thread here
waits for it, so what is in flight stays small however many texts there are, and what a process that died had is known.
Counts are put together in the order of the texts: they are those of one process, to the last bit.

Tokens, which have the same numbers in every process, are counted here, the other facets by `joint`. `workers` are the
processes. `ahead` counts tokens while files are still read.
"""

from __future__ import annotations

import signal
from contextlib import closing, suppress
from functools import partial
from itertools import chain, islice
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from stylekl.counts import cores
from stylekl.counts.table import Gathering
from stylekl.counts.workers import Fork, Python, asked, dismiss, may_fork, may_start, small_tally
from stylekl.facets.tokens import Tokens, encoding

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from stylekl.counts.table import Tally
    from stylekl.counts.workers import Worker
    from stylekl.facets.texts import Texts

BATCH = 1 << 20  # characters of text that a process gets at a time, each text counting OTHER more
OTHER = 64
# Characters from which on sharing them out pays, for forks and for new Pythons; and where the fast tokenizer is used.
FORKED, STARTED = 8_000_000, 24_000_000
FAST_FORKED, FAST_STARTED = 100_000_000, 400_000_000
BEAT = 0.5  # seconds after which Windows, which cannot interrupt a wait, looks whether Ctrl-C was pressed


def shared_out(texts: Texts, facet: Tokens, jobs: int | None) -> Tally | None:
    """Return the tokens of texts counted by several processes; None where this one had better count them alone.

    `jobs` is how many processes; None is one for each core, 8 at most. Raises WorkerError where one dies or fails.
    """
    wanted = cores.wanted(jobs)
    forking = may_fork()
    if wanted < 2 or not (forking or may_start()) or not texts.exceed(FORKED if forking else STARTED):
        return None
    quick = facet.choose(texts)
    if quick is not None and not texts.exceed(FAST_FORKED if forking else FAST_STARTED):
        return None
    if quick is None and forking:
        encoding()  # once, for all copies
    gathering = Gathering()
    told = [] if quick is None else ["fast"]
    with closing(spread(texts.texts, wanted, partial(small_tally, quick), told)) as tallies:
        for tally in tallies:
            gathering.add(tally)
    return gathering.done()


def spread(
    texts: Iterable[str], wanted: int, work: Callable[[list[str]], Any], told: Sequence[str]
) -> Generator[Any]:
    """Yield what `work` makes of texts, batch by batch in their order; to be closed.

    `wanted` is in how many processes; new Pythons know by `told` what the work is. This process does it where none can
    be started. Raises WorkerError where one dies or fails.
    """
    batched = _batches(texts)
    ahead = list(islice(batched, wanted))
    workers: list[Worker] = []
    try:
        forking = may_fork()
        with suppress(OSError):  # no room for more of them: those that there are do it
            for _ in ahead if forking or may_start() else ():
                workers.append(Fork(workers, work) if forking else Python(*told))
        every = chain(ahead, batched)
        yield from _answers(workers, every) if workers else (work(batch.texts) for batch in every)
    finally:
        dismiss(workers)


class Batch(NamedTuple):
    """The texts from number `first` on that one process is to count."""

    number: int
    first: int
    texts: list[str]


class Batching:
    """Texts put together to batches as they come."""

    def __init__(self) -> None:
        self._number, self._first, self._size = 0, 0, 0
        self._waiting: list[str] = []

    def add(self, texts: Iterable[str]) -> Iterator[Batch]:
        """Yield the batches that are full with these texts."""
        for text in texts:
            self._waiting.append(text)
            self._size += len(text) + OTHER
            if self._size >= BATCH:
                yield self._batch()

    def rest(self) -> Iterator[Batch]:
        """Yield what is left, if anything."""
        if self._waiting:
            yield self._batch()

    def _batch(self) -> Batch:
        batch = Batch(self._number, self._first, self._waiting)
        self._number, self._first = self._number + 1, self._first + len(self._waiting)
        self._size, self._waiting = 0, []
        return batch


def _batches(texts: Iterable[str]) -> Iterator[Batch]:
    batching = Batching()
    yield from batching.add(texts)
    yield from batching.rest()


class Source:
    """The batches of an iterable, for whoever asks next; none any more once it is stopped."""

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._batches, self._lock = iter(batches), Lock()
        self.stopped = False

    def __iter__(self) -> Iterator[Batch]:
        while (batch := self._next()) is not None:
            yield batch

    def _next(self) -> Batch | None:
        with self._lock:
            return None if self.stopped else next(self._batches, None)


def _answers(workers: Sequence[Worker], batched: Iterable[Batch]) -> Iterator[Any]:
    """Yield what these processes make of batches."""
    source = Source(batched)
    found: SimpleQueue[Any] = SimpleQueue()
    threads = [Thread(target=serve, args=(worker, source, found), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield from in_order(found, len(threads))
    finally:
        source.stopped = True
        for worker in workers:
            worker.end()
        for thread in threads:
            thread.join()


def in_order(found: SimpleQueue[Any], running: int) -> Iterator[Any]:
    """Yield answers in the order of their batches until so many threads have no more; raises what one ran into."""
    early: dict[int, Any] = {}
    number = 0
    while running:
        try:
            answer = found.get(timeout=BEAT)
        except Empty:
            continue
        if isinstance(answer, BaseException):
            raise answer
        if answer is None:
            running -= 1
            continue
        early[answer[0]] = answer[1]
        while number in early:
            yield early.pop(number)
            number += 1


def serve(worker: Worker, source: Source, found: SimpleQueue[Any]) -> None:
    """Give a process one batch after the other until there are none, and put down its answers with their numbers.

    None says that there are no more, an exception what went wrong.
    """
    if hasattr(signal, "SIGPIPE"):  # the program lets it end a process, which is not meant for this pipe
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    try:
        for batch in source:
            found.put((batch.number, asked(worker, batch.texts, batch.first)))
        found.put(None)
    except BaseException as error:
        found.put(error)
