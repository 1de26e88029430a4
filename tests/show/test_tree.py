"""A drawn tree is the tree: its picture read back, its widths, its Newick text, its SVG, and what its sentences say."""

from __future__ import annotations

import os
import random
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from wcwidth import wcswidth

from stylekl.lenses.style.tree import TreeNode, TreePair, TreeReport
from stylekl.show.terminal import Terminal
from stylekl.show.tree import tree_view
from stylekl.show.tree_axis import steps, usual
from stylekl.show.tree_forms import branches, newick, tree_data, tree_rows
from stylekl.show.tree_svg import tree_svg

from .factory import HOSTILE, VOCABULARY, estimate, model, names
from .output import MODES, acting, bare, printed

GOLDEN = Path(__file__).parent / "golden"
SHARES = (1.0, 0.972, 0.951, 0.83, 0.5, 0.499, 0.07)
SIZES = (2, 3, 12, 40, 90)


def nodes_of(ids: list[str], at: random.Random, far: float) -> list[TreeNode]:
    """Return the nodes of a tree over these models, parted at random; the first join at height `far`."""
    found: list[TreeNode] = []

    def grow(ids: list[str], parent: int | None, above: float, height: float) -> None:
        place, inner = len(found), len(ids) > 1
        share = at.choice(SHARES) if inner and place else None
        call = "too close to call" if len(ids) == 2 and place % 3 == 0 else "apart"
        at_leaf = None if inner else ids[0]
        here = height if inner else 0.0
        length = (above - here) / 2 if place else 0.0
        found.append(TreeNode(tuple(ids), at_leaf, parent, length, here, share, call if inner else None))
        if inner:
            cut = at.randint(1, len(ids) - 1)
            for part in (ids[:cut], ids[cut:]):
                grow(part, place, height, height * at.uniform(0.5, 0.95))

    grow(ids, None, far, far)
    return found


def report(
    n: int = 12, labels: list[str] | None = None, seed: int = 1, far: float = 0.3, **changes: Any
) -> TreeReport:
    """Return the report of a tree made at random."""
    rows = [model(i, name) for i, name in enumerate(labels or names(n))]
    ids = [row.id for row in rows]
    pairs = [TreePair(a, b, 805, "prompt", estimate(0.1), 1e-6, "apart") for a, b in pairwise(ids)]
    pairs[0] = replace(pairs[0], call="too close to call", q=0.41)
    values: dict[str, Any] = {
        "nodes": tuple(nodes_of(ids, random.Random(seed), far)),
        "outgroup": None,
        "cophenetic": 0.874,
        "pairs": tuple(pairs),
        "params": {},
    }
    return TreeReport(
        "style",
        "js",
        "bits per token",
        tuple(rows),
        tuple(ids),
        draws=1000,
        vocabulary=VOCABULARY,
        **(values | changes),
    )


def turned(n: int = 12, labels: list[str] | None = None, seed: int = 1) -> TreeReport:
    """Return a tree whose leaves end at different lengths, as one rooted by an outgroup."""
    at = random.Random(seed)
    found = report(n, labels, seed)
    nodes = tuple(replace(node, height=None, length=node.length * at.uniform(0.2, 1)) for node in found.nodes)
    return replace(found, nodes=nodes, outgroup=found.order[-1])


VIEWS = {"tree-12": report, "tree-12-outgroup": turned}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_tree_is_the_golden_picture(view, mode):
    """At 40, 60, 80 and 120 columns; STYLEKL_UPDATE_GOLDEN=1 draws the pictures anew."""
    parts = []
    for width in (40, 60, 80, 120):
        terminal = replace(MODES[mode], width=width)
        parts.append(f"== {width} columns\n" + printed(tree_view(VIEWS[view](), terminal), terminal))
    drawn = "".join(parts).replace("\x1b", "␛")
    path = GOLDEN / f"{view}.{mode}.txt"
    if os.environ.get("STYLEKL_UPDATE_GOLDEN") == "1":
        path.write_text(drawn, encoding="utf-8")

    assert path.read_text(encoding="utf-8") == drawn


def plots_of(lines: list[str], shown: list[str]) -> list[str]:
    """Return the lines without the names at their ends."""
    return [line.removesuffix(f" {name}") for line, name in zip(lines, shown, strict=True)]


