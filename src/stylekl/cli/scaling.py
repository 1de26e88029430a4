"""`--engine`: files that one process had better not read, counted in splits by several, here or elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stylekl.cli.groups import with_group
from stylekl.errors import UsageError

if TYPE_CHECKING:
    from stylekl.cli.by import Lenses
    from stylekl.cli.settings import Settings
    from stylekl.lenses.reports import MatrixReport
    from stylekl.results import Reading, Results

_SCALE = "Files in splits (docs/scale.md)"


class EngineName(StrEnum):
    """What counts the splits of files."""

    dask = "dask"


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """What the options on splits came to."""

    engine: Annotated[
        EngineName | None,
        typer.Option(
            "--engine", rich_help_panel=_SCALE, help="Count the files in splits, by worker processes."
        ),
    ] = None
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            rich_help_panel=_SCALE,
            help="The Dask scheduler to use, such as tcp://host:8786 (default: processes here, --jobs of them).",
        ),
    ] = None
    split_size: Annotated[
        int | None,
        typer.Option(
            "--split-size",
            metavar="MIB",
            min=1,
            rich_help_panel=_SCALE,
            help="How large a split is, in MiB (default: 64).",
        ),
    ] = None
    prompt_groups: Annotated[
        int | None,
        typer.Option(
            "--prompt-groups",
            metavar="N",
            min=40,
            max=1 << 20,
            rich_help_panel=_SCALE,
            help="Put the prompts into N groups, which take their place (by itself 4,096 above 200,000 prompts).",
        ),
    ] = None


with_scaling = with_group(Scaling, "scaling")


def is_scaled(scaling: Scaling) -> bool:
    """Return whether files are counted in splits; raises UsageError for an option that says nothing without that."""
    given = {
        "--scheduler": scaling.scheduler,
        "--split-size": scaling.split_size,
        "--prompt-groups": scaling.prompt_groups,
    }
    if scaling.engine is None and (flag := next((flag for flag in given if given[flag] is not None), None)):
        raise UsageError(f"{flag} says nothing without --engine", "add --engine dask, or leave it out")
    return scaling.engine is not None


def refuse(settings: Settings, lenses: Lenses, **given: bool) -> None:
    """Raise UsageError for what cannot be asked of splits; `given` are options of the command, by their flags."""
    from stylekl.cli.by import refuse_others

    unknown = {
        **given,
        f"--by {lenses.by}": lenses.by not in (None, "style"),
        "--rename": bool(settings.rename),
        "--skip-bad": settings.skip_bad,
    }
    if flag := next((flag for flag, was in unknown.items() if was), None):
        raise UsageError(
            f"{flag} does not go with --engine", "docs/scale.md says what can be asked of files in splits"
        )
    refuse_others("style", lenses.extra())


def scaled(
    settings: Settings, scaling: Scaling, files: list[str], **extra: Any
) -> tuple[Results, MatrixReport]:
    """Count files in splits, and return their results, which hold no replies, and their matrix."""
    from dataclasses import replace

    from stylekl.cli.answer import busy, options, read, save_vocabulary
    from stylekl.cli.asking import survive_dropped_sockets
    from stylekl.counts.scale.dask_engine import dask_engine
    from stylekl.counts.scale.engine import Counted, count_splits
    from stylekl.counts.scale.mapping import Counting
    from stylekl.counts.scale.plan import planned
    from stylekl.counts.scale.splits import SIZE
    from stylekl.lenses.style.grouped import require_groupable
    from stylekl.lenses.style.scaled import require_countable, scaled_matrix

    asked = options(settings, **extra)
    require_countable(asked)
    if scaling.prompt_groups:
        require_groupable(asked)
    size = SIZE if scaling.split_size is None else scaling.split_size << 20
    found: list[Counted] = []

    def count(*paths: str, reading: Reading) -> Results:
        with busy(settings, "looking at the files …") as show:
            plan = planned(paths, size, reading)
            how = Counting(
                reading=replace(reading, rename={}, names=()),
                keep_thinking=asked.keep_thinking,
                plain=asked.plain,
                groups=scaling.prompt_groups,
                given=plan.given,
            )
            show("starting workers …")
            with dask_engine(scaling.scheduler, settings.jobs) as engine:
                found.append(
                    count_splits(
                        engine,
                        plan,
                        how,
                        reading.names,
                        lambda done, splits: show(f"counting … {done:,} of {splits:,} splits"),
                    )
                )
        return found[0].whole.results

    survive_dropped_sockets()
    results = read(settings, files, loading=count)
    with busy(settings, "comparing …"):
        evidence, report = scaled_matrix(found[0], asked)
    save_vocabulary(settings, evidence)
    return results, report
