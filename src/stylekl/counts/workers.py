"""Processes that count: forks of this one or new Pythons; they get texts through a pipe and write back what they made.

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
from functools import partial
from io import BufferedReader, FileIO
from threading import Lock, active_count
from time import sleep
from typing import IO, TYPE_CHECKING, Any, cast

from stylekl.counts.table import Tally, tally_of
from stylekl.errors import WorkerError
from stylekl.facets.tokens import batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from stylekl.facets.fast import Encode

ENDING = 20  # milliseconds that ended threads get to be gone


def dismiss(workers: Iterable[Worker]) -> None:
    """End processes and close our ends of their pipes."""
    for worker in workers:
        worker.end()
        for file in worker.files:
            file.close()


def may_fork() -> bool:
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


def forked() -> int:
    """Fork as `os.fork`; the copy ignores Ctrl-C from its first moment on, and collects no garbage."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        pid = os.fork()
        if not pid:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            gc.disable()
        return pid
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def may_start() -> bool:
    """Return whether there is a Python to start: a frozen program would start itself."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def asked(worker: Worker, texts: list[str], first: int) -> Any:
    """Return what a process makes of texts, which have the numbers from `first` on.

    Raises WorkerError where it dies or fails.
    """
    rows = range(first, first + len(texts))
    try:
        rest = memoryview(pickle.dumps(texts, 5))
        while rest:
            rest = rest[worker.writer.write(rest) :]
        answer = pickle.load(worker.reader)
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


def small_tally(quick: Encode | None, texts: list[str]) -> Tally:
    """Return the counts of texts, as small as they are sent."""
    return tally_of(batches(texts, quick)).small()


def count_batches(reader: IO[bytes], writer: IO[bytes], work: Callable[[list[str]], object]) -> None:
    """Read batches of texts and write what `work` makes of them until there are no more, in the process that counts.

    What goes wrong is written in its place, as text.
    """
    while True:
        try:
            texts: list[str] = pickle.load(reader)
        except EOFError:
            return
        try:
            answer = work(texts)
        except BaseException as error:  # a panic in a tokenizer is no Exception
            answer = f"{type(error).__name__}: {error}".rstrip(": ")
        pickle.dump(answer, writer, 5)
        writer.flush()


class Worker(ABC):
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


class Fork(Worker):
    """A copy of this process that does `work` with each batch; nothing that it inherits is touched but what does it."""

    def __init__(self, others: Sequence[Worker], work: Callable[[list[str]], object]) -> None:
        theirs, writer = os.pipe()
        reader, ours = os.pipe()
        self._code: int | None = None
        self._lock = Lock()
        self._pid = forked()
        if not self._pid:
            code = 1
            try:
                for end in (writer, reader, *(file.fileno() for each in others for file in each.files)):
                    os.close(end)
                with open(theirs, "rb") as texts, open(ours, "wb") as counts:
                    count_batches(texts, counts, work)
                code = 0
            finally:
                os._exit(code)
        os.close(theirs)
        os.close(ours)
        self.writer, self.reader = FileIO(writer, "wb"), BufferedReader(FileIO(reader, "rb"))

    def end(self) -> int | None:
        """End the copy if it runs."""
        with self._lock:
            if self._pid:
                with suppress(ProcessLookupError):
                    os.kill(self._pid, signal.SIGKILL)
                with suppress(ChildProcessError):
                    self._code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
                self._pid = 0
        return self._code


class Python(Worker):
    """A new Python, in a group of its own so that Ctrl-C ends this process alone, which ends it in turn."""

    def __init__(self, *told: str) -> None:
        import subprocess

        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import main; main()", *told],
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
        """End the Python if it runs."""
        self._process.kill()
        code: int = self._process.wait()
        return code


def main() -> None:
    """Count batches from standard input, as a program of its own: in the facets that are named, or in tokens."""
    from stylekl.facets.fast import loaded

    writer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints is no answer
    with suppress(OSError):  # whoever asked is gone
        told = sys.argv[1:]
        work: Callable[[list[str]], object] = partial(small_tally, loaded() if told == ["fast"] else None)
        if told not in ([], ["fast"]):
            from stylekl.counts.joint import parts

            work = partial(parts, told)
        count_batches(sys.stdin.buffer, writer, work)
    os._exit(0)
