"""A child process that works on cases one after the other, and says on a pipe what it is at."""

from __future__ import annotations

import faulthandler
import functools
import gc
import json
import os
import sys
import tempfile
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

GUARD = 6 << 30  # bytes of addresses: the machine of whoever runs this has other things to do


def serve(seed: int, folder: Path | None, orders: IO[str], answers: IO[str]) -> None:
    """Work on the cases whose numbers come in as lines, until there are no more."""
    from bench.fuzzing.cases import case
    from bench.fuzzing.corpus import corpus

    from stylekl.results import readers

    faulthandler.enable()
    gc.set_threshold(100_000, 20, 100)  # as the program does
    _guarded()
    seeds, names = corpus(folder), [reader.name for reader in readers.READERS]
    _warm()

    def say(**what: Any) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    say(ready=True)
    for order in orders:
        number = int(order)
        made = case(seeds, seed, number, names)
        say(case=number, form=made.form, attack=made.attack)
        say(**attempt(made, lambda stage: say(stage=stage)), done=number)


def attempt(made: Any, say: Any) -> dict[str, Any]:
    """Work on one case; return which reader took it, whether it was refused, time by stage, peak memory and failure."""
    from bench.fuzzing.trial import Trial, fault, strict

    failure = None
    clock = _Clock(say)
    trial = Trial(clock.begin)
    with tempfile.TemporaryDirectory(prefix="fuzz-", ignore_cleanup_errors=True) as place:
        given = made.write(Path(place))
        try:
            with strict() as lost:
                trial.run(Path(place), given, made.reading, made.after)
                gc.collect()
            if lost:
                failure = {"kind": lost[0], "where": "", "trace": "\n".join(lost)}
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a panic of an extension is no Exception
            failure = fault(error)
            failure["kind"] = failure["kind"].replace(place, "FOLDER")
            failure["trace"] = failure["trace"].replace(place, "FOLDER")
    clock.end()
    refused = None if trial.refused is None else trial.refused.replace(place, "")[:300]
    _forget()
    return {
        "reader": trial.reader,
        "refused": refused,
        "seconds": clock.seconds,
        "peaks": clock.peaks,
        "failure": failure,
        "resting": memory("VmRSS"),
    }


class _Clock:
    """Measures the processor time and the peak memory of each stage."""

    def __init__(self, say: Any) -> None:
        self.say = say
        self.stage: str | None = None
        self.seconds: dict[str, float] = {}
        self.peaks: dict[str, int] = {}

    def begin(self, stage: str) -> None:
        self.end()
        self.stage = stage
        _reset_peak()
        self.say(stage)
        self.start = time.process_time()

    def end(self) -> None:
        if self.stage is not None:
            spent = time.process_time() - self.start
            self.seconds[self.stage] = max(self.seconds.get(self.stage, 0.0), round(spent, 3))
            self.peaks[self.stage] = max(self.peaks.get(self.stage, 0), memory("VmHWM"))
            self.stage = None


def memory(what: str, process: int | str = "self") -> int:
    """Return VmRSS (now) or VmHWM (the most) of a process in bytes; the most so far where there is no /proc."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith(what + ":"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    if process != "self":
        return 0
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _reset_peak() -> None:
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        pass


def _guarded() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (GUARD, GUARD))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        pass


def _warm() -> None:
    """Load what the first case would be charged for."""
    for name in (
        "scipy.cluster.hierarchy",
        "scipy.sparse",
        "stylekl.cli.main",
        "pyarrow.parquet",
        "zstandard",
    ):
        with suppress(ImportError):
            import_module(name)


def _forget() -> None:
    """Empty what the readers keep for the next file, so that it is charged to nobody."""
    for name, module in list(sys.modules.items()):
        if name.startswith("stylekl.results"):
            for value in list(vars(module).values()):
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()
    gc.collect()
    try:
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError, TypeError):
        pass


def alone(folder: Path) -> None:
    """Keep the settings, the cache and the colours of whoever runs this out of it."""
    for name in [each for each in os.environ if each.startswith("STYLEKL_")]:
        del os.environ[name]
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        os.environ[name] = str(folder)
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        os.environ.pop(name, None)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.chdir(folder)
