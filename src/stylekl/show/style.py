"""The style lens in a terminal: all pairs as a heat map, two models side by side, one among the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, cast

from rich.text import Text

from stylekl.show.concordance import concordance
from stylekl.show.facets import facet_lines, per
from stylekl.show.flow import line, prose
from stylekl.show.glyphs import Glyphs, glyphs
from stylekl.show.grid import Grid
from stylekl.show.heatmap import heatmap
from stylekl.show.labels import NAME, ink_names, named, shorten
from stylekl.show.notes import (
    call_line,
    copies_line,
    few_prompts,
    left_out_line,
    matrix_lines,
    plain_line,
    unsettled_line,
)
from stylekl.show.numbers import estimate, interval, limit, number, percent, plural, probability
from stylekl.show.parts import FLOOR, Speaker, copied_lines, fields, tell_chips, vocabulary_note
from stylekl.show.stack import WAYS, stack
from stylekl.show.whiskers import Whisker, whiskers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.lenses.reports import (
        Estimate,
        FocusReport,
        MatrixReport,
        Neighbour,
        PairReport,
        StylePair,
    )
    from stylekl.lenses.style.recognition_report import Recognised
    from stylekl.show.terminal import Terminal

Measure = Literal["kl", "js", "kinship"]


def matrix_view(
    report: MatrixReport,
    terminal: Terminal,
    *,
    measure: Measure | None = None,
    ramp: str = "lajolla",
    vmax: float | None = None,
) -> list[Text]:
    """Return the heat map of all pairs in the report's order, and below it what the file supports.

    `measure` is the one that the report names unless given.
    """
    measure = measure or cast("Measure", report.measure)
    grid = matrix_grid(report, measure)
    lines = heatmap(grid, terminal, ramp=ramp, vmax=vmax)
    notes = matrix_lines(report, measure, terminal)
    return [*lines, Text(), *(part for note in notes for part in prose(note, terminal.width, 0, 2))]


def matrix_grid(report: MatrixReport, measure: Measure = "kl") -> Grid:
    """Return the square of a matrix report: cell (row, column) is KL(row ‖ column), or Jensen-Shannon.

    Of kinship it is 1 − κ, so that near is small as it is elsewhere.
    """
    place = {model: i for i, model in enumerate(report.order)}
    names = {model.id: model.name for model in report.models}
    values: list[list[float | None]] = [[None] * len(place) for _ in place]
    for pair in report.pairs:
        there, back = {
            "kl": (pair.kl_ab, pair.kl_ba),
            "js": (pair.js, pair.js),
            "kinship": (pair.kinship, pair.kinship),
        }[measure]
        i, j = place[pair.a], place[pair.b]
        values[i][j] = _drawn(there, measure)
        values[j][i] = _drawn(back, measure)
    cluster = {model: number for number, ids in enumerate(report.clusters) for model in ids}
    clusters = (
        [cluster.get(model, len(cluster) + i) for i, model in enumerate(report.order)] if cluster else []
    )
    unit = "1 - kinship" if measure == "kinship" else f"{measure.upper()}, {report.unit}"
    labels = [names.get(model, model) for model in report.order]
    return Grid(labels, values, unit, clusters, _moved(report, place, measure))


def _moved(report: MatrixReport, place: Mapping[str, int], measure: Measure) -> frozenset[tuple[int, int]]:
    """Return the cells that moved since the baseline."""
    if report.baseline is None or measure != report.measure:
        return frozenset()
    cells = [(place[moved.row], place[moved.column]) for moved in report.baseline.moved]
    return frozenset(cells + [(j, i) for i, j in cells if measure == "js"])


def _drawn(value: Estimate | None, measure: Measure) -> float | None:
    if value is None:
        return None
    return 1.0 - value.value if measure == "kinship" else value.value


def pair_view(
    report: PairReport, terminal: Terminal, *, show_examples: bool = False, most: int = 12
) -> list[Text]:
    """Return the call on two models, both directions with their intervals, facets, classes and tells."""
    a, b = shorten((report.a.name, report.b.name), NAME, terminal.ascii)
    marks, width = glyphs(terminal), terminal.width
    against = f"{a} {marks.against} {b}", f"{b} {marks.against} {a}"
    lines = prose(call_line(report.style.pair, a, b, terminal), width, 0, 2)
    lines += fields(pair_fields(report, against, marks), width)
    ink_names(lines, {a: report.a.name, b: report.b.name}, terminal)
    for note in pair_notes(report, terminal):
        lines += prose(line((note, "dim")), width, 2)
    lines += left_out_line((report.a, report.b), terminal)
    lines += copied_lines(report.style.copied, report.style.pair.prompts, terminal)
    ways = f"{WAYS[0]} ({against[0]}) and {WAYS[1]} ({against[1]})"
    lines += _titled(f"Where they differ, {ways}", facet_lines(report.style.facets, terminal), width)
    lines += _titled("What it is made of", stack(report.style.classes, against, terminal), width)
    speakers = (
        Speaker("a", report.a.id, f"{a} says more", f"Only {a}", report.vocabulary.facet),
        Speaker("b", report.b.id, f"{b} says more", f"Only {b}", report.vocabulary.facet),
    )
    names = {report.a.id: report.a.name, report.b.id: report.b.name}
    return lines + _tells(report, speakers, names, terminal, show_examples=show_examples, most=most)


def _titled(title: str, lines: list[Text], width: int) -> list[Text]:
    """Return a part of a view with its title, or nothing where it has no lines."""
    return [Text(), *prose(line((title, "bold")), width), *lines] if lines else []


def focus_view(
    report: FocusReport,
    terminal: Terminal,
    *,
    show_examples: bool = False,
    most: int = 12,
    ramp: str = "lajolla",
) -> list[Text]:
    """Return the neighbours of one model, nearest first, and its tells against the mean of the others."""
    name, marks, width = named(report.model.name, terminal.ascii), glyphs(terminal), terminal.width
    style, facet = report.style, report.vocabulary.facet
    lines = prose(line("Neighbours of ", (name, "bold"), ", nearest first"), width)
    ink_names(lines, {name: report.model.name}, terminal)
    lines += whiskers([neighbour_row(n, style.rank_by, marks) for n in style.neighbours], terminal, ramp=ramp)
    for note in focus_notes(report, name, terminal):
        lines += prose(line((note, "dim")), width, 2)
    lines += left_out_line((report.model,), terminal)
    against = f"{name} {marks.against} others", f"others {marks.against} {name}"
    where = f"Where {name} differs from the others: KL({against[0]})"
    lines += _titled(where, facet_lines(style.facets, terminal), width)
    lines += _titled(f"What sets {name} apart", stack(style.classes, against, terminal), width)
    speakers = (
        Speaker("a", report.model.id, f"{name} says more than the others", f"Only {name}", facet),
        Speaker("b", "others", "The others say more", "Only the others", facet),
    )
    names = {report.model.id: report.model.name} | {n.model: n.name for n in style.neighbours}
    return lines + _tells(report, speakers, names, terminal, show_examples=show_examples, most=most)


def _tells(
    report: PairReport | FocusReport,
    speakers: tuple[Speaker, Speaker],
    names: Mapping[str, str],
    terminal: Terminal,
    *,
    show_examples: bool,
    most: int,
) -> list[Text]:
    """Return the tells of both sides as chips, and in context where that is asked for; or that there are none."""
    tells, lines = report.style.tells, _only(report.params, terminal)
    if not tells:
        none = f"No tells among {plural(report.style.candidates, 'symbol')}."
        return [Text(), *lines, *prose(Text(none), terminal.width)]
    lines = [Text(), *lines] if lines else []
    for speaker in speakers:
        lines += tell_chips(tells, speaker, terminal, most)
    for speaker in speakers if show_examples else ():
        lines += concordance(tells, speaker, names, terminal, most)
    return lines


def _only(params: Mapping[str, Any], terminal: Terminal) -> list[Text]:
    """Return that tells of some classes alone are shown, where that was asked for."""
    kinds = ", ".join(named(kind, terminal.ascii) for kind in params.get("classes") or ())
    return prose(line((f"Tells of these classes only: {kinds}.", "dim")), terminal.width) if kinds else []


def pair_fields(report: PairReport, against: tuple[str, str], marks: Glyphs) -> list[tuple[str, str]]:
    """Return what was measured between two models, each with its label."""
    pair, unit = report.style.pair, unit_of(report)
    rows = [(against[0], measured(pair.kl_ab, unit)), (against[1], measured(pair.kl_ba, unit))]
    rows.append((f"Jensen{marks.dash}Shannon", measured(pair.js, unit)))
    if pair.floor is not None:
        rows.append(("floor", f"{number(pair.floor)}, {FLOOR}"))
    if pair.kinship is not None:
        called = "likely kin" if pair.likely_kin else "too little to call them kin"
        rows.append(("kinship", f"{number(pair.kinship.value, 2)} {_signed(pair.kinship)}, {called}"))
    return rows if pair.kl_ab is not None else []


def unit_of(report: PairReport | FocusReport) -> str:
    """Return the unit of the divergences: bits per symbol of the facet."""
    facet = report.vocabulary.facet
    own = (found.unit for found in report.style.facets if found.facet == facet)
    return f"bits per {per(next(own, facet.removesuffix('s')))}"


def measured(value: Estimate | None, unit: str) -> str:
    """Return an estimate with its unit and its interval in words."""
    if value is None:
        return "no value"
    spread = interval(value) if value.value > 0 else ""
    return f"{estimate(value)} {unit} {spread}".rstrip()


def _signed(value: Estimate) -> str:
    return f"[{number(value.low, 2)} {number(value.high, 2)}]"


def pair_notes(report: PairReport, terminal: Terminal) -> list[str]:
    """Return what the figures rest on, and what to beware of."""
    pair = report.style.pair
    base = plural(pair.prompts, "prompt") + (
        f", {plural(pair.units, 'reply')}" if pair.unit == "reply" else ""
    )
    resampled = f", jackknife over {plural(pair.groups, 'group')}" if pair.groups else ""
    notes = [f"{base}{resampled}; {vocabulary_note(report.vocabulary, terminal)}"]
    if pair.unit == "reply":
        notes.append(f"Few prompts: this speaks of {_these(pair.prompts)} only.{_over_prompts(pair)}")
    if pair.kl_ab and pair.kl_ba and pair.kl_ab.raw > max(1.25 * pair.kl_ab.value, 0.0005):
        raw = f"{number(pair.kl_ab.raw)} and {number(pair.kl_ba.raw)}"
        notes.append(f"Before bias correction: {raw}. Chance alone pushes a divergence up.")
    if pair.length_rule:
        ratio = max(pair.length_ratio, 1 / pair.length_ratio) if pair.length_ratio else None
        times = f"{number(ratio, 1)} times" if ratio else "more than three times"
        notes.append(f"The replies of one are {times} as long: rare symbols count as other.")
    return notes + plain_line(report.params)


def _these(prompts: int) -> str:
    return "this one prompt" if prompts == 1 else f"these {prompts} prompts"


def _over_prompts(pair: StylePair) -> str:
    if pair.se_prompts is None or pair.kl_ab is None:
        return ""
    return f" Standard error {number(pair.kl_ab.se)} over replies, {number(pair.se_prompts)} over prompts."


def neighbour_row(neighbour: Neighbour, rank_by: str, marks: Glyphs) -> Whisker:
    """Return the row of a neighbour: its rank with its range, its value with its interval, drawn and in figures."""
    """Return a neighbour as a row of whiskers draws it: by the measure that ranks."""
    value = {"kl": neighbour.kl, "js": neighbour.js, "kinship": neighbour.kinship}[rank_by]
    low, high = neighbour.rank_low, neighbour.rank_high
    rank = "" if neighbour.rank is None else str(neighbour.rank)
    if low is not None and high is not None and low < high:
        rank = f"{low}{marks.dash}{high}"
    if value is None:
        note = neighbour.undefined or "no value"
        return Whisker(rank, neighbour.name, None, 0.0, 0.0, None, "", "", note)
    above = value.value > 0
    bound = limit(value)
    return Whisker(
        rank,
        neighbour.name,
        value.value,
        _finite(value.low if above else 0.0, value.value),
        _finite(value.high if above else value.upper, value.value),
        None if rank_by == "kinship" else neighbour.floor,
        estimate(value) if above else "0",
        interval(value) if above else bound if bound[:1] in ("", "<") else f"{marks.most} {bound}",
    )


def _finite(bound: float, value: float) -> float:
    return bound if math.isfinite(bound) else value


def focus_notes(report: FocusReport, name: str, terminal: Terminal) -> list[str]:
    """Return the legend of the whiskers and what the ranks do not settle."""
    style, marks = report.style, glyphs(terminal)
    whisker = "".join(marks.whisker[i] for i in (0, 1, 3, 1, 2))
    unit = unit_of(report)
    notes = [f"{ranked_by(report, name, marks)}. {whisker} 95% interval."]
    if style.rank_by != "kinship" and any(n.floor is not None for n in style.neighbours):
        notes[0] += f" {marks.floor} floor: {FLOOR}."
    few = ((n.prompts, n.kl, n.se_prompts) for n in style.neighbours if n.unit == "reply")
    notes += [text.plain for text in few_prompts(few)]
    notes += unsettled_line(style.neighbours, marks)
    notes += called_notes(style.neighbours, terminal)
    if style.against_others is not None:
        notes.append(f"Against all others together: {measured(style.against_others, unit)}.")
    if style.recognised is not None:
        notes.append(_recognised(style.recognised, style.neighbours, terminal))
    notes += [*copies_line([n.copies for n in style.neighbours]), *plain_line(report.params)]
    notes.append(f"{plural(report.model.prompts, 'prompt')}; {vocabulary_note(report.vocabulary, terminal)}")
    return notes


def ranked_by(report: FocusReport, name: str, marks: Glyphs) -> str:
    """Return what neighbours are ranked by, with its unit; `name` is the label of the model in focus."""
    if report.style.rank_by == "kinship":
        return "Kinship, nearest first: 0 for strangers, 1 for copies"
    kl = f"KL({name} {marks.against} other)"
    measure = kl if report.style.rank_by == "kl" else f"Jensen{marks.dash}Shannon"
    return f"{measure}, {unit_of(report)}"


def called_notes(neighbours: Sequence[Neighbour], terminal: Terminal) -> list[str]:
    """Return which neighbours are too close to call, and which are likely kin; five of each are named."""
    notes = []
    close = [n for n in neighbours if n.call == "too close to call"]
    if close:
        listed = [f"{named(n.name, terminal.ascii)} ({probability('q', n.q) or 'no q'})" for n in close[:5]]
        rest = f", and {len(close) - 5} more" if len(close) > 5 else ""
        notes.append(f"Too close to call: {', '.join(listed)}{rest}.")
    if kin := [named(n.name, terminal.ascii) for n in neighbours if n.likely_kin]:
        rest = f", and {len(kin) - 5} more" if len(kin) > 5 else ""
        notes.append(f"Likely kin: {', '.join(kin[:5])}{rest}.")
    return notes


def _recognised(found: Recognised, neighbours: tuple[Neighbour, ...], terminal: Terminal) -> str:
    """Return how well single replies of the model in focus tell that it wrote them."""
    share = "none" if found.accuracy is None else percent(found.accuracy)
    if found.low is not None and found.high is not None:
        share += f" [{100 * found.low:.0f} {100 * found.high:.0f}]"
    text = (
        f"{share} of its single replies are recognised among {plural(round(1 / found.chance), 'model')}, "
        f"guessing gets {percent(found.chance)}"
    )
    others = {other.model: other.name for other in neighbours}
    if found.most_confused_with in others:
        text += f"; it is taken most often for {named(others[found.most_confused_with], terminal.ascii)}"
    return f"{text}."
