"""Tokens counted on several cores: texts are handed out in batches to processes that count, and counts come back.

Only tokens are: they have the same numbers in every process. Each process has one batch at a time and one thread here
waits for it, so what is in flight stays small however many texts there are, and what a process that died had is known.
Counts are put together in the order of the texts: they are those of one process, to the last bit.

On Linux a process is a fork of this one where nothing else runs in it, which costs milliseconds. Elsewhere, and beside
other threads, it is a new Python that imports this module; not by `multiprocessing`, which would run the user's script
again.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from io import BufferedReader, FileIO
from itertools import chain, islice
from queue import Empty, SimpleQueue
from threading import Lock, Thread, active_count
from time import sleep
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from stylekl.counts import cores
from stylekl.counts.table import Gathering, Tally, tally_of
from stylekl.errors import WorkerError
from stylekl.facets.tokens import Tokens, batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from stylekl.facets.fast import Encode
    from stylekl.facets.texts import Texts

BATCH = 1 << 20  # characters of text that a process gets at a time, each text counting OTHER more
OTHER = 64
# Characters from which on sharing them out pays, for forks and for new Pythons; and where the fast tokenizer is used.
FORKED, STARTED = 8_000_000, 24_000_000
FAST_FORKED, FAST_STARTED = 100_000_000, 400_000_000
ENDING = 20  # milliseconds that ended threads get to be gone
BEAT = 0.5  # seconds after which Windows, which cannot interrupt a wait, looks whether Ctrl-C was pressed


def shared_out(texts: Texts, facet: Tokens, jobs: int | None) -> Tally | None:
    """Return the counts of texts by several processes; None where this one had better count them alone.

    `jobs` is how many processes; None is one for each core, 8 at most. Raises WorkerError where one dies or fails.
    """
    wanted = cores.wanted(jobs)
    forking = _may_fork()
    if wanted < 2 or not (forking or _may_start()) or not texts.exceed(FORKED if forking else STARTED):
        return None
    quick = facet.choose(texts)
    if quick is not None and not texts.exceed(FAST_FORKED if forking else FAST_STARTED):
        return None
    batched = _batches(texts.texts)
    ahead = list(islice(batched, wanted))
    workers: list[_Worker] = []
    try:
        with suppress(OSError):  # no room for more of them: those that there are do it
            for _ in ahead:
                workers.append(_Fork(workers, quick) if forking else _Python(fast=quick is not None))
        return _gathered(workers, chain(ahead, batched)) if workers else None
    finally:
        for worker in workers:
            worker.end()
            for file in worker.files:
                file.close()


def _may_fork() -> bool:
    """Return whether this is Linux, and no other thread could be left holding a lock in a copy of this process."""
    if sys.platform != "linux":
        return False
    try:
        for _ in range(ENDING):
            if len(os.listdir("/proc/self/task")) == 1:
                return True
            if active_count() > 1:
                return False
            sleep(0.001)  # threads that Python has joined are gone in a moment
    except OSError:
        pass
    return False


def _may_start() -> bool:
    """Return whether there is a Python to start: a frozen program would start itself."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


class Batch(NamedTuple):
    """The texts from number `first` on that one process is to count."""

    number: int
    first: int
    texts: list[str]


def _batches(texts: Iterable[str]) -> Iterator[Batch]:
    number, first, size, waiting = 0, 0, 0, list[str]()
    for text in texts:
        waiting.append(text)
        size += len(text) + OTHER
        if size >= BATCH:
            yield Batch(number, first, waiting)
            number, first, size, waiting = number + 1, first + len(waiting), 0, []
    if waiting:
        yield Batch(number, first, waiting)


class _Source:
    """The batches, for whoever asks next; none any more once it is stopped."""

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._batches, self._lock = iter(batches), Lock()
        self.stopped = False

    def __iter__(self) -> Iterator[Batch]:
        while (batch := self._next()) is not None:
            yield batch

    def _next(self) -> Batch | None:
        with self._lock:
            return None if self.stopped else next(self._batches, None)


