"""What a collection costs besides the waiting: wall time against the ideal, and memory over many replies.

    python bench/collect.py [--replies 20000]

500 made-up replies of one second each, 50 at once, each counted after its flush to the disk: the ideal is 10 s. Then
many replies without delay, with the peak of the process's memory at each quarter, while collecting and in writing the
results file.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.gather.fake import battery, writer  # noqa: E402

from stylekl.gather.collect import Collector, Options  # noqa: E402
from stylekl.gather.journal import Journal, journal_of, read  # noqa: E402
from stylekl.gather.mock import MockWriter  # noqa: E402
from stylekl.gather.plan import Plan  # noqa: E402
from stylekl.gather.session import Wish, begin, finish  # noqa: E402


def peak() -> float:
    """Return the peak of resident memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def collected(folder: Path, prompts: int, delay: float, concurrency: int) -> tuple[float, list[float]]:
    """Return the seconds that a collection took, and the peak memory at its start and each quarter."""
    plan = Plan(battery(prompts), (writer("http://127.0.0.1:1"),), mock=True)
    output = str(folder / "results.json")
    marks: list[float] = []
    with Journal(journal_of(output)) as journal:
        ledger = begin(plan, journal, Wish("", "", output), "0")

        def progress(_: object) -> None:
            done = collector.tallies["local"].done
            if done >= len(marks) * prompts // 4:
                marks.append(peak())

        sender = MockWriter(delay=delay)
        collector = Collector(plan, journal, ledger, sender, {}, Options(concurrency=concurrency), progress)
        began = time.perf_counter()
        asyncio.run(collector.run())
        took = time.perf_counter() - began
    assert sum("attempt" in row for row in read(journal_of(output))) == prompts
    return took, marks


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replies", type=int, default=20_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for part in ("a", "b"):
            (Path(name) / part).mkdir()
        took, _ = collected(Path(name) / "a", 500, 1.0, 50)
        print(f"500 replies of 1 s, 50 at once: {took:.2f} s, {took / 10:.3f} times the ideal")
        took, marks = collected(Path(name) / "b", given.replies, 0.0, 50)
        print(
            f"{given.replies:,} replies: {took:.1f} s; peak memory {', '.join(f'{m:.0f}' for m in marks)} MB"
        )
        began = time.perf_counter()
        finish(str(Path(name) / "b" / "results.json"))
        print(f"writing the results file: {time.perf_counter() - began:.1f} s, peak memory {peak():.0f} MB")


if __name__ == "__main__":
    main()
