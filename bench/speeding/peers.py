"""On the clock, side by side with what people use for this: each peer on the same files, in a process of its own.

stylekl runs `matrix --json` with an empty cache and as many processes as it takes by itself; start-up, imports and
reading are in everybody's time. What each peer computes, and what stylekl computes beyond it, stands in the docstring
of its module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.speeding.cold import matrix
from bench.speeding.context import TIKTOKEN, Context
from bench.speeding.machine import versions
from bench.speeding.rows import Bar, Row, compared
from bench.speeding.runs import Spent, Unmeasured, best, run

if TYPE_CHECKING:
    from collections.abc import Iterator

FAMILY = "Wall, side by side with others"
# Module, name, package that it needs, runs at most (the slowest take minutes), bars with tiktoken and with gigatoken.
PEERS = (
    ("peer_tfidf", "TfidfVectorizer, 1-2-grams, and cosines", "scikit-learn", None, (10.0, 25.0)),
    ("peer_counts", "CountVectorizer", "scikit-learn", None, (None, None)),
    ("peer_scattertext", "scattertext's term counting", "scattertext", 1, (None, None)),
    ("peer_counter", "Counter, and KL of all pairs", "numpy", None, (None, None)),
)


def rows(context: Context) -> Iterator[Row]:
    """Yield two rows for each peer, one for each tokenizer; where it is absent they say so."""
    homes = {python: versions(python) for python in context.peers}
    slow: list[Spent] = []
    fast: list[Spent] = []
    theirs: dict[str, list[Spent]] = {module: [] for module, *_ in PEERS}
    absent: dict[str, str] = {}
    for turn in range(context.peer_runs):
        slow.append(matrix(context, env=TIKTOKEN))
        if context.fast:
            fast.append(matrix(context))
        for module, name, package, most, _ in PEERS:
            if module in absent or turn >= (most or context.peer_runs):
                continue
            try:
                theirs[module].append(_peer(context, homes, module, package))
            except Unmeasured as why:
                absent[module] = str(why)
                continue
            context.say(f"  {name}: {theirs[module][-1].wall:.2f} s wall")
    for module, name, _, _, bars in PEERS:
        for tokenizer, ours, bar in (("tiktoken", slow, bars[0]), ("gigatoken", fast, bars[1])):
            note = absent.get(module, "") if ours else "gigatoken is not installed"
            if ours and theirs[module]:
                peaks = [best(spent, "largest") for spent in (ours, theirs[module])]
                note = note or f"peak memory: ours {peaks[0]:.0f} MiB, theirs {peaks[1]:.0f}"
            yield compared(
                FAMILY,
                f"matrix, {tokenizer}",
                name,
                ours,
                theirs[module],
                "wall",
                bar=Bar(bar, least=True) if bar else None,
                faster=True,
                note=note,
            )


def _peer(context: Context, homes: dict[str, dict[str, str]], module: str, package: str) -> Spent:
    """Run a peer with the first interpreter that has its package; raises Unmeasured."""
    python = next((python for python, found in homes.items() if package in found), None)
    if python is None:
        raise Unmeasured(f"{package} is not installed")
    return run(
        [python, "-m", f"bench.speeding.{module}", *map(str, context.files)],
        folder=context.folder,
        env={"PYTHONWARNINGS": "ignore"},
    )
