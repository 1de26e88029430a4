"""The report on files: what was found, a table of models, and what a reader has to know before using them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.text import Text

from stylekl.show.check_findings import contents_lines, finding_lines
from stylekl.show.flow import line, prose
from stylekl.show.glyphs import glyphs
from stylekl.show.json import plain
from stylekl.show.labels import fit, named, pad, shorten, shown
from stylekl.show.numbers import count, percent, plural
from stylekl.show.progress import money

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.quality import ModelContents, QualityReport
    from stylekl.results.check import CheckReport, ModelCheck
    from stylekl.show.terminal import Terminal

_FAULTS = {
    "refusal": "refused",
    "over_length": "long",
    "truncated": "cut",
    "empty": "empty",
    "error": "error",
}
_NAME, _NARROWEST = 24, 12
_LEGEND = (
    "refused, long, cut, empty, error: replies with this fault. again: asked a second time. first, total: median "
    "time to the first word and to the end, network and queue included: no measure of a model's speed."
)
_LONG, _FEW = 12, 3  # models that make a table long; models that are named one by one


def check_data(report: QualityReport) -> dict[str, Any]:
    """Return the `data` of `stylekl check --json`."""
    collection = report.collection
    contents = {each.id: each for each in report.contents}
    models = [plain(model) | _contents(contents.get(model.id)) for model in collection.models]
    keys = ("collections", "mock", "replies", "prompts", "archived", "cost")
    data = {"models": models} | {key: plain(getattr(collection, key)) for key in keys}
    data |= {"choices": collection.choices} if collection.choices else {}
    return data | {
        "files": plain(report.files),
        "conditions": plain(report.conditions),
        "evidence": plain(report.evidence),
        "languages": plain(report.languages),
        "trouble": report.trouble,
        # a finding's kind is no class of symbols, which `plain` would call it
        "findings": [
            {field.name: plain(getattr(finding, field.name)) for field in fields(finding)}
            for finding in report.findings
        ],
    }


def _contents(model: ModelContents | None) -> dict[str, Any]:
    if model is None:
        return {"prompts": 0, "samples": None, "characters": None}
    return {"prompts": model.prompts, "samples": plain(model.samples), "characters": plain(model.characters)}


def check_rows(report: QualityReport) -> tuple[list[str], list[list[Any]]]:
    """Return one row for each model; its troubles and notes by their kinds."""
    header = ["model", "name", "provider", "requested", "versions", "changed", "unavailable"]
    header += ["asked", "replies", "missing", *_FAULTS, "refusal_rate", "asked_again", "transport_retries"]
    header += [
        "latency_ms",
        "first_content_ms",
        "input",
        "output",
        "reasoning",
        "cost",
        "currency",
        "left_out",
        "troubles",
        "notes",
    ]
    kinds: dict[tuple[str, str], list[str]] = {}
    for finding in report.findings:
        for name in finding.models:
            kinds.setdefault((name, finding.severity), []).append(finding.kind)
    rows: list[list[Any]] = []
    for model in report.collection.models:
        versions = "; ".join(each.version for each in model.versions)
        row: list[Any] = [model.id, model.name, model.provider, model.requested, versions, model.changed]
        row += [model.unavailable, model.asked, model.replies, model.missing]
        row += [model.faults.get(name, 0) for name in _FAULTS]
        row += [model.refusal_rate, model.asked_again, model.transport_retries]
        row += [model.latency_ms, model.first_content_ms, *model.tokens.values(), model.cost, model.currency]
        told = ["; ".join(dict.fromkeys(kinds.get((model.id, each), []))) for each in ("trouble", "note")]
        rows.append([*row, sum(model.left_out.values()), *told])
    return header, rows


def check_view(report: QualityReport, terminal: Terminal) -> list[Text]:
    """Return what was found, a table of models or a paragraph for each, the notes on it, and what is odd."""
    collection = report.collection
    lines = [*prose(_title(collection), terminal.width), *contents_lines(report, terminal), Text()]
    if collection.models:
        lines += (
            _few_words(collection, terminal)
            or _table(collection, terminal)
            or _paragraphs(collection, terminal)
        )
        lines.append(Text())
    for note in _notes(collection, terminal):
        lines += prose(note, terminal.width, 0, 2)
    if lines[-1].plain:
        lines.append(Text())
    return lines + finding_lines(report, terminal)


def _few_words(report: CheckReport, terminal: Terminal) -> list[Text]:
    """Return a sentence in place of a long table that would say how many replies there are, and no more."""
    said = [_cells(model)[1:] for model in report.models]
    if len(said) <= _LONG or any(cell not in ("-", "0") for cells in said for cell in cells):
        return []
    groups: dict[str, list[str]] = {}
    for model in report.models:
        asked = f" of {count(model.asked)} asked for" if model.missing else ""
        groups.setdefault(f"{count(model.replies)}{asked}", []).append(named(model.name, terminal.ascii))
    told = []
    for number, names in sorted(groups.items(), key=lambda item: -len(item[1])):
        whose = ", ".join(names) if len(names) <= _FEW else plural(len(names), "model")
        told.append(f"{number} from {whose}")
    none = ", ".join(_FAULTS.values())
    text = f"Replies: {'; '.join(told)}. None in any model: {none}."
    return prose(Text(text), terminal.width, 0, 2)


def _title(report: CheckReport) -> Text:
    models = plural(len(report.models), "model")
    text = f": {plural(report.replies, 'reply')} to {plural(report.prompts, 'prompt')}"
    if report.choices:
        also = f", {plural(report.replies, 'reply')}" if report.replies else ""
        text = f": {plural(report.choices, 'choice')} of a probe{also}"
    archived = f", {count(report.archived)} in the archive" if report.archived else ""
    return line((models, "bold"), text + archived)


def _cells(model: ModelCheck) -> list[str]:
    share = f" {percent(model.refusal_rate)}" if model.faults.get("refusal") else ""
    return [
        f"{count(model.replies)}/{count(model.asked)}",
        f"{count(model.faults.get('refusal', 0))}{share}",
        *(count(model.faults.get(name, 0)) for name in list(_FAULTS)[1:]),
        count(model.asked_again),
        _seconds(model.first_content_ms),
        _seconds(model.latency_ms),
        "-" if model.cost is None or model.currency is None else money(model.cost, model.currency),
    ]


_HEADS = ["replies", *_FAULTS.values(), "again", "first", "total", "cost"]


def _seconds(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    return f"{milliseconds:.0f} ms" if milliseconds < 999.5 else f"{milliseconds / 1000:.1f} s"


def _table(report: CheckReport, terminal: Terminal) -> list[Text]:
    """Return the table without columns that say nothing; no lines where it does not fit."""
    rows = [_cells(model) for model in report.models]
    names = [model.name for model in report.models]
    widest = max((cell_len(shown(name, terminal.ascii)) for name in names), default=0)
    for nothing in ({"-"}, {"-", "0"}):
        kept = [n for n in range(len(_HEADS)) if any(row[n] not in nothing for row in rows)]
        heads, cells = [_HEADS[n] for n in kept], [[row[n] for n in kept] for row in rows]
        wide = [max(cell_len(row[n]) for row in [heads, *cells]) for n in range(len(heads))]
        label = max(5, min(_NAME, terminal.width - sum(wide) - 2 * len(wide), widest))
        if sum(wide) + 2 * len(wide) + label <= terminal.width and label >= min(_NARROWEST, widest):
            break
    else:
        return []
    lines = [line((pad("", label) + _right(heads, wide), "dim"))]
    for name, row in zip(shorten(names, label, terminal.ascii), cells, strict=True):
        lines.append(line((pad(name, label), "bold"), _right(row, wide)))
    gone = [head for n, head in enumerate(_HEADS) if n not in kept and any(row[n] == "0" for row in rows)]
    return [*lines, *(prose(Text(f"None in any model: {', '.join(gone)}."), terminal.width) if gone else [])]


def _right(cells: Sequence[str], wide: Sequence[int]) -> str:
    return "".join(
        "  " + " " * (size - cell_len(cell)) + cell for cell, size in zip(cells, wide, strict=True)
    )


def _paragraphs(report: CheckReport, terminal: Terminal) -> list[Text]:
    lines: list[Text] = []
    for model in report.models:
        lines.append(line((fit(shown(model.name, terminal.ascii), terminal.width, terminal.ascii), "bold")))
        told = ", ".join(f"{head} {cell}" for head, cell in zip(_HEADS, _cells(model), strict=True))
        lines += prose(Text(told), terminal.width, 2)
    return lines


def _notes(report: CheckReport, terminal: Terminal) -> list[Text]:
    marks = glyphs(terminal)
    ascii_only = terminal.ascii
    notes: list[str] = []
    if report.mock:
        notes.append("Made-up replies (mock): nothing here says anything about a model.")
    notes += _grouped(report, ascii_only)
    for model in report.models:
        name = named(model.name, ascii_only)
        notes += _version_notes(model, name, ascii_only, marks.to)
        if model.not_applied:
            notes.append(
                f"{name}: {', '.join(model.not_applied)} declared and not applied: the provider rejects it"
            )
    left_out: dict[str, int] = {}
    for model in report.models:
        for reason, number in model.left_out.items():
            left_out[reason] = left_out.get(reason, 0) + number
    if left_out:
        told = ", ".join(f"{shown(reason, ascii_only)} {count(n)}" for reason, n in sorted(left_out.items()))
        notes.append(f"Left out of comparisons of style: {told}.")
    if report.cost:
        total = " + ".join(money(amount, currency) for currency, amount in report.cost.items())
        notes.append(
            f"Cost about {total}: tokens at the prices of the models file, cached input at the full rate."
        )
    if any(cell not in ("-", "0") for model in report.models for cell in _cells(model)[1:]):
        notes.append(_LEGEND)
    return [Text(note) for note in notes]


def _grouped(report: CheckReport, ascii_only: bool) -> list[str]:
    """Return what several models may have in common, each with the names of those it holds for."""
    groups: dict[str, list[str]] = {}
    for model in report.models:
        name = named(model.name, ascii_only)
        if model.unavailable is not None:
            groups.setdefault(f"Unavailable: {{}}: {shown(model.unavailable, ascii_only)}", []).append(name)
        elif model.missing:
            asks = "; the same `stylekl collect` asks for them"
            groups.setdefault(f"{plural(model.missing, 'reply')} missing: {{}}{asks}", []).append(name)
    for model in report.models:
        if model.own:
            parts = {"system": "a system prompt", "examples": "example exchanges"}
            own = " and ".join(parts[each] for each in model.own)
            names = groups.setdefault(
                f"Asked with {own} of their own, so other writers of their models: {{}}", []
            )
            names.append(named(model.name, ascii_only))
    return [text.replace("{}", ", ".join(names), 1) for text, names in groups.items()]


def _version_notes(model: ModelCheck, name: str, ascii_only: bool, arrow: str) -> list[str]:
    if model.requested is None or not model.versions:
        return []
    seen = ", ".join(
        f"{named(each.version, ascii_only)}"
        + (f" ({count(each.replies)})" if len(model.versions) > 1 else "")
        for each in model.versions[:4]
    )
    more = " …" if len(model.versions) > 4 and not ascii_only else ""
    told = f"{name}: requested {named(model.requested, ascii_only)} {arrow} returned {seen}{more}"
    if model.changed:
        return [f"{told}. THE VERSION CHANGED within a collection"]
    return [told] if [each.version for each in model.versions] != [model.requested] else []
