"""What every family of figures needs: the files, a folder of its own, how often to run, and how stylekl is started."""

from __future__ import annotations

import json
import shutil
import sys
import time
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from bench.speeding.runs import Spent, Unmeasured, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TIKTOKEN = {"STYLEKL_TOKENIZER": "tiktoken"}


@dataclass(frozen=True)
class Context:
    """The files to measure on (arrays of `instruction`, `output`, `generator`), and how.

    `floor` is a script that is called as `FLOOR VOCABULARY FILE...`, parses, tokenizes and counts, and prints a JSON
    line; `fast` says whether gigatoken is installed; `peers` are the interpreters to look for peers in.
    """

    files: tuple[Path, ...]
    folder: Path
    floor: Path | None
    runs: int
    peer_runs: int
    quick: bool
    fast: bool
    peers: tuple[str, ...]
    say: Callable[[str], None]

    def stylekl(
        self,
        *arguments: str | Path,
        cache: Path | None = None,
        env: Mapping[str, str] | None = None,
        watch: bool = False,
    ) -> Spent:
        """Run a stylekl command with its counts kept in `cache`, an empty folder unless given."""
        own = cache or self.fresh("cache")
        spent = run(
            [*command(), *map(str, arguments)],
            folder=self.folder,
            env={"STYLEKL_CACHE_DIR": str(own), **(env or {})},
            watch=watch,
        )
        if cache is None:
            shutil.rmtree(own, ignore_errors=True)
        asked = [given for given in map(str, arguments) if "/" not in given]
        how = " ".join([*asked, *(env or {}).values()])
        self.say(f"  {how}: {spent.cpu:.2f} s CPU, {spent.wall:.2f} s wall")
        return spent

    def bare(self, paths: Sequence[Path]) -> Spent:
        """Run the floor on these files; raises Unmeasured where there is no floor."""
        if self.floor is None:
            raise Unmeasured("no floor: name the script with --floor")
        vocabulary = files("stylekl") / "facets" / "vocabulary" / "o200k_base.tiktoken.gz"
        spent = run([sys.executable, str(self.floor), str(vocabulary), *map(str, paths)], folder=self.folder)
        self.say(f"  floor: {spent.cpu:.2f} s CPU, {spent.wall:.2f} s wall")
        return spent

    def fresh(self, name: str) -> Path:
        """Return a new empty folder."""
        place = self.folder / f"{name}-{time.monotonic_ns()}"
        place.mkdir()
        return place

    def models(self, paths: Sequence[Path], cache: Path) -> list[str]:
        """Return the ids of the models in the files, by `matrix --json`, which fills `cache`."""
        output = self.stylekl("matrix", "--json", *paths, cache=cache).output
        return [model["id"] for model in json.loads(output)["data"]["models"]]


def command() -> list[str]:
    """Return how stylekl is started: the entry point beside this interpreter, else the module."""
    script = Path(sys.executable).parent / "stylekl"
    return [str(script)] if script.exists() else [sys.executable, "-m", "stylekl"]
