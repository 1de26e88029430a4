"""The options that `matrix`, `pair` and `focus` share, declared once.

`with_settings` gives a command all of them and hands it one `Settings`. Every option reads `STYLEKL_<NAME>` and the
configuration files too; a flag beats the environment, which beats the project's file, then the user's.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stylekl.cli.exporting import Export  # noqa: TC001 # typer reads it
from stylekl.cli.groups import option, settable, with_group
from stylekl.cli.reading import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable


class Measure(StrEnum):
    """What is measured between two models."""

    kl = "kl"
    js = "js"
    kinship = "kinship"
    hamming = "hamming"
    violent = "violent"
    sharpness = "sharpness"
    wins = "wins"
    score = "score"


class Color(StrEnum):
    """When to use colour."""

    auto = "auto"
    always = "always"
    never = "never"


class Ramp(StrEnum):
    """A colour ramp."""

    lajolla = "lajolla"
    cividis = "cividis"
    viridis = "viridis"


def above_zero(value: float | None) -> float | None:
    """Return the value of an option; raises BadParameter where it is no finite number above 0."""
    if value is not None and not 0 < value < math.inf:
        raise typer.BadParameter(f"{value} is not a number above 0")
    return value


def _number(value: float) -> float:
    if math.isnan(value):  # no bound of a range keeps it out
        raise typer.BadParameter("nan is not a number")
    return value


_READ, _SHOW = "What is read", "What is shown"

# A name may hold a space, where typer would part the value of a variable: `config` reads these, parted at commas.
LISTS = ("models", "topic", "prompts", "rename")


def _list(name: str, help_text: str) -> Any:
    return typer.Option(name, rich_help_panel=_READ, help=help_text)


@dataclass(frozen=True, kw_only=True)
class Settings(ReadingOptions):
    """What the shared options came to, those on files and names among them."""

    models: Annotated[
        list[str] | None,
        _list("--models", "Show only these models (repeat, or separate by commas)."),
    ] = None
    topic: Annotated[
        list[str] | None,
        _list("--topic", "Read only the prompts of this topic (repeat)."),
    ] = None
    prompts: Annotated[list[str] | None, _list("--prompts", "Read only these prompts, by id (repeat).")] = (
        None
    )
    condition: Annotated[
        str | None, option("--condition", panel=_READ, help="Read this condition instead of the control.")
    ] = None
    facet: Annotated[
        str,
        option(
            "--facet",
            panel=_READ,
            help="What is counted: tokens, words, phrases, marks, layout, rhythm or openings.",
        ),
    ] = "tokens"
    plain: Annotated[
        bool,
        option("--plain", panel=_READ, help="Remove Markdown and line breaks: compare the wording alone."),
    ] = False
    keep_thinking: Annotated[
        bool,
        option(
            "--keep-thinking",
            panel=_READ,
            help="Keep reasoning blocks, leading white space and leaked special tokens.",
        ),
    ] = False
    match_length: Annotated[
        bool,
        option("--match-length", panel=_READ, help="Cut the replies to each prompt to a common length."),
    ] = False
    threshold: Annotated[
        float,
        option(
            "--threshold",
            panel=_READ,
            min=0,
            max=1,
            callback=_number,
            help="Share of prompts that admits a symbol to the vocabulary.",
        ),
    ] = 0.02
    skew: Annotated[
        float,
        option(
            "--skew",
            panel=_READ,
            min=0.5,
            max=0.999,
            callback=_number,
            help="Weight of the other model in the mixture of KL.",
        ),
    ] = 0.99
    vocabulary: Annotated[
        str | None,
        option("--vocabulary", panel=_READ, metavar="FILE", help="Take the style vocabulary from here."),
    ] = None
    save_vocabulary: Annotated[
        str | None,
        typer.Option(
            "--save-vocabulary", rich_help_panel=_READ, metavar="FILE", help="Write the vocabulary used."
        ),
    ] = None
    rank: Annotated[
        Measure, option("--rank", "--measure", panel=_READ, help="What is drawn and ranked by.")
    ] = Measure.kl
    seed: Annotated[
        int, option("--seed", panel=_READ, min=0, help="Seed of whatever is drawn at random.")
    ] = 0
    no_cache: Annotated[
        bool,
        option("--no-cache", panel=_READ, help="Count anew, and keep nothing on disk."),
    ] = False
    jobs: Annotated[
        int | None,
        option(
            "--jobs", panel=_READ, min=1, help="Processes or threads for large files (default: one a core)."
        ),
    ] = None
    json: Annotated[
        bool, typer.Option("--json", rich_help_panel=_SHOW, help="One JSON document, nothing else.")
    ] = False
    csv: Annotated[bool, typer.Option("--csv", rich_help_panel=_SHOW, help="The table as CSV.")] = False
    markdown: Annotated[
        bool, typer.Option("--markdown", rich_help_panel=_SHOW, help="The table as Markdown.")
    ] = False
    export: Export = None
    width: Annotated[
        int | None,
        option("--width", panel=_SHOW, min=20, help="Columns to draw for (default: the terminal's)."),
    ] = None
    color: Annotated[Color, option("--color", panel=_SHOW, help="When to use colour.")] = Color.auto
    ramp: Annotated[Ramp, option("--ramp", panel=_SHOW, help="Colour ramp.")] = Ramp.lajolla
    no_text: Annotated[
        bool, option("--no-text", panel=_SHOW, help="Keep replies out of the output: no examples.")
    ] = False
    quiet: Annotated[
        bool,
        option("--quiet", "-q", panel=_SHOW, help="Only errors on stderr: no notes, warnings or progress."),
    ] = False
    debug: Annotated[
        bool, typer.Option("--debug", rich_help_panel=_SHOW, help="Show where an error happened.")
    ] = False

    def chosen(self) -> tuple[str, ...]:
        """The models of `--models`, one by one."""
        given = (part.strip() for value in self.models or () for part in value.split(","))
        return tuple(name for name in given if name)


def configurable() -> dict[str, Any]:
    """Return the options that the environment and the configuration files may set, with their defaults."""
    return {
        name: default.value if isinstance(default, Enum) else default
        for name, default in settable(Settings, LISTS).items()
    }


with_settings = with_group(Settings, "settings")


def with_defaults(**values: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give shared options of a command of `with_settings` defaults of its own."""

    def change(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command)
        parameters = [p.replace(default=values.get(p.name, p.default)) for p in signature.parameters.values()]
        command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return command

    return change


Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE]...", help="Results files, merged; - is standard input.", show_default=False
    ),
]
MoreFiles = Annotated[
    list[str] | None, typer.Option("--results", metavar="FILE", help="A results file (repeat).")
]
Examples = Annotated[
    bool, typer.Option("--examples", help="Show each tell with its figures and where it stands.")
]
Tells = Annotated[int, typer.Option("--tells", min=0, help="How many tells a side.")]
Classes = Annotated[
    list[str] | None,
    typer.Option(
        "--class", metavar="CLASS", help="Show only tells of this class, such as punctuation (repeat)."
    ),
]
