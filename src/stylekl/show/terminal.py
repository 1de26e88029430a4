"""What the terminal can show, decided once from options and environment, and a console that obeys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

Colour = Literal["truecolor", "256", "16", "none"]

NARROWEST = 20
# The astral character stands for what a file may hold: an encoding without it would fail on a model's name.
_NEEDED = "·…×–‖≤αé╭│╰╶├┤─━╸●┊▀▄█▓▒░␠⏎→␛�文😀"
_SYSTEMS: dict[Colour, Literal["truecolor", "256", "standard"] | None] = {
    "truecolor": "truecolor",
    "256": "256",
    "16": "standard",
    "none": None,
}


@dataclass(frozen=True, slots=True)
class Terminal:
    """Columns, colours and glyphs that the output may use. `rows` is null where nothing limits the height.

    `inks` are the colours of names: #rrggbb, or one of the eight of every terminal.
    """

    width: int = 80
    colour: Colour = "none"
    ascii: bool = False
    stdout_tty: bool = False
    rows: int | None = None
    inks: Mapping[str, str] = field(default_factory=dict, compare=False)


def _positive(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and int(text) > 0 else None


def _wants_colour(option: str, environ: Mapping[str, str], is_tty: bool) -> bool:
    if option in ("always", "never"):
        return option == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return is_tty


def _colour(option: str, environ: Mapping[str, str], is_tty: bool) -> Colour:
    term = environ.get("TERM", "")
    if not _wants_colour(option, environ, is_tty) or (term == "dumb" and option != "always"):
        return "none"
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return "truecolor"
    # No TERM at all is a log or a file: what shows those (CI pages, less -R) knows the 256 colours.
    return "256" if "256color" in term or not term else "16"


def _speaks_unicode(encoding: str | None) -> bool:
    try:
        _NEEDED.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def decide(
    width_option: int | None,
    color_option: str,
    environ: Mapping[str, str],
    *,
    stdout_isatty: bool,
    stdout_encoding: str | None,
    terminal_size: tuple[int, int] | None,
) -> Terminal:
    """Return the terminal to draw for; `terminal_size` is (columns, rows) of stdout, unused when not a TTY.

    Colour: `--color always|never`, then NO_COLOR, then FORCE_COLOR ("" and "0" do not force), then whether
    stdout is a TTY. Truecolor only where COLORTERM says so, 256 colours where TERM does or is absent, else
    16. TERM=dumb has none unless `--color always` asks. Width: `--width`, COLUMNS, the
    terminal of stdout, 80.
    """
    size = terminal_size if stdout_isatty else None
    columns = size[0] if size and size[0] > 0 else None
    return Terminal(
        width=max(NARROWEST, width_option or _positive(environ.get("COLUMNS")) or columns or 80),
        colour=_colour(color_option, environ, stdout_isatty),
        ascii=not _speaks_unicode(stdout_encoding),
        stdout_tty=stdout_isatty,
        rows=size[1] if size and size[1] > 0 else None,
    )


def make_console(terminal: Terminal, file: IO[str]) -> Console:
    """Return a console on `file` that takes every decision from `terminal`, none from the environment.

    Without colour it writes no escape byte at all, bold and dim included.
    """
    from rich.console import Console

    return Console(
        file=file,
        width=terminal.width,
        height=terminal.rows or 25,
        color_system=_SYSTEMS[terminal.colour],
        force_terminal=terminal.colour != "none",
        force_interactive=False,
        force_jupyter=False,
        no_color=False,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
