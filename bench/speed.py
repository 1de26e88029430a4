"""The table of how fast stylekl is, every figure beside another of the same run: a floor, peers, itself before.

    python bench/speed.py [FILE...] [--only cold,warm,growth,peers,dask] [--quick] [--json | --markdown | --into PAGE]

FILEs are AlpacaEval outputs, plain or gzipped (by default the real ones beside the checkout). --floor is a script that
is called as `FLOOR VOCABULARY FILE...`, parses, tokenizes and counts, and nothing else. What is compared takes turns,
each in a fresh process with an empty cache in a temporary folder; the best of --runs counts (--peer-runs for the peers,
some of which take minutes). scattertext wants older versions of scipy than stylekl is tested with, so it is looked for
in an environment of its own too:

    python -m venv PEERS && PEERS/bin/pip install -r bench/peers.txt
    python bench/speed.py --peers PEERS/bin/python

What is absent is left out, and its row says so. --quick runs everything once, on fewer files where that takes long.
Below 8 million characters of replies neither several processes nor gigatoken are used: give more.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.speeding import cold, engine, growth, peers, rows, warm  # noqa: E402
from bench.speeding.context import Context  # noqa: E402
from bench.speeding.machine import BUSY, after, machine  # noqa: E402
from bench.speeding.runs import Unmeasured  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED = ROOT.parent / "shared"
FAMILIES = {"cold": cold, "warm": warm, "growth": growth, "peers": peers, "dask": engine}


def main() -> int:
    """Measure what the command line asks for and print it; 2 where there is nothing to measure on."""
    given = _arguments()
    if given.again:
        show(given, [rows.Row.again(row) for row in given.again["rows"]], given.again["machine"])
        return 0
    files = tuple(path.resolve() for path in given.files) or tuple(
        sorted((SHARED / "data" / "alpaca_eval").glob("*.json.gz"))
    )
    if len(files) < 4:
        print(
            "error: four files or more are needed\nhint: name AlpacaEval outputs, one a model",
            file=sys.stderr,
        )
        return 2
    signal.signal(
        signal.SIGTERM, signal.default_int_handler
    )  # either way: what is measured so far is printed
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has its background jobs ignore it
    about = machine(given.peers, quick=given.quick)
    if about["disturbed"]:
        print(f"warning: the load average is {about['load']:.2f}, above {BUSY}", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        context = Context(
            files,
            Path(folder),
            given.floor.resolve() if given.floor.is_file() else None,
            1 if given.quick else given.runs,
            1 if given.quick else given.peer_runs,
            given.quick,
            find_spec("gigatoken") is not None,
            tuple(filter(None, (sys.executable, given.peers))),
            lambda line: None if given.silent else print(line, file=sys.stderr, flush=True),
        )
        found = list(measure(context, given.only))
    show(given, found, after(about))
    return 0


def show(given: argparse.Namespace, found: list[rows.Row], about: dict[str, Any]) -> None:
    """Print the rows in the form that was asked for."""
    if given.json:
        print(json.dumps({"machine": about, "rows": [row.json() for row in found]}, indent=1))
    elif given.markdown:
        print(rows.markdown(found, about), end="")
    elif given.into:
        page = given.into.read_text(encoding="utf-8")
        given.into.write_text(rows.inserted(page, rows.markdown(found, about)), encoding="utf-8")
    else:
        rows.terminal(found, about)


def measure(context: Context, families: list[str]) -> Iterator[rows.Row]:
    """Yield the rows of each family; what is measured so far is all there is after Ctrl-C."""
    for name in families:
        context.say(f"{name}:")
        try:
            yield from FAMILIES[name].rows(context)
        except Unmeasured as why:
            yield rows.Row(FAMILIES[name].FAMILY, name, "", note=f"failed: {why}")
        except KeyboardInterrupt:
            print("warning: interrupted; the rest was not measured", file=sys.stderr)
            return


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--floor", type=Path, default=SHARED / "bench" / "floor.py")
    parser.add_argument(
        "--only", type=_families, default=list(FAMILIES), help="families, separated by commas"
    )
    parser.add_argument("--quick", action="store_true", help="once, and on fewer files where that takes long")
    parser.add_argument("--runs", type=_positive, default=5)
    parser.add_argument("--peer-runs", type=_positive, default=2)
    parser.add_argument("--peers", metavar="PYTHON", help="an interpreter that has the peers")
    parser.add_argument("--folder", help="where the temporary folder is made (3 GB)")
    parser.add_argument("--silent", action="store_true", help="no line on stderr for each run")
    parser.add_argument(
        "--again",
        type=_earlier,
        metavar="JSON",
        help="measure nothing: print what an earlier run gave with --json",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true")
    form.add_argument("--markdown", action="store_true")
    form.add_argument(
        "--into", type=_page, metavar="PAGE", help="put the Markdown between the two marks of a page"
    )
    return parser.parse_args()


def _families(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in FAMILIES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(FAMILIES)}")
    return names


def _earlier(name: str) -> dict[str, Any]:
    try:
        return json.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise argparse.ArgumentTypeError(str(fault)) from fault


def _page(name: str) -> Path:
    """Return the page if the table has a place there: it is too late to say so after an hour of work."""
    try:
        rows.inserted(Path(name).read_text(encoding="utf-8"), "")
    except (OSError, ValueError) as fault:
        raise argparse.ArgumentTypeError(str(fault)) from fault
    return Path(name)


def _positive(text: str) -> int:
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
