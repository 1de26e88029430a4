"""What is done with a case, and what must hold: reading, checking, saving, reading again, and drawing what is there."""

from __future__ import annotations

import gc
import io
import json
import random
import re
import sys
import traceback
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.fuzzing import hostile, raw

from stylekl.errors import StyleklError
from stylekl.lenses.registry import LENSES, lens
from stylekl.results import Reading, load, readers, save, select
from stylekl.results.check import check
from stylekl.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stylekl.results import Results

_LARGE = 1 << 20  # bytes of given files: what is larger gets fewer questions
_LONGEST = 4000  # characters of a message, its file's path not counted
_AS_GIVEN = 0.25
_NAMES = (
    "MODEL: A name\n",
    "MODEL: {name: A, family: f, color: red, aliases: [b, c]}\n",
    "models:\n  MODEL:\n    name: A\n",
    "MODEL: &a [*a]\n",
    "a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nMODEL: [*b, *b, *b]\n",
    "? [a, b]\n: MODEL\n",
    "MODEL: 2026-01-05\nMODEL: null\n1: 2\n",
    "!!python/object/apply:os.system [echo]\n",
    "MODEL: {aliases: " + "[" * 5000 + "}\n",
    "MODEL: {color: '\x1b[0m', name: \"\\u202e\\0\"}\n",
    "",
    "--- a\n--- b\n",
)
_FACETS = ("tokens", "words", "phrases", "marks", "layout", "rhythm", "openings")
_FORMS = ((), ("--json",), ("--csv",), ("--markdown",))
_STYLED = re.compile(r"\x1b\[[0-9;]*m")


class Broken(Exception):
    """A property that does not hold."""


class Trial:
    """One case at work; `say` is told the stage that begins. Afterwards `report` says what came of it."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.reader = "none"
        self.refused: str | None = None
        self.seen = _Readers(self)

    def run(self, folder: Path, given: list[str], reading: dict[str, Any], after: int) -> None:
        """Do everything with the files `given`; raises what no file may cause."""
        draw = random.Random(after)
        size = sum(path.stat().st_size for each in given for path in _files(Path(each)))
        with self.seen.watched():
            try:
                with self._stage("load"):
                    results = load(*given, reading=Reading(**reading))
                    _sound(results)
            except StyleklError as error:
                self.refused = error.message
                _readable(error, given)
                return
        with self._stage("select"):
            select(results)
            found = [name for name in LENSES if lens(name).has_data(results)]
        with self._stage("check"):
            check(results)
        models = [model.id for model in results.models]
        first = str(folder / f"first.{draw.choice(('json', 'jsonl'))}")
        with self._stage("save"):
            save(results, first)
        size = max(size, Path(first).stat().st_size)  # gzip hides how much there is
        before = results if size < _LARGE else None
        del results
        gc.collect()
        with self._stage("again"):
            again = load(first)
            if before is not None and again != before:
                raise Broken(f"what is saved and read again differs in {_differing(before, again)}")
            save(again, folder / f"second{Path(first).suffix}")
        if Path(first).read_bytes() != (folder / f"second{Path(first).suffix}").read_bytes():
            raise Broken("what is saved, read and saved again differs in its bytes")
        del again, before
        gc.collect()
        if draw.random() < _AS_GIVEN:
            with self._stage("check"):
                _call(_as_given(draw, folder, given, reading, models))
        for command in _commands(draw, found, models, large=size > _LARGE):
            with self._stage(command[0]):
                _call([*command, *(("--results", first) if command[0] in ("pair", "focus") else (first,))])

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        self.say(name)
        yield


class _Readers:
    """Notes which reader reads."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial

    @contextmanager
    def watched(self) -> Iterator[None]:
        known = {reader: reader.read for reader in readers.READERS}

        def noting(name: str, read: Callable[..., Results]) -> Callable[..., Results]:
            def noted(*given: Any) -> Results:
                if self.trial.reader == "none":
                    self.trial.reader = name
                return read(*given)

            return noted

        for reader, read in known.items():
            reader.read = noting(reader.name, read)
        try:
            yield
        finally:
            for reader, read in known.items():
                reader.read = read


def _files(path: Path) -> list[Path]:
    return (
        [each for each in path.rglob("*") if each.is_file()]
        if path.is_dir()
        else [path]
        if path.exists()
        else []
    )


def _sound(results: Results) -> None:
    """Check what every lens takes for granted."""
    models = [model.id for model in results.models]
    prompts = [prompt.id for prompt in results.prompts]
    conditions = {condition.id for condition in results.conditions}
    for what, ids in (("model", models), ("prompt", prompts)):
        if len(set(ids)) < len(ids):
            raise Broken(f"one id of a {what} twice")
    known, asked = set(models), set(prompts)
    for reply in results.replies:
        if reply.model not in known or reply.prompt not in asked:
            raise Broken("a reply of no model or to no prompt of the results")
        if reply.condition is not None and conditions and reply.condition not in conditions:
            raise Broken("a reply under no condition of the results")


def _readable(error: StyleklError, given: list[str]) -> None:
    for text in (error.message, error.hint):
        size = len(text) - sum(len(path) * text.count(path) for path in given)
        if size > _LONGEST:
            raise Broken(f"a message of {size:,} characters: {text[:200]}")
    if not error.message.strip():
        raise Broken("an error without a message")


