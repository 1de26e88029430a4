"""An SVG picture as PNG, with every word in it: what no font of this machine can draw is said, not left out."""

from __future__ import annotations

import re
from html import escape, unescape

from rich.cells import cell_len

from stylekl.errors import UsageError
from stylekl.show.card_parts import FONTS

SCALE = 2  # pixels of the picture for each of the card: sharp on screens with fine pixels
_FAMILIES = (
    *("DejaVu Sans", "Segoe UI", "Helvetica Neue", "Helvetica", "Arial", "Noto Sans", "Liberation Sans"),
    *("Roboto", "Ubuntu", "Cantarell", "Open Sans", "FreeSans", "Verdana", "Tahoma"),
)
_NOBODYS = "\U000f0000"  # a private character: drawn as fonts draw what they lack
_TAGS = re.compile("<style>.*?</style>|<[^>]*>", re.DOTALL)
_INSTEAD = "install one, such as DejaVu Sans (Debian: apt install fonts-dejavu-core), or write .svg"


def ready() -> str:
    """Return the family of letters that words are drawn in.

    Raises UsageError where the package that draws is missing, and where there is no font to write words with.
    """
    try:
        import resvg_py  # noqa: F401 # whether it is there
    except ImportError:
        raise UsageError(
            "PNG needs the package resvg-py", "pip install 'stylekl[report]', or write .svg"
        ) from None
    family = next((name for name in _FAMILIES if _tried("a", name) != _tried("", name)), None)
    if family is None:
        raise UsageError(
            "PNG needs a font for its words, and none of the usual ones is on this machine", _INSTEAD
        )
    return family


def png(svg: str) -> tuple[bytes, str]:
    """Return a card as PNG, on the light ground, and the characters that no font here has.

    Raises UsageError as `ready` does.
    """
    family = ready()
    characters = sorted(set(unescape(_TAGS.sub("", svg))))
    beyond = [c for c in characters if not c.isascii() and not c.isspace() and cell_len(c)]
    lacking = {_tried(_NOBODYS, family), _tried("", family)}
    missing = "".join(character for character in beyond if _tried(escape(character), family) in lacking)
    return _drawn(svg.replace(f'"{FONTS}"', f'"{family},sans-serif"'), family, SCALE), missing


def _drawn(svg: str, family: str, zoom: float = 1) -> bytes:
    from resvg_py import svg_to_bytes

    return bytes(svg_to_bytes(svg_string=svg, sans_serif_family=family, zoom=zoom))


def _tried(text: str, family: str) -> bytes:
    """Return a picture of a text, to be compared with those of nothing and of what no font has."""
    return _drawn(
        '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30">'
        f'<text y="20" font-family="{family}">{text}</text></svg>',
        family,
    )