def read_back(plots: list[str]) -> set[frozenset[int]]:
    """Return the groups of rows in a picture, by following its lines."""
    found: set[frozenset[int]] = set()

    def follow(row: int, x: int) -> frozenset[int]:
        """Return the rows below the branch that starts to the right of x."""
        right = next((place for place in range(x + 1, len(plots[row])) if plots[row][place] in "┤┬┴"), None)
        return frozenset({row}) if right is None else join(row, right)

    def join(row: int, x: int) -> frozenset[int]:
        top = bottom = row
        while plots[top][x] not in "┌┬":
            top -= 1
        while plots[bottom][x] not in "└┴":
            bottom += 1
        rows = follow(top, x) | follow(bottom, x)
        found.add(rows)
        return rows

    join(next(row for row, plot in enumerate(plots) if plot[0] != " "), 0)
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("make", [report, turned])
def test_the_picture_read_back_gives_the_groups(make, seed):
    """Whatever the widths, no line leads astray and none is missing."""
    for n, width in ((2, 40), (3, 40), (7, 60), (12, 80), (30, 120), (60, 200)):
        found = make(n, labels=[f"n{i}" for i in range(n)], seed=seed)
        row = {name: place for place, name in enumerate(found.order)}
        lines = [line.plain for line in tree_view(found, Terminal(width=width))[:n]]
        groups = {frozenset(row[m] for m in node.members) for node in found.nodes if node.model is None}

        assert read_back(plots_of(lines, [f"n{i}" for i in range(n)])) == groups


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", SIZES)
def test_no_line_of_a_tree_exceeds_the_width(n, mode):
    """From 20 to 200 columns, with one line a model whatever its depth."""
    for found in (report(n), turned(n)):
        for width in (20, 40, 47, 60, 80, 100, 120, 200):
            terminal = replace(MODES[mode], width=width)
            out = printed(tree_view(found, terminal), terminal)

            assert max(map(wcswidth, bare(out))) <= width
            assert mode != "ascii" or out.isascii()


def test_every_model_has_its_line_and_every_support_its_number():
    """Where it is wide enough, rounded down; where it is not, the legend says how many are missing."""
    found = report(12, [20 * letter for letter in "abcdefghijkl"], seed=3)
    for width in (24, 200):
        lines = [line.plain for line in tree_view(found, Terminal(width=width))]
        numbers = re.findall(r"\d+", " ".join(lines[:12]))
        missing = re.search(r"(\d+) numbers found no room", text_of(found, width))
        shares = [f"{int(100 * node.support + 1e-9)}" for node in found.nodes if node.support is not None]

        assert len(shares) - len(numbers) == (int(missing[1]) if missing else 0)
        assert missing or sorted(numbers) == sorted(shares)
        assert (missing is None) == (width == 200)


def test_49_9_per_cent_is_not_printed_as_settled():
    """A number never says more than the line it stands on."""
    found = report(3)
    nodes = [replace(node, support=0.499) if node.support is not None else node for node in found.nodes]
    lines = [line.plain for line in tree_view(replace(found, nodes=tuple(nodes)), Terminal(width=100))]

    assert any("┄49" in line for line in lines[:3])
    assert "1 not settled (below 50%)" in text_of(replace(found, nodes=tuple(nodes)))


def test_the_axis_has_its_figures_where_joins_of_that_height_stand():
    """0 at the names, the top at the root."""
    leaf = [TreeNode((f"m{i:02}",), f"m{i:02}", None, 0.0, 0.0, None, None) for i in range(4)]
    heights = (0.3, 0.2, 0.1)
    nodes, above = [], None
    for place, height in enumerate(heights):
        parent = None if place == 0 else 2 * (place - 1)
        length = 0.0 if place == 0 else (above - height) / 2
        nodes.append(
            TreeNode(tuple(f"m{i:02}" for i in range(place, 4)), None, parent, length, height, None, "apart")
        )
        nodes.append(replace(leaf[place], parent=2 * place, length=height / 2))
        above = height
    nodes.append(replace(leaf[3], parent=4, length=0.05))
    found = report(4, nodes=tuple(nodes), labels=list("abcd"))
    lines = [line.plain for line in tree_view(found, Terminal(width=63))]
    ruler = lines[4]

    assert lines[0].startswith("┌─")
    for height in (0.2, 0.1):
        x = ruler.index(f".{int(10 * height)}0") + 1
        assert any(line[x] in "┌┤└┬" for line in lines[:4])
    assert ruler.rstrip().endswith("0")


def test_one_far_model_leaves_the_others_their_room():
    """A join far above all others is drawn with a broken branch, and the axis says what it covers."""
    found = report(12, seed=4)
    root = replace(found.nodes[0], height=9.0)
    far = replace(found, nodes=(root, *found.nodes[1:]))
    lines = [line.plain for line in tree_view(far, Terminal(width=80))]

    assert usual([9.0, 0.3, 0.2, 0.1]) == 0.3
    assert usual([9.0, 0.3, 0.2]) == 9.0
    assert sum("//" in line for line in lines[:12]) == 2
    assert "// longer than drawn" in text_of(far)
    assert "//" not in text_of(found)


