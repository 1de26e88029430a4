"""`stylekl judge`: ask a model which of two replies is better, without telling it whose they are."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from stylekl.cli.settings import above_zero
from stylekl.text import visible


def judge(
    files: Annotated[
        list[str], typer.Argument(metavar="RESULTS", help="The results file whose replies are judged.")
    ],
    a: Annotated[
        str | None, typer.Option("--a", metavar="MODEL", help="A model whose replies are judged.")
    ] = None,
    b: Annotated[str | None, typer.Option("--b", metavar="MODEL", help="Another model.")] = None,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Judge every pair of models that have replies.")
    ] = False,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="ID", help="Who judges, by its id in the models file (repeat)."),
    ] = None,
    judges: Annotated[
        str | None, typer.Option("--judges", metavar="ID,ID", help="Several judges in one word.")
    ] = None,
    models: Annotated[
        str, typer.Option("--models", metavar="FILE", help="The models file, which holds the judges.")
    ] = "models.yaml",
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Where judgments go (default: the results file)."
        ),
    ] = None,
    rubric: Annotated[
        str | None,
        typer.Option("--rubric", metavar="FILE", help="A rubric in YAML (default: the one that ships)."),
    ] = None,
    both_orders: Annotated[
        bool, typer.Option("--both-orders", help="Ask twice, with A and B swapped.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Seed of the draw of A and B (default 0).")
    ] = None,
    mask_names: Annotated[
        bool, typer.Option("--mask-names", help="Mask names that replies give to their writer; recorded.")
    ] = False,
    allow_same_family: Annotated[
        bool, typer.Option("--allow-same-family", help="Let a judge judge models of its own family.")
    ] = False,
    topic: Annotated[
        list[str] | None, typer.Option("--topic", help="Judge the prompts of this topic alone (repeat).")
    ] = None,
    prompt: Annotated[
        list[str] | None, typer.Option("--prompt", metavar="ID", help="Judge this prompt alone (repeat).")
    ] = None,
    period: Annotated[str | None, typer.Option("--period", help="Name this edition.")] = None,
    show_package: Annotated[
        bool, typer.Option("--show-package", help="Print every request as it would be sent; ask nothing.")
    ] = False,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="FILE", help="Say what changed since the judgments there."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print calls and the most they can cost; ask nothing.")
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", callback=above_zero, help="Stop before this amount is spent."),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=1000, help="Calls at once to each provider.")
    ] = 4,
    rate: Annotated[
        float | None, typer.Option("--rate", callback=above_zero, help="Calls a minute to each provider.")
    ] = None,
    env: Annotated[
        str | None, typer.Option("--env", metavar="FILE", help="File of keys, mode 600 (default: .env here).")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")] = False,
    debug: Annotated[  # noqa: ARG001 - the program itself looks for it
        bool, typer.Option("--debug", help="Show where an error happened.")
    ] = False,
) -> None:
    """Ask a judge, blind, which of two replies is better.

    The judge sees the prompt and the replies as A and B, and scores both by a rubric. The same command again resumes,
    as `stylekl collect` does. Exit code 1: questions are left open.

    \b
    Examples:
      stylekl judge results.json --judge plain --all-pairs --dry-run
      stylekl judge results.json --judge plain --all-pairs --both-orders --dry-run
    """
    from stylekl.cli.judging import Asked, judge_all
    from stylekl.gather.collect import Options
    from stylekl.gather.judge_session import Case

    # Asking uses sockets: one that the other side drops must be an error, not the end of the process.
    if hasattr(signal, "SIGPIPE") and signal.getsignal(signal.SIGPIPE) is signal.SIG_DFL and not show_package:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    named = [*(judge or ()), *(name.strip() for name in (judges or "").split(",") if name.strip())]
    case = Case(
        a=a,
        b=b,
        all_pairs=all_pairs,
        judges=tuple(dict.fromkeys(named)),
        rubric=rubric,
        seed=seed,
        both=both_orders,
        mask=mask_names,
        allow_same_family=allow_same_family,
        prompts=tuple(prompt or ()),
        topics=tuple(topic or ()),
        period=period,
    )
    asked = Asked(tuple(files), models, output, env, max_cost, show_package, dry_run, against)

    def warn(text: str) -> None:
        if not quiet:
            sys.stderr.write(visible(f"warning: {text}") + "\n")

    code = judge_all(case, asked, Options(concurrency, rate, max_cost), warn, quiet=quiet)
    if code:
        raise typer.Exit(code)
