"""Running a collection from the command line: progress, Ctrl-C, and what is said at the end."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from typing import TYPE_CHECKING, Any

from stylekl.cli.asking import CALLS
from stylekl.cli.exporting import put
from stylekl.text import visible

if TYPE_CHECKING:
    from stylekl.gather.collect import Collector, Ended, Options
    from stylekl.gather.ledger import Ledger
    from stylekl.gather.plan import Plan
    from stylekl.gather.session import Wish
    from stylekl.show.progress import Progress

INTERRUPTED = "interrupted"


def print_outlook(plan: Plan, wish: Wish) -> None:
    """Print how many calls a run takes, and the most they can cost."""
    from stylekl.cli.answer import terminal
    from stylekl.cli.settings import Settings
    from stylekl.gather.journal import journal_of, read
    from stylekl.gather.ledger import Ledger
    from stylekl.gather.session import outlook
    from stylekl.show.collect import outlook_view

    ledger = Ledger.of(read(journal_of(wish.output)))
    lines = outlook_view(plan, outlook(plan, ledger, wish.redo), terminal(Settings()))
    put("".join(line.plain + "\n" for line in lines))


def run(plan: Plan, wish: Wish, options: Options, *, quiet: bool) -> int:
    """Collect, write the results file and say what came; return the exit code."""
    import asyncio

    from stylekl import __version__
    from stylekl.gather.collect import Collector
    from stylekl.gather.journal import Journal, journal_of
    from stylekl.gather.session import begin, finish, secrets

    keys = secrets(plan, wish.env)
    progress = _progress(quiet)
    with Journal(journal_of(wish.output), [key for key in keys.values() if key]) as journal:
        for warning in journal.warnings:
            _say(progress, f"warning: {warning}")
        ledger = begin(plan, journal, wish, __version__)
        collector = Collector(plan, journal, ledger, _sender(plan), keys, options, progress)
        try:
            ended = asyncio.run(_collected(collector, progress, journal))
            while not ended.left and (more := resampled(plan, ledger)) is not None:
                plan, before = more, ended
                collector = Collector(plan, journal, ledger, _sender(plan), keys, options, progress)
                ended = asyncio.run(_collected(collector, progress, journal))
                for name, tally in before.tallies.items():
                    ended.tallies[name].earlier = tally.earlier
                    ended.tallies[name].spent |= {
                        currency: amount + ended.tallies[name].spent.get(currency, 0.0)
                        for currency, amount in tally.spent.items()
                    }
        finally:
            if progress is not None:
                progress.close()
            finish(wish.output, collector.stopped)
    return _close(ended, collector, wish, options)


def resampled(plan: Plan, ledger: Ledger) -> Plan | None:
    """Return the plan that samples more often whoever turned out not to take temperature 0, None where none did."""
    from dataclasses import replace

    from stylekl.gather.session import rejected_in

    if plan.battery.probe is None or (rejected := rejected_in(ledger)) <= plan.rejected:
        return None
    return replace(plan, rejected=plan.rejected | rejected)


def _close(ended: Ended, collector: Collector, wish: Wish, options: Options) -> int:
    from stylekl.show.collect import ended_lines

    put("".join(visible(line) + "\n" for line in ended_lines(ended, wish.output)))
    if not ended.left:
        return 0
    sys.stderr.write(visible(f"resume: {resume(wish, options)}") + "\n")
    return 130 if collector.why == INTERRUPTED else 1


def _sender(plan: Plan) -> Any:
    from stylekl.gather.mock import MockWriter
    from stylekl.gather.transport import Transport

    if not plan.mock:
        return Transport(seed=plan.seed)
    if plan.battery.probe is not None:
        from stylekl.gather.probe import as_words

        return MockWriter(kind=plan.battery.kind, words=as_words(plan.battery))  # type: ignore[arg-type]
    return MockWriter(kind=plan.battery.kind)


async def _collected(collector: Collector, progress: Progress | None, journal: Any) -> Ended:
    """Run the collection; the first Ctrl-C lets what is in flight come in, the second leaves at once."""
    import asyncio

    from stylekl.gather.transport import Transport

    def interrupt() -> None:
        if collector.stopping.is_set():
            if progress is not None:
                progress.close()
            journal.release()
            sys.stderr.write("left at once; what came back is in the journal\n")
            sys.stderr.flush()
            os._exit(130)
        flying = sum(tally.in_flight for tally in collector.tallies.values())
        _say(progress, f"stopping: waiting for {flying} in flight; Ctrl-C again leaves at once")
        collector.stop(INTERRUPTED, hurry=True)

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, interrupt)
        except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(interrupt))
    if isinstance(collector.sender, Transport):
        async with collector.sender:
            return await collector.run()
    return await collector.run()


def _progress(quiet: bool) -> Progress | None:
    from stylekl.show.progress import Progress

    if quiet:
        return None
    live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    width = None
    if live:
        try:
            width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        except OSError:
            width = 80
    encoding = (sys.stderr.encoding or "ascii").lower()
    return Progress(sys.stderr, width, ascii_only=not encoding.startswith("utf"))


def _say(progress: Progress | None, text: str) -> None:
    if progress is not None:
        progress.say(text)


def resume(wish: Wish, options: Options) -> str:
    """Return the command that goes on where this run ended: the same, without what is done only once."""
    words = ["stylekl", wish.command, wish.battery, "--models", wish.models, "-o", wish.output, *wish.more]
    for name, value in (
        ("--samples", wish.samples),
        ("--period", wish.period),
        ("--seed", wish.seed),
        ("--max-cost", wish.max_cost),
        ("--concurrency", options.concurrency if options.concurrency != CALLS else None),
        ("--rate", options.rate),
        ("--env", wish.env),
    ):
        if value is not None:
            words += [name, f"{value:g}" if isinstance(value, float) else str(value)]
    for model in wish.only if wish.command != "judge" else ():
        words += ["--only", model]
    words += ["--mock"] if wish.mock else []
    words += ["--refusals-by-text"] if wish.by_text else []
    return shlex.join(words)
