"""`--by LENS`: which kinds of evidence a command looks at, and the options that belong to one of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stylekl.cli.groups import with_group
from stylekl.cli.settings import Measure
from stylekl.errors import UnknownModelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.text import Text

    from stylekl.cli.settings import Settings
    from stylekl.lenses.claims import Inquiry
    from stylekl.lenses.frame import Sections
    from stylekl.results import Results
    from stylekl.show.terminal import Terminal

_LENS = "Which evidence"
STYLE = (Measure.kl, Measure.js, Measure.kinship)


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


def options_of(name: str, settings: Settings, lenses: Lenses, *, alone: bool = True, **more: Any) -> Any:
    """Return the options of a lens but style; raises UsageError for one that is another lens's.

    A measure of style may be a setting of the user's and says nothing here. Where the lens is not asked `alone`, what
    belongs to another is left to it. `more` are options of the command itself, null where they were not given.
    """
    from dataclasses import fields as fields_of

    from stylekl.lenses.registry import lens

    home = lens(name)
    known = {field.name for field in fields_of(home.Options)}
    shared = {
        "models": settings.chosen(),
        "topics": tuple(settings.topic or ()),
        "prompts": tuple(settings.prompts or ()),
        "condition": settings.condition,
        "seed": settings.seed,
        "text": not settings.no_text,
    }
    given = lenses.extra() | {key: value for key, value in more.items() if value is not None}
    if settings.rank not in STYLE:
        given["measure"] = settings.rank.value
    if alone:
        refuse_others(name, given.keys() - known)
    if "measure" in given.keys() & known and given["measure"] not in home.MEASURES:
        raise UsageError(f"{name} has no measure {given['measure']}", f"it has {', '.join(home.MEASURES)}")
    return home.Options(**{key: value for key, value in {**shared, **given}.items() if key in known})


def refuse_others(name: str, fields: Iterable[str]) -> None:
    """Raise UsageError for the first of these options, which are another lens's."""
    if (field := min(fields, default=None)) is not None:
        flag = {"envelopes": "envelope", "judges": "judge"}.get(field, field).replace("_", "-")
        raise UsageError(f"--{flag} says nothing to --by {name}", "leave it out")


def only_style(name: str, **given: bool) -> None:
    """Raise UsageError for an option of the command, by its flag, that was given and that style alone has."""
    if (flag := next((flag for flag, was in given.items() if was), None)) is not None:
        raise UsageError(f"{flag} says nothing to --by {name}", "leave it out, or ask by style")


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
    from stylekl.lenses.frame import sections
    from stylekl.lenses.registry import lens, wanted

    chosen = list(wanted(results, lenses.by, verb)) or ["style"]
    if chosen == ["style"]:
        refuse_others("style", lenses.extra())
    parts: dict[str, Any] = {}
    warnings: list[str] = []
    for name in chosen:
        try:
            if name == "style":
                parts[name] = style()
            else:
                options = options_of(name, settings, lenses, alone=len(chosen) == 1)
                parts[name] = getattr(lens(name), verb)(results, *names, options)
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

    name = next(wanted(results, lenses.by, verb), "style")
    if name == "style":
        refuse_others("style", lenses.extra())
    return name


def answer_by(
    verb: str,
    settings: Settings,
    results: Results,
    report: Sections,
    style: Callable[[Any, Terminal], list[Text]],
) -> None:
    """Write what each lens says to a `pair` or a `focus`; `style` draws the part of the style lens."""
    from stylekl.cli.answer import answer, note
    from stylekl.show.sections import section_data, section_rows, sections_view, shown

    first, *others = report.parts
    if others and (settings.csv or settings.markdown):
        note(settings, f"note: the table is that of --by {first}; ask for the others one by one")
    views = {
        name: style if name == "style" else getattr(shown(name), f"{verb}_view") for name in report.parts
    }
    answer(
        verb,
        settings,
        results,
        report,
        data=lambda given: section_data(given, verb),
        rows=lambda given: section_rows(given, verb),
        view=lambda given, shape: sections_view(given, shape, views),
    )
