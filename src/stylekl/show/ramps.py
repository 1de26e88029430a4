"""Colour ramps, chosen for each colour system by us.

rich caches the escape codes of a style for the first console that used it, and its nearest 256-colour match
turns browns olive; so every style here is built from the colours of the system it is for.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.color import Color
from rich.style import Style

if TYPE_CHECKING:
    from stylekl.show.terminal import Colour

RGB = tuple[int, int, int]
DIVERGING = "diverging"  # orange below one half, white there, blue above: told apart by every eye

_STOPS = {
    "lajolla": "191900 372411 67342a a64644 d9604e e58851 edae54 f7da74 fffecb",
    "cividis": "00224e 1a386f 434e6c 61656f 7d7c78 9b9476 bcae6c dec958 fee838",
    "viridis": "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725",
    DIVERGING: "0f4c9c 3f7fc4 86b1e0 c9def2 ffffff fbdcb8 f0ab62 d97a1e a34e00",
}
# Nearest in CAM02-UCS with strictly rising lightness.
_STEPS = {
    "lajolla": (235, 237, 95, 131, 167, 173, 215, 221, 230),
    "cividis": (17, 24, 60, 244, 144, 179, 220),
    "viridis": (53, 55, 24, 30, 35, 113, 220),
    DIVERGING: (25, 68, 110, 153, 231, 223, 215, 172, 130),
}
# The dark end of lajolla would melt into a dark background.
_CLIP = {"lajolla": (0.10, 0.97), "cividis": (0.0, 1.0), "viridis": (0.0, 1.0), DIVERGING: (0.0, 1.0)}
RAMPS = tuple(ramp for ramp in _STOPS if ramp != DIVERGING)

BLACK, WHITE = 16, 231  # in the colour cube: themes repaint "black" and "white"


def mix(start: RGB, end: RGB, part: float) -> RGB:
    """Return the colour `part` of the way from `start` to `end`, linear in sRGB."""
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(start, end, strict=True))
    return red, green, blue


def cube_rgb(index: int) -> RGB:
    """Return the colour of an index 16..255 of the 256-colour palette."""
    if index >= 232:
        grey = 8 + 10 * (index - 232)
        return grey, grey, grey
    levels = (0, 95, 135, 175, 215, 255)
    red, rest = divmod(index - 16, 36)
    return levels[red], levels[rest // 6], levels[rest % 6]


def luminance(rgb: RGB) -> float:
    """Return the relative luminance of WCAG 2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: RGB, other: RGB) -> float:
    """Return the contrast ratio of WCAG 2, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def ink(background: RGB) -> int:
    """Return the index of black or white, whichever is read better on `background` (at least 4.58 to 1)."""
    black, white = contrast(background, (0, 0, 0)), contrast(background, (255, 255, 255))
    return BLACK if black >= white else WHITE


def ramp_rgb(ramp: str, fraction: float) -> RGB:
    """Return the truecolor of a ramp for `fraction` of the scale: 0 is near and bright, 1 far and dark."""
    low, high = _CLIP[ramp]
    stops = _STOPS[ramp].split()
    place = (high - min(max(fraction, 0.0), 1.0) * (high - low)) * (len(stops) - 1)
    first = min(int(place), len(stops) - 2)
    start, end = (_hex(stop) for stop in stops[first : first + 2])
    return mix(start, end, place - first)


def _hex(text: str) -> RGB:
    return int(text[:2], 16), int(text[2:4], 16), int(text[4:], 16)


def ramp_index(ramp: str, fraction: float) -> int:
    """Return the 256-colour index of a ramp for `fraction` of the scale."""
    steps = _STEPS[ramp]
    return steps[min(int((1 - min(max(fraction, 0.0), 1.0)) * len(steps)), len(steps) - 1)]


@lru_cache(maxsize=4096)
def paint(ramp: str, fraction: float, system: Colour) -> Color | None:
    """Return the colour of a ramp in a colour system; null in those without backgrounds of their own."""
    if system == "truecolor":
        return Color.from_rgb(*ramp_rgb(ramp, fraction))
    return Color.from_ansi(ramp_index(ramp, fraction)) if system == "256" else None


@lru_cache(maxsize=4096)
def colour(ramp: str, fraction: float, system: Colour) -> Style:
    """Return the style of a cell: the ramp's background with its ink.

    16 colours belong to the user's theme, so there near is bold, far is dim (20 % and 60 % of the scale);
    without colour the style is plain.
    """
    background = paint(ramp, fraction, system)
    if background is not None:
        return on(background)
    if system == "16":
        return tone(0 if fraction <= 0.2 else 1 if fraction <= 0.6 else 2)
    return Style()


def on(background: Color) -> Style:
    """Return the style that writes on `background` in the ink that is read best."""
    rgb = background.triplet or cube_rgb(background.number or BLACK)
    return Style(color=Color.from_ansi(ink((rgb[0], rgb[1], rgb[2]))), bgcolor=background)


def tone(level: int) -> Style:
    """Return bold, plain or dim for level 0, 1 or 2: the ramp of 16 colours."""
    return (Style(bold=True), Style(), Style(dim=True))[level]
