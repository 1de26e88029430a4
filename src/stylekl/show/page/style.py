"""The style lens on a page: all pairs, each model among the others, pairs in detail, the tree."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from stylekl.show.glyphs import UNICODE
from stylekl.show.labels import NAME, shorten
from stylekl.show.notes import call_line, matrix_lines
from stylekl.show.numbers import count, number, percent, probability
from stylekl.show.page.block import Block
from stylekl.show.page.heat import Heat, View, heat, view
from stylekl.show.page.safe import seen
from stylekl.show.page.tables import Table, plot
from stylekl.show.page.tells import PAGE, bars, class_colours, facets, voices
from stylekl.show.parts import Speaker
from stylekl.show.style import focus_notes, matrix_grid, measured, neighbour_row, pair_fields, pair_notes

if TYPE_CHECKING:
    from stylekl.lenses.everything import LensAnswers
    from stylekl.lenses.reports import Estimate, FocusReport, MatrixReport, PairReport
    from stylekl.lenses.style.tree import TreeReport
    from stylekl.show.grid import Grid
    from stylekl.show.page.density import Density
    from stylekl.show.style import Measure
    from stylekl.show.whiskers import Whisker

_SVG_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


def style_heat(report: MatrixReport) -> Heat | None:
    """Return the heat map of the style lens with its views: the measure that the report names comes first.

    A measure without a value has no view; nothing where none has any.
    """
    measures: list[Measure] = [cast("Measure", report.measure)]
    measures += [each for each in cast("list[Measure]", ["kl", "js", "kinship"]) if each not in measures]
    grids = [(measure, matrix_grid(report, measure)) for measure in measures]
    held = [(measure, grid) for measure, grid in grids if grid.pairs()]
    views = [each for measure, grid in held for each in _views(measure, grid)]
    return heat("style", held[0][1], views) if held else None


def _views(measure: Measure, grid: Grid) -> list[View]:
    if measure == "kl":
        there, back = "kl_ab.value", "kl_ba.value"
        first = view("kl", "KL(row ‖ column)", (there, back), grid)
        turned = replace(grid, values=[*zip(*grid.values, strict=True)])
        return [first, view("kl-back", "KL(column ‖ row)", (back, there), turned)]
    if measure == "js":
        return [view("js", "Jensen–Shannon", ("js.value", "js.value"), grid)]
    return [view("kinship", "1 − kinship", ("kinship.value", "kinship.value"), grid, inverted=True)]


def style_pairs(report: MatrixReport) -> Table:
    """Return every pair with its figures, in the order of the report."""
    names = {model.id: seen(model.name) for model in report.models}
    parts = {
        "A": [names[pair.a] for pair in report.pairs],
        "B": [names[pair.b] for pair in report.pairs],
        "KL(A ‖ B)": [_estimate(pair.kl_ab) for pair in report.pairs],
        "KL(B ‖ A)": [_estimate(pair.kl_ba) for pair in report.pairs],
        "Jensen–Shannon": [_estimate(pair.js) for pair in report.pairs],
        "kinship": [_signed(pair.kinship) for pair in report.pairs],
        "floor": ["" if pair.floor is None else number(pair.floor) for pair in report.pairs],
        "q": [probability("", pair.q).replace("=", "").strip() for pair in report.pairs],
        "call": [
            pair.call if pair.undefined is None else f"{pair.call}, {pair.undefined}" for pair in report.pairs
        ],
        "prompts": [count(pair.prompts) for pair in report.pairs],
    }
    note = f"{seen(report.unit)}, each with its 95% interval; kinship from 0 for strangers to 1 for copies."
    if len(parts["prompts"]) > 1 and len(set(parts["prompts"])) == 1:
        note += f" Every pair rests on {parts.pop('prompts')[0]} prompts."
    kept = {head: cells for head, cells in parts.items() if any(cells)}
    return Table(
        "Every pair", "pairs-style", [*kept], [*zip(*kept.values(), strict=True)], note, grouped=True
    )


def _estimate(value: Estimate | None) -> str:
    return "" if value is None else measured(value, "").replace("  ", " ")


def _signed(value: Estimate | None) -> str:
    if value is None:
        return ""
    return f"{number(value.value, 2)} [{number(value.low, 2)} {number(value.high, 2)}]"


def style_notes(report: MatrixReport) -> list[str]:
    """Return the sentences below the heat map."""
    return [line.plain for line in matrix_lines(report, report.measure, PAGE)]


def style_models(answers: LensAnswers, room: Density) -> list[Block]:
    """Return each model among the others, in the order of the map."""
    order = answers.matrix.order if answers.matrix is not None else tuple(answers.focus)
    return [_model(answers.focus[each], room) for each in order if each in answers.focus]


def _model(report: FocusReport, room: Density) -> Block:
    style, name = report.style, seen(report.model.name)
    rows = [neighbour_row(each, style.rank_by, UNICODE) for each in style.neighbours[: room.neighbours]]
    titles = f"{name} ‖ others", f"others ‖ {name}"
    drawn, classes = bars(style.classes, titles)
    names = {report.model.id: report.model.name} | {each.model: each.name for each in style.neighbours}
    speakers = (
        Speaker("a", report.model.id, f"{name} says more than the others", "", report.vocabulary.facet),
        Speaker("b", "others", "The others say more", "", report.vocabulary.facet),
    )
    nearest = next((row for row in rows if row.value is not None), None)
    return Block(
        ids=[report.model.id],
        title=name,
        line="" if nearest is None else nearest_line(nearest),
        neighbours=plot(rows) if rows else None,
        more=len(style.neighbours) - len(rows),
        notes=focus_notes(report, name, PAGE)[0 if room.facets else 1 : None if room.facets else -1],
        bars=drawn,
        classes=classes,
        colours=class_colours(style.classes),
        facets=facets(style.facets, (f"KL({titles[0]})", titles[1])) if room.facets else None,
        voices=voices(style.tells, speakers, names, most=room.tells, places=room.places),
        candidates=count(style.candidates),
    )


def nearest_line(row: Whisker) -> str:
    """Return who is nearest, with its interval, and whether the order of the ranks is settled there."""
    settled = "" if row.rank.isdigit() or not row.rank else f", rank {row.rank}: not settled"
    return f"nearest: {seen(row.name)} {row.figure} {row.interval}".rstrip() + settled


def style_details(answers: LensAnswers) -> list[Block]:
    """Return the pairs that are in the page in detail."""
    return [_pair(report) for report in answers.pairs.values()]


def _pair(report: PairReport) -> Block:
    style = report.style
    a, b = shorten((report.a.name, report.b.name), NAME)
    against = f"{a} ‖ {b}", f"{b} ‖ {a}"
    drawn, classes = bars(style.classes, against)
    speakers = (
        Speaker("a", report.a.id, f"{a} says more", "", report.vocabulary.facet),
        Speaker("b", report.b.id, f"{b} says more", "", report.vocabulary.facet),
    )
    names = {report.a.id: report.a.name, report.b.id: report.b.name}
    return Block(
        ids=[report.a.id, report.b.id],
        title=f"{a} and {b}",
        line=call_line(style.pair, a, b, PAGE).plain.removeprefix(f"{a} and {b}").lstrip(": "),
        fields=pair_fields(report, against, UNICODE),
        notes=[*pair_notes(report, PAGE), *_copied(report)],
        bars=drawn,
        classes=classes,
        colours=class_colours(style.classes),
        facets=facets(style.facets, against),
        voices=voices(style.tells, speakers, names, most=12, places=4),
        candidates=count(style.candidates),
    )


def _copied(report: PairReport) -> list[str]:
    held = len({copy.prompt for copy in report.style.copied})
    return (
        [f"Identical replies to {count(held)} of {count(report.style.pair.prompts)} prompts."] if held else []
    )


def tree_picture(report: TreeReport) -> str:
    """Return the tree as an element of SVG without a style of its own, which the page's policy would not admit."""
    from stylekl.show.tree_svg import tree_svg

    return _SVG_STYLE.sub("", tree_svg(report))


def tree_table(report: TreeReport) -> Table:
    """Return the groups of a tree: who is in each, how far its sides are apart, and its support."""
    names = {model.id: seen(model.name) for model in report.models}
    rows = [
        [
            "; ".join(names[member] for member in node.members),
            "" if node.height is None else number(node.height),
            "" if node.support is None else percent(node.support),
            node.call or "",
        ]
        for node in report.nodes
        if node.model is None
    ]
    return Table("The groups of the tree", "tree", ["group", "height", "support", "call"], rows)
