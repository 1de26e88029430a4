"""How numbers are written."""

from __future__ import annotations

import pytest

from stylekl.lenses.reports import Estimate
from stylekl.show.grid import digits, figures, round_up
from stylekl.show.numbers import estimate, interval, lift, number, percent, plural, probability


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.49, ".49"),
        (0.049, ".049"),
        (1.23, "1.2"),
        (12.3, "12"),
        (0.0, "0"),
        (-0.0001, "0"),
        (-0.25, "-.25"),
    ],
)
def test_a_number_has_no_leading_zero(value, text):
    """.49, 1.2 and 12; nothing is 0."""
    assert text == number(value)


def made(value, low=0.0, high=0.0, upper=0.0):
    return Estimate(value, value, low, high, 0.01, upper)


def test_an_estimate_below_zero_prints_as_zero_with_its_limit():
    """The sign stays in JSON; the terminal says how large the truth may be."""
    assert estimate(made(-0.002, upper=0.0041)) == "0, at most .004"
    assert estimate(made(0.0, upper=0.00002)) == "0, at most <.001"
    assert estimate(made(-0.02, upper=-0.01)) == "0, at most <.001"
    assert estimate(made(0.0002, upper=0.01)) == "<.001"
    assert estimate(made(0.13)) == ".13"


def test_an_interval_is_never_below_zero():
    """Its low end is clipped at 0."""
    assert interval(made(0.13, 0.11, 0.15)) == "[.11 .15]"
    assert interval(made(0.13, -0.02, 0.28)) == "[0 .28]"


@pytest.mark.parametrize(("ratio", "text"), [(14.2, "×14"), (9.97, "×10"), (8.4, "×8.4"), (1234.0, "×1,234")])
def test_a_lift_is_whole_from_ten(ratio, text):
    """×14 from 10, else ×8.4."""
    assert text == lift(ratio)


def test_probabilities_shares_and_counts():
    """A p below .001 is not spelled out; counts have separators and their plural."""
    assert [probability("q", value) for value in (0.0004, 0.0041, 0.41, 1.0, None)] == [
        "q < .001",
        "q = .004",
        "q = .41",
        "q = 1.00",
        "",
    ]
    assert [percent(share) for share in (0.47, 0.004, -0.0001, None)] == ["47%", "0.4%", "0%", "-"]
    assert [plural(1, "prompt"), plural(2701, "pair"), plural(3, "reply")] == [
        "1 prompt",
        "2,701 pairs",
        "3 replies",
    ]


def test_cells_hold_three_figures_or_two_digits():
    """A cell of the map says .49, 1.2, or with a power of ten 4.9; a small value is not 0."""
    assert [figures(value, 0) for value in (0.494, 1.23, 12.0, 0.001, 0.0, -0.1)] == [
        ".49",
        "1.2",
        "12",
        ".00",
        "0",
        "0",
    ]
    assert figures(0.049, 2) == "4.9"
    assert [digits(value, 2) for value in (0.49, 0.049, -0.1)] == ["49", "5", "0"]
    assert [round_up(value) for value in (0.541, 0.0412, 1.21, 0.55)] == [0.55, 0.042, 1.3, 0.55]
