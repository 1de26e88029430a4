"""What the main jobs cost, as ratios in one run: start-up, a matrix against the bare floor, a pair in all facets.

    python bench/cost.py FLOOR FILE... [--runs 5]

FLOOR is a script that parses, tokenizes and counts the same FILEs and nothing else, called as
`python FLOOR VOCABULARY FILE...` and printing one JSON line with `cpu_s`. CPU is of the whole process, user and
system; what is compared takes turns, and the medians of the ratios are printed. The pair is that of the first two
models, in all facets and in tokens alone: cold with an empty cache, which includes filling it, and warm from the full
one.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

VOCABULARY = str(files("stylekl") / "facets" / "vocabulary" / "o200k_base.tiktoken.gz")
PAIR = """
import sys
import stylekl
from stylekl.lenses.style import StyleOptions
results = stylekl.load(*sys.argv[2:])
a, b = (model.id for model in results.models[:2])
stylekl.pair(results, a, b, StyleOptions(facets=sys.argv[1] == "all"))
"""


def run(*command: str, cache: str = "") -> tuple[float, int, str]:
    """Run a command with a cache in the folder `cache`; return its CPU seconds, its peak memory in MiB, its output."""
    reading, writing = os.pipe()
    kept = {"STYLEKL_CACHE_DIR": cache} if cache else {"STYLEKL_CACHE_SIZE": "0"}
    child = subprocess.Popen(command, stdout=writing, env=os.environ | kept | {"OPENBLAS_NUM_THREADS": "1"})
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


def against_floor(floor: str, paths: list[str], runs: int) -> None:
    """Print what a matrix costs beside the floor."""
    floors, ours, peaks = [], [], []
    for _ in range(runs):
        floors.append(json.loads(run(sys.executable, floor, VOCABULARY, *paths)[2])["cpu_s"])
        with tempfile.TemporaryDirectory() as cache:
            cpu, peak, _ = run(sys.executable, "-m", "stylekl", "matrix", "--json", *paths, cache=cache)
        ours.append(cpu)
        peaks.append(peak)
    print(f"floor {statistics.median(floors):.2f} s, matrix {statistics.median(ours):.2f} s CPU")
    print(f"ratio {spread(ours, floors)}")
    print(f"peak memory {max(peaks)} MiB")


def all_facets(paths: list[str], runs: int) -> None:
    """Print what a pair in all facets costs beside one in tokens alone, cold and warm."""
    costs: dict[tuple[str, str], list[float]] = {}
    for _ in range(runs):
        for what in ("tokens", "all"):
            with tempfile.TemporaryDirectory() as cache:
                for state in ("cold", "warm"):
                    cpu, peak, _ = run(sys.executable, "-c", PAIR, what, *paths, cache=cache)
                    costs.setdefault((state, what), []).append(cpu)
                    print(f"  {state} {what}: {cpu:.2f} s, {peak} MiB", file=sys.stderr)
                size = sum(path.stat().st_size for path in Path(cache).rglob("*.npz"))
            print(f"  on the disk: {size / 2**20:.0f} MiB", file=sys.stderr)
    for state in ("cold", "warm"):
        tokens, every = costs[state, "tokens"], costs[state, "all"]
        print(
            f"pair, {state}: tokens {statistics.median(tokens):.2f} s, all {statistics.median(every):.2f} s CPU"
        )
        print(f"ratio {spread(every, tokens)}")
    print(f"counts of all facets on the disk {size / 2**20:.0f} MiB")


def spread(these: list[float], those: list[float]) -> str:
    """Return the median of the ratios, and between what they lie."""
    ratios = [one / other for one, other in zip(these, those, strict=True)]
    return f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f} in {len(ratios)} runs)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("floor")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    start_up(options.runs)
    against_floor(options.floor, options.files, options.runs)
    all_facets(options.files, options.runs)


if __name__ == "__main__":
    main()
