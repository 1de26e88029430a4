"""Running `stylekl judge`: from what is asked to packages, then a run as of a collection, then what changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stylekl.cli.exporting import put

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.cli.asking import Asking
    from stylekl.cli.reading import ReadingOptions
    from stylekl.gather.judge_session import Case


@dataclass(frozen=True, slots=True)
class Asked:
    """Files, and what is to be done with the packages."""

    files: tuple[str, ...]
    models: str
    output: str | None
    against: str | None
    how: ReadingOptions
    show_package: bool


def judge_all(case: Case, asked: Asked, asking: Asking) -> None:
    """Judge, or only say what would be asked; leave with the exit code where questions stay open."""
    from stylekl.cli.collecting import print_outlook, run
    from stylekl.gather.judge_session import begin_file, docket_of, prepare, requests
    from stylekl.gather.session import Wish, plan_of
    from stylekl.results import load, load_apart
    from stylekl.show.judgments_asked import docket_lines, package_text

    reading = asked.how.reading()
    output = prepare(asked.files, asked.output)
    if any(Path(file).absolute() == Path(output).absolute() for file in asked.files):
        asked.how.leave_as_it_is(output)
    results = load(*asked.files, reading=reading)
    earlier = load_apart(asked.against, reading=reading, strict=False)[0] if asked.against else None
    docket, warnings = docket_of(results, case, asked.models, output)
    wish = Wish(
        battery=asked.files[0],
        models=asked.models,
        output=output,
        period=case.period,
        seed=docket.bench.seed,
        only=case.judges,
        env=asking.env,
        max_cost=asking.max_cost,
        command="judge",
        more=_words(case, asked),
    )
    plan, more = plan_of(wish, docket.bench)
    asking.warn([*results.warnings, *warnings, *more, *docket_lines(docket)])
    if asked.show_package:
        put(package_text(requests(plan)))
        return
    if asking.dry_run:
        print_outlook(plan, wish)
        return
    begin_file(results, asked.files, output)
    code = run(plan, wish, asking.options(), quiet=asking.quiet)
    _say_outcome(output)
    if earlier is not None:
        from stylekl.lenses.judgments.changes import compare_runs
        from stylekl.show.judgments_changes import changes_lines

        _write(changes_lines(compare_runs(earlier, load(output))))
    if code:
        raise typer.Exit(code)


def _say_outcome(output: str) -> None:
    from stylekl.results import load
    from stylekl.show.judgments_changes import outcome_lines

    _write(outcome_lines(load(output)))


def _write(lines: Sequence[str]) -> None:
    from rich.text import Text

    from stylekl.cli.answer import terminal
    from stylekl.cli.settings import Settings
    from stylekl.show.flow import prose

    shape = terminal(Settings())
    for text in lines:
        indent = len(text) - len(text.lstrip())
        put("".join(f"{line.plain}\n" for line in prose(Text(text), shape.width, indent, indent + 2)))


def _words(case: Case, asked: Asked) -> tuple[str, ...]:
    """Return the words of the command line that resuming repeats, beside those of every collection."""
    words = [*asked.files[1:], *asked.how.words()]
    for flag, value in (
        ("--a", case.a),
        ("--b", case.b),
        ("--rubric", case.rubric),
        ("--against", asked.against),
    ):
        words += [] if value is None else [flag, value]
    for flag, given in (
        ("--all-pairs", case.all_pairs),
        ("--both-orders", case.both),
        ("--mask-names", case.mask),
        ("--allow-same-family", case.allow_same_family),
    ):
        words += [flag] if given else []
    for flag, values in (("--prompt", case.prompts), ("--topic", case.topics), ("--judge", case.judges)):
        words += [word for value in values for word in (flag, value)]
    return tuple(words)
