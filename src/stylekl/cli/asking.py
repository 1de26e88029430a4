"""The options that `collect`, `probe` and `judge` share, and what each of them does first and last."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from stylekl.cli.groups import with_group
from stylekl.cli.settings import above_zero
from stylekl.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stylekl.gather.collect import Options
    from stylekl.gather.plan import Plan
    from stylekl.gather.session import Wish

CALLS = 4  # at once to each provider, unless told otherwise


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What the options of whoever asks models came to."""

    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print calls and the most they can cost; ask nothing.")
    ] = False
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", callback=above_zero, help="Stop before this amount is spent."),
    ] = None
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=1000, help="Calls at once to each provider.")
    ] = CALLS
    rate: Annotated[
        float | None, typer.Option("--rate", callback=above_zero, help="Calls a minute to each provider.")
    ] = None
    env: Annotated[
        str | None, typer.Option("--env", metavar="FILE", help="File of keys, mode 600 (default: .env here).")
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")] = False
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error happened.")] = False

    def options(self) -> Options:
        """Return the limits of a run."""
        from stylekl.gather.collect import Options

        return Options(self.concurrency, self.rate, self.max_cost)

    def warn(self, warnings: Iterable[str]) -> None:
        """Write warnings to stderr, unless --quiet."""
        for warning in () if self.quiet else warnings:
            sys.stderr.write(visible(f"warning: {warning}") + "\n")


with_asking = with_group(Asking, "asking")


def survive_dropped_sockets() -> None:
    """Let a socket that the other side drops be an error, not the end of the process."""
    if hasattr(signal, "SIGPIPE") and signal.getsignal(signal.SIGPIPE) is signal.SIG_DFL:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def ask_or_outline(plan: Plan, wish: Wish, asking: Asking) -> None:
    """Run a plan, or print what it would take; leave with the exit code where questions stay open."""
    from stylekl.cli.collecting import print_outlook, run

    if asking.dry_run:
        print_outlook(plan, wish)
        return
    code = run(plan, wish, asking.options(), quiet=asking.quiet)
    if code:
        raise typer.Exit(code)
