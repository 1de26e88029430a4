"""Runs a command in a fresh process and says what it cost: seconds of CPU and on the clock, and peak memory.

Whoever measures stays small and imports nothing heavy: on Linux the peak that a process is charged with begins at the
size of the one that started it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
_PAUSE = 0.02  # seconds between two looks at the memory of all processes


class Unmeasured(Exception):
    """What was to be run is absent, or failed; the message says what."""


@dataclass(frozen=True)
class Spent:
    """What one run cost.

    `cpu` is user and system time of the process and of all descendants that were waited for. `largest` is the peak of
    the largest of these processes, in MiB; `together` that of all at once, memory that they share counted once, or
    None where it was not looked at.
    """

    cpu: float
    wall: float
    largest: float
    together: float | None
    output: str


def run(
    command: Sequence[str], *, folder: Path, env: Mapping[str, str] | None = None, watch: bool = False
) -> Spent:
    """Run a command in `folder`, where it finds its settings and caches too; return what it cost.

    `watch` looks at the memory of all processes, every 20 ms, which costs some CPU beside the run. Raises Unmeasured
    where the command cannot be started or does not end with 0.
    """
    with tempfile.TemporaryFile(dir=folder) as out, tempfile.TemporaryFile(dir=folder) as err:
        start = time.perf_counter()
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=folder,
                env=surroundings(folder, env),
            )
        except OSError as fault:
            raise Unmeasured(f"{command[0]}: {fault.strerror}") from fault
        seen = _Watch(child.pid) if watch else None
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            child.wait()
            raise
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        together = seen.stop() if seen else None
        if child.returncode:
            raise Unmeasured(f"{_short(command)} ended with {child.returncode}: {_last(err)}")
        out.seek(0)
        output = out.read().decode()
    largest = usage.ru_maxrss / (
        1 << 20 if sys.platform == "darwin" else 1 << 10
    )  # bytes there, KiB elsewhere
    return Spent(usage.ru_utime + usage.ru_stime, wall, largest, together, output)


def surroundings(folder: Path, env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return our environment and `env`, without what sets stylekl or BLAS, and with its folders in `folder`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("STYLEKL_", "OPENBLAS_", "OMP_", "MKL_"))
    }
    own = {
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONPATH": str(ROOT),
    }
    return kept | own | dict(env or {})


def best(spent: Iterable[Spent], what: str) -> float:
    """Return the least of one figure over the runs: noise only adds."""
    return min(getattr(each, what) for each in spent)


def _short(command: Sequence[str]) -> str:
    return " ".join([Path(command[0]).name, *command[1:4]])


def _last(file) -> str:
    """Return the error that a run wrote to stderr: the line that says so, else the last one."""
    file.seek(0)
    lines = [line.strip() for line in file.read().decode(errors="replace").split("\n") if line.strip()]
    said = [line for line in lines if line.startswith("error:")] or lines[-1:]
    return said[0][:200] if said else "no message"


class _Watch:
    """Keeps the greatest sum of the memory of a process and all its descendants, shared pages divided among them."""

    def __init__(self, pid: int) -> None:
        self.pid, self.peak = pid, 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def stop(self) -> float | None:
        """Return the peak in MiB; None where the system does not say."""
        self.over.set()
        self.thread.join()
        return self.peak / 1024 or None

    def _look(self) -> None:
        while not self.over.wait(_PAUSE):
            self.peak = max(self.peak, sum(_proportional(pid) for pid in _family(self.pid)))


def _family(pid: int) -> list[int]:
    """Return a process and its descendants, as far as they are still there."""
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        for task in Path(f"/proc/{found[-1]}/task").glob("*/children"):
            try:
                waiting += map(int, task.read_text().split())
            except OSError:
                continue
    return found


def _proportional(pid: int) -> int:
    """Return the proportional set size of a process in KiB, 0 where it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().split("\n")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
