"""`--export FILE`: what a command shows in the terminal, as a file too.

A command that draws hands its view over with its answer. Whatever else is printed goes through `put`, so that
`with_export` can give the option to every command there is.
"""

from __future__ import annotations

import functools
import inspect
import signal
import sys
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stylekl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.text import Text

    from stylekl.results import Results
    from stylekl.show.terminal import Colour, Terminal


def _known(path: str | None) -> str | None:
    """Return the path; raises UsageError where its name asks for no form that is written."""
    if path is not None:
        from stylekl.show.export import form_of

        form_of(path)
    return path


Export = Annotated[
    str | None,
    typer.Option(
        "--export",
        metavar="FILE",
        callback=_known,
        rich_help_panel="What is shown",
        help="Write what is shown to a file too: .svg, .html or .txt.",
    ),
]


def keep_inputs(path: str | None, results: Results, *more: Any) -> None:
    """Raise UsageError where `path` is a file that was read; `more` are values that may name others.

    Where the command keeps what it prints, its file is looked at too.
    """
    names = [*(source.path for source in results.sources), *_names(more)]
    kept = _KEPT.get()
    for target in (path, kept.path if kept is not None else None):
        if target is not None and any(_same(target, name) for name in names):
            raise UsageError(f"{target} is a file that is read: it is not written over", "name another file")


def keep_apart(path: str) -> None:
    """Raise UsageError where `path`, which a command writes without being told so, is the file of --export."""
    if (kept := _KEPT.get()) is not None:
        _apart(kept.path, [path])


def _apart(path: str, values: Iterable[Any]) -> None:
    if any(_same(path, name) for name in _names(values)):
        raise UsageError(
            f"{path} is another file of this command: it is not written over", "name another file"
        )


def _same(path: str, name: str) -> bool:
    """Whether two names are one file, or would be."""
    from pathlib import Path

    try:
        if Path(path).resolve() == Path(name).resolve():
            return True
        return Path(path).samefile(name)
    except (OSError, ValueError, RuntimeError):
        return False


def _names(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _names(value)


def export(
    path: str,
    command: str,
    report: Any,
    view: Callable[[Any, Terminal], list[Text]],
    shape: Terminal,
    color: str,
) -> None:
    """Write what the terminal shows to a file: as wide as it is there, in colours unless `color` is never."""
    from dataclasses import replace

    from stylekl.results.save import write_atomically
    from stylekl.show.export import exported, form_of

    form = form_of(path)
    colour: Colour = "none" if form == "txt" or color == "never" else "truecolor"
    lines = view(report, replace(shape, colour=colour, ascii=False))
    write_atomically(path, exported(lines, form, shape.width, f"stylekl {command}").encode())


@dataclass
class _Kept:
    """What a command has printed so far, and what it said of its outcome on stderr."""

    path: str
    printed: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    broken: bool = False


_KEPT: ContextVar[_Kept | None] = ContextVar("_KEPT", default=None)


def put(text: str | bytes) -> None:
    """Write to stdout, and keep it for the file of --export where one is wanted."""
    if (kept := _KEPT.get()) is not None:
        kept.printed.append(text if isinstance(text, str) else text.decode())
        if kept.broken:
            return
    try:
        if isinstance(text, str):
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            sys.stdout.buffer.write(text)
    except BrokenPipeError:
        if kept is None:
            raise
        kept.broken = True


def keep(line: str) -> None:
    """Keep a line that stderr gets, for the file of a command that prints nothing on stdout."""
    if (kept := _KEPT.get()) is not None:
        kept.said.append(f"{line}\n")


# The option stands before the first of these.
_AFTER = ("width", "color", "ramp", "no_text", "quiet", "debug")


def with_export(command: Callable[..., None], name: str) -> Callable[..., None]:
    """Give a command, of this name, the option where it has none; then what it prints is kept and written at its end.

    Nothing is written where the command ends with an error. A file that another argument names is refused.
    """
    if getattr(command, "exports", False):
        return command
    signature = inspect.signature(command, eval_str=True)
    parameters = list(signature.parameters.values())
    draws = "export" in signature.parameters

    @functools.wraps(command)
    def run(**values: Any) -> None:
        path = values["export"] if draws else values.pop("export")
        if path is None:
            command(**values)
            return
        _ready(path)
        _apart(path, (value for key, value in values.items() if key != "export"))
        if draws:
            command(**values)
        else:
            _recorded(command, name, path, values)

    if not draws:
        later = (place for place, each in enumerate(parameters) if each.name in _AFTER)
        place = min(later, default=len(parameters))
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters = [each.replace(kind=kind) for each in parameters]
        parameters.insert(place, inspect.Parameter("export", kind, default=None, annotation=Export))
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.exports = True  # type: ignore[attr-defined]
    return run


def _ready(path: str) -> None:
    """Raise StyleklError where no file can be at `path`: before the work, not after."""
    from pathlib import Path

    from stylekl.errors import StyleklError

    if Path(path).is_dir():
        raise StyleklError(f"{path}: not written: it is a folder", "name a file")
    if not Path(path).parent.is_dir():
        raise StyleklError(f"{path}: not written: its folder is not there", "make the folder first")


def _recorded(command: Callable[..., None], name: str, path: str, values: dict[str, Any]) -> None:
    """Run a command and write what it printed; a code that it leaves with is no error."""
    from stylekl.cli.answer import note, terminal
    from stylekl.cli.settings import Settings
    from stylekl.results.save import write_atomically
    from stylekl.show.export import exported, form_of, printed

    code = 0
    with _keeping(path) as kept:
        try:
            command(**values)
        except typer.Exit as end:
            code = end.exit_code
        form, width = form_of(path), terminal(Settings(width=values.get("width"))).width
        lines = printed("".join(kept.printed or kept.said), form, width)
        write_atomically(path, exported(lines, form, width, f"stylekl {name}").encode())
    if kept.broken:
        raise BrokenPipeError
    sys.stdout.flush()  # a pipe that was closed ends the command now
    note(Settings(quiet=values.get("quiet", False)), f"note: {path} written")
    if code:
        raise typer.Exit(code)


@contextmanager
def _keeping(path: str) -> Iterator[_Kept]:
    """Keep what is printed meanwhile; a pipe that is closed does not end the command before its file is whole."""
    deadly = (
        hasattr(signal, "SIGPIPE")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGPIPE) is signal.SIG_DFL
    )
    if deadly:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    kept = _Kept(path)
    token = _KEPT.set(kept)
    try:
        yield kept
    finally:
        _KEPT.reset(token)
        if deadly:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
