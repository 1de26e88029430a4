"""`stylekl report`: everything that a file says, as one page to share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stylekl.cli.by import Lenses, with_lenses
from stylekl.cli.exporting import keep_apart, put
from stylekl.cli.groups import with_group
from stylekl.cli.settings import Files, Settings

if TYPE_CHECKING:
    from stylekl.results import Results

_READ = 4096  # characters of a file that tell whether it is a page of ours


# A page has no single table; --export writes what is said of it, as for every command that draws nothing.
with_page = with_group(Settings, "settings", without=("csv", "markdown", "export"))


@with_page
@with_lenses
def report(
    files: Files = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="The page (report.html); - is standard output."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="The title of the page.")] = None,
    focus: Annotated[
        list[str] | None,
        typer.Option(
            "--focus", metavar="MODEL", help="Show this model by itself in a file of over 100 (repeat)."
        ),
    ] = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            "--pair", metavar="A,B", help="Show this pair in detail in a file of over 12 models (repeat)."
        ),
    ] = None,
    *,
    settings: Settings,
    lenses: Lenses,
) -> None:
    """Write everything that the file says as one page of HTML.

    Heat maps, rankings, findings, the tree, models and pairs, the figures as JSON: in one file that fetches nothing.

    \b
    Examples:
      stylekl report
      stylekl report results.json -o report.html --title "Our models in May"
      stylekl report votes.json -o votes.html --by votes --no-text
    """
    from stylekl import __version__
    from stylekl.cli.answer import busy, note, read, tell
    from stylekl.lenses.everything import Wanted, everything
    from stylekl.show.json import envelope
    from stylekl.show.page.document import report_data
    from stylekl.show.page.left_out import left_out

    target = _target(output, json=settings.json)
    results = read(settings, files or [])
    if target is not None:
        keep_apart(str(target))
        _spare(target, results, asked=output is not None)
    evidence, others = _asked(results, settings, lenses)
    asked = Wanted(tuple(focus or ()), tuple(map(_both, pair or ())))
    with busy(settings, "asking every lens …") as show:
        found = everything(results, evidence, others, asked, show)
    for warning in found.warnings:
        note(settings, f"warning: {warning}")
    sources = [
        {"path": source.path, "sha256": source.sha256 or None, "form": source.form}
        for source in results.sources
    ]
    data = report_data(found, title=title, left=left_out(found))
    document = envelope("report", found.params, sources, data, found.warnings, version=__version__)
    if target is None:
        put(document)
        return
    from stylekl.results.default import find_results
    from stylekl.results.save import write_atomically
    from stylekl.show.page.render import page

    with busy(settings, "drawing …"):
        paths, origin = find_results(files or [], os.environ)
        text = page(
            found,
            document,
            title=title,
            sources=sources,
            version=__version__,
            ramp=settings.ramp.value,
            files=() if origin == "sample" else paths,
        )
    if target == Path("-"):
        put(text)
        return
    write_atomically(target, text.encode())
    tell(settings, f"note: {target} written, {len(text.encode()) / 1e6:.1f} MB")


def _both(given: str) -> tuple[str, str]:
    """Return the two names of a pair; raises UsageError where they are not two."""
    from stylekl.errors import UsageError

    names = [name.strip() for name in given.split(",")]
    if len(names) != 2 or not all(names):
        hint = "name two models with a comma between, by id where a name holds one"
        raise UsageError(f'--pair: "{given}" is not A,B', hint)
    return names[0], names[1]


def _target(output: str | None, *, json: bool) -> Path | None:
    """Return where the page goes; null for `--json`, which prints. Raises StyleklError where Jinja2 is missing."""
    from stylekl.errors import StyleklError, UsageError

    if json and output is None:
        return None
    if json:
        raise UsageError(
            "--json prints the report, -o writes the page", "ask for one; the page holds the same JSON"
        )
    try:
        import jinja2  # noqa: F401 # before minutes of work, not after
    except ImportError as error:
        raise StyleklError(
            "a report page needs the package Jinja2", "pip install 'stylekl[report]'"
        ) from error
    return Path("report.html" if output is None else output)


def _spare(target: Path, results: Results, *, asked: bool) -> None:
    """Raise UsageError where the page would overwrite a file that was read, or one that is no page of ours."""
    from stylekl.errors import UsageError
    from stylekl.show.page.render import is_page

    if target == Path("-"):
        return
    if target.is_dir():
        raise UsageError(f"{target} is a folder", "-o takes the name of a file")
    if not target.parent.is_dir():
        raise UsageError(
            f"{target.parent} is no folder", "-o takes the name of a file in a folder that there is"
        )
    if not target.exists():
        return
    if any(Path(source.path).exists() and target.samefile(source.path) for source in results.sources):
        raise UsageError(f"{target} is one of the files read", "-o writes the page into a file of its own")
    if target.is_file():
        with target.open(encoding="utf-8", errors="replace") as file:
            ours = target.stat().st_size == 0 or is_page(file.read(_READ))
        if not ours:
            hint = "-o takes another name, or remove it" if asked else "-o FILE says where the page goes"
            raise UsageError(f"{target} is there and is no report of stylekl", hint)


def _asked(results: Results, settings: Settings, lenses: Lenses) -> tuple[Any | None, dict[str, Any]]:
    """Return the evidence of style, where it is wanted, and the options of every other lens that is."""
    from stylekl.cli.answer import gather
    from stylekl.cli.by import options_of, refuse_others
    from stylekl.lenses.registry import wanted

    names = list(wanted(results, lenses.by, "matrix")) or ["style"]
    if names == ["style"]:
        refuse_others("style", lenses.extra())
    others = {
        name: options_of(name, settings, lenses, alone=len(names) == 1) for name in names if name != "style"
    }
    return (gather(settings, results) if "style" in names else None), others
