"""Varies results files in hostile ways and reads, checks, saves and compares each; nothing may crash, hang or grow.

    python bench/fuzz.py [--seed N] [--seconds S] [--jobs 2] [--folder DIR] [--keep DIR] [--case K]

Files come from --folder (by default the real ones beside the checkout, if they are there) and a made-up one of every
form. Case K of a seed is the same on every machine that has the same files: --case K works on it alone and shows what
went wrong, --keep DIR writes the files of each failure. An error that stylekl explains passes. Failures: any other
exception, a warning, a panic, a dead process, a stage (reading, checking, saving, one command) of more than --limit
seconds of processor time or more than --memory bytes, results that change when they are saved and read again, and
output that acts on a terminal. Exit code 1 where there was one.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.fuzzing.pool import Limits, Pool  # noqa: E402
from bench.fuzzing.summary import Summary  # noqa: E402

REAL = ROOT.parent / "shared" / "data" / "formats"


def main() -> int:
    """Run the cases that the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60, help="begin no case after this time")
    parser.add_argument("--cases", type=int, help="how many cases at most")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--folder", type=Path, default=REAL, help="real files to vary; none where it is not there"
    )
    parser.add_argument("--keep", type=Path, help="write the files of every failure into this folder")
    parser.add_argument("--case", type=int, help="work on this case alone, here, and show what went wrong")
    parser.add_argument("--limit", type=float, default=10, help="seconds of processor time for one stage")
    parser.add_argument("--memory", type=int, default=1 << 30, help="bytes")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    folder = given.folder.resolve() if given.folder.is_dir() else None
    if given.worker:
        return worker(given.seed, folder)
    if given.case is not None:
        return alone(given.seed, folder, given.case, given.keep)
    limits = Limits(given.limit, given.memory)
    summary = Summary(given.seed, limits)
    pool = Pool(given.seed, folder, given.jobs, limits)
    try:
        for outcome in pool.run(given.seconds, given.cases):
            summary.add(outcome)
            if outcome.failure is not None:
                print(summary.line(outcome), flush=True)
                if given.keep is not None:
                    keep(given.seed, folder, outcome.case, given.keep)
    except KeyboardInterrupt:
        pass
    finally:
        pool.close()
    print(summary.text())
    return 1 if summary.failures else 0


def worker(seed: int, folder: Path | None) -> int:
    """Be a child: cases come in on stdin, outcomes leave on stdout."""
    import os

    from bench.fuzzing.worker import alone as keep_out
    from bench.fuzzing.worker import serve

    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints does not get into the answers
    with tempfile.TemporaryDirectory() as home:
        keep_out(Path(home))
        serve(seed, folder, sys.stdin, answers)
        os.chdir("/")
    return 0


def alone(seed: int, folder: Path | None, number: int, kept: Path | None) -> int:
    """Work on one case in this process; return 1 where it fails."""
    from bench.fuzzing.worker import alone as keep_out
    from bench.fuzzing.worker import attempt

    if kept is not None:
        kept = kept.resolve()
        keep(seed, folder, number, kept)
    made = _case(seed, folder, number)
    print(f"case {number}: {made.form}, {made.attack}, given {', '.join(made.given)}, reading {made.reading}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        keep_out(Path(home))
        found = attempt(made, lambda stage: print(f"  {stage} …", flush=True))
    failure = found.pop("failure")
    print(json.dumps(found, indent=1))
    if failure is not None:
        print(failure["trace"])
    return 1 if failure is not None else 0


def keep(seed: int, folder: Path | None, number: int, kept: Path) -> None:
    """Write the files of a case into a folder of its own."""
    made = _case(seed, folder, number)
    place = kept / f"{seed}-{number}"
    made.write(place)
    about = {"given": made.given, "reading": made.reading, "attack": made.attack}
    (place / "about.json").write_text(json.dumps(about, indent=1) + "\n")


def _case(seed: int, folder: Path | None, number: int):
    from bench.fuzzing.cases import case
    from bench.fuzzing.corpus import corpus

    from stylekl.results import readers

    return case(corpus(folder), seed, number, [reader.name for reader in readers.READERS])


if __name__ == "__main__":
    sys.exit(main())
