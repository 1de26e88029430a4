"""`stylekl probe`: ask which of two words a model takes, in many ways and in both orders."""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.asking import Asking, ask_or_outline, survive_dropped_sockets, with_asking


@with_asking
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
    *,
    asking: Asking,
) -> None:
    """Ask every model which of two words it takes, in many ways.

    Each pair is asked in 29 envelopes and both orders; identical texts are asked once. A model whose entry says
    `temperature: 0` is asked once, others five times. The same command again resumes, as `stylekl collect` does.
    --export writes what is said at the end, not the progress. Exit code 1: questions are left open.

    \b
    Examples:
      stylekl probe pairs --models models.yaml -o choices.json --dry-run
      stylekl probe pairs --models models.yaml -o mock.json --mock --pair dog-cat
    """
    from stylekl.gather.probe import make_probe, warnings_of
    from stylekl.gather.session import Wish, plan_of

    survive_dropped_sockets()
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
        env=asking.env,
        redo=asked.texts_of(redo or ()),
        why=why,
        max_cost=asking.max_cost,
        command="probe",
        more=tuple(more),
    )
    plan, warnings = plan_of(wish, asked)
    asking.warn([*warnings, *warnings_of(asked, plan.asked)])
    ask_or_outline(plan, wish, asking)
