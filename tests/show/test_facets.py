"""The table of facets: what is compared, what is said of it, what gives way where it is narrow."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stylekl.show.facets import facet_lines, per
from stylekl.show.terminal import Terminal

from .factory import facet, facets


def drawn(found, width=120, **terminal):
    return [text.plain for text in facet_lines(found, Terminal(width=width, **terminal))]


def test_the_multiple_is_the_mean_of_both_directions_over_the_floor():
    """It stays where the two models change places, and is at least 0."""
    found = facet("words", 0.1, 0.3, floor=0.01)
    swapped = replace(found, kl_ab=found.kl_ba, kl_ba=found.kl_ab)

    assert " 20×  apart" in drawn([found])[1]
    assert " 20×  apart" in drawn([swapped])[1]
    assert " 0×  apart" in drawn([facet("words", -0.1, -0.3)])[1]


def test_bars_are_as_long_as_their_multiples():
    lines = drawn([facet("words", 0.2, 0.2), facet("marks", 0.1, 0.1), facet("layout", 0.0, 0.0)])

    assert [line.count("━") for line in lines[1:4]] == [30, 15, 0]


def test_where_there_is_no_value_the_reason_stands():
    lines = drawn(facets())

    assert lines[5] == "  openings  cannot say, no symbol is common enough"
    assert drawn([replace(facets()[4], undefined=None)])[1].endswith("cannot say, no value")


@pytest.mark.parametrize(
    ("width", "heads"),
    [
        (130, "× chance there back"),
        (80, "× chance there back"),
        (70, "× chance there"),
        (50, "× chance"),
        (40, "× chance"),
    ],
)
def test_columns_that_do_not_fit_give_way(width, heads):
    """The unit first, then q, the way back, the way there; the calls stay."""
    lines = drawn(facets(), width)

    assert " ".join(lines[0].split()) == heads
    assert sum("apart" in line for line in lines[1:5]) == 3
    assert ("q < .001" in lines[1]) == (width == 130)
    assert ("per token" in lines[1]) == (width == 130)
    assert ("q is over these facets" in " ".join(lines)) == (width == 130)


def test_a_focus_has_one_direction_and_calls_by_the_interval():
    """Without an exchange test there is no floor, no multiple and no q, and the legend says what the call rests on."""
    found = [facet(name, 0.2, None, floor=None, p=None, q=None) for name in ("words", "layout")]
    lines = drawn(found, 80)

    assert lines[0].split() == ["KL"]
    assert lines[1].split() == ["words", "apart", ".20", "[.18", ".22]", "per", "word"]
    assert lines[3].startswith("  Apart: the 95% interval lies above 0.")


def test_without_facets_there_is_nothing():
    assert drawn([]) == []


def test_the_unit_is_what_one_symbol_is_called():
    assert per("bits per token") == per("token") == "token"
