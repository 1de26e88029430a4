"""The reports as CSV and Markdown."""

from __future__ import annotations

import csv
import io

import pytest

from stylekl.show.tables import focus_rows, matrix_rows, pair_rows, to_csv, to_markdown

from .factory import HOSTILE, focus_report, matrix, pair_report
from .output import acting

TABLES = {
    "matrix": lambda: matrix_rows(matrix(18, [f"{text}{i}" for i, text in enumerate(HOSTILE)])),
    "pair": lambda: pair_rows(pair_report(*HOSTILE[:2])),
    "focus": lambda: focus_rows(focus_report(10)),
}


@pytest.mark.parametrize("table", TABLES)
def test_every_row_has_the_columns_of_the_header(table):
    """Tables are rectangular, as CSV and as Markdown, and hold nothing that acts."""
    header, rows = TABLES[table]()
    read = list(csv.reader(io.StringIO(to_csv(header, rows))))
    lines = to_markdown(header, rows).splitlines()

    assert len(set(header)) == len(header)
    assert {len(row) for row in read} == {len(header)}
    assert len(lines) == len(rows) + 2
    assert {line.replace("\\|", "").count("|") for line in lines} == {len(header) + 1}
    assert not acting(to_csv(header, rows) + to_markdown(header, rows))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-gpt", "@x", " =1"])
def test_no_text_becomes_a_formula(text):
    """A cell of text that a spreadsheet would run is quoted; a number below 0 is not."""
    cell, number = next(iter(csv.reader(io.StringIO(to_csv(["a", "b"], [[text, -1.5]]).split("\n", 1)[1]))))

    assert cell.startswith("'")
    assert number == "-1.5"


def test_markdown_cells_cannot_leave_their_cell():
    """Pipes, newlines, backticks and tags are escaped."""
    assert to_markdown(["a"], [["x|y\n`z` <b>"]]).splitlines()[-1] == "| x\\|y⏎\\`z\\` &lt;b&gt; |"


def test_numbers_keep_ten_digits_and_null_is_empty():
    """The tables hold the signed values, not the rounded ones of the terminal."""
    assert to_csv(["a", "b", "c"], [[1 / 3, None, True]]) == "a,b,c\n0.3333333333,,true\n"
