"""The stacked bar of the classes: what it draws, what its legend adds up to, and that nobody needs its colours."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.facets.classes import CLASSES
from stylekl.lenses.reports import ClassTotal
from stylekl.show.ramps import BLACK, contrast, cube_rgb
from stylekl.show.stack import WIDEST, colours, ground, letters, stack, whole
from stylekl.show.terminal import Terminal

from .output import MODES

WAYS = ("one ‖ two", "two ‖ one")
numbers = st.floats(-3, 3).map(lambda value: round(value, 6))


def totals(there, back=None, kinds=CLASSES):
    """Return class totals with these bits, and the shares that they come to."""
    back = there if back is None else back
    sums = math.fsum(there), math.fsum(back)
    return [
        ClassTotal(kind, a, b, a / sums[0], b / sums[1])
        for kind, a, b in zip(kinds, there, back, strict=True)
    ]


def drawn(classes, **terminal):
    return [text.plain for text in stack(classes, WAYS, Terminal(**terminal))]


def rows(lines):
    """Return per class of the legend its per cents and bits in both directions, the sums under `together`."""
    start = next(i for i, line in enumerate(lines) if line.split() == ["there", "back"])
    found = {}
    for line in lines[start + 1 :]:
        *name, a, bits_a, b, bits_b = line.split()
        found[" ".join(name)] = (int(a[:-1]), float(bits_a), int(b[:-1]), float(bits_b))
        if name == ["together"]:
            return found
    raise AssertionError("no sums")


@given(st.lists(st.floats(-1e6, 1e6), max_size=12))
def test_whole_numbers_add_up_to_the_rounded_sum_and_none_is_off_by_one(values):
    found = whole(values)

    assert sum(found) == round(math.fsum(values))
    assert all(abs(a - b) < 1 + 1e-6 for a, b in zip(found, values, strict=True))


@given(st.lists(numbers, min_size=7, max_size=7).filter(lambda values: sum(values) > 0.2))
def test_the_printed_figures_add_up_to_what_is_printed_under_them(there):
    """Per cents to 100 and bits to their sum, negative ones included, in both directions."""
    found = rows(drawn(totals(there, there[::-1]), width=100))
    *classes, together = found.values()

    assert (together[0], together[2]) == (100, 100)
    for column in range(4):
        assert sum(row[column] for row in classes) == pytest.approx(together[column], abs=1e-9)


@given(st.lists(st.floats(0.001, 1), min_size=7, max_size=7), st.sampled_from([40, 60, 74, 200]))
def test_a_segment_is_as_wide_as_its_share_to_a_cell(there, width):
    bar = drawn(totals(there), width=width)[1].strip()

    assert len(bar) == min(WIDEST, width - 2)
    for letter, bits in zip("fcplneo", there, strict=True):
        assert abs(bar.count(letter) - len(bar) * bits / math.fsum(there)) < 1


def test_what_is_below_0_is_not_in_the_bar_but_in_the_legend_and_in_words():
    lines = drawn(totals([0.5, -0.1, 0.6, 0, 0, 0, -0.0]), width=100)

    assert lines[1].strip() == "f" * 33 + "p" * 39
    assert rows(lines)["c content words"] == (-10, -0.1, -10, -0.1)
    assert " ".join(lines[-1].split()) == (
        "Below 0, so not in the bar: there, content words take 10% off; back, content words take 10% off."
    )


def test_classes_that_add_nothing_are_left_out_of_the_legend():
    assert [*rows(drawn(totals([0.5, 0, 0.5, 0, 0, 0, 0]), width=80))] == [
        "f function words",
        "p punctuation",
        "together",
    ]


def test_without_shares_there_is_no_bar():
    """In either direction nothing at all; in one, the other's bar alone and a dash in the legend."""
    known = totals([0.5, 0.2, 0.1, 0.1, 0.1, 0, 0])
    none = [ClassTotal(each.kind, each.bits_ab, each.bits_ba, None, None) for each in known]
    one = [ClassTotal(each.kind, each.bits_ab, each.bits_ba, each.share_ab, None) for each in known]

    assert drawn(none, width=80) == []
    lines = drawn(one, width=80)
    assert sum("‖" in line for line in lines) == 1
    assert lines[-1].split() == ["together", "100%", "1.00", "-", "1.00"]
    assert drawn([], width=80) == []


def test_bits_that_do_not_exist_are_a_dash():
    nan = float("nan")
    lines = drawn([ClassTotal("layout", 0.1, nan, 1.0, None)], width=80)

    assert lines[-1].split() == ["together", "100%", ".100", "-", "-"]


@pytest.mark.parametrize("mode", MODES)
def test_every_segment_and_every_row_of_the_legend_has_its_letter(mode):
    """With colours or without, each class is there by a letter; ASCII has nothing else."""
    shares = [0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05]
    lines = [text.plain for text in stack(totals(shares), ("one", "two"), MODES[mode])]

    order = [character for character in lines[1] if character.isalpha()]
    assert [*dict.fromkeys(order)] == [*"fcplneo"]
    assert [line.split()[0] for line in lines[5:12]] == [*"fcplneo"]
    assert mode != "ascii" or "".join(lines).isascii()


@given(st.lists(st.text(max_size=12), max_size=30))
def test_no_two_classes_share_a_letter(names):
    found = letters(names)

    assert len(set(found)) == len(found)
    assert all(len(letter) == 1 and letter.isascii() and letter.isalnum() for letter in found)


def test_a_class_of_tokens_keeps_its_colour_and_others_take_what_is_free():
    assert colours([*reversed(CLASSES)]) == [*reversed(colours(CLASSES))]
    assert colours(["stops", "pauses", "other"]) == [0, 1, 6]
    many = colours([f"class {i}" for i in range(25)])
    assert all(one != other for one, other in pairwise(many))


# Simulations of full dichromacy: Machado, Oliveira and Fernandes 2009, doi:10.1109/TVCG.2009.113.
_SEEN = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
}
_XYZ = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])


def _lab(rgb, seen):
    value = np.array(rgb) / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(np.clip(_XYZ @ np.clip(seen @ linear, 0, 1) / [0.9505, 1, 1.0888], 1e-4, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("seen", _SEEN)
@pytest.mark.parametrize("mode", ["truecolor", "256"])
def test_the_colours_differ_for_any_eye_and_carry_their_letters(mode, seen):
    """Any two of the seven are at least 14 apart in CIELAB (1 can just be seen), and the ink reads at 4.5 to 1."""
    grounds = [ground(place, Terminal(colour=mode)) for place in colours(CLASSES)]
    found = [style.bgcolor.triplet or cube_rgb(style.bgcolor.number) for style in grounds]

    labs = [_lab(rgb, _SEEN[seen]) for rgb in found]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(labs, 2)) > 14
    for style, rgb in zip(grounds, found, strict=True):
        ink = (0, 0, 0) if style.color.number == BLACK else (255, 255, 255)
        assert contrast(tuple(rgb), ink) >= 4.5
