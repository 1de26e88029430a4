"""`--by LENS`: which kinds of evidence a command looks at, and the options that belong to one of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stylekl.cli.settings import Measure, with_group

if TYPE_CHECKING:
    from collections.abc import Callable

    from stylekl.cli.settings import Settings
    from stylekl.lenses.claims import Inquiry
    from stylekl.lenses.frame import Sections
    from stylekl.results import Results

_LENS = "Which evidence"


def _option(name: str, **extra: Any) -> Any:
    return typer.Option(name, rich_help_panel=_LENS, **extra)


@dataclass(frozen=True, kw_only=True)
class Lenses:
    """What `--by` and the options of single lenses came to."""

    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="LENS",
            rich_help_panel=_LENS,
            help="The evidence: style, choices, verdicts, votes or judgments.",
        ),
    ] = None
    period: Annotated[
        str | None,
        _option("--period", help="The edition to read, of verdicts or choices."),
    ] = None
    words: Annotated[
        str | None, _option("--words", metavar="FILE", help="Word lists for verdicts, in place of ours.")
    ] = None
    literal: Annotated[
        bool, _option("--literal", help="In verdicts, count the words of the method alone.")
    ] = False
    envelopes: Annotated[
        list[str] | None, _option("--envelope", help="Read only choices asked this way (repeat).")
    ] = None
    reclassify: Annotated[
        bool, _option("--reclassify", help="Read every choice anew, whatever the file says of it.")
    ] = False
    source: Annotated[str | None, _option("--source", help="Whose votes: arena, panel or import.")] = None
    draws: Annotated[
        str | None, _option("--draws", help="Votes without a winner: out (default) or half a win each.")
    ] = None
    pseudo_wins: Annotated[
        float | None,
        _option("--pseudo-wins", min=0, help="Wins added each way to every pairing of votes (.1)."),
    ] = None
    resamples: Annotated[
        int | None,
        _option("--resamples", min=100, help="Resamples that make the intervals of votes (2,000)."),
    ] = None
    seal_battles: Annotated[
        int | None,
        _option("--seal-battles", min=0, help="Seal the arena below so many battles a model (100)."),
    ] = None
    seal_votes: Annotated[
        int | None, _option("--seal-votes", min=0, help="Seal the arena below so many votes in all (1,000).")
    ] = None

    judges: Annotated[
        list[str] | None, _option("--judge", help="Read only the judgments of this judge (repeat).")
    ] = None
    rubric: Annotated[
        str | None, _option("--rubric", help="Read only judgments by this rubric, where there are several.")
    ] = None

    def extra(self) -> dict[str, Any]:
        """Return the options of lenses that were given."""
        given = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "by"}
        return {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items()
            if value is not None and value is not False
        }


with_lenses = with_group(Lenses, "lenses")


def options_of(name: str, settings: Settings, lenses: Lenses) -> Any:
    """Return the options of a lens but style; raises UsageError for one that is another lens's."""
    from dataclasses import fields as fields_of

    from stylekl.errors import UsageError
    from stylekl.lenses.registry import lens

    kind = lens(name).Options
    known = {field.name for field in fields_of(kind)}
    shared = {
        "models": settings.names(),
        "topics": tuple(settings.topic or ()),
        "prompts": tuple(settings.prompts or ()),
        "condition": settings.condition,
        "seed": settings.seed,
        "text": not settings.no_text,
    }
    given = lenses.extra()
    if settings.rank is not Measure.kl:
        given["measure"] = settings.rank.value
        _check_measure(name, settings.rank.value)
    for wrong in sorted(given.keys() - known) if lenses.by is not None else ():
        raise UsageError(f"{_flag(wrong)} says nothing to --by {name}", "leave it out")
    return kind(**{key: value for key, value in {**shared, **given}.items() if key in known})


def _check_measure(name: str, measure: str) -> None:
    from stylekl.errors import UsageError
    from stylekl.lenses.registry import lens

    known: tuple[str, ...] = getattr(lens(name), "MEASURES", ())
    if measure not in known:
        hint = f"it has {', '.join(known)}" if known else "leave --measure out"
        raise UsageError(f"{name} has no measure {measure}", hint)


def ask(
    verb: str,
    results: Results,
    settings: Settings,
    lenses: Lenses,
    style: Callable[[], Any],
    *names: str,
) -> Sections:
    """Ask every lens that is wanted; `names` are the models asked about, `style` asks the style lens.

    Where several lenses are asked, one that cannot answer is left out with a warning.
    """
    from stylekl.errors import UnknownModelError, UsageError
    from stylekl.lenses.frame import sections
    from stylekl.lenses.registry import lens, wanted

    chosen = wanted(results, lenses.by, verb) or ["style"]
    if len(chosen) == 1:
        check_style(chosen[0], lenses)
    parts: dict[str, Any] = {}
    warnings: list[str] = []
    for name in chosen:
        try:
            if name == "style":
                parts[name] = style()
            else:
                parts[name] = getattr(lens(name), verb)(results, *names, options_of(name, settings, lenses))
        except UnknownModelError:
            raise
        except UsageError as error:
            if len(chosen) == 1:
                raise
            warnings.append(f"nothing by {name}: {error.message}")
    if not parts:
        raise UsageError(warnings[0].removeprefix("nothing "), "name the evidence with --by")
    return sections(parts, tuple(warnings))


def inquiries(
    results: Results, settings: Settings, lenses: Lenses, style: Callable[[], Inquiry]
) -> list[Inquiry]:
    """Return what every lens that is wanted brings to the findings; `style` asks the style lens."""
    from dataclasses import replace

    asked = ask("inquire", results, settings, lenses, style)
    first, *rest = asked.parts.values()
    return [replace(first, warnings=asked.warnings), *rest]


def one(results: Results, lenses: Lenses, verb: str) -> str:
    """Return the one lens that a matrix or a ranking is by: the one named, else the first that has evidence."""
    from stylekl.lenses.registry import wanted

    name = (wanted(results, lenses.by, verb) or ["style"])[0]
    check_style(name, lenses)
    return name


def check_style(name: str, lenses: Lenses) -> None:
    """Raise UsageError where style alone is asked for and options of other lenses are given."""
    from stylekl.errors import UsageError

    for wrong in sorted(lenses.extra()) if name == "style" else ():
        raise UsageError(f"{_flag(wrong)} says nothing to --by style", "leave it out")


def _flag(field: str) -> str:
    return "--" + {"envelopes": "envelope", "judges": "judge"}.get(field, field).replace("_", "-")
