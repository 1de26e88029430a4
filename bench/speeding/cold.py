"""Cold: `matrix` with nothing kept on the disk, beside the bare floor on the same files.

The floor parses, tokenizes and counts, in one process, with tiktoken. stylekl reads the same files and does all of
that, then pairs, corrects, tests and writes the JSON of the matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.speeding.context import TIKTOKEN, Context
from bench.speeding.rows import Bar, Row, compared
from bench.speeding.runs import Spent, Unmeasured, best

if TYPE_CHECKING:
    from collections.abc import Iterator

FAMILY = "Cold, against the bare floor"
SLOP_FORENSICS = 5.5  # CPU seconds a model, as stated for it: 5 to 6


def rows(context: Context) -> Iterator[Row]:
    """Yield the rows; they say so where there is no floor."""
    floors: list[Spent] = []
    one: list[Spent] = []
    two: list[Spent] = []
    fast: list[Spent] = []
    missing = "" if context.fast else "gigatoken is not installed"
    for _ in range(context.runs):
        try:
            floors.append(context.bare(context.files))
        except Unmeasured as why:
            missing = str(why)
        one.append(matrix(context, "--jobs", "1", env=TIKTOKEN))
        two.append(matrix(context, env=TIKTOKEN))
        if context.fast:
            fast.append(matrix(context))

    def row(what: str, ours: list[Spent], figure: str, value: float | None = None) -> Row:
        against = "floor, " + {"cpu": "CPU", "wall": "wall", "largest": "peak memory"}[figure]
        note = missing if not floors or not ours else ""
        bar = None if value is None else Bar(value)
        return compared(FAMILY, f"matrix, {what}", against, ours, floors, figure, bar=bar, note=note)

    yield row("tiktoken, one process: CPU", one, "cpu", 1.15)
    yield row("tiktoken, a process a core: wall", two, "wall", 0.65)
    yield row("gigatoken: CPU", fast, "cpu", 0.40)
    yield row("gigatoken: wall", fast, "wall")
    yield row("tiktoken, one process: peak memory", one, "largest")
    yield Row(
        FAMILY,
        "matrix, tiktoken, one process: CPU a model",
        "slop-forensics, CPU a model",
        best(one, "cpu") / len(context.files),
        SLOP_FORENSICS,
        runs=len(one),
        faster=True,
        note="theirs was not run here: 5 to 6 s are what is stated of it",
    )
    outputs = {spent.output for spent in (*one, *two, *fast)}
    yield Row(
        FAMILY,
        "different outputs of all these runs",
        "no difference",
        len(outputs),
        1,
        "",
        Bar(1, ours=True),
        len((*one, *two, *fast)),
    )


def matrix(context: Context, *options: str, env: dict[str, str] | None = None) -> Spent:
    """Run `matrix --json` on the files with an empty cache."""
    return context.stylekl("matrix", "--json", *options, *context.files, env=env)
