"""Requirements 12 and 18: hand-picked colours, and ink that is always read."""

from __future__ import annotations

import pytest

from stylekl.show.chips import ground
from stylekl.show.ramps import (
    BLACK,
    DIVERGING,
    RAMPS,
    colour,
    contrast,
    cube_rgb,
    luminance,
    ramp_index,
    ramp_rgb,
)
from stylekl.show.terminal import Terminal

FRACTIONS = [i / 256 for i in range(257)]


def inked(style):
    """Return the contrast of a style's ink with its ground."""
    ground_rgb = style.bgcolor.triplet or cube_rgb(style.bgcolor.number)
    return contrast(tuple(ground_rgb), (0, 0, 0) if style.color.number == BLACK else (255, 255, 255))


@pytest.mark.parametrize("system", ["truecolor", "256"])
@pytest.mark.parametrize("ramp", [*RAMPS, DIVERGING])
def test_ink_is_read_on_every_colour_of_a_ramp(ramp, system):
    """WCAG contrast is at least 4.5 for every cell."""
    assert min(inked(colour(ramp, fraction, system)) for fraction in FRACTIONS) >= 4.5


@pytest.mark.parametrize("system", ["truecolor", "256"])
@pytest.mark.parametrize("side", ["a", "b"])
def test_ink_is_read_on_every_chip(side, system):
    """WCAG contrast is at least 4.5 for every chip."""
    lifts = [None, *(1 + i / 10 for i in range(400))]

    assert min(inked(ground(side, lift, Terminal(colour=system))) for lift in lifts) >= 4.5


@pytest.mark.parametrize("ramp", RAMPS)
def test_near_is_bright_and_far_is_dark_all_the_way(ramp):
    """Lightness never rises with the distance."""
    light = [luminance(ramp_rgb(ramp, fraction)) for fraction in FRACTIONS]

    assert light == sorted(light, reverse=True)


@pytest.mark.parametrize("system", ["truecolor", "256"])
def test_a_diverging_ramp_is_orange_below_one_half_white_there_and_blue_above(system):
    """Lightness rises to the middle and falls from there; red leads on one side, blue on the other."""

    def shade(share):
        return ramp_rgb(DIVERGING, share) if system == "truecolor" else cube_rgb(ramp_index(DIVERGING, share))

    light = [luminance(shade(share)) for share in FRACTIONS]

    assert light[:129] == sorted(light[:129])
    assert light[128:] == sorted(light[128:], reverse=True)
    assert shade(0.5) == (255, 255, 255)
    assert all(shade(i / 10)[0] > shade(i / 10)[2] for i in range(5) if shade(i / 10) != shade(0.5))
    assert all(shade(i / 10)[0] < shade(i / 10)[2] for i in range(6, 11) if shade(i / 10) != shade(0.5))


def test_the_ends_of_the_default_ramp_are_clipped():
    """Neither end of lajolla melts into a black or a white terminal."""
    assert (0, 0, 0) < ramp_rgb("lajolla", 1.0) == (49, 34, 14)
    assert ramp_rgb("lajolla", 0.0) == (253, 245, 182)


def test_256_colours_are_the_hand_picked_ones():
    """All nine steps of lajolla occur, near first."""
    seen = list(dict.fromkeys(ramp_index("lajolla", fraction) for fraction in FRACTIONS))

    assert seen == [230, 221, 215, 173, 167, 131, 95, 237, 235]


def test_colour_systems_do_not_contaminate_each_other_in_one_process():
    """Each system gets its own escape codes, whichever was used first."""
    from rich.color import ColorSystem

    codes = {}
    for system, of_rich in (("truecolor", ColorSystem.TRUECOLOR), ("256", ColorSystem.EIGHT_BIT)):
        codes[system] = colour("lajolla", 0.5, system).render("x", color_system=of_rich)

    assert "48;2;" in codes["truecolor"]
    assert "48;5;" in codes["256"]


def test_16_colours_have_weights_and_none_has_nothing():
    """Near is bold, far is dim; without colour a style is empty."""
    assert [str(colour("lajolla", fraction, "16")) for fraction in (0.1, 0.5, 0.9)] == ["bold", "none", "dim"]
    assert str(colour("lajolla", 0.1, "none")) == "none"
