"""How many cores this process may use, and work spread over them by threads, in order.

Threads are for the array kernels, which leave the interpreter while they compute; what is bound to it goes to processes
(`pool`).
"""

from __future__ import annotations

import math
import os
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MOST = 8  # processes or threads, unless more are asked for
Item = TypeVar("Item")
Found = TypeVar("Found")


def cores() -> int:
    """Return how many cores this process may use: those it may run on, or as many as its control group pays for."""
    try:
        allowed = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no such thing
        allowed = os.cpu_count() or 1
    return max(1, min(allowed, _quota(Path("/sys/fs/cgroup")) or allowed))


def _quota(root: Path) -> int | None:
    """Return how many cores' time a control group may take, rounded up; None where there is no limit."""
    for name in ("cpu.max", "cpu/cpu.cfs_quota_us"):
        try:
            said = (root / name).read_text().split()
            period = said[1] if len(said) > 1 else (root / "cpu/cpu.cfs_period_us").read_text()
            if (quota := float(said[0])) > 0:
                return math.ceil(quota / float(period))
        except (OSError, ValueError, IndexError, ZeroDivisionError, OverflowError):
            continue
    return None


def wanted(jobs: int | None) -> int:
    """Return how many at once `jobs` asks for: null for one on each core, 8 at most."""
    return min(cores(), MOST) if jobs is None else max(1, jobs)


def in_order(work: Callable[[Item], Found], items: Iterable[Item], threads: int) -> Iterator[Found]:
    """Yield `work` of each item in order, done in so many threads; what an item raises is raised in its place.

    Few are done ahead of the one that is asked for, so that their results need little memory.
    """
    if threads <= 1:
        yield from map(work, items)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Found]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for each in waiting:
                each.cancel()
