"""Several children at work, each watched: one that takes too long or too much is ended and replaced."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bench.fuzzing.worker import memory

if TYPE_CHECKING:
    from collections.abc import Iterator

_POLL = 0.1  # seconds
_START = 120  # seconds in which a child loads its files
_WAIT = 12  # times the limit, on the clock: other programs use the processors too
# What counts and compares in every way takes longer than what reads, with no fault of the file.
_LONGER = {"pair": 3, "focus": 3, "findings": 3, "tree": 3, "rank": 2, "verdicts": 2}
_RESTING = 500 << 20  # bytes: a child that keeps more is replaced, so that no case is charged for others
_PROGRAM = Path(__file__).resolve().parents[1] / "fuzz.py"


@dataclass(frozen=True)
class Limits:
    """Seconds of processor time, and bytes, that one stage may take."""

    seconds: float
    memory: int

    def of(self, stage: str) -> float:
        """Return the seconds that a stage may take."""
        return self.seconds * _LONGER.get(stage, 1)


@dataclass
class Outcome:
    """What came of a case. `seconds` and `peaks` are by stage; `failure` has kind, where and trace, or is null."""

    case: int
    form: str = "?"
    attack: str = "?"
    reader: str = "none"
    refused: str | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    peaks: dict[str, int] = field(default_factory=dict)
    failure: dict[str, str] | None = None


class Pool:
    """Children that take the cases of one seed in turn."""

    def __init__(self, seed: int, folder: Path | None, jobs: int, limits: Limits) -> None:
        self.limits = limits
        self._command = [sys.executable, str(_PROGRAM), "--worker", "--seed", str(seed)]
        self._command += ["--folder", str(folder or os.devnull)]
        self._jobs = jobs
        self._found: queue.Queue[Outcome | BaseException | None] = queue.Queue()
        self._children: list[_Child] = []
        self._next = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def run(self, seconds: float, cases: int | None) -> Iterator[Outcome]:
        """Yield outcomes as they come, until the time is over or so many cases are begun."""
        end = time.monotonic() + seconds

        def number() -> int | None:
            with self._lock:
                over = time.monotonic() > end or self._stop.is_set()
                if over or (cases is not None and self._next >= cases):
                    return None
                self._next += 1
                return self._next - 1

        threads = [
            threading.Thread(target=self._work, args=(number,), daemon=True) for _ in range(self._jobs)
        ]
        for thread in threads:
            thread.start()
        working = len(threads)
        while working:
            found = self._found.get()
            if found is None:
                working -= 1
            elif isinstance(found, BaseException):
                raise found
            else:
                yield found

    def close(self) -> None:
        """End the children."""
        self._stop.set()
        for child in self._children:
            child.end()

    def _work(self, number: Any) -> None:
        child = None
        try:
            while (case := number()) is not None:
                if child is None:
                    child = _Child(self._command, self.limits)
                    self._children.append(child)
                outcome, usable = child.work(case)
                self._found.put(outcome)
                if not usable:
                    child.end()
                    child = None
        except BaseException as error:
            self._found.put(error)
        self._found.put(None)


class _Child:
    def __init__(self, command: list[str], limits: Limits) -> None:
        self.limits = limits
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the child
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            encoding="utf-8",
        )
        self.said: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._listen, args=(self.process.stdout,), daemon=True).start()
        try:
            ready = self.said.get(timeout=_START)
        except queue.Empty:
            ready = None
        if ready is None:
            self.end()
            raise RuntimeError(f"a child does not start: {self._last_words()}")

    def _listen(self, stream: IO[str]) -> None:
        for line in stream:
            try:
                self.said.put(json.loads(line))
            except ValueError:
                break
        self.said.put(None)

    def work(self, number: int) -> tuple[Outcome, bool]:
        """Return the outcome of a case, and whether the child can take another."""
        found = Outcome(number)
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{number}\n")
            self.process.stdin.flush()
        except OSError:
            pass
        stage, begun, spent = "make", time.monotonic(), self._processor()
        while True:
            try:
                said = self.said.get(timeout=_POLL)
            except queue.Empty:
                why = self._beyond(stage, begun, spent)
                if why is not None and stage != "make":
                    found.failure = {"kind": f"{stage}: {why}", "where": stage, "trace": ""}
                    return found, False
                if why is not None:
                    raise RuntimeError(f"case {number} cannot be made: {why}") from None
                continue
            if said is None:
                self.process.wait(timeout=10)
                code = self.process.returncode
                found.failure = {
                    "kind": f"{stage}: the process died ({code})",
                    "where": stage,
                    "trace": self._last_words(),
                }
                return found, False
            if "stage" in said:
                stage, begun, spent = said["stage"], time.monotonic(), self._processor()
            elif "case" in said:
                found.form, found.attack = said["form"], said["attack"]
            elif "done" in said:
                return self._finished(found, said), said["resting"] < _RESTING

    def _finished(self, found: Outcome, said: dict[str, Any]) -> Outcome:
        found.reader, found.refused, found.failure = said["reader"], said["refused"], said["failure"]
        found.seconds, found.peaks = said["seconds"], said["peaks"]
        for stage, seconds in found.seconds.items():
            if seconds > self.limits.of(stage) and found.failure is None:
                found.failure = {"kind": f"{stage}: {seconds:.1f} s", "where": stage, "trace": ""}
        for stage, peak in found.peaks.items():
            if peak > self.limits.memory and found.failure is None:
                found.failure = {"kind": f"{stage}: {peak >> 20} MiB", "where": stage, "trace": ""}
        return found

    def _beyond(self, stage: str, begun: float, spent: float | None) -> str | None:
        clock, now = time.monotonic() - begun, self._processor()
        limit = self.limits.of(stage)
        if now is not None and spent is not None and now - spent > limit:
            return f"more than {limit:g} s"
        if clock > limit * _WAIT or (now is None and clock > limit):
            return f"more than {clock:.0f} s on the clock"
        if memory("VmRSS", self.process.pid) > self.limits.memory * 3 // 2:
            return f"more than {self.limits.memory * 3 // 2 >> 20} MiB"
        return None

    def _processor(self) -> float | None:
        """Return the seconds of processor time that the child has used, null where the system does not say."""
        try:
            with open(f"/proc/{self.process.pid}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if len(fields) > 12 else None

    def _last_words(self) -> str:
        self.errors.seek(0)
        return self.errors.read()[-4000:].decode("utf-8", "replace")

    def end(self) -> None:
        """End the process, if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
