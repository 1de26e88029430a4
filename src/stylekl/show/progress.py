"""How a collection goes on, on stderr: one live line for each provider, or plain lines where it is no terminal."""

from __future__ import annotations

import time
from typing import IO, TYPE_CHECKING

from rich.cells import cell_len

from stylekl.show.labels import fit, pad, shown
from stylekl.show.numbers import count

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stylekl.gather.collect import Tally

EVERY = 30.0  # seconds between plain lines
LIVE = 0.1  # seconds between two drawings
_NAME = 18
_HIDE, _SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


class Progress:
    """Draws tallies. `width` is null where stderr is no terminal: then a line for each provider every 30 s."""

    def __init__(
        self,
        stream: IO[str],
        width: int | None,
        *,
        ascii_only: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.stream, self.width, self.ascii, self.clock = stream, width, ascii_only, clock
        self.began = clock()
        self._last = self.began if width is None else -EVERY
        self._lines = 0
        self._tallies: Mapping[str, Tally] = {}

    def __call__(self, tallies: Mapping[str, Tally]) -> None:
        """Draw them where it is time to."""
        self._tallies = tallies
        now = self.clock()
        if now - self._last >= (EVERY if self.width is None else LIVE):
            self._last = now
            self._draw(now)

    def say(self, text: str) -> None:
        """Write a line of its own above the live ones."""
        self._wipe()
        self.stream.write(shown(text, self.ascii) + "\n")
        self.stream.flush()

    def close(self) -> None:
        """Draw the last state and give the cursor back."""
        if self._tallies and (self.width is not None or self.clock() - self.began >= EVERY):
            self._draw(self.clock())
        if self.width is not None and self._lines:
            self.stream.write(_SHOW_CURSOR)
        self._lines = 0
        self.stream.flush()

    def _draw(self, now: float) -> None:
        wide = max((cell_len(shown(name, self.ascii)) for name in self._tallies), default=0)
        lines = [
            line_of(name, tally, now - self.began, self.ascii, wide) for name, tally in self._tallies.items()
        ]
        if self.width is None:
            self.stream.write("".join(line + "\n" for line in lines))
        else:
            self._wipe()
            self.stream.write(_HIDE + "".join(fit(line, self.width - 1, self.ascii) + "\n" for line in lines))
            self._lines = len(lines)
        self.stream.flush()

    def _wipe(self) -> None:
        if self._lines:
            self.stream.write(f"\x1b[{self._lines}A\x1b[J" + _SHOW_CURSOR)
            self._lines = 0


def line_of(name: str, tally: Tally, seconds: float, ascii_only: bool = False, wide: int = 0) -> str:
    """Return a provider's line: done, time left, asked again, retried, failed, tokens, spent.

    The name takes `wide` cells.
    """
    left = time_left(tally, seconds)
    parts = [f"{count(tally.done)}/{count(tally.total)}", *([f"{left} left"] if left else [])]
    parts += [
        f"{count(number)} {word}"
        for word, number in (
            ("asked again", tally.again),
            ("retried", tally.retried),
            ("failed", tally.failed),
            ("left open", tally.open),
        )
        if number
    ]
    if tally.tokens:
        parts.append(f"{count(tally.tokens)} tokens")
    parts += [money(amount, currency) for currency, amount in sorted(tally.spent.items())]
    label = pad(fit(shown(name, ascii_only), _NAME, ascii_only), min(wide, _NAME))
    return f"{label}  " + ", ".join(parts)


def time_left(tally: Tally, seconds: float) -> str:
    """Return how long the rest takes at the pace so far; nothing where that cannot be told or nothing is left."""
    here = tally.done - tally.earlier
    rest = tally.total - tally.done
    if here < 1 or rest < 1:
        return ""
    return duration(rest * seconds / here)


def duration(seconds: float) -> str:
    """Write a span of time: 45 s, 12 min, 3 h 5 min."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def money(amount: float, currency: str) -> str:
    """Write an amount: USD 12.40, USD 0.0031 where it is small."""
    places = 2 if amount >= 0.995 or amount == 0 else 4
    return f"{currency} {amount:,.{places}f}"
