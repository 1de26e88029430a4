"""Array work shared out over copies of this process, where threads would wait for each other.

A kernel of small arrays spends as much time in the interpreter as outside of it, which only one thread can be in.
A fork has an interpreter of its own and all that was read; what it found comes back through a pipe. Where this is no
Linux, or other threads run, threads do it: slower, and the same.
"""

from __future__ import annotations

import os
import pickle
import signal
from contextlib import suppress
from io import BufferedReader, FileIO
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from stylekl.counts.cores import in_order
from stylekl.counts.workers import forked, may_fork

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Share = TypeVar("Share")
Found = TypeVar("Found")


class _Copy(NamedTuple):
    """A copy of this process: its id, and where its answer comes."""

    pid: int
    answer: BufferedReader


def shared(work: Callable[[Share], Found], shares: Sequence[Share]) -> list[Found]:
    """Return `work` of each share: this process does the first, a copy of it each other, all at a time.

    What a share raises is raised. A share whose copy died is done again by this process.
    """
    if len(shares) < 2:
        return [work(share) for share in shares]
    if not may_fork():
        return list(in_order(work, shares, len(shares)))
    copies: list[_Copy | None] = []
    try:
        copies += (_copy(work, share) for share in shares[1:])
        own = work(shares[0])
        return [own, *(_answer(copy, work, share) for copy, share in zip(copies, shares[1:], strict=True))]
    finally:
        for copy in copies:
            if copy is not None:
                _end(copy)


def _copy(work: Callable[[Share], Found], share: Share) -> _Copy | None:
    """Start a copy of this process that does a share; None where there is no room for one."""
    try:
        reader, writer = os.pipe()
    except OSError:
        return None
    try:
        pid = forked()
    except OSError:
        os.close(reader)
        os.close(writer)
        return None
    if pid:
        os.close(writer)
        return _Copy(pid, BufferedReader(FileIO(reader)))
    try:
        with open(writer, "wb") as answer:
            pickle.dump(work(share), answer, 5)
    finally:
        os._exit(0)


def _answer(copy: _Copy | None, work: Callable[[Share], Found], share: Share) -> Found:
    if copy is not None:
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            found: Found = pickle.load(copy.answer)
            return found
    return work(share)


def _end(copy: _Copy) -> None:
    copy.answer.close()
    with suppress(ProcessLookupError):
        os.kill(copy.pid, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(copy.pid, 0)
