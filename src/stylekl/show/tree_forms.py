"""A tree of models without a picture: its branches in rows, as Newick, as JSON and as a table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stylekl.show.json import plain
from stylekl.show.labels import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stylekl.lenses.style.tree import TreeReport
    from stylekl.show.tables import Header, Rows

_UNQUOTED = re.compile(r"[A-Za-z][A-Za-z0-9.+-]*")  # an underscore would be read as a space
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Branches:
    """Where the nodes of a report stand: `children` of each, the `row` it is drawn in, the way `depth` from the root.

    A leaf has its own row, counted from 0; a join stands in the middle of its children's: exactly at `middle`.
    `below` counts the joins on the longest way down from a node, itself included.
    """

    children: dict[int, tuple[int, int]]
    row: list[int]
    middle: list[float]
    depth: list[float]
    below: list[int]


def branches(report: TreeReport) -> Branches:
    """Return the branches of a report's nodes."""
    nodes = report.nodes
    under: dict[int, list[int]] = {}
    depth = [0.0] * len(nodes)
    row, below, middle = [0] * len(nodes), [0] * len(nodes), [0.0] * len(nodes)
    leaves = 0
    for place, node in enumerate(nodes):
        if node.parent is not None:
            under.setdefault(node.parent, []).append(place)
            depth[place] = depth[node.parent] + node.length
        if node.model is not None:
            row[place], middle[place], leaves = leaves, float(leaves), leaves + 1
    for place in range(len(nodes) - 1, -1, -1):
        if place in under:
            upper, lower = under[place]
            row[place] = (row[upper] + row[lower]) // 2
            middle[place] = (middle[upper] + middle[lower]) / 2
            below[place] = 1 + max(below[upper], below[lower])
    children = {place: (pair[0], pair[1]) for place, pair in under.items()}
    return Branches(children, row, middle, depth, below)


def newick(report: TreeReport) -> str:
    """Return the tree in the Newick format, without a line break.

    Leaves are model ids, safe to print and quoted where the format asks for it; inner labels are support in per cent
    (none where there is none); lengths are branches in the unit of the report.
    """
    labels = dict(zip(report.order, shorten(report.order, _LONGEST), strict=True))
    texts: dict[int, list[str]] = {}
    for place in range(len(report.nodes) - 1, -1, -1):
        node = report.nodes[place]
        if node.model is not None:
            text = _quoted(labels[node.model])
        else:
            share = "" if node.support is None else f"{100 * node.support:.4g}"
            text = f"({','.join(reversed(texts.pop(place)))}){share}"
        if node.parent is None:
            return text + ";"
        texts.setdefault(node.parent, []).append(f"{text}:{_length(node.length)}")
    raise ValueError("a tree without a root")


def _quoted(label: str) -> str:
    return label if _UNQUOTED.fullmatch(label) else "'" + label.replace("'", "''") + "'"


def _length(value: float) -> str:
    return f"{value:.8f}".rstrip("0").rstrip(".")


def tree_data(report: TreeReport) -> dict[str, Any]:
    """Return the `data` of `stylekl tree --json`."""
    keys = ("by", "measure", "unit", "models", "order", "nodes", "outgroup", "draws", "cophenetic", "pairs")
    found = {key: plain(getattr(report, key)) for key in keys}
    return found | {"newick": newick(report), "vocabulary": plain(report.vocabulary)}


def tree_rows(report: TreeReport) -> tuple[Header, Rows]:
    """Return one row for each node, as drawn from the root on."""
    header = ["node", "parent", "model", "members", "size", "height", "length", "support", "call"]
    rows: Rows = [
        [
            place,
            node.parent,
            node.model,
            _listed(node.members),
            len(node.members),
            node.height,
            node.length,
            node.support,
            node.call,
        ]
        for place, node in enumerate(report.nodes)
    ]
    return header, rows


def _listed(members: Sequence[str]) -> str:
    return "; ".join(members)
