"""The lenses by name: a new lens is a new package and a line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from stylekl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stylekl.results import Results

LENSES = {
    "style": "stylekl.lenses.style",
    "choices": "stylekl.lenses.choices",
    "verdicts": "stylekl.lenses.verdicts",
    "votes": "stylekl.lenses.votes",
    "judgments": "stylekl.lenses.judgments",
}


def lens(name: str) -> Any:
    """Return the package of a lens; raises UsageError for a name that none has."""
    if name not in LENSES:
        raise UsageError(f'no lens is called "{name}"', f"there are {', '.join(LENSES)}")
    return import_module(LENSES[name])


def present(results: Results) -> Iterator[str]:
    """Yield the names of the lenses that results hold evidence for, in their order here; each is loaded by then."""
    return (name for name in LENSES if lens(name).has_data(results))


def wanted(results: Results, by: str | None, verb: str) -> Iterator[str]:
    """Yield the lenses to ask: the one that is named, else all that have evidence and the verb.

    One after the other, so that whoever needs the first alone loads no more.
    Raises UsageError for a name that no lens has, and where the results have no evidence for it.
    """
    if by is not None:
        named = lens(by)
        if not hasattr(named, verb):
            able = [name for name in LENSES if hasattr(lens(name), verb)]
            raise UsageError(f"the lens {by} has no {verb}", f"try --by {_either(able)}")
        if by != "style" and not named.has_data(results):
            found = list(present(results))
            hint = f"they hold evidence for {_either(found)}" if found else "see docs/results-file.md"
            raise UsageError(f"the results hold nothing for --by {by}", hint)
        return iter([by])
    return (name for name in present(results) if hasattr(lens(name), verb))


def _either(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
