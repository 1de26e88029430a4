"""What the main job costs, as ratios in one run: a matrix of real files against the bare floor, and start-up.

    python bench/cost.py FLOOR FILE... [--runs 5]

FLOOR is a script that parses, tokenizes and counts the same FILEs and nothing else, called as
`python FLOOR VOCABULARY FILE...` and printing one JSON line with `cpu_s`. CPU is of the whole process, user and
system; floor and matrix take turns, and the medians are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from importlib.resources import files

VOCABULARY = str(files("stylekl") / "facets" / "vocabulary" / "o200k_base.tiktoken.gz")


def run(*command: str) -> tuple[float, int, str]:
    """Run a command; return its CPU seconds, its peak memory in MiB and its output."""
    reading, writing = os.pipe()
    child = subprocess.Popen(command, stdout=writing)
    os.close(writing)
    with os.fdopen(reading) as file:
        output = file.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"error: {' '.join(command[:4])} … ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024, output


def start_up(runs: int) -> None:
    """Print the CPU of `--help` and `--version` over that of a bare interpreter."""

    def least(*arguments: str) -> float:
        return min(run(sys.executable, *arguments)[0] for _ in range(max(runs, 5))) * 1000

    bare = least("-c", "pass")
    for option in ("--help", "--version"):
        print(
            f"stylekl {option}: {least('-m', 'stylekl', option) - bare:.0f} ms over bare Python ({bare:.0f} ms)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("floor")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    start_up(options.runs)
    floors, ours, peaks = [], [], []
    for _ in range(options.runs):
        floors.append(json.loads(run(sys.executable, options.floor, VOCABULARY, *options.files)[2])["cpu_s"])
        cpu, peak, _ = run(sys.executable, "-m", "stylekl", "matrix", "--json", *options.files)
        ours.append(cpu)
        peaks.append(peak)
    ratios = [mine / floor for mine, floor in zip(ours, floors, strict=True)]
    print(f"floor {statistics.median(floors):.2f} s, matrix {statistics.median(ours):.2f} s CPU")
    print(
        f"ratio {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f} in {options.runs} runs)"
    )
    print(f"peak memory {max(peaks)} MiB")


if __name__ == "__main__":
    main()
