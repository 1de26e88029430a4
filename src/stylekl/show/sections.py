"""The answers of several lenses to one question: one below the other, and under their names in the JSON."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rich.text import Text

from stylekl.show.flow import line, prose

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stylekl.lenses.frame import Sections
    from stylekl.show.tables import Header, Rows
    from stylekl.show.terminal import Terminal

    View = Callable[[Any, Terminal], list[Text]]

# A module here draws each lens but style, whose pictures are in several.
HOMES = {
    "choices": "stylekl.show.choices",
    "verdicts": "stylekl.show.verdicts",
    "votes": "stylekl.show.votes",
    "judgments": "stylekl.show.judgments",
}
TITLES = {
    "style": "How they write",
    "choices": "What they choose",
    "verdicts": "One-word verdicts",
    "votes": "What people prefer",
    "judgments": "What judges say",
}


def shown(name: str) -> Any:
    """Return the module that shows a lens."""
    return import_module(HOMES[name])


def sections_view(report: Sections, terminal: Terminal, views: Mapping[str, View]) -> list[Text]:
    """Return what each lens says, under its title where there are several."""
    lines: list[Text] = []
    for name, part in report.parts.items():
        if len(report.parts) > 1:
            lines += [Text()] if lines else []
            lines += [
                *prose(line((f"{TITLES[name]} (--by {name})", "bold underline")), terminal.width),
                Text(),
            ]
        lines += views[name](part, terminal)
    return lines


def section_data(report: Sections, verb: str) -> dict[str, Any]:
    """Return the `data` of `stylekl pair --json` or of `focus`: the models asked about, and what each lens says."""
    from stylekl.show import json

    first = next(iter(report.parts.values()))
    lenses: dict[str, Any] = {}
    for name, part in report.parts.items():
        data = getattr(json if name == "style" else shown(name), f"{verb}_data")(part)
        lenses |= data["lenses"] if name == "style" else {name: json.plain(data)}
    about = ("a", "b") if verb == "pair" else ("model",)
    return {name: json.plain(getattr(first, name)) for name in about} | {"lenses": lenses}


def section_rows(report: Sections, verb: str) -> tuple[Header, Rows]:
    """Return the table of the first lens."""
    from stylekl.show import tables

    name, part = next(iter(report.parts.items()))
    rows = getattr(tables if name == "style" else shown(name), f"{verb}_rows")(part)
    header, body = rows
    return header, body
