"""From settings to an answer on stdout: what `matrix`, `pair` and `focus` do alike."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stylekl.cli.exporting import export, keep, keep_inputs
from stylekl.errors import UsageError
from stylekl.text import shortened, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.text import Text

    from stylekl.cli.ahead import Reader
    from stylekl.cli.reading import ReadingOptions
    from stylekl.cli.settings import Settings
    from stylekl.lenses.style.evidence import Evidence
    from stylekl.lenses.style.options import StyleOptions
    from stylekl.results import Results
    from stylekl.show.terminal import Terminal

OUR_FORM = "native"  # the name of its reader
MOST_MODELS = 500  # every pair is a comparison with a report of its own: 125,000 of them


def check_output(settings: Settings) -> None:
    """Raise UsageError where more than one form of output is asked for."""
    asked = [f"--{name}" for name in ("json", "csv", "markdown") if getattr(settings, name)]
    if len(asked) > 1:
        raise UsageError(f"{' and '.join(asked)} exclude each other", "ask for one")


def note(settings: Settings, text: str) -> None:
    """Say something on stderr that is not the answer, unless --quiet."""
    if not settings.quiet:
        sys.stderr.write(visible(shortened(text)) + "\n")


def tell(settings: Settings, text: str) -> None:
    """Say on stderr what came of a command that prints nothing else: its file of --export gets that."""
    note(settings, text)
    keep(visible(shortened(text)))


@contextmanager
def busy(settings: Settings, text: str) -> Iterator[Callable[[str], None]]:
    """Show on stderr that work goes on, where stderr is a terminal; what is yielded shows another text."""
    if settings.quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda _text: None
        return

    def show(text: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()

    show(text)
    try:
        yield show
    finally:
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


def read(
    settings: Settings,
    files: Sequence[str],
    how: ReadingOptions | None = None,
    loading: Callable[..., Results] | None = None,
    *,
    reader: Reader | None = None,
    compared: bool = True,
) -> Results:
    """Load the results that the command line, the environment or this folder names, else the sample.

    `how` are the options on files and names, where they are no part of the settings; `loading` reads in place of
    `results.load`, and so does a `reader`, which has the files counted too. Where models will be `compared`, raises
    UsageError for more of them than every pair can be made of.
    """
    from stylekl.results import load
    from stylekl.results.default import find_results

    paths, origin = find_results(list(files), os.environ)
    if origin == "sample":
        note(settings, "note: no results file given; this is the sample that ships with stylekl")
    reading = (how or settings).reading()
    with busy(settings, "reading …"):
        results = (loading or (reader.load if reader else load))(*paths, reading=reading)
    if compared and len(results.models) > MOST_MODELS:
        raise UsageError(
            f"{len(results.models):,} models: more than {MOST_MODELS} are not compared with each other",
            "give files of fewer models; `stylekl check` and `stylekl convert` read any number",
        )
    if compared:
        _tell_forms(settings, results)
    keep_inputs(settings.export, results)
    if origin == "sample":  # where it is installed is nobody's business, and no two machines agree on it
        results.sources = [replace(source, path="sample.json") for source in results.sources]
        named = ((where.replace(paths[0], "sample.json"), number) for where, number in results.places)
        results.places = type(results.places)(named)
    return results


def read_again(settings: Settings, results: Results) -> Results:
    """Say of files that are not read again what is said of those that are."""
    _tell_forms(settings, results)
    keep_inputs(settings.export, results)
    return results


def _tell_forms(settings: Settings, results: Results) -> None:
    """Say what files of other forms than our own were taken for."""
    if all(source.form == OUR_FORM for source in results.sources):
        return
    from stylekl.results.check_files import files_read, forms_read

    for form, described, number in forms_read(files_read(results.sources)):
        if form != OUR_FORM:
            note(settings, f"note: read {number:,} file{'s' if number > 1 else ''}: {described}")


def gather(settings: Settings, results: Results, reader: Reader | None = None, **extra: Any) -> Evidence:
    """Select and count what the settings ask for, and write the vocabulary where it is asked for.

    `reader` is what read the files, if it had them counted.
    """
    from stylekl.lenses.style.evidence import gather_evidence

    with busy(settings, "counting …"):
        ahead = None if reader is None else reader.ahead
        evidence = gather_evidence(results, options(settings, **extra), ahead)
        if reader is not None:
            reader.counted(results)
    save_vocabulary(settings, evidence)
    return evidence


def save_vocabulary(settings: Settings, evidence: Evidence) -> None:
    """Write the vocabulary where it is asked for."""
    if settings.save_vocabulary:
        from stylekl.lenses.style.evidence import vocabulary_document
        from stylekl.results.save import write_atomically

        write_atomically(settings.save_vocabulary, vocabulary_document(evidence).encode())


def options(settings: Settings, **extra: Any) -> StyleOptions:
    """Return the options of the style lens that the settings come to; raises UsageError for a measure not of style."""
    from typing import cast, get_args

    from stylekl.lenses.style.options import Measure, StyleOptions

    measures = get_args(Measure)
    if settings.rank.value not in measures:
        raise UsageError(f"style has no measure {settings.rank.value}", f"it has {', '.join(measures)}")
    measure = cast("Measure", settings.rank.value)
    return StyleOptions(
        facet=settings.facet,
        plain=settings.plain,
        keep_thinking=settings.keep_thinking,
        match_length=settings.match_length,
        models=settings.chosen(),
        topics=tuple(settings.topic or ()),
        prompts=tuple(settings.prompts or ()),
        condition=settings.condition,
        threshold=settings.threshold,
        skew=settings.skew,
        vocabulary=settings.vocabulary,
        measure=measure,
        rank=measure,
        seed=settings.seed,
        text=not settings.no_text,
        cache=not settings.no_cache,
        jobs=settings.jobs,
        **extra,
    )


def terminal(settings: Settings) -> Terminal:
    """Return what stdout can show."""
    from stylekl.show.terminal import decide

    is_tty = sys.stdout.isatty()
    size = None
    if is_tty:
        try:
            size = tuple(os.get_terminal_size(sys.stdout.fileno()))
        except OSError:
            size = None
    return decide(
        settings.width,
        settings.color.value,
        os.environ,
        stdout_isatty=is_tty,
        stdout_encoding=getattr(sys.stdout, "encoding", None),
        terminal_size=(size[0], size[1]) if size else None,
    )


def answer(
    command: str,
    settings: Settings,
    results: Results,
    report: Any,
    *,
    data: Callable[[Any], dict[str, Any]],
    rows: Callable[[Any], tuple[list[str], list[list[Any]]]],
    view: Callable[[Any, Terminal], list[Text]],
) -> None:
    """Write a report to stdout in the form that the settings ask for, and its warnings to stderr.

    What is drawn goes to the file of --export too, whatever the form on stdout.
    """
    shape = replace(terminal(settings), inks=_inks(results))
    if settings.export is not None:
        keep_inputs(settings.export, results, settings.names, settings.vocabulary, *report.params.values())
        export(settings.export, command, report, view, shape, settings.color.value)
    for warning in report.warnings:
        note(settings, f"warning: {warning}")
    if settings.json:
        from stylekl import __version__
        from stylekl.show.json import envelope

        sources = [
            {"path": source.path, "sha256": source.sha256 or None, "form": source.form}
            for source in results.sources
        ]
        text = envelope(command, report.params, sources, data(report), report.warnings, version=__version__)
    elif settings.csv or settings.markdown:
        from stylekl.show.tables import to_csv, to_markdown

        text = (to_csv if settings.csv else to_markdown)(*rows(report))
    else:
        text = _drawn(view, report, shape)
    sys.stdout.write(text)
    sys.stdout.flush()
    if settings.export is not None:
        note(settings, f"note: {settings.export} written")


def _inks(results: Results) -> dict[str, str]:
    """Return the colour of every model's name that has one."""
    from stylekl.results.names import color_of

    return {model.label: color for model in results.models if (color := color_of(model)) is not None}


def _drawn(view: Callable[[Any, Terminal], list[Text]], report: Any, shape: Terminal) -> str:
    import io

    from stylekl.show.terminal import make_console

    buffer = io.StringIO()
    console = make_console(shape, buffer)
    for line in view(report, shape):
        console.print(line, soft_wrap=True)
    return buffer.getvalue()
