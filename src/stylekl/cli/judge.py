"""`stylekl judge`: ask a model which of two replies is better, without telling it whose they are."""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.asking import Asking, survive_dropped_sockets, with_asking
from stylekl.cli.reading import ReadingOptions, with_reading


@with_asking
@with_reading
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
    *,
    asking: Asking,
    how: ReadingOptions,
) -> None:
    """Ask a judge, blind, which of two replies is better.

    The judge sees the prompt and the replies as A and B, and scores both by a rubric. The same command again resumes,
    as `stylekl collect` does. --export writes what is said at the end, not the progress. Exit code 1: questions are
    left open.

    \b
    Examples:
      stylekl judge results.json --judge plain --all-pairs --dry-run
      stylekl judge results.json --judge plain --all-pairs --both-orders --dry-run
    """
    from stylekl.cli.judging import Asked, judge_all
    from stylekl.gather.judge_session import Case

    if not show_package:
        survive_dropped_sockets()
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
    asked = Asked(tuple(files), models, output, against, how, show_package=show_package)
    judge_all(case, asked, asking)