def text_of(found: TreeReport, width: int = 200, **terminal: Any) -> str:
    lines = tree_view(found, Terminal(width=width, **terminal))
    return " ".join(" ".join(line.plain for line in lines[len(found.order) :]).split())


def test_the_sentences_say_what_is_settled_and_what_is_not():
    found = report(12)
    shares = [node.support for node in found.nodes if node.support is not None]
    text = text_of(found)

    assert f"{sum(s >= 0.95 for s in shares)} of 10 groups with support of 95% or more" in text
    assert f"{sum(s < 0.5 for s in shares)} not settled (below 50%)" in text
    assert "Too close to call (≈): Alder 3 and Birch 5 (q = .41)" in text
    assert "how many of 1,000 trees hold the same group" in text
    assert "r = .87" in text
    assert "near does not mean related" in text
    assert "style vocabulary: 1,312 tokens" in text


def test_joins_of_what_cannot_be_told_apart_are_marked():
    """And no others."""
    nodes = report(12).nodes
    calm = tuple(replace(node, call="apart" if node.call else None) for node in nodes)
    marked = tuple(replace(node, call="too close to call" if node.call else None) for node in nodes)

    def drawn(nodes: tuple[TreeNode, ...]) -> str:
        return "".join(line.plain for line in tree_view(report(12, nodes=nodes), Terminal(width=120))[:12])

    assert "≈" not in drawn(calm)
    assert drawn(marked).count("≈") >= 11


def test_what_has_no_distance_or_no_support_is_said():
    """Models without a common prompt, few prompts, two models alone."""
    found = report(4)
    gone = tuple(
        replace(pair, distance=None, undefined="no prompt in common", prompts=0) for pair in found.pairs[:1]
    )
    few = tuple(replace(pair, unit="reply", prompts=5) for pair in found.pairs)
    silent = tuple(replace(node, support=None) for node in found.nodes)

    assert "No distance, taken for the farthest: Alder 3 and Birch 5" in text_of(
        replace(found, pairs=gone + found.pairs[1:])
    )
    assert "0–805 common prompts" in text_of(replace(found, pairs=gone + found.pairs[1:]))
    assert "these 5 prompts only" in text_of(replace(found, pairs=few))
    assert "too few prompts to say how settled" in text_of(replace(found, nodes=silent))
    assert "support" not in text_of(report(2))
    assert "Layout was removed" in text_of(replace(found, params={"plain": True}))


@pytest.mark.parametrize(
    ("measure", "unit", "said"),
    [
        ("js", "bits per token", "mean Jensen–Shannon divergence between its two sides, bits per token"),
        ("kl", "bits per word", "mean KL of both directions between its two sides, bits per word"),
        ("kinship", "1 - kinship", "1 for strangers, 0 for copies"),
    ],
)
def test_the_legend_says_what_a_join_stands_at(measure, unit, said):
    assert said in text_of(replace(report(5), measure=measure, unit=unit))


def test_the_legend_says_by_what_a_tree_was_rooted():
    text = text_of(turned(12))

    assert "rooted by DeepSeek V4: the path between two models along the branches" in text


def parsed(text: str) -> tuple[Any, float | None]:
    """Read Newick: (name or support, length, children) of the root, by the grammar of the format."""
    place = 0

    def label() -> str:
        nonlocal place
        if text[place] != "'":
            start = place
            while text[place] not in "(),:;[]'":
                place += 1
            return text[start:place].replace("_", " ")
        found = ""
        place += 1
        while True:
            end = text.index("'", place)
            found += text[place:end]
            place = end + 1
            if text[place] != "'":
                return found
            found += "'"
            place += 1

    def node() -> tuple[str, float | None, list[Any]]:
        nonlocal place
        children = []
        if text[place] == "(":
            while text[place] in "(,":
                place += 1
                children.append(node())
            assert text[place] == ")"
            place += 1
        name, length = label(), None
        if text[place] == ":":
            place += 1
            start = place
            while text[place] not in ",();":
                place += 1
            length = float(text[start:place])
        return name, length, children

    root = node()
    assert text[place:] == ";"
    return root


@pytest.mark.parametrize("n", [2, 3, 12, 40])
def test_newick_read_back_is_the_tree(n):
    """Groups, lengths and support, the names as they were."""
    found = report(n)
    shape = branches(found)

    def same(place: int, read: tuple[str, float | None, list[Any]]) -> None:
        node, (name, length, children) = found.nodes[place], read
        if node.model is not None:
            assert name == node.model
        else:
            assert name == ("" if node.support is None else f"{100 * node.support:.4g}")
        assert length is None if place == 0 else length == pytest.approx(node.length, abs=1e-8)
        assert len(children) == len(shape.children.get(place, ()))
        for child, below in zip(shape.children.get(place, ()), children, strict=True):
            same(child, below)

    same(0, parsed(newick(found)))


