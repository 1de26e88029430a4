"""A tree of models as SVG: text and lines, nothing fetched, nothing run, readable on a light and on a dark page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from stylekl.show.export import safe
from stylekl.show.labels import shorten
from stylekl.show.numbers import count, number
from stylekl.show.tree_axis import Axis, axis, decimals_of, steps
from stylekl.show.tree_forms import Branches, branches
from stylekl.show.tree_notes import percent_down, support_level

if TYPE_CHECKING:
    from stylekl.lenses.style.tree import TreeReport

_PLOT, _ROW, _PAD, _CELL = 560, 18, 16, 7  # pixels: the branches, a row, the margin, a column of a name
_GAP, _LEAST = 44, 200  # a broken branch, and what an axis must keep
_BESIDE = 14  # pixels between a branch and the name, which a mark may need
_NAME = 60
_LEVELS = ("firm", "even", "loose")
_STYLE = """\
text{font:12px system-ui,'Segoe UI','DejaVu Sans',Helvetica,Arial,sans-serif;fill:#1f2328}
.ground{fill:#fff}path{fill:none;stroke:#57606a;stroke-width:1.2;stroke-linecap:square}
.firm{stroke-width:2.6}.loose{stroke-dasharray:2 4;stroke-linecap:butt}
.support{font-size:9px;text-anchor:end;paint-order:stroke;stroke:#fff;stroke-width:2.5px}
.note,.tick{font-size:11px;fill:#57606a}.tick{text-anchor:middle}.mark{font-weight:bold}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117}path{stroke:#9198a1}
.note,.tick{fill:#9198a1}.support{stroke:#0d1117}}"""


def tree_svg(report: TreeReport) -> str:
    """Return the tree as an SVG document; the axis and the numbers mean what they mean in a terminal."""
    shape = branches(report)
    scale = axis(report, shape, _PLOT, _GAP, _LEAST)
    names = {model.id: model.name for model in report.models}
    labels = shorten([names[model] for model in report.order], _NAME)
    lines = [_branch(report, shape, scale, place) for place in range(len(report.nodes))]
    texts = [_support(report, shape, scale, place) for place in range(len(report.nodes))]
    leaves = [place for place, node in enumerate(report.nodes) if node.model is not None]
    texts += [
        _text(_x(report, shape, scale, place) + _BESIDE, _y(shape, place) + 4, label)
        for place, label in zip(leaves, labels, strict=True)
    ]
    below = _PAD + _ROW * len(leaves) + 10
    notes = _notes(report, scale)
    texts += [_text(_PAD, below + 40 + 15 * i, note, "note") for i, note in enumerate(notes)]
    wide = max(map(cell_len, labels)) * _CELL
    width = max(_PLOT + 2 * _PAD + _BESIDE + wide, 2 * _PAD + max(map(cell_len, notes)) * 6)
    height = below + 40 + 15 * len(notes) + _PAD // 2
    body = [*lines, *_ruler(scale, below), *texts]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">\n<title>Tree of {count(len(leaves))} models</title>\n'
        f'<style>{_STYLE}</style>\n<rect class="ground" width="{width}" height="{height}"/>'
    )
    return "\n".join([head, *filter(None, body), "</svg>"]) + "\n"


def _x(report: TreeReport, shape: Branches, scale: Axis, place: int) -> float:
    return _PAD + scale.of(place, report, shape)


def _y(shape: Branches, place: int) -> float:
    return _PAD + _ROW * (shape.middle[place] + 0.5)


def _branch(report: TreeReport, shape: Branches, scale: Axis, place: int) -> str:
    """Return the branch above a node and, at a join, the line that its children hang on."""
    node, x, y = report.nodes[place], _x(report, shape, scale, place), _y(shape, place)
    found = []
    if node.parent is not None:
        start = _x(report, shape, scale, node.parent)
        level = _LEVELS[1 if node.support is None else support_level(node.support)]
        found.append(f'<path class="{level}" d="M{start:.1f} {y:.1f}H{x:.1f}"/>')
        if place in scale.broken:
            found.append(f'<path d="M{start + 6:.1f} {y + 4:.1f}l4 -8m4 0l-4 8"/>')
    if place in shape.children:
        upper, lower = (_y(shape, child) for child in shape.children[place])
        found.append(f'<path d="M{x:.1f} {upper:.1f}V{lower:.1f}"/>')
    return "".join(found)


def _support(report: TreeReport, shape: Branches, scale: Axis, place: int) -> str:
    node, x, y = report.nodes[place], _x(report, shape, scale, place), _y(shape, place)
    found = ""
    if node.support is not None:
        found += _text(x - 2, y - 2, percent_down(node.support), "support")
    if node.call == "too close to call":
        found += _text(x + 4, y + 4, "≈", "mark")
    return found


def _ruler(scale: Axis, y: float) -> list[str]:
    if scale.top <= 0:
        return []
    ticks = steps(scale.top, 8)
    ends = sorted(scale.place(tick) for tick in (ticks[0], scale.top))
    found = [f'<path d="M{_PAD + ends[0]:.1f} {y}H{_PAD + ends[1]:.1f}"/>']
    for tick in ticks:
        x = _PAD + scale.place(tick)
        found.append(f'<path d="M{x:.1f} {y}v4"/>')
        found.append(_text(x, y + 16, number(tick, decimals_of(ticks)), "tick"))
    return found


def _notes(report: TreeReport, scale: Axis) -> list[str]:
    """Return the caption: what the scale is, what the numbers and marks are."""
    what = {"js": "Jensen–Shannon divergence", "kl": "KL of both directions", "kinship": "1 - kinship"}
    unit = "" if report.measure == "kinship" else f", {report.unit}, corrected for bias"
    where = "path along the branches" if report.nodes[0].height is None else "height of a join"
    notes = [f"Average linkage; {where}: mean {what[report.measure]}{unit}."]
    if scale.broken:
        notes[0] += " // longer than drawn."
    if any(node.support is not None for node in report.nodes):
        notes.append(
            f"Numbers: support in per cent of {count(report.draws)} varied trees; dashed: below 50, not settled."
        )
    if any(node.call == "too close to call" for node in report.nodes):
        notes.append("≈ joins what is too close to call.")
    return notes


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    look = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{look}>{safe(text)}</text>'
