"""The findings in a terminal, as JSON and as a table: what a file supports, strongest first, and what it does not."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.lenses.findings import said
from stylekl.lenses.words import Voice
from stylekl.show.flow import line, prose
from stylekl.show.json import plain
from stylekl.show.labels import named, shown, symbol
from stylekl.show.notes import left_out_line, plain_line
from stylekl.show.numbers import count, plural
from stylekl.show.parts import vocabulary_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.findings import Finding, FindingsReport, NotSupported
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal


def findings_view(report: FindingsReport, terminal: Terminal, *, most: int = 12) -> list[Text]:
    """Return the sentences, at most `most` supported ones and as many that are not, and what they rest on.

    The strongest of each kind come first into the choice, so that one kind does not crowd out the others; those shown
    stand strongest first.
    """
    width, voice = terminal.width, _voice(terminal)
    lines = prose(line(("Supported", "bold"), ", strongest first" if report.findings else ""), width)
    shown = chosen(report.findings, most)
    for found in shown:
        lead, text = said(found, voice)
        lines += prose(line((f"{lead}.", "bold"), f" {text}"), width, 2, 4)
    lines += _rest([each for each in report.findings if each not in shown], width)
    if not report.findings:
        lines += prose(Text(f"Nothing, of {count(report.hypotheses)} hypotheses."), width, 2, 4)
    if report.not_supported:
        lines += [Text(), *prose(line(("Not supported", "bold")), width)]
    for lacking in report.not_supported[:most]:
        text, why = said(lacking, voice)
        lines += prose(line(text, (f" {why}", "dim")), width, 2, 4)
    lines += _rest(report.not_supported[most:], width)
    lines.append(Text())
    for note in _notes(report, terminal):
        lines += prose(line((note, "dim")), width, 2)
    return lines + left_out_line(report.models, terminal)


def chosen(findings: Sequence[Finding], most: int) -> list[Finding]:
    """Return at most `most` findings in their order: the strongest of each kind, then the strongest of the rest."""
    first: dict[str, Finding] = {}
    for found in findings:
        first.setdefault(found.kind, found)
    best = list(first.values())
    ranked = [*best, *(found for found in findings if found not in best)]
    kept = ranked[:most]
    return [found for found in findings if found in kept]


def findings_data(report: FindingsReport) -> dict[str, Any]:
    """Return the `data` of `stylekl findings --json`."""
    return {
        "findings": [
            _fields(found, "kind", "lens", "lead", "text", "models", "evidence", "q", "strength")
            for found in report.findings
        ],
        "not_supported": [
            _fields(found, "kind", "lens", "text", "why", "models", "evidence")
            for found in report.not_supported
        ],
        "hypotheses": report.hypotheses,
        "families": report.families,
        "models": plain(report.models),
        "vocabulary": plain(report.vocabulary),
        "asked": plain(report.asked),
    }


def findings_rows(report: FindingsReport) -> tuple[Header, Rows]:
    """Return one row for each sentence, those that are supported first."""
    header = ["supported", "kind", "lens", "text", "why", "models", "q", "strength"]
    rows: Rows = [
        [True, found.kind, found.lens, found.text, None, " ".join(found.models), found.q, found.strength]
        for found in report.findings
    ]
    rows += [
        [False, found.kind, found.lens, found.text, found.why, " ".join(found.models), None, None]
        for found in report.not_supported
    ]
    return header, rows


def _fields(found: Finding | NotSupported, *names: str) -> dict[str, Any]:
    return {name: plain(getattr(found, name)) for name in names}


def _voice(terminal: Terminal) -> Voice:
    """Return how names and symbols of a file are said on this terminal."""

    def quoted(text: str) -> str:
        shown = symbol(text, terminal.ascii)
        mark = "'" if '"' in shown else '"'
        return f"{mark}{shown}{mark}"

    return Voice(name=lambda name: named(name, terminal.ascii), symbol=quoted)


def _rest(left: Sequence[Finding | NotSupported], width: int) -> list[Text]:
    """Return how many there are that are not shown, by kind."""
    if not left:
        return []
    kinds = Counter(found.kind for found in left)
    told = ", ".join(
        f"{kind} {count(number)}" for kind, number in sorted(kinds.items(), key=lambda k: (-k[1], k[0]))
    )
    text = f"and {count(len(left))} more ({told}); --most shows more, --json all"
    return prose(line((text, "dim")), width, 2, 4)


def _notes(report: FindingsReport, terminal: Terminal) -> list[str]:
    looked = f"q counts {count(report.hypotheses)} hypotheses in {count(report.families)} families"
    based = "" if report.vocabulary is None else f"; {vocabulary_note(report.vocabulary, terminal)}"
    notes = [f"{asked.lens}: {shown(asked.note, terminal.ascii)}" for asked in report.asked if asked.note]
    return [f"{plural(len(report.models), 'model')}; {looked}{based}", *notes, *plain_line(report.params)]
