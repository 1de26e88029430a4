"""What the choices lens costs: a matrix of 100 nodes × 300 pairs × 29 envelopes × 2 orders, warm and cold.

    python bench/choices.py [--nodes 100] [--pairs 300] [--keep FILE] [--calibrate]

With --calibrate instead: how often the test of two nodes says p < .05 and p < .01 where one responder gave both.
Warm: the results are in memory. Cold: a new process reads the file, too. CPU is of the whole process, user and system.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

COLD = """
import sys, time
import stylekl
from stylekl.lenses import choices
start = time.process_time()
results = stylekl.load(sys.argv[1])
read = time.process_time() - start
found = choices.matrix(results)
first = time.process_time() - start - read
start = time.process_time()
choices.matrix(results)
warm = time.process_time() - start
print(len(found.pairs), f"{read:.2f} {first:.2f} {warm:.2f} {time.process_time():.2f}")
"""


def write(path: Path, nodes: int, pairs: int, envelopes: int = 29, seed: int = 0) -> int:
    """Write a results file of random choices, as the probe records them; return how many rows it has."""
    chance = random.Random(seed)
    usage = {"input": 18, "output": 2, "reasoning": None, "cached": None, "total": 20}
    rows = []
    for node in range(nodes):
        taste = [chance.random() for _ in range(pairs)]
        for pair in range(pairs):
            for envelope in range(envelopes):
                for order in ("ab", "ba"):
                    pick = "a" if chance.random() < taste[pair] else "b" if chance.random() < 0.9 else None
                    text = f"{pick} word {pair}" if pick else "Neither."
                    row = {
                        "model": f"m{node}",
                        "pair": f"p{pair}",
                        "envelope": f"e{envelope}",
                        "order": order,
                    }
                    rows.append(
                        row
                        | {"text": text, "sample": 1, "pick": pick, "reason": None if pick else "refused"}
                        | {"usage": usage}
                    )
    data = {
        "format": "stylekl/1",
        "models": [{"id": f"m{node}"} for node in range(nodes)],
        "prompts": [],
        "replies": [],
        "pairs": [{"id": f"p{i}", "words": {"en": [f"a word {i}", f"b word {i}"]}} for i in range(pairs)],
        "envelopes": [
            {"id": f"e{i}", "template": f"{i}: {{a}} or {{b}}", "family": "x"} for i in range(envelopes)
        ],
        "choices": rows,
    }
    path.write_bytes(msgspec.json.encode(data))
    return len(rows)


def calibrate(seed: int = 1) -> None:
    """Print the false alarms of the exchange test, for pairs × envelopes and how the responder wavers."""
    import numpy as np

    from stylekl.measure.choices import consistent_p

    chance = np.random.default_rng(seed)
    for pairs, envelopes, wavers in (
        *((6, 10, None), (6, 29, None), (40, 27, None), (300, 29, None)),
        *((40, 27, 0.05), (40, 27, 0.02), (300, 27, 0.03)),
    ):
        p = []
        for _ in range(20 if pairs < 100 else 4):
            shape = (500, pairs, envelopes)
            taste = chance.random((pairs, 1)) if wavers is None else np.rint(chance.random((pairs, 1)))

            def drawn(taste=taste, wavers=wavers, shape=shape):
                said = np.where(chance.random(shape) < taste, 1, -1)
                return said if wavers is None else np.where(chance.random(shape) < wavers, 0, said)

            p.append(consistent_p((drawn() - drawn()).astype(np.int8)))
        found = np.concatenate(p)
        how = "by taste" if wavers is None else f"refuses {wavers:.0%}"
        print(
            f"{pairs} pairs, {envelopes} envelopes, {how}: {np.mean(found < 0.05):.1%} below .05, "
            f"{np.mean(found < 0.01):.1%} below .01, of {len(found):,}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--keep", help="where the file goes; by default it is removed")
    parser.add_argument("--calibrate", action="store_true")
    given = parser.parse_args()
    if given.calibrate:
        calibrate()
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(given.keep or Path(folder) / "choices.json")
        rows = write(path, given.nodes, given.pairs)
        print(f"{rows:,} rows, {path.stat().st_size / 1e6:.0f} MB")
        start = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-c", COLD, str(path)],
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        pairs, read, first, warm, _ = done.stdout.split()
        cold = float(read) + float(first)
        print(f"{int(pairs):,} pairs of nodes; reading {read} s CPU, the first matrix {first} s")
        print(
            f"warm: {warm} s CPU (bar 5); cold: {cold:.2f} s CPU (bar 60), {time.monotonic() - start:.0f} s by the "
            f"clock"
        )


if __name__ == "__main__":
    main()
