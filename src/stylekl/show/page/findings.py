"""The findings on a page: sentences, the chance of each, and the facts that each is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stylekl.lenses.findings import Finding, said
from stylekl.lenses.words import Voice
from stylekl.show.findings import chosen
from stylekl.show.json import plain
from stylekl.show.labels import named
from stylekl.show.numbers import count, probability
from stylekl.show.page.safe import seen, seen_symbol
from stylekl.show.page.tables import cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stylekl.lenses.findings import FindingsReport, NotSupported

SHOWN = 24  # sentences that stand open; the others are folded away
_FACTS = 40  # facts of a sentence; the JSON has all


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: what it says first, the rest, its lens and kind, its q unless it says that itself, its facts.

    `place` is where it stands in the report: facts of those that are not `shown` are read from the JSON there.
    """

    lead: str
    text: str
    lens: str
    kind: str
    chance: str
    facts: Sequence[tuple[str, str]]
    shown: bool
    place: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What the file supports, what it does not, and what q counts."""

    supported: Sequence[Sentence]
    lacking: Sequence[Sentence]
    basis: str


def findings_of(report: FindingsReport) -> Findings:
    """Return the findings as they are drawn: strongest first, those beyond the first of each kind folded away."""
    open_now = {id(each) for each in chosen(report.findings, SHOWN)}
    families = "1 family" if report.families == 1 else f"{count(report.families)} families"
    basis = f"q counts {count(report.hypotheses)} hypotheses in {families}, by every kind of evidence in the file."
    return Findings(
        supported=[
            _sentence(each, id(each) in open_now, place) for place, each in enumerate(report.findings)
        ],
        lacking=[_sentence(each, place < SHOWN, place) for place, each in enumerate(report.not_supported)],
        basis=basis,
    )


def _voice() -> Voice:
    return Voice(name=named, symbol=lambda text: f"“{seen_symbol(text)}”")


def _sentence(found: Finding | NotSupported, shown: bool, place: int) -> Sentence:
    lead, text = said(found, _voice())
    chance = probability("q", found.q) if isinstance(found, Finding) else ""
    facts = [*_facts(plain(found.evidence))] if shown else []
    chance = "" if chance in f"{lead} {text}" else chance
    return Sentence(seen(lead), seen(text), found.lens, found.kind, chance, facts[:_FACTS], shown, place)


def _facts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the facts of a sentence by their places in its evidence."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _facts(item, f"{path} {seen(key)}".strip())
    elif isinstance(value, list):
        if all(not isinstance(item, dict | list) for item in value):
            yield path, ", ".join(cell(path, item) for item in value)
            return
        for place, item in enumerate(value, 1):
            yield from _facts(item, f"{path} {place}")
    elif value is not None:
        yield path, cell(path.rsplit(" ", 1)[-1], value)
