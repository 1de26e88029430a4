"""The matrix of any lens: it fits, its cells are those of the report, and a share that diverges says who wins."""

from __future__ import annotations

from dataclasses import replace

import pytest
from wcwidth import wcswidth

from stylekl.lenses.frame import LensMatrix, LensModel, LensPair, sections
from stylekl.show.lens_matrix import matrix_data, matrix_grid, matrix_rows, matrix_view
from stylekl.show.terminal import Terminal

from .output import MODES, bare, printed


def report_of(n: int, *, diverging: bool = False) -> LensMatrix:
    """Return a report of n models in which the one with the lower number wins more often."""
    ids = [f"m{number:02}" for number in range(n)]
    pairs = [
        LensPair(
            a, b, 0.5 + (j - i) / (2 * n), None, None, 10, back=0.5 - (j - i) / (2 * n) if diverging else None
        )
        for i, a in enumerate(ids)
        for j, b in enumerate(ids)
        if i < j
    ]
    return LensMatrix(
        by="votes",
        measure="share",
        unit="share of votes that the row wins",
        models=tuple(LensModel(each, f"Model {each}", left_out={"tie": 2}, unit="vote") for each in ids),
        order=tuple(ids),
        pairs=tuple(pairs),
        notes=("A cell is what the row wins of the votes on both.",),
        diverging=diverging,
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("diverging", [False, True])
def test_no_line_exceeds_the_width(width, mode, diverging):
    terminal = replace(MODES[mode], width=width)
    for n in (2, 4, 12, 40):
        out = printed(matrix_view(report_of(n, diverging=diverging), terminal), terminal)

        assert max(map(wcswidth, bare(out))) <= width
        assert mode != "ascii" or out.isascii()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_counts_stand_in_a_table_where_they_fit_and_in_a_list_where_not(width, mode):
    terminal = replace(MODES[mode], width=width)
    for n in (2, 4, 12, 40):
        out = bare(printed(matrix_view(report_of(n), terminal, counts=True), terminal))
        start = out.index("How many units each cell rests on")
        table = out[start + 2 : start + 2 + n] if width > 8 + 4 * n else []

        assert max(map(wcswidth, out)) <= width
        assert all(line.count("10") >= n - 1 for line in table)


def test_a_cell_is_the_value_of_its_row_and_column():
    """One way the value, the other the way back; where there is none, the value again."""
    there = matrix_grid(report_of(3, diverging=True)).values
    alike = matrix_grid(report_of(3)).values

    assert there[0][2] == pytest.approx(0.5 + 2 / 6)
    assert there[2][0] == pytest.approx(0.5 - 2 / 6)
    assert alike[0][2] == alike[2][0]


def test_without_colour_a_diverging_map_says_which_end_wins():
    out = printed(matrix_view(report_of(4, diverging=True), Terminal(width=80)), Terminal(width=80))

    assert "loses 0 " in out or "loses .0" in out
    assert "wins 1" in out
    assert "Left out 8 votes: tie 8" in out


def test_16_colours_make_bold_what_wins():
    terminal = replace(MODES["16"], width=80)
    lines = printed(matrix_view(report_of(4, diverging=True), terminal), terminal).splitlines()
    first = next(line for line in lines if "Model m00" in line)
    last = next(line for line in lines if "Model m03" in line)

    assert "\x1b[1m" in first
    assert "\x1b[1m" not in last


def test_a_pair_without_a_value_is_blank_and_counted():
    report = report_of(3)
    none = replace(report.pairs[0], value=None, undefined="no question in common")
    report = replace(report, pairs=(none, *report.pairs[1:]))
    out = printed(matrix_view(report, Terminal(width=80)), Terminal(width=80))

    assert "3 models, 1 of 3 pairs without a value" in out
    assert matrix_rows(report)[1][0][-1] == "no question in common"
    assert matrix_data(report)["pairs"][0]["value"] is None


def test_reports_of_lenses_are_joined_with_every_warning_once():
    one = replace(report_of(2), params={"seed": 0}, warnings=("few votes",))
    two = replace(one, params={"source": "panel"}, warnings=("few votes", "old"))
    joined = sections({"style": one, "votes": two}, ("nothing by choices: none",))

    assert joined.params == {"seed": 0, "votes": {"source": "panel"}}
    assert joined.warnings == ("nothing by choices: none", "few votes", "old")
