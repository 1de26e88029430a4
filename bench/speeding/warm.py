"""Warm: what the next question costs, when the counts of an earlier one are on the disk.

The very same command again, and questions that nobody asked before of files that another command has read. What they
stand beside is the floor, which counts the same replies each time.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from bench.speeding.made import write
from bench.speeding.rows import Bar, Row, compared
from bench.speeding.runs import Spent, Unmeasured, best

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.speeding.context import Context

FAMILY = "Warm"
SMALL = 5_000_000  # bytes of the small results file
_FEW = 8  # models in it

Asked = tuple[str, tuple[str, ...]]  # what a row says, and the command


def rows(context: Context) -> Iterator[Row]:
    """Yield the rows of all files and of a results file of 5 MB."""
    yield from _all(context)
    yield from _small(context)


def _all(context: Context) -> Iterator[Row]:
    """Yield the rows of all files."""
    spent, floors = _asked(context, context.files, context.files, matrices=True)
    yield from _rows(spent, floors, 1.0, f"{len(context.files)} models")


def _small(context: Context) -> Iterator[Row]:
    """Yield the rows of a results file of 5 MB, in stylekl's own form, made of replies to the first prompts."""
    step = max(1, len(context.files) // _FEW)
    arrays = write(context.fresh("small"), "small", SMALL, list(context.files[::step][:_FEW]))
    results = context.folder / "small.json"
    context.stylekl("convert", *arrays, "-o", results)
    where = f"{len(arrays)} models, {results.stat().st_size / 1e6:.1f} MB"
    spent, floors = _asked(context, [results], arrays, matrices=False)
    yield from _rows(spent, floors, 0.5, where)


def _asked(
    context: Context, paths: Sequence[Path], arrays: Sequence[Path], *, matrices: bool
) -> tuple[dict[str, list[Spent]], list[Spent] | str]:
    """Ask all chains of questions of `paths`, each beginning with what `matrix` alone left on the disk.

    Return the runs of each question, and those of the floor on `arrays`, or why there are none.
    """
    kept = context.fresh("kept")
    models = context.models(paths, kept)
    spent: dict[str, list[Spent]] = {}
    floors: list[Spent] = []
    missing = ""
    for _ in range(context.runs):
        try:
            floors.append(context.bare(arrays))
        except Unmeasured as why:
            missing = str(why)
        for chain in chains(models)[not matrices :]:
            cache = context.fresh("warm")
            shutil.copytree(kept, cache, dirs_exist_ok=True)
            for what, command in chain:
                spent.setdefault(what, []).append(context.stylekl(*command, *paths, cache=cache))
            shutil.rmtree(cache)
    return spent, missing or floors


def chains(models: Sequence[str]) -> list[list[Asked]]:
    """Return three chains of questions to be asked in turn: of `matrix`, of `pair` and of `focus`."""
    a, b, c, d = (models[len(models) * place // 4] for place in range(4))
    return [
        [
            ("matrix, the same again", ("matrix", "--json")),
            ("matrix, another threshold", ("matrix", "--json", "--threshold", "0.03")),
        ],
        [
            ("pair, the first after a matrix", ("pair", "--json", a, b)),
            ("pair, the same again", ("pair", "--json", a, b)),
            ("pair, another one", ("pair", "--json", c, d)),
        ],
        [
            ("focus, the first after a matrix", ("focus", "--json", a)),
            ("focus, the same again", ("focus", "--json", a)),
            ("focus, another one", ("focus", "--json", c)),
        ],
    ]


def _rows(spent: dict[str, list[Spent]], floors: list[Spent] | str, bar: float, where: str) -> Iterator[Row]:
    """Yield a row for each question, beside the floor."""
    why = floors if isinstance(floors, str) else ""
    for question, each in spent.items():
        what = f"{question}; {where}"
        held = Bar(bar, ours=True)
        if why:
            yield Row(FAMILY, what, "floor, wall", best(each, "wall"), bar=held, runs=len(each), note=why)
        else:
            yield compared(FAMILY, what, "floor, wall", each, floors, "wall", bar=held)