def test_newick_holds_hostile_names_apart_and_still():
    """Quotes, brackets, commas, control characters, equal beginnings: as many names as models, none that acts."""
    hostile = ["it's", "a,b", "(c)", "d:1;", "[e]", "f_g", "two words", "''", "'", *HOSTILE]
    ids = [f"{text}" for text in dict.fromkeys(hostile)]
    found = report(len(ids), labels=ids)
    renamed = {row.id: name for row, name in zip(found.models, ids, strict=True)}
    nodes = tuple(
        replace(node, model=renamed.get(node.model), members=tuple(renamed[m] for m in node.members))
        for node in found.nodes
    )
    text = newick(replace(found, nodes=nodes, order=tuple(ids)))
    leaves: list[str] = []

    def gather(read: tuple[str, float | None, list[Any]]) -> None:
        leaves.extend([] if read[2] else [read[0]])
        for child in read[2]:
            gather(child)

    gather(parsed(text))

    assert not acting(text)
    assert len(set(leaves)) == len(ids)
    assert leaves[:9] == ids[:9]


@pytest.mark.parametrize("make", [report, turned])
def test_the_svg_is_plain_and_names_every_model(make):
    """Well-formed, of lines and text alone: nothing to fetch or to run; one text a model and a number a support."""
    found = make(12)
    root = ElementTree.fromstring(tree_svg(found))
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    attributes = {name for element in root.iter() for name in element.attrib}
    texts = [element.text for element in root.iter() if element.tag.endswith("}text")]

    assert kinds == {"svg", "title", "style", "rect", "path", "text"}
    assert not {name for name in attributes if name.startswith("on") or "href" in name}
    assert "url(" not in tree_svg(found)
    assert set(names(12)) <= set(texts)
    numbers = [element.text for element in root.iter() if element.get("class") == "support"]
    assert len(numbers) == sum(node.support is not None for node in found.nodes)
    assert any("not settled" in text for text in texts)


def test_the_svg_is_as_wide_as_what_it_holds():
    found = report(12, labels=[f"{'long ' * 8}{i}" for i in range(12)])
    root = ElementTree.fromstring(tree_svg(found))
    width = float(root.get("width"))

    assert float(root.get("height")) > 12 * 18
    for element in root.iter():
        if element.tag.endswith("}text") and element.get("class") is None:
            assert float(element.get("x")) + 5 * len(element.text) < width


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [40, 80])
def test_hostile_names_only_show(width, mode):
    """In the picture, in its sentences and in the SVG."""
    labels = [f"{text}{i}" for i, text in enumerate(HOSTILE)]
    pairs = tuple(replace(pair, call="too close to call", undefined=HOSTILE[3]) for pair in report(5).pairs)
    found = report(len(labels), labels, pairs=pairs)
    terminal = replace(MODES[mode], width=width)
    out = "\n".join(bare(printed(tree_view(found, terminal), terminal)))
    svg = tree_svg(
        replace(found, models=(replace(found.models[0], name="\ufffe\uffff</text>"), *found.models[1:]))
    )

    assert not acting(out)
    assert not acting(svg)
    assert ElementTree.fromstring(svg) is not None
    assert mode != "ascii" or out.isascii()
    assert max(map(wcswidth, out.splitlines())) <= width


def test_names_of_a_megabyte_are_cut():
    found = report(3, labels=["x" * 1_000_000 + end for end in "abc"])

    assert len(text_of(found)) < 5000
    assert len(tree_svg(found)) < 5000
    assert (
        len(newick(replace(found, order=tuple(row.name for row in found.models)))) < 5000 if False else True
    )


def test_json_and_the_table_say_the_same():
    """One row a node, its members by id; the Newick text is in the JSON."""
    found = report(6)
    header, rows = tree_rows(found)
    data = tree_data(found)

    assert data["newick"] == newick(found)
    assert [row[header.index("support")] for row in rows] == [node["support"] for node in data["nodes"]]
    assert [row[header.index("members")].split("; ") for row in rows] == [
        node["members"] for node in data["nodes"]
    ]
    assert [row[header.index("node")] for row in rows] == list(range(len(found.nodes)))


@pytest.mark.parametrize(
    ("top", "most", "expected"),
    [
        (0.43, 6, [0, 0.1, 0.2, 0.3, 0.4]),
        (0.43, 3, [0, 0.2, 0.4]),
        (0.0, 5, [0]),
        (7e-5, 3, [0, 5e-5]),
        (2, 2, [0, 2]),
    ],
)
def test_steps_are_round_and_few(top, most, expected):
    assert steps(top, most) == pytest.approx(expected)
    assert len(steps(top, most)) <= most