def _differing(one: Results, other: Results) -> str:
    names = ("models", "prompts", "conditions", "replies", "other", "unknown")
    found = [name for name in names if getattr(one, name) != getattr(other, name)]
    for name in found:
        mine, theirs = getattr(one, name), getattr(other, name)
        if isinstance(mine, dict):
            key = next((key for key in mine if mine[key] != theirs.get(key)), None)
            return f"{name}[{key!r}]: {mine.get(key)!r:.300} became {theirs.get(key)!r:.300}"
        for a, b in zip(mine, theirs, strict=False):
            if a != b:
                return f"{name}: {a!r:.300} became {b!r:.300}"
        return f"{name}: {len(mine)} became {len(theirs)}"
    return "nothing that is listed"


def _as_given(
    draw: random.Random, folder: Path, given: list[str], reading: dict[str, Any], models: list[str]
) -> list[str]:
    """Return the command line that checks the files themselves, with the reading options and a file of names."""
    options = [f"--{name}={reading[name]}" for name in ("format", "turn") if name in reading]
    options += [f"--column={role}={name}" for role, name in reading.get("columns", {}).items()]
    options += [f"--{flag}" for flag in ("skip-bad", "strict") if draw.random() < 0.3]
    if draw.random() < 0.5:
        names = folder / "names.yaml"
        called = json.dumps(draw.choice(models)[:200] if models else "m")
        text = draw.choice(_NAMES).replace("MODEL", called)
        data = text.encode("utf-8", "surrogatepass")
        names.write_bytes(raw.damage(draw, data) if draw.random() < 0.5 else data)
        options += ["--names", str(names)]
    if models and draw.random() < 0.2:
        options.append(f"--rename={draw.choice(models)[:1000]}={hostile.text(draw)[:1000]}")
    return ["check", *options, *draw.choice(_FORMS), "--", *given]


def _commands(draw: random.Random, lenses: list[str], models: list[str], *, large: bool) -> list[list[str]]:
    """Return the command lines to try on a file, without the file."""
    found = [["check", *draw.choice(_FORMS)]]
    if not large or draw.random() < 0.7:
        asked = [*lenses, *(name for name in ("style", "votes") if draw.random() < 0.1)]
        draw.shuffle(asked)
        found += [_question(draw, name, models) for name in asked[: 1 if large else 2]]
        if not large and draw.random() < 0.3:
            found.append(
                draw.choice((["findings"], ["rank"], ["verdicts"], ["tree"], ["tree", "--rank", "kinship"]))
            )
    return [found[0], *([*command, *_drawn(draw, command[0])] for command in found[1:])]


def _drawn(draw: random.Random, command: str) -> list[str]:
    """Return options on how an answer is shown."""
    options = [*draw.choice(_FORMS), *([] if command == "verdicts" else ["--no-cache"])]
    if draw.random() < 0.3:
        options += ["--width", str(draw.choice((20, 33, 80, 200)))]
    if draw.random() < 0.2:
        options += ["--color", "always"]
    return options


def _question(draw: random.Random, name: str, models: list[str]) -> list[str]:
    by = ["--by", name]
    if name == "style":
        by += draw.choice(
            ([], [], ["--plain"], ["--match-length"], ["--keep-thinking"], ["--facet", draw.choice(_FACETS)])
        )
    verb = draw.choice(("matrix", "pair", "focus", "findings", "matrix"))
    one, other = (draw.choice(models), draw.choice(models)) if models else ("m", "n")
    if verb == "pair":
        # a name may begin with a dash, and no argument holds a NUL or half of a pair
        return ["pair", *by, *draw.choice(([], ["--examples"])), f"--models={one}", *_named(one, other)]
    if verb == "focus":
        return ["focus", *by, *draw.choice(([], ["--examples"])), *_named(one)]
    return [verb, *by]


def _named(*names: str) -> list[str]:
    return [name.lstrip("-") or "m" for name in names]


def _call(arguments: list[str]) -> None:
    """Run a command as the program does; raises what is no error of a user's, and Broken for output that acts."""
    import typer

    from stylekl.cli import config
    from stylekl.cli.main import app

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        try:
            app(
                arguments,
                prog_name="stylekl",
                standalone_mode=False,
                default_map=config.default_map(arguments),
            )
        except StyleklError as error:
            _readable(error, [arguments[-1]])
        except typer.TyperException as error:
            if type(error).__name__ == "NoSuchOption":  # a mistake here
                raise
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    if "--json" in arguments and texts[0]:
        json.loads(texts[0], parse_constant=_no_constant)
    for text in texts:
        shown = _STYLED.sub("", text) if "always" in arguments else text
        if "--csv" in arguments:
            shown = shown.replace("\r\n", "\n")
        acting = [line for line in shown.split("\n") if visible(line) != line]
        if acting:
            raise Broken(f"{arguments[0]} writes what acts on a terminal: {acting[0][:200]!r}")


def _no_constant(name: str) -> None:
    raise Broken(f"{name} in JSON")


def fault(error: BaseException) -> dict[str, str]:
    """Return what is said of a failure: its kind, where it happened, and the whole of it."""
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if "/stylekl/" in f.filename.replace("\\", "/")
    ]
    where = ""
    if frames:
        where = f"{frames[-1].filename.replace(chr(92), '/').rpartition('/stylekl/')[2]}:{frames[-1].name}"
    kind = "" if isinstance(error, Broken) else f"{type(error).__name__}: "
    text = str(error)
    lines = traceback.format_exception(error, limit=-25)
    return {"kind": f"{kind}{text[:300]}", "where": where, "trace": "".join(lines)[-6000:]}


@contextmanager
def strict() -> Iterator[list[str]]:
    """Turn warnings into errors; yields a list that grows by the errors that nobody could catch."""
    lost: list[str] = []
    hook = sys.unraisablehook
    sys.unraisablehook = lambda given: lost.append(
        f"{type(given.exc_value).__name__}: {given.exc_value}"[:300]
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield lost
    finally:
        sys.unraisablehook = hook
