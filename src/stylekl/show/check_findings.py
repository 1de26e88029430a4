"""What a check found in the files and what is odd there, in lines."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.text import Text

from stylekl.show.flow import line, prose
from stylekl.show.labels import named, shown
from stylekl.show.numbers import count, percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from stylekl.lenses.quality import QualityFinding, QualityReport
    from stylekl.results.check_files import FileRead
    from stylekl.show.terminal import Terminal

TITLES = {
    "conflict": "Contradictions",
    "warning": "Reading",
    "unavailable": "Unavailable",
    "missing_replies": "Replies missing",
    "version_changed": "Version changed",
    "near_empty": "Near-empty models",
    "constant": "One text for all prompts",
    "error": "Errors in place of replies",
    "placeholder": "Placeholders",
    "placeholder_text": "Texts like placeholders",
    "missing_prompts": "Prompts without a reply",
    "language": "Another language",
    "reasoning": "Reasoning in the text",
    "special_tokens": "Leaked control tokens",
    "loop": "Loops",
    "empty": "Empty replies",
    "truncated": "Cut by a limit",
    "filtered": "Cut by a filter",
    "mojibake": "Wrong encoding",
    "replacement": "Lost characters",
    "nul": "NUL characters",
    "escapes": "HTML escapes",
    "copies": "Identical long replies",
    "condition": "Another condition",
    "same_prompt": "One prompt, several ids",
    "near_prompts": "Prompts nearly alike",
    "unanswered": "Prompts that nobody answered",
    "far_longer": "Far longer than others",
    "leading_space": "Leading white space",
}
_EACH = 8  # findings of a kind that have a line of their own
_NAMED = 3  # models named in the line of a kind
_FILES = 6  # files that have a line of their own
_LANGUAGES = 4  # languages named
_RARE = 0.01  # share from which on a language is named
_WHOLE = ("conflict", "warning", "unavailable")  # kinds that are told by their text alone


def contents_lines(report: QualityReport, terminal: Terminal) -> list[Text]:
    """Return what the files were taken for, and what is in them besides the models of the table."""
    lines: list[Text] = []
    for text in (
        *_files(report.files, terminal.ascii),
        *_conditions(report, terminal.ascii),
        *_languages(report),
        *_evidence(report),
    ):
        lines += prose(Text(text), terminal.width, 0, 2)
    return lines


def _files(files: Sequence[FileRead], ascii_only: bool) -> Iterator[str]:
    if len(files) <= _FILES:
        for file in files:
            yield f"{shown(file.path, ascii_only)}: {_form(file)}"
        return
    forms = [_form(file) for file in files]
    for form in dict.fromkeys(forms):
        yield f"{plural(forms.count(form), 'file')}: {form}"


def _form(file: FileRead) -> str:
    said = [file.described] + ([file.encoding] if file.encoding else []) + (["gzip"] if file.gzip else [])
    return ", ".join(said)


def _conditions(report: QualityReport, ascii_only: bool) -> Iterator[str]:
    prompts = [each.prompts for each in report.contents if each.replies]
    samples = [each.samples for each in report.contents if each.samples is not None]
    if prompts:
        low, high = min(least for least, _ in samples), max(most for _, most in samples)
        answered = _range(min(prompts), max(prompts))
        replies = "reply" if high == 1 else "replies"
        asked = "prompt" if max(prompts) == 1 else "prompts"
        yield f"Each model: {answered} {asked} answered, {_range(low, high)} {replies} to a prompt."
    if report.conditions:
        told = ", ".join(f"{named(name, ascii_only)} {count(n)}" for name, n in report.conditions.items())
        yield f"Replies by condition: {told}."


def _range(low: int, high: int) -> str:
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def _languages(report: QualityReport) -> Iterator[str]:
    languages = report.languages
    told = [
        f"{what} {_shares(shares)}"
        for what, shares in (("prompts", languages.prompts), ("replies", languages.replies))
        if shares
    ]
    if told:
        yield f"Languages: {'; '.join(told)}."


def _shares(shares: dict[str, float]) -> str:
    known = [(language, share) for language, share in shares.items() if language != "unknown"]
    listed = [each for each in known if each[1] >= _RARE][:_LANGUAGES] or known[:1]
    told = [f"{language} {percent(share)}" for language, share in listed]
    rest = sum(share for _, share in known) - sum(share for _, share in listed)
    told += [f"others {percent(rest)}"] if rest > 1e-9 else []
    return ", ".join(told + ([f"could not tell {percent(shares['unknown'])}"] if "unknown" in shares else []))


def _evidence(report: QualityReport) -> Iterator[str]:
    if report.evidence:
        told = ", ".join(
            f"{count(n)} {name.replace('_', '-', 1).replace('_', ' ')}" for name, n in report.evidence.items()
        )
        yield f"Also in it: {told}."


def finding_lines(report: QualityReport, terminal: Terminal) -> list[Text]:
    """Return the troubles, one below the other, and the notes, a line for each kind."""
    troubles = [finding for finding in report.findings if finding.severity == "trouble"]
    notes = [finding for finding in report.findings if finding.severity == "note"]
    names = {model.id: named(model.name, terminal.ascii) for model in report.collection.models}
    lines: list[Text] = []
    if not troubles:
        lines += prose(line(("No trouble found.", "bold")), terminal.width)
    else:
        lines += prose(line((f"Trouble ({count(len(troubles))})", "bold")), terminal.width)
        lines += _by_kind(troubles, names, terminal, _EACH)
    if notes:
        lines += [Text(), *prose(line((f"Notes ({count(len(notes))})", "bold")), terminal.width)]
        lines += _by_kind(notes, names, terminal, 0)
    return lines


def _by_kind(
    findings: Iterable[QualityFinding], names: dict[str, str], terminal: Terminal, each: int
) -> list[Text]:
    lines: list[Text] = []
    for kind, group in groupby(findings, key=lambda finding: finding.kind):
        found = list(group)
        if len(found) > 1 and kind not in _WHOLE and not each:
            lines += prose(Text(_together(kind, found, names)), terminal.width, 2, 4)
            continue
        room = each or _NAMED
        for finding in found[:room]:
            lines += prose(line(*_said(finding, names, terminal)), terminal.width, 2, 4)
        if len(found) > room:
            lines += prose(Text(f"and {count(len(found) - room)} more"), terminal.width, 4)
    return lines


def _together(kind: str, found: Sequence[QualityFinding], names: dict[str, str]) -> str:
    """Return one sentence on several findings of a kind: how many, and the first few."""
    what = "pair" if kind == "copies" else "model"
    listed = ", ".join(f"{_names(each, names)}{_times(each)}" for each in found[:_NAMED])
    more = ", and others" if len(found) > _NAMED else ""
    return f"{TITLES[kind]}: {plural(len(found), what)}: {listed}{more}"


def _said(
    finding: QualityFinding, names: dict[str, str], terminal: Terminal
) -> Iterator[str | tuple[str, str]]:
    if finding.models:
        yield _names(finding, names), "bold"
        yield ": "
    yield shown(finding.text, terminal.ascii)
    if finding.kind == "copies" and finding.of is not None:
        yield f", {plural(finding.replies or 0, 'text')} on {plural(finding.of, 'common prompt')}"
    elif finding.replies is not None:
        yield f",{_times(finding)} replies"
    elif finding.prompts is not None:
        yield f", {plural(finding.prompts, 'prompt')}"
    where = [finding.place] if finding.place else []
    if finding.prompts is not None and finding.replies is None and finding.listed:
        more = ", and others" if finding.prompts > len(finding.listed) else ""
        where.append(", ".join(finding.listed) + more)
    if where:
        yield f" ({shown('; '.join(where), terminal.ascii)})", "dim"


def _names(finding: QualityFinding, names: dict[str, str]) -> str:
    return " and ".join(names.get(model) or shown(model) for model in finding.models)


def _times(finding: QualityFinding) -> str:
    if finding.replies is not None:
        return f" {count(finding.replies)}" + ("" if finding.of is None else f" of {count(finding.of)}")
    return f" {count(finding.prompts)}" if finding.prompts is not None else ""
