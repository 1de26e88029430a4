"""`stylekl collect`: ask every model every prompt, under the same rules, and lose nothing."""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.asking import Asking, ask_or_outline, survive_dropped_sockets, with_asking


@with_asking
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
    *,
    asking: Asking,
) -> None:
    """Ask every model every prompt of a battery and write the replies.

    The same command again resumes, and does nothing where all is answered. Every reply is in FILE.journal as soon as
    it is there. --export writes what is said at the end, not the progress. Exit code 1: questions are left open.

    \b
    Examples:
      stylekl collect battery.yaml --models models.yaml -o results.json --dry-run
      stylekl collect battery.yaml --models models.yaml -o mock.json --mock
    """
    from stylekl.gather.session import Wish, plan_of

    survive_dropped_sockets()
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
        env=asking.env,
        redo=tuple(redo or ()),
        why=why,
        max_cost=asking.max_cost,
    )
    plan, warnings = plan_of(wish)
    asking.warn(warnings)
    ask_or_outline(plan, wish, asking)
