"""One model on a card: its nearest neighbours, its tells and what sets it apart, as an SVG picture to pass on.

Every figure is one of the report that `stylekl focus` shows, written the same way; what the terminal says of few
prompts, of calls and of what was left out stands on the card too. Nothing is fetched and nothing runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stylekl.show.card_parts import FONTS, INNER, NAME, PAD, PLAIN, SMALL, WIDTH, Sheet, fitted, placed, wide
from stylekl.show.export import safe
from stylekl.show.glyphs import UNICODE
from stylekl.show.labels import fit, named, shown, symbol
from stylekl.show.notes import copies_line, few_prompts, left_out_line, plain_line
from stylekl.show.numbers import count, lift, number, plural
from stylekl.show.parts import FLOOR, vocabulary_note
from stylekl.show.stack import WAYS, colours, ground, letters, way_of
from stylekl.show.style import called_notes, measured, neighbour_row, ranked_by, unit_of
from stylekl.show.terminal import Terminal
from stylekl.show.tree_axis import decimals_of, steps
from stylekl.show.whiskers import axis_end

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style

    from stylekl.lenses.reports import FocusReport, Neighbour, Tell
    from stylekl.show.whiskers import Whisker

NEAREST = 5
_ROW, _CHIP, _BAR = 25, 26, 26  # pixels: a neighbour, a chip, the bar of classes
_SYMBOL = 24  # cells of a tell
_SHAPE = Terminal(width=10_000, colour="truecolor")  # what lines are made for: the card breaks them itself
_STYLE = """\
text{fill:#1f2328}.ground{fill:#fff;stroke:#d0d7de}.title,.name,.figure,.symbol{font-weight:bold}
.note,.tick,.rank{fill:#57606a}.few{fill:#9a3412}.rule{stroke:#d0d7de}.axis{stroke:#8c959f}
.apart{stroke:#b35900;stroke-width:2}.dot{fill:#b35900}.level{stroke:#6e7781;stroke-width:2}
.ring{fill:#fff;stroke:#6e7781;stroke-width:2}.floor{stroke:#0969da;stroke-width:2;stroke-dasharray:2 3}
.more{fill:#fdf0de;stroke:#dfa156}.less{fill:#e6f1fb;stroke:#7fb0de}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117;stroke:#30363d}
.note,.tick,.rank{fill:#9198a1}.few{fill:#ffb27a}.rule{stroke:#30363d}.axis{stroke:#6e7681}
.apart{stroke:#f0a03c}.dot{fill:#f0a03c}.level{stroke:#9198a1}.ring{fill:#0d1117;stroke:#9198a1}
.floor{stroke:#58a6ff}.more{fill:#3a2a12;stroke:#8f6420}.less{fill:#12283c;stroke:#346594}}
.on{fill:#000}.on.white{fill:#fff}"""


def card_svg(report: FocusReport, collected: tuple[str, str] | None = None) -> str:
    """Return the card of the model in focus, 600 pixels wide.

    `collected` are the first and the last day on which its replies were collected, null where the file does not say.
    """
    sheet = Sheet()
    _head(sheet, report, collected)
    _nearest(sheet, report)
    _tells(sheet, report)
    _classes(sheet, report)
    _foot(sheet, report)
    height = round(sheet.y + PAD - 8)
    title = f"{report.model.name}: nearest models, tells and what sets it apart, by style"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="{FONTS}">\n<title>{safe(title)}</title>\n'
        f"<style>\n{_STYLE}\n</style>\n"
        f'<rect class="ground" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="14"/>'
    )
    return "\n".join([head, *sheet.elements, "</svg>"]) + "\n"


def _name(report: FocusReport) -> str:
    return named(report.model.name)


def _head(sheet: Sheet, report: FocusReport, collected: tuple[str, str] | None) -> None:
    """Draw the name, and what all of it rests on."""
    model, others = report.model, len(report.style.neighbours)
    size = next((size for size in (NAME, 22) if wide(_name(report), size, bold=True) <= INNER), 18)
    sheet.text(PAD, fitted([model.name], INNER, size, 60, bold=True)[0], kind="name", size=size)
    sheet.y += size + 12
    parts = [plural(model.prompts, "prompt"), plural(model.replies, "reply"), _date(collected)]
    parts.append(f"compared with {plural(others, 'model')}")
    sheet.lines(" · ".join(filter(None, parts)), size=13)
    sheet.y += 3
    few = ((n.prompts, n.kl, n.se_prompts) for n in report.style.neighbours if n.unit == "reply")
    for text in few_prompts(few):
        sheet.lines(text.plain, kind="few", size=13)
    for warning in report.warnings:
        sheet.lines(f"Warning: {shown(warning)}.", kind="few", size=13)


def _date(collected: tuple[str, str] | None) -> str:
    if collected is None:
        return ""
    first, last = collected
    return f"collected {first}" if first == last else f"collected {first} to {last}"


def _nearest(sheet: Sheet, report: FocusReport) -> None:
    """Draw the nearest neighbours: rank, name, estimate and interval on one axis, floor, and the figures."""
    style = report.style
    found = style.neighbours[:NEAREST]
    if not found:
        return
    some = f" {len(found)} of {count(len(style.neighbours))}" if len(found) < len(style.neighbours) else ""
    sheet.title(f"Nearest{some} in style")
    rows = [neighbour_row(neighbour, style.rank_by, UNICODE) for neighbour in found]
    name = max(wide(label, PLAIN) for label in _labels(found))
    figure = max(wide(row.figure, PLAIN, bold=True) for row in rows) + 8
    spread = max(wide(row.interval, SMALL) for row in rows) + 6
    left = PAD + max(wide(row.rank, SMALL) for row in rows) + 8 + name + 12
    plot = _Plot(left, WIDTH - PAD - spread - figure - 10, axis_end(rows))
    for neighbour, row, label in zip(found, rows, _labels(found), strict=True):
        _row(sheet, plot, neighbour, row, label, left - name - 12, WIDTH - PAD - spread - 8)
        sheet.y += _ROW
    if any(row.value is not None for row in rows):
        _axis(sheet, plot)
        _legend(sheet, found, rows, plot)
    corrected = "" if style.rank_by == "kinship" else ", corrected for bias"
    sheet.lines(f"{ranked_by(report, _name(report), UNICODE)}{corrected}.")
    for note in called_notes(style.neighbours, _SHAPE):
        sheet.lines(note)


def _labels(found: Sequence[Neighbour]) -> list[str]:
    return fitted([neighbour.name for neighbour in found], 176, PLAIN, 26)


class _Plot:
    """The axis: where it lies on the card, and which value it ends at."""

    def __init__(self, left: float, right: float, top: float) -> None:
        self.left, self.right, self.top = left, right, top

    def x(self, value: float) -> float:
        return self.left + min(max(value / self.top, 0.0), 1.0) * (self.right - self.left)


def _row(
    sheet: Sheet, plot: _Plot, neighbour: Neighbour, row: Whisker, label: str, start: float, end: float
) -> None:
    sheet.text(start - 8, row.rank, kind="rank", size=SMALL, anchor="end", down=5)
    sheet.text(start, label, down=3)
    if row.value is None:
        sheet.text(plot.left, fit(named(row.note), 40), kind="note", size=SMALL, down=5)
        return
    middle, level = sheet.y + _ROW / 2 - 1, neighbour.call != "apart"
    if row.floor is not None:
        sheet.shape(_line("floor", plot.x(row.floor), middle - 9, plot.x(row.floor), middle + 9))
    if row.value > plot.top:
        sheet.text(plot.right, "→", kind="note", size=SMALL, anchor="end", down=5)
    else:
        sheet.shape(_whisker(plot.x(row.low), plot.x(row.value), plot.x(row.high), middle, level=level))
    sheet.text(end, row.figure, kind="figure", anchor="end", down=3)
    sheet.text(end + 8, row.interval, kind="note", size=SMALL, down=5)


def _line(kind: str, x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<path class="{kind}" d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}"/>'


def _whisker(low: float, value: float, high: float, y: float, *, level: bool) -> str:
    """Return an interval with its caps, and the estimate: a dot where the two are apart, else a ring."""
    caps = f"M{low:.1f} {y - 5:.1f}v10M{high:.1f} {y - 5:.1f}v10M{low:.1f} {y:.1f}H{high:.1f}"
    kinds = ("level", "ring") if level else ("apart", "dot")
    return f'<path class="{kinds[0]}" d="{caps}"/><circle class="{kinds[1]}" cx="{value:.1f}" cy="{y:.1f}" r="5"/>'


def _axis(sheet: Sheet, plot: _Plot) -> None:
    sheet.shape(_line("axis", plot.left, sheet.y + 2, plot.right, sheet.y + 2))
    ticks = steps(plot.top, max(2, min(5, int((plot.right - plot.left) / 40))))
    for tick in ticks:
        sheet.shape(_line("axis", plot.x(tick), sheet.y + 2, plot.x(tick), sheet.y + 6))
        text = number(tick, decimals_of(ticks))
        sheet.text(plot.x(tick), text, kind="tick", size=SMALL, anchor="middle", down=7)
    sheet.y += 26


def _legend(sheet: Sheet, found: Sequence[Neighbour], rows: Sequence[Whisker], plot: _Plot) -> None:
    """Say what the marks are, of those that are drawn."""
    drawn = [(n, row) for n, row in zip(found, rows, strict=True) if row.value is not None]
    entries = [("interval", "95% interval")]
    if calls := sorted({n.call for n, _ in drawn} - {"apart"}):
        entries.append(("ring", " or ".join(reversed(calls))))
    if any((row.value or 0.0) > plot.top for _, row in drawn):
        entries.append(("beyond", "lies beyond the axis"))
    if any(row.floor is not None for _, row in drawn):
        entries.append(("floor", f"floor: {FLOOR}"))
    places = list(placed([32 + wide(text, SMALL) for _, text in entries], 14, 3))
    for (mark, text), (line, x) in zip(entries, places, strict=True):
        y = sheet.y + 18 * line
        if mark == "floor":
            sheet.shape(_line("floor", x + 12, y, x + 12, y + 14))
        elif mark == "beyond":
            sheet.text(x + 8, "→", kind="note", size=SMALL, down=18 * line)
        elif mark == "ring":
            sheet.shape(f'<circle class="ring" cx="{x + 12:.1f}" cy="{y + 7:.1f}" r="5"/>')
        else:
            sheet.shape(_whisker(x, x + 12, x + 24, y + 7, level=False))
        sheet.text(x + 32, text, kind="note", size=SMALL, down=18 * line)
    sheet.y += 18 * (places[-1][0] + 1) + 4


def _tells(sheet: Sheet, report: FocusReport) -> None:
    """Draw the strongest tells of either side as chips, one figure each."""
    sides = (
        ("Says more than the others", "more", report.model.id, 2),
        ("The others say more", "less", "others", 1),
    )
    drawn: list[Tell] = []
    for title, kind, side, rows in sides:
        if own := [tell for tell in report.style.tells if tell.more == side]:
            sheet.title(title)
            drawn += _chips(sheet, own, kind, rows)
    symbols = plural(report.style.candidates, "symbol")
    if not drawn:
        sheet.title("Tells")
        sheet.lines(f"No tells among {symbols}.", size=PLAIN)
        return
    meaning = ["×: how many times as often"] if any(tell.lift is not None for tell in drawn) else []
    if any(tell.lift is None for tell in drawn):
        meaning.append("5:0: how often, where the other side never does")
    sheet.lines(f"{'; '.join(meaning)}. All with q < .05, of {symbols}.")


def _chips(sheet: Sheet, tells: Sequence[Tell], kind: str, rows: int) -> Sequence[Tell]:
    """Draw tells side by side, and return those that had a place."""
    pieces = [(fit(symbol(tell.symbol), _SYMBOL), _figure(tell, kind)) for tell in tells]
    widths = [wide(text, PLAIN, bold=True) + wide(figure, 13) + 26 for text, figure in pieces]
    places = list(placed(widths, 8, rows))
    for (text, figure), width, (line, x) in zip(pieces, widths, places, strict=False):
        y = sheet.y + line * (_CHIP + 8)
        sheet.shape(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_CHIP}" rx="6"/>'
        )
        sheet.shape(
            f'<text x="{x + width / 2:.1f}" y="{y + 18:.1f}" font-size="{PLAIN}" text-anchor="middle">'
            f'<tspan class="symbol">{safe(text)}</tspan><tspan font-size="13" dx="6">{safe(figure)}</tspan></text>'
        )
    sheet.y += (places[-1][0] + 1) * (_CHIP + 8) - 3
    return tells[: len(places)]


def _figure(tell: Tell, kind: str) -> str:
    """Return how many times as often the side that says more does; where the other never does, both counts."""
    if tell.lift is not None:
        return lift(tell.lift)
    counts = (tell.count_a, tell.count_b) if kind == "more" else (tell.count_b, tell.count_a)
    return ":".join(map(count, counts))


def _classes(sheet: Sheet, report: FocusReport) -> None:
    """Draw the bar of classes: what the divergence from the mean of the others is made of."""
    totals, against = report.style.classes, report.style.against_others
    way = way_of(WAYS[0], [total.share_ab for total in totals], [total.bits_ab for total in totals])
    sheet.title("What sets it apart")
    if against is not None:
        sheet.lines(f"From the others together: {measured(against, unit_of(report))}.", kind="", size=PLAIN)
    if way.percents is None:
        sheet.lines("Not parted by classes: the difference may be nothing.")
        return
    sheet.y += 6
    names = [named(total.kind) for total in totals]
    looks = [ground(place, _SHAPE) for place in colours([total.kind for total in totals])]
    parts = list(zip(names, letters(names), looks, way.shares, way.percents, strict=True))
    x, whole = float(PAD), sum(max(share, 0.0) for share in way.shares) or 1.0
    for _, letter, look, share, percent in parts:
        width = INNER * max(share, 0.0) / whole
        if width <= 0:
            continue
        sheet.shape(_patch(look, x, sheet.y, width, _BAR))
        label = next((text for text in (f"{letter} {percent}%", letter) if wide(text, 13) + 8 <= width), "")
        sheet.text(x + width / 2, label, kind=_ink(look), size=13, anchor="middle", down=4)
        x += width
    sheet.y += _BAR + 8
    _swatches(sheet, [row for place, row in enumerate(parts) if way.adds(place) and row[3] > 0])
    if below := [f"{name} {percent}%" for name, _, _, share, percent in parts if share < 0 and percent < 0]:
        sheet.lines(f"Below 0, so not in the bar: {', '.join(below)}.")


def _patch(look: Style, x: float, y: float, width: float, height: float) -> str:
    fill = look.bgcolor.get_truecolor().hex if look.bgcolor else "#888888"
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:g}"'
    return f'<rect {place} fill="{fill}"/>'


def _ink(look: Style) -> str:
    return "on white" if look.color and look.color.get_truecolor().red > 127 else "on"


def _swatches(sheet: Sheet, rows: Sequence[tuple[str, str, Style, float, int]]) -> None:
    """Say which letter and colour is which class, and its share."""
    texts = [f"{name} {percent}%" for name, _, _, _, percent in rows]
    line = 0
    places = placed([26 + wide(text, 13) for text in texts], 14, 4)
    for (_, letter, look, _, _), text, (line, x) in zip(rows, texts, places, strict=False):
        sheet.shape(_patch(look, x, sheet.y + 20 * line, 18, 16))
        sheet.text(x + 9, letter, kind=_ink(look), size=SMALL, anchor="middle", down=20 * line)
        sheet.text(x + 24, text, size=13, down=20 * line)
    sheet.y += 20 * (line + 1) + 4


def _foot(sheet: Sheet, report: FocusReport) -> None:
    """Say what the figures rest on, and what they do not say."""
    sheet.y += 12
    sheet.shape(_line("rule", PAD, sheet.y, WIDTH - PAD, sheet.y))
    sheet.y += 10
    neighbours = report.style.neighbours
    notes = [text.plain.strip() for text in left_out_line((report.model,), _SHAPE)]
    notes += [*copies_line([n.copies for n in neighbours]), *plain_line(report.params)]
    vocabulary = vocabulary_note(report.vocabulary, _SHAPE)
    notes.append(
        f"{vocabulary[0].upper()}{vocabulary[1:]}. Of these prompts only; 0: no difference was found."
    )
    for note in notes:
        sheet.lines(note)
    sheet.text(WIDTH - PAD, "stylekl", kind="note", size=SMALL, anchor="end")
    sheet.y += 16
