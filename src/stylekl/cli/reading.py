"""How files are read and what their models are called: the options of every command that reads results files."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from stylekl.cli.groups import option, with_group
from stylekl.errors import UsageError

if TYPE_CHECKING:
    from stylekl.results.reading import Reading

_FILES = "How files are read"


class Turn(StrEnum):
    """A turn of a conversation."""

    first = "first"
    last = "last"
    all = "all"


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """What the options on files and names came to."""

    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            rich_help_panel=_FILES,
            help="Read the files as this form (names: docs/reading.md) instead of telling it by their content.",
        ),
    ] = None
    turn: Annotated[
        Turn | None,
        option("--turn", panel=_FILES, help="The turn of a conversation to read (default: the first)."),
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="ROLE=NAME",
            rich_help_panel=_FILES,
            help="Which column holds what, such as model=llm, prompt=q, reply=text or models=a,b (repeat).",
        ),
    ] = None
    skip_bad: Annotated[
        bool, option("--skip-bad", panel=_FILES, help="Leave out files of a folder that cannot be read.")
    ] = False
    rename: Annotated[
        list[str] | None,
        typer.Option(
            "--rename",
            metavar="OLD=NEW",
            rich_help_panel=_FILES,
            help="Give a model another id; where NEW is a model too they become one (repeat).",
        ),
    ] = None
    names: Annotated[
        str | None,
        option(
            "--names", panel=_FILES, metavar="FILE", help="Names, families and colours of models, in YAML."
        ),
    ] = None

    def words(self) -> list[str]:
        """Return the words of a command line that say the same."""
        single = (
            ("--format", self.format),
            ("--turn", self.turn and self.turn.value),
            ("--names", self.names),
        )
        repeated = (("--column", self.column), ("--rename", self.rename))
        words = [word for flag, value in single if value for word in (flag, value)]
        words += [word for flag, values in repeated for value in values or () for word in (flag, value)]
        return words + (["--skip-bad"] if self.skip_bad else [])

    def leave_as_it_is(self, path: str) -> None:
        """Raise UsageError where what is said would make another file of the one that is written into."""
        for flag, value in (("--format", self.format), ("--column", self.column), ("--rename", self.rename)):
            if value:
                raise UsageError(
                    f"{flag}: {path} itself is written into, as it is",
                    "-o FILE makes a new one, or leave it out",
                )

    def reading(self) -> Reading:
        """Return them as `load` takes them.

        Raises UsageError for a form that does not exist or a value without "=", InputError for a file of names.
        """
        from stylekl.results.reading import Reading

        return Reading(
            format=self.format,
            turn=None if self.turn is None else self.turn.value,
            columns=_pairs("--column", "ROLE=NAME", self.column or ()),
            skip_bad=self.skip_bad,
            rename=_pairs("--rename", "OLD=NEW", self.rename or ()),
            names=_names(self.names),
        )


with_reading = with_group(ReadingOptions, "how")


def _pairs(flag: str, form: str, values: list[str] | tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in values:
        key, equals, rest = (part.strip() for part in value.partition("="))
        if not (key and equals and rest):
            raise UsageError(f'{flag}: "{value}" is not {form}', f"{flag} {form}, without space around =")
        if found.setdefault(key, rest) != rest:
            raise UsageError(f'{flag}: "{key}" is given twice: {found[key]} and {rest}', "give it once")
    return found


def _names(path: str | None) -> tuple:  # type: ignore[type-arg]
    if path is None:
        return ()
    from stylekl.gather.names_file import load_names

    return load_names(path)
