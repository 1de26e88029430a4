"""`stylekl cache`: counts and answers that are kept on disk, how much room they take, and how to be rid of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from stylekl.cli.exporting import put
from stylekl.text import visible

if TYPE_CHECKING:
    from stylekl.counts.shelf import Content

app = typer.Typer(
    help="Show or delete the counts and answers kept on disk.",
    epilog="Example: stylekl cache info",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def cache() -> None:
    """Show or delete the counts and answers kept on disk."""


@app.command("info")
def info() -> None:
    """Say where counts and answers are kept, and how much room they take.

    Counts of files with more than a million characters are kept, so that the next question about them need not count
    again, answers, for the same question, and what the next pair or focus needs too. They hold the replies; only you
    can read them.
    STYLEKL_CACHE_DIR moves the folder, and STYLEKL_CACHE_SIZE says how large it may grow (2G unless given; 0 keeps
    nothing).

    \b
    Examples:
      stylekl cache info
    """
    from stylekl.counts.shelf import content

    found = content()
    _write(
        ("folder", visible(str(found.folder)) if found.folder else "none: the user has no home"),
        ("entries", f"{found.entries:,}"),
        ("size", f"{size(found.size)} of at most {size(found.limit)}"),
    )


@app.command("clear")
def clear() -> None:
    """Delete the counts and answers that are kept.

    \b
    Examples:
      stylekl cache clear
    """
    from stylekl.counts.shelf import clear as delete

    found: Content = delete()
    _write(
        ("deleted", f"{found.entries:,} {'entry' if found.entries == 1 else 'entries'}, {size(found.size)}")
    )


def _write(*rows: tuple[str, str]) -> None:
    width = max(len(name) for name, _ in rows)
    put("".join(f"{name:{width}}  {value}\n" for name, value in rows))


def size(number: int) -> str:
    """Write a number of bytes in the unit that suits it: 0 bytes, 640 KiB, 2.5 GiB."""
    value, units = float(number), ["TiB", "GiB", "MiB", "KiB"]
    if value < 1024:
        return f"{number} bytes"
    unit = ""
    while value >= 1000 and units:
        value, unit = value / 1024, units.pop()
    return f"{value:.3g} {unit}"
