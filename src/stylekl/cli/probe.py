"""`stylekl probe`: ask which of two words a model takes, in many ways and in both orders."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from stylekl.cli.settings import above_zero
from stylekl.text import visible


def probe(
    pairs: Annotated[
        str, typer.Argument(metavar="PAIRS", help='Pairs of words in YAML, or "pairs", which ship.')
    ],
    models: Annotated[str, typer.Option("--models", metavar="FILE", help="The models file: who is asked.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The results file.")],
    envelopes: Annotated[
        str | None,
        typer.Option(
            "--envelopes", metavar="FILE", help="Ways of asking in YAML (default: the 29 that ship)."
        ),
    ] = None,
    envelope: Annotated[
        list[str] | None,
        typer.Option("--envelope", metavar="ID", help="Ask in this envelope alone (repeat)."),
    ] = None,
    pair: Annotated[
        list[str] | None, typer.Option("--pair", metavar="ID", help="Ask this pair alone (repeat).")
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option("--samples", min=1, max=1000, help="How often (default 1 at temperature 0, else 5)."),
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
        bool, typer.Option("--mock", help="Make choices up, without a network; the file says so.")
    ] = False,
    redo: Annotated[
        list[str] | None,
        typer.Option("--redo", metavar="PAIR", help="Ask this pair again; archive its choices (repeat)."),
    ] = None,
    why: Annotated[
        str | None, typer.Option("--why", help="The reason for --redo, kept in the archive.")
    ] = None,
    env: Annotated[
        str | None, typer.Option("--env", metavar="FILE", help="File of keys, mode 600 (default: .env here).")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")] = False,
    debug: Annotated[  # noqa: ARG001 - the program itself looks for it
        bool, typer.Option("--debug", help="Show where an error happened.")
    ] = False,
) -> None:
    """Ask every model which of two words it takes, in many ways.

    Each pair is asked in 29 envelopes and both orders; identical texts are asked once. A model whose entry says
    `temperature: 0` is asked once, others five times. The same command again resumes, as `stylekl collect` does. Exit
    code 1: questions are left open.

    \b
    Examples:
      stylekl probe pairs --models models.yaml -o choices.json --dry-run
      stylekl probe pairs --models models.yaml -o mock.json --mock --pair dog-cat
    """
    from stylekl.cli.collecting import print_outlook, run
    from stylekl.gather.collect import Options
    from stylekl.gather.probe import make_probe, warnings_of
    from stylekl.gather.session import Wish, plan_of

    # Asking uses sockets: one that the other side drops must be an error, not the end of the process.
    if hasattr(signal, "SIGPIPE") and signal.getsignal(signal.SIGPIPE) is signal.SIG_DFL:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    asked = make_probe(
        pairs, envelopes_path=envelopes, envelopes=envelope or (), pairs=pair or (), samples=samples
    )
    more = ["--envelopes", envelopes] if envelopes else []
    more += [word for name in envelope or () for word in ("--envelope", name)]
    more += [word for name in pair or () for word in ("--pair", name)]
    wish = Wish(
        battery=pairs,
        models=models,
        output=output,
        samples=samples,
        period=period,
        seed=seed,
        only=tuple(only or ()),
        mock=mock,
        env=env,
        redo=asked.texts_of(redo or ()),
        why=why,
        max_cost=max_cost,
        command="probe",
        more=tuple(more),
    )
    plan, warnings = plan_of(wish, asked)
    for warning in () if quiet else (*warnings, *warnings_of(asked, plan.asked)):
        sys.stderr.write(visible(f"warning: {warning}") + "\n")
    if dry_run:
        print_outlook(plan, wish)
        return
    code = run(plan, wish, Options(concurrency, rate, max_cost), quiet=quiet)
    if code:
        raise typer.Exit(code)
