"""Requirements 14, 18 and 20 for the map: it fits, it is aligned, and every colour has its figure."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth

from stylekl.show.grid import Grid, scale
from stylekl.show.heatmap import heatmap
from stylekl.show.layout import choose
from stylekl.show.style import matrix_grid, matrix_view
from stylekl.show.terminal import Terminal

from .factory import HOSTILE, matrix, names
from .output import MODES, acting, bare, printed

GRIDS = {n: matrix_grid(matrix(n)) for n in (2, 4, 12, 20, 40, 80)}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_no_line_of_a_map_exceeds_the_width(width, mode):
    """2 to 80 models at 40 to 200 columns, in every colour system and in ASCII."""
    terminal = replace(MODES[mode], width=width)
    for grid in GRIDS.values():
        out = printed(heatmap(grid, terminal), terminal)

        assert max(map(wcswidth, bare(out))) <= width
        assert mode != "ascii" or out.isascii()
        assert mode not in ("none", "ascii") or "\x1b" not in out


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 80), st.integers(40, 200), st.sampled_from(sorted(MODES)), st.integers(1, 30))
def test_a_map_of_any_size_fits_any_width(n, width, mode, longest):
    """The layout chosen by size is one that fits, whatever the length of the names."""
    terminal = replace(MODES[mode], width=width, rows=40)
    labels = [f"{i}" + "x" * (longest if i % 3 else 0) for i in range(n)]
    values = [[abs(i - j) / n for j in range(n)] for i in range(n)]
    out = printed(
        heatmap(Grid(labels, values, "KL, bits per token", [i // 3 for i in range(n)]), terminal), terminal
    )

    assert max(map(wcswidth, bare(out))) <= width


@pytest.mark.parametrize(
    ("width", "label", "numbers", "digits"),
    [(80, 17, 14, 19), (80, 10, 16, 22), (120, 17, 24, 33), (120, 10, 26, 35)],
)
def test_the_largest_numbers_of_models_are_those_measured(width, label, numbers, digits):
    """Numbers up to 16 models at 80 columns, digits up to 22; the label gives way down to 10 columns."""
    terminal = Terminal(width=width)

    if label == 10:
        assert [choose(n, label, terminal) for n in (numbers, numbers + 1)] == ["numbers", "digits"]
        assert [choose(n, label, terminal) for n in (digits, digits + 1)] == ["digits", "shades"]
    assert choose(numbers, label, terminal) == "numbers"
    assert choose(digits, label, terminal) == "digits"


def test_the_layout_follows_colours_and_rows():
    """Backgrounds give squares, or half blocks where rows are short; without them shades, and last a list."""
    colourful = Terminal(width=120, colour="256", rows=60)

    assert choose(40, 12, colourful) == "squares"
    assert choose(40, 12, replace(colourful, rows=30)) == "halves"
    assert choose(40, 12, replace(colourful, width=80)) == "halves"
    assert choose(74, 12, replace(colourful, width=80)) == "numbered"
    assert choose(80, 12, replace(colourful, width=60)) == "pairs"
    assert choose(40, 12, replace(colourful, colour="none")) == "shades"
    assert choose(40, 12, replace(colourful, colour="16", width=80)) == "pairs"
    assert choose(40, 12, replace(colourful, ascii=True, rows=30)) == "squares"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_rows_stay_aligned_with_wide_and_hostile_names(width):
    """Every row of the map has the same number of cells, whatever stands in the names."""
    labels = [*HOSTILE, "文心一言 5.0", "한국어", "🇩🇪 flag", "हिन्दी"][:12]
    terminal = Terminal(width=width)
    out = printed(heatmap(matrix_grid(matrix(12, labels)), terminal), terminal)
    rows = [wcswidth(line) for line in bare(out)[1:13]]

    assert len(set(rows)) == 1
    assert not acting(out)


def test_a_cell_is_the_row_from_the_column():
    """Cell (row, column) is KL(row ‖ column); Jensen-Shannon is the same both ways."""
    report = matrix(3)
    pair = next(p for p in report.pairs if (p.a, p.b) == ("m00", "m02"))
    grid, symmetric = matrix_grid(report), matrix_grid(report, "js")

    assert (pair.kl_ab.value, pair.kl_ba.value) == (grid.values[0][2], grid.values[2][0])
    assert symmetric.values[0][2] == symmetric.values[2][0] == pair.js.value


def test_every_colour_has_its_figure_or_legend():
    """Squares and half blocks, which print no figures, print both ends of their scale."""
    for width in (80, 120):
        terminal = Terminal(width=width, colour="truecolor")
        legend = " ".join(bare(printed(heatmap(GRIDS[40], terminal), terminal))[-2:])

        assert re.search(r"near \.00 +\.\d\d far", legend)


def test_16_colours_print_their_cuts():
    """The legend says up to which value a figure is bold, plain, and beyond which dim."""
    terminal = Terminal(colour="16")
    text = "\n".join(bare(printed(heatmap(GRIDS[12], terminal), terminal)))

    assert re.search(r"bold ≤ \.\d\d +plain ≤ \.\d\d +dim > \.\d\d", text)


def test_null_is_blank_and_said():
    """A pair without a value leaves its cells empty, and the legend says so."""
    terminal = Terminal()
    lines = bare(printed(heatmap(Grid(["a", "b", "c"], [[None, 0.1, None]] * 3, "x"), terminal), terminal))

    assert lines[1].rstrip() == "a 1    · .10"
    assert "blank: no value" in lines[-1]


def test_vmax_fixes_the_scale():
    """Two files drawn with one top can be compared; without it the top is the maximum rounded up."""
    grid = Grid(["a", "b"], [[None, 0.541], [0.2, None]], "x")

    assert scale(grid).top == 0.55
    assert scale(grid, 2.0).top == 2.0
    assert scale(grid, 0.1).fraction(0.541) == 1.0


def test_a_small_scale_is_multiplied_rather_than_flattened():
    """Values below .1 keep two figures, and the legend says the factor."""
    terminal = Terminal()
    lines = bare(printed(heatmap(Grid(["a", "b"], [[None, 0.049], [0.031, None]], "x"), terminal), terminal))

    assert "4.9" in lines[1]
    assert "×100" in lines[-1]


def test_a_list_names_the_nearest_pairs_and_what_to_do():
    """Where no map fits, the nearest come first with a hint."""
    terminal = Terminal(width=40)
    lines = bare(printed(heatmap(GRIDS[80], terminal), terminal))

    assert "Nearest pairs" in lines[0]
    assert "--json" in " ".join(lines[-2:])


def test_one_model_or_none_does_not_fail():
    """A degenerate report still prints."""
    for n in (1, 2):
        assert matrix_view(matrix(n), Terminal())
    assert names(1) == ["Alder 3"]
