"""What a view leaves on a terminal, as one string, and its lines without colour codes."""

from __future__ import annotations

import io
import re
import unicodedata
from typing import TYPE_CHECKING

from stylekl.show.terminal import Terminal, make_console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

MODES = {
    "none": Terminal(colour="none"),
    "16": Terminal(colour="16"),
    "256": Terminal(colour="256"),
    "truecolor": Terminal(colour="truecolor"),
    "ascii": Terminal(colour="none", ascii=True),
}
_CODES = re.compile(r"\x1b\[[0-9;]*m")


def printed(lines: Sequence[Text], terminal: Terminal) -> str:
    """Return what the console writes for these lines."""
    file = io.StringIO()
    console = make_console(terminal, file)
    for line in lines:
        console.print(line)
    return file.getvalue()


def bare(text: str) -> list[str]:
    """Return the lines without our own colour codes."""
    return _CODES.sub("", text).splitlines()


def acting(text: str) -> set[str]:
    """Return the characters that could act on a terminal: controls, surrogates, formats but the joiners."""
    return {
        character
        for character in text
        if unicodedata.category(character) in ("Cc", "Cs", "Cf", "Zl", "Zp")
        and character not in "\n\u200c\u200d"
    }
