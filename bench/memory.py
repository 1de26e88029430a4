"""What a file larger than memory needs: the peak of `matrix` beside the size of its counts, as the file grows.

    python bench/memory.py [--gigabytes 0.25 0.5 1] [--models 4] [--prompts 805] [--folder FOLDER]

The files are JSON Lines of made-up replies of some 2,000 characters, written to a temporary folder (in FOLDER); four
hundred words in each of the models' own proportions make up a reply. The counts are 6 bytes for each distinct token of
each reply. What a run needs beside them should not grow with the file.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from cost import run

COUNTS = """
import sys
from stylekl.counts import count
from stylekl.facets import facet
from stylekl.lenses.style import StyleOptions
from stylekl.lenses.style.material import gather_material
from stylekl.results import load
held = gather_material(load(sys.argv[1]), StyleOptions(cache=False))
counts = count(held.texts, held.where, facet("tokens"), models=len(held.models), prompts=len(held.prompts))
print(counts.symbols.nbytes + counts.counts.nbytes, len(counts.lengths))
"""


def write(path: Path, size: float, models: int, prompts: int) -> None:
    """Write replies of all models to one prompt after the other until the file has `size` bytes."""
    draw = random.Random(1)
    syllables = ["ka", "lo", "mi", "ren", "tu", "sha", "bel", "or", "fin", "du"]
    words = ["".join(draw.choices(syllables, k=1 + place % 3)) for place in range(4000)]
    weights = [[draw.random() ** 4 for _ in words] for _ in range(models)]
    written = turn = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            for model in range(models):
                text = " ".join(draw.choices(words, weights[model], k=400))
                row = {"model": f"m{model}", "prompt": f"What of {turn % prompts}?", "response": text}
                written += file.write(json.dumps(row) + "\n")
            turn += 1


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[0.25, 0.5, 1.0])
    parser.add_argument("--models", type=int, default=4)
    parser.add_argument("--prompts", type=int, default=805)
    parser.add_argument("--folder")
    wish = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=wish.folder) as folder:
        path = Path(folder) / "replies.jsonl"
        for gigabytes in wish.gigabytes:
            write(path, gigabytes * 1e9, wish.models, wish.prompts)
            counts, replies = map(int, run(sys.executable, "-c", COUNTS, str(path))[2].split())
            cpu, peak, _ = run(sys.executable, "-m", "stylekl", "matrix", str(path), "--no-cache", "-q")
            print(
                f"{gigabytes:5.2f} GB, {replies:9,} replies: peak {peak:5,} MiB, counts {counts >> 20:5,} MiB, "
                f"beside them {peak - (counts >> 20):4,} MiB; {cpu:.0f} s of CPU",
                flush=True,
            )


if __name__ == "__main__":
    main()