def _gathered(workers: Sequence[_Worker], batched: Iterable[Batch]) -> Tally:
    """Return the counts of batches by these processes."""
    source = _Source(batched)
    found: SimpleQueue[tuple[int, Tally] | BaseException | None] = SimpleQueue()
    threads = [Thread(target=_serve, args=(worker, source, found), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        return _in_order(found, len(threads))
    finally:
        source.stopped = True
        for worker in workers:
            worker.end()
        for thread in threads:
            thread.join()


def _in_order(found: SimpleQueue[tuple[int, Tally] | BaseException | None], running: int) -> Tally:
    """Put counts together in the order of their batches; raises what a thread ran into."""
    gathering, early = Gathering(), dict[int, Tally]()
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
        while (tally := early.pop(number, None)) is not None:
            gathering.add(tally)
            number += 1
    return gathering.done()


def _serve(
    worker: _Worker, source: _Source, found: SimpleQueue[tuple[int, Tally] | BaseException | None]
) -> None:
    """Give a process one batch after the other until there are none."""
    if hasattr(signal, "SIGPIPE"):  # the program lets it end a process, which is not meant for this pipe
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    try:
        for batch in source:
            found.put((batch.number, _asked(worker, batch)))
        found.put(None)
    except BaseException as error:
        found.put(error)


def _asked(worker: _Worker, batch: Batch) -> Tally:
    """Return the counts of a batch by a process; raises WorkerError where it dies or fails."""
    rows = range(batch.first, batch.first + len(batch.texts))
    try:
        rest = memoryview(pickle.dumps(batch.texts, 5))
        while rest:
            rest = rest[worker.writer.write(rest) :]
        answer: Tally | str = pickle.load(worker.reader)
    except (OSError, EOFError, ValueError, pickle.UnpicklingError):
        raise WorkerError(rows, _ended(worker.end())) from None
    if isinstance(answer, str):
        raise WorkerError(rows, f"failed: {answer}")
    return answer


def _ended(code: int | None) -> str:
    """Return how a process ended, by its exit code; a negative one is a signal."""
    if code is None or code >= 0:
        return "ended" if code is None else f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def count_batches(reader: IO[bytes], writer: IO[bytes], quick: Encode | None) -> None:
    """Read batches of texts and write their counts until there are no more, in the process that counts.

    What goes wrong is written in the place of the counts.
    """
    while True:
        try:
            texts: list[str] = pickle.load(reader)
        except EOFError:
            return
        answer: Tally | str
        try:
            answer = tally_of(batches(texts, quick)).small()
        except BaseException as error:  # a panic in a tokenizer is no Exception
            answer = f"{type(error).__name__}: {error}".rstrip(": ")
        pickle.dump(answer, writer, 5)
        writer.flush()


class _Worker(ABC):
    """A process that counts: what is written to it, what is read from it, and its end.

    What is written is not buffered, or closing the file would write to a process that is gone.
    """

    writer: FileIO
    reader: BufferedReader

    @property
    def files(self) -> tuple[FileIO, BufferedReader]:
        """Our ends of both pipes."""
        return self.writer, self.reader

    @abstractmethod
    def end(self) -> int | None:
        """End the process if it runs, and return its exit code; a negative one is a signal, None is not known."""


class _Fork(_Worker):
    """A copy of this process; nothing that it inherits is touched but the tokenizer."""

    def __init__(self, others: Sequence[_Worker], quick: Encode | None) -> None:
        if quick is None:
            from stylekl.facets.tokens import encoding

            encoding()  # once, for all copies
        theirs, writer = os.pipe()
        reader, ours = os.pipe()
        self._code: int | None = None
        self._lock = Lock()
        self._pid = os.fork()
        if not self._pid:
            code = 1
            try:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                gc.disable()
                for end in (writer, reader, *(file.fileno() for each in others for file in each.files)):
                    os.close(end)
                with open(theirs, "rb") as texts, open(ours, "wb") as counts:
                    count_batches(texts, counts, quick)
                code = 0
            finally:
                os._exit(code)
        os.close(theirs)
        os.close(ours)
        self.writer, self.reader = FileIO(writer, "wb"), BufferedReader(FileIO(reader, "rb"))

    def end(self) -> int | None:
        with self._lock:
            if self._pid:
                with suppress(ProcessLookupError):
                    os.kill(self._pid, signal.SIGKILL)
                with suppress(ChildProcessError):
                    self._code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
                self._pid = 0
        return self._code


class _Python(_Worker):
    """A new Python, in a group of its own so that Ctrl-C ends this process alone, which ends it in turn."""

    def __init__(self, *, fast: bool) -> None:
        import subprocess

        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import main; main()", *(["fast"] if fast else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=os.environ | {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"},
            process_group=0,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # there is one on Windows
        )
        self.writer = cast("FileIO", self._process.stdin)
        self.reader = BufferedReader(cast("FileIO", self._process.stdout))

    def end(self) -> int | None:
        self._process.kill()
        code: int = self._process.wait()
        return code


def main() -> None:
    """Count batches from standard input, as a program of its own."""
    from stylekl.facets.fast import loaded

    writer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints is no answer
    with suppress(OSError):  # whoever asked is gone
        count_batches(sys.stdin.buffer, writer, loaded() if sys.argv[1:] == ["fast"] else None)
    os._exit(0)
