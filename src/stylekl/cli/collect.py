"""`stylekl collect`: ask every model every prompt, under the same rules, and lose nothing."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from stylekl.cli.settings import above_zero
from stylekl.text import visible


def collect(
    battery: Annotated[
        str, typer.Argument(metavar="BATTERY", help="A battery in YAML, or the name of one that ships.")
    ],
    models: Annotated[str, typer.Option("--models", metavar="FILE", help="The models file: who is asked.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The results file.")],
    samples: Annotated[
        int | None, typer.Option("--samples", min=1, max=1000, help="How often each prompt is asked.")
    ] = None,
    period: Annotated[
        str | None, typer.Option("--period", help="Name this edition, such as 2026-W49.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Seed of the order of questions (default 0).")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="MODEL", help="Ask this model alone, by id (repeat)."),
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
    mock: Annotated[
        bool, typer.Option("--mock", help="Make replies up, without a network; the file says so.")
    ] = False,
    redo: Annotated[
        list[str] | None,
        typer.Option("--redo", metavar="PROMPT", help="Ask this prompt again; archive its replies (repeat)."),
    ] = None,
    why: Annotated[
        str | None, typer.Option("--why", help="The reason for --redo, kept in the archive.")
    ] = None,
    refusals_by_text: Annotated[
        bool, typer.Option("--refusals-by-text", help="Take a reply that begins by declining for a refusal.")
    ] = False,
    env: Annotated[
        str | None, typer.Option("--env", metavar="FILE", help="File of keys, mode 600 (default: .env here).")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")] = False,
    debug: Annotated[  # noqa: ARG001 - the program itself looks for it
        bool, typer.Option("--debug", help="Show where an error happened.")
    ] = False,
) -> None:
    """Ask every model every prompt of a battery and write the replies.

    The same command again resumes, and does nothing where all is answered. Every reply is in FILE.journal as soon as
    it is there. Exit code 1: questions are left open.

    \b
    Examples:
      stylekl collect battery.yaml --models models.yaml -o results.json --dry-run
      stylekl collect battery.yaml --models models.yaml -o mock.json --mock
    """
    from stylekl.cli.collecting import print_outlook, run
    from stylekl.gather.collect import Options
    from stylekl.gather.session import Wish, plan_of

    # Asking uses sockets: one that the other side drops must be an error, not the end of the process.
    if hasattr(signal, "SIGPIPE") and signal.getsignal(signal.SIGPIPE) is signal.SIG_DFL:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    wish = Wish(
        battery=battery,
        models=models,
        output=output,
        samples=samples,
        period=period,
        seed=seed,
        only=tuple(only or ()),
        mock=mock,
        by_text=refusals_by_text,
        env=env,
        redo=tuple(redo or ()),
        why=why,
        max_cost=max_cost,
    )
    plan, warnings = plan_of(wish)
    for warning in () if quiet else warnings:
        sys.stderr.write(visible(f"warning: {warning}") + "\n")
    if dry_run:
        print_outlook(plan, wish)
        return
    code = run(plan, wish, Options(concurrency, rate, max_cost), quiet=quiet)
    if code:
        raise typer.Exit(code)
