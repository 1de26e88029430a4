"""Growth: what twice the replies and twice the models cost, and how much memory the largest case takes.

The inputs are made from the given files by `made.py`: every second prompt or all of them, two and four samples of every
reply, and models that are varied copies of real ones. Cost is the CPU of `matrix --json` with an empty cache in one
process, with the tokenizer that is used by itself; memory is that of the run as it comes, with its processes.
"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from bench.speeding.rows import Bar, Row, compared
from bench.speeding.runs import Spent, Unmeasured, best, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.speeding.context import Context

FAMILY = "Growth and memory"
REPLIES, MODELS, FLAT = 2.1, 2.3, 1.1  # the last is our reading of "flat"
LARGEST, QUICK = 227, 16
GIBIBYTE = 1024.0  # in MiB

Kind = tuple[str, int]  # of made.py


def rows(context: Context) -> Iterator[Row]:
    """Yield the rows, each with what it was made of deleted before the next is made."""
    if context.quick:
        context = _fewer(context)
    for what, less, more, bar in steps(quick=context.quick):
        yield _cost(context, what, less, more, bar)
    if context.quick:
        yield Row(FAMILY, f"peak memory of {LARGEST} models", "1 GiB", note="left out of a quick run")
        return
    yield from _memory(context)


def steps(*, quick: bool) -> list[tuple[str, Kind, Kind, float]]:
    """Return what is compared: the name, the lesser and the greater input, and the bar."""
    found: list[tuple[str, Kind, Kind, float]] = [
        ("twice the prompts", ("prompts", 2), ("prompts", 1), REPLIES),
        ("two samples of each reply against one", ("samples", 1), ("samples", 2), REPLIES),
    ]
    if quick:
        return [
            *found,
            (f"{2 * QUICK} models against {QUICK}", ("models", QUICK), ("models", 2 * QUICK), MODELS),
        ]
    return [
        *found,
        ("four samples of each reply against two", ("samples", 2), ("samples", 4), REPLIES),
        *(
            (f"{more} models against {less}", ("models", less), ("models", more), MODELS)
            for less, more in ((28, 56), (56, 113), (113, LARGEST))
        ),
    ]


def _cost(context: Context, what: str, less: Kind, more: Kind, bar: float) -> Row:
    """Return a row about the CPU of two inputs, run in turns."""
    try:
        inputs = [made(context, *kind) for kind in (less, more)]
    except Unmeasured as why:
        return Row(FAMILY, what, "the lesser", bar=Bar(bar), note=str(why))
    spent: tuple[list[Spent], list[Spent]] = ([], [])
    for _ in range(context.runs):
        for each, paths in zip(spent, inputs, strict=True):
            each.append(context.stylekl("matrix", "--json", "--jobs", "1", *paths))
    for paths in inputs:
        shutil.rmtree(paths[0].parent)
    walls = best(spent[1], "wall") / best(spent[0], "wall")
    note = f"{len(inputs[1])} files; wall {walls:.2f} times"
    return compared(FAMILY, what, "the lesser, CPU", spent[1], spent[0], "cpu", bar=Bar(bar), note=note)


def _memory(context: Context) -> Iterator[Row]:
    """Yield the peaks of the largest case, and of twice its replies."""
    paths = made(context, "models", LARGEST)
    once = context.stylekl("matrix", "--json", *paths, watch=True)
    doubled = made(context, "samples", 2, paths)
    shutil.rmtree(paths[0].parent)
    twice = context.stylekl("matrix", "--json", *doubled, watch=True)
    shutil.rmtree(doubled[0].parent)
    for figure, which in (("largest", "the largest process"), ("together", "all processes together")):
        what = f"peak memory of {LARGEST} models, {which}"
        peak = getattr(once, figure)
        bar = Bar(GIBIBYTE, ours=True)
        note = "" if peak else "this system does not say"
        yield Row(FAMILY, what, "1 GiB:", peak, GIBIBYTE, "MiB", bar, 1 if peak else 0, note=note)
        what = f"the same, two samples of each reply, {which}"
        yield compared(FAMILY, what, "one sample", [twice], [once], figure, bar=Bar(FLAT), note=note)


def made(context: Context, kind: str, number: int, paths: list[Path] | None = None) -> list[Path]:
    """Return the files of a kind, written by a process of their own into a new folder; raises Unmeasured."""
    folder = context.fresh(kind)
    sources = map(str, paths or context.files)
    command = [sys.executable, "-m", "bench.speeding.made", kind, str(folder), str(number), *sources]
    run(command, folder=context.folder)
    context.say(f"  made: {kind} {number}")
    return sorted(folder.iterdir())


def _fewer(context: Context) -> Context:
    from dataclasses import replace

    return replace(context, files=context.files[:QUICK])
