"""`--export FILE`: what a command shows in the terminal, as a file too."""

from __future__ import annotations

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
    """Raise UsageError where `path` is a file that was read; `more` are values that may name others."""
    from pathlib import Path

    if path is None or not (target := Path(path)).exists():
        return
    for name in (*(source.path for source in results.sources), *_names(more)):
        try:
            same = target.samefile(name)
        except (OSError, ValueError):
            continue
        if same:
            raise UsageError(f"{path} is a file that is read: it is not written over", "name another file")


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
