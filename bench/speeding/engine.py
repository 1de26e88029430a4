"""Dask: `matrix --engine dask` on two workers beside one, each a process of its own behind a scheduler of ours.

The workers are started before the clock runs; the client, reading the splits and the rest of the command are in it.
Splits of 8 MiB share the work out evenly. tiktoken counts, so that there is work enough to share.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from bench.speeding.context import TIKTOKEN
from bench.speeding.growth import made
from bench.speeding.rows import Bar, Row, compared
from bench.speeding.runs import Spent, Unmeasured, run, surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.speeding.context import Context

FAMILY = "Dask"
BAR = Bar(1.6, least=True)
_PATIENCE = 60  # seconds in which a cluster has to stand
_WAIT = "import sys; from distributed import Client; Client(sys.argv[1]).wait_for_workers(int(sys.argv[2]), timeout=60)"


def rows(context: Context) -> Iterator[Row]:
    """Yield the row, or one that says what is missing."""
    what = "matrix --engine dask, tiktoken, two workers: wall"
    try:
        if "--engine" not in context.stylekl("matrix", "--help").output:
            raise Unmeasured("not built")
        paths = made(context, "lines", 1)
        spent: dict[int, list[Spent]] = {1: [], 2: []}
        for _ in range(context.runs):
            for workers, each in spent.items():
                with cluster(context, workers) as address:
                    options = (
                        "--json",
                        "--no-cache",
                        "--engine",
                        "dask",
                        "--scheduler",
                        address,
                        "--split-size",
                        "8",
                    )
                    each.append(context.stylekl("matrix", *options, *paths, env=TIKTOKEN))
    except Unmeasured as why:
        yield Row(FAMILY, what, "one worker", bar=BAR, note=str(why))
        return
    yield compared(FAMILY, what, "one worker", spent[2], spent[1], "wall", bar=BAR, faster=True)


@contextlib.contextmanager
def cluster(context: Context, workers: int) -> Iterator[str]:
    """Start a scheduler and workers of one thread each; give the address, and end them after. Raises Unmeasured."""
    place = context.fresh("dask")
    known = place / "scheduler.json"
    shared = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(known))
    scheduler = [sys.executable, "-m", "dask", "scheduler", "--port", "0", *shared]
    worker = [sys.executable, "-m", "dask", "worker", "--no-nanny", "--nthreads", "1", *shared]
    started: list[subprocess.Popen[bytes]] = []
    try:
        for command in [scheduler, *[worker] * workers]:
            quiet = subprocess.DEVNULL
            env = surroundings(context.folder, TIKTOKEN)
            started.append(subprocess.Popen(command, stdout=quiet, stderr=quiet, cwd=place, env=env))
            _until(lambda: known.exists() and known.stat().st_size > 0)
        address = json.loads(known.read_text())["address"]
        run([sys.executable, "-c", _WAIT, address, str(workers)], folder=context.folder)
        yield address
    finally:
        for process in reversed(started):
            process.kill()  # asked kindly, one waits for the other now and then; there is nothing to save
            process.wait()


def _until(true) -> None:
    end = time.monotonic() + _PATIENCE
    while not true():
        if time.monotonic() > end:
            raise Unmeasured(f"no scheduler of Dask within {_PATIENCE} s")
        time.sleep(0.05)
