"""Sentences below a tree: what is settled, what cannot be told apart, how it is to be read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from stylekl.show.flow import line
from stylekl.show.glyphs import glyphs
from stylekl.show.labels import NAME, named, shorten
from stylekl.show.notes import few_prompts, plain_line
from stylekl.show.numbers import count, number, plural, probability
from stylekl.show.parts import vocabulary_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from stylekl.lenses.style.tree import TreePair, TreeReport
    from stylekl.show.terminal import Terminal

FIRM, LOOSE = 0.95, 0.5
_NAMED = 5  # how many pairs are named before "and n more"


class Drawn(NamedTuple):
    """What a drawing used: lines, marks and omissions.

    `lines` are from firm to loose, `close` marks joins whose sides cannot be told apart, `hidden` counts the numbers
    that found no room, `broken` marks branches longer than drawn, where there are any.
    """

    lines: tuple[str, str, str]
    close: str
    hidden: int
    broken: str


def support_level(support: float) -> int:
    """Return 0 for support of 95 % or more, 1 from 50 %, 2 below: not settled."""
    return 0 if support >= FIRM else 1 if support >= LOOSE else 2


def percent_down(share: float) -> str:
    """Write support in whole per cent, rounded down: 100 is every tree, and what is below a bound prints so."""
    return f"{math.floor(100 * share + 1e-9)}"


def tree_lines(report: TreeReport, terminal: Terminal, drawn: Drawn) -> list[Text]:
    """Return the sentences of a tree, each a sentence or two."""
    labels = shorten([model.name for model in report.models], NAME, terminal.ascii)
    names = {model.id: label for model, label in zip(report.models, labels, strict=True)}
    prompts = [pair.prompts for pair in report.pairs]
    common = plural(max(prompts), "common prompt")
    if min(prompts) < max(prompts):
        common = f"{count(min(prompts))}{glyphs(terminal).dash}{common}"
    closest = [pair for pair in report.pairs if pair.call == "too close to call"]
    closest.sort(key=lambda pair: (-(pair.q or 0.0), pair.a, pair.b))
    missing = [pair for pair in report.pairs if pair.distance is None]
    first = line(f"{plural(len(report.models), 'model')}, {common}")
    if len(report.models) > 2:
        first.append_text(line("; ", (_settled(report), "bold")))
    return [
        first,
        *_pairs(f"Too close to call ({drawn.close})", closest, names, shows_q=True),
        *_pairs("No distance, taken for the farthest", missing, names, shows_q=False),
        *few_prompts((pair.prompts, None, None) for pair in report.pairs if pair.unit == "reply"),
        *(line(text) for text in plain_line(report.params)),
        line((_reading(report, names, terminal, drawn), "dim")),
        *(line((text, "dim")) for text in _support(report, drawn)),
        line((_doubt(report), "dim")),
        line((vocabulary_note(report.vocabulary, terminal), "dim")),
    ]


def _settled(report: TreeReport) -> str:
    shares = [node.support for node in report.nodes if node.support is not None]
    if not shares:
        return "too few prompts to say how settled the groups are"
    levels = [support_level(share) for share in shares]
    text = f"{count(levels.count(0))} of {plural(len(shares), 'group')} with support of 95% or more"
    return text + (f", {count(levels.count(2))} not settled (below 50%)" if 2 in levels else "")


def _pairs(title: str, pairs: Sequence[TreePair], names: dict[str, str], *, shows_q: bool) -> list[Text]:
    if not pairs:
        return []
    entries = [
        f"{names[pair.a]} and {names[pair.b]}"
        + (f" ({probability('q', pair.q) or 'no q'})" if shows_q else "")
        for pair in pairs[:_NAMED]
    ]
    rest = f", and {count(len(pairs) - _NAMED)} more" if len(pairs) > _NAMED else ""
    return [line(f"{title}: {', '.join(entries)}{rest}")]


def _reading(report: TreeReport, names: dict[str, str], terminal: Terminal, drawn: Drawn) -> str:
    """Return what the branches measure."""
    unit = named(report.unit, terminal.ascii)
    what = {
        "js": f"Jensen{glyphs(terminal).dash}Shannon divergence",
        "kl": "KL of both directions",
        "kinship": "1 - kinship",
    }[report.measure]
    of = "1 for strangers, 0 for copies" if report.measure == "kinship" else f"{unit}, corrected for bias"
    text = f"Average linkage: a join stands at the mean {what} between its two sides, {of}."
    if report.outgroup is not None and report.nodes[0].height is None:
        text = (
            f"Average linkage, rooted by {names[report.outgroup]}: the path between two models along the branches is "
            f"the mean {what} at which they were joined, {of}."
        )
    if drawn.broken:
        top = report.nodes[0].height
        where = "" if top is None else f": the outermost join stands at {number(top)}"
        text += f" {drawn.broken} longer than drawn{where}."
    return text


def _support(report: TreeReport, drawn: Drawn) -> list[str]:
    shares = [node.support for node in report.nodes if node.support is not None]
    if not shares:
        return []
    levels = {support_level(share) for share in shares}
    keys = [f"{drawn.lines[0]} 95 or more"] * (0 in levels) + [f"{drawn.lines[2]} below 50"] * (2 in levels)
    text = (
        f"At a join its support in per cent: how many of {count(report.draws)} trees hold the same group when the "
        f"distances vary by their jackknife error{''.join(f'; {key}' for key in keys)}."
    )
    if drawn.hidden:
        text += f" {plural(drawn.hidden, 'number')} found no room; --json has all."
    return [text]


def _doubt(report: TreeReport) -> str:
    kept = (
        "" if report.cophenetic is None else f" (these agree with it at r = {number(report.cophenetic, 2)})"
    )
    return f"Any distances give a tree{kept}; near does not mean related."
