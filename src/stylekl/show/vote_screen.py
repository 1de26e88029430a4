"""A whole terminal for as long as a vote lasts: raw keys, a screen of its own, and only what changes is written."""

from __future__ import annotations

import io
import os
import select
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from stylekl.errors import UsageError
from stylekl.show.terminal import make_console
from stylekl.show.vote_keys import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.text import Text

    from stylekl.show.terminal import Terminal

_ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J"
_LEAVE = "\x1b[2J\x1b[H\x1b[?25h\x1b[?1049l"  # some terminals have one screen only: it is left clean
_BREAK = (
    1.0  # seconds that the rest of an escape sequence may take: half of one must never be read as letters
)
_ROWS = 24


def check_terminal(*, windows: bool = os.name == "nt") -> None:
    """Raise UsageError where there is no keyboard, or no screen whose cursor can be moved."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "voting needs a terminal for keys and screen", "run it without a pipe or redirection"
        )
    if os.environ.get("TERM", "dumb" if not windows else "") == "dumb":
        raise UsageError(
            "this terminal (TERM=dumb) cannot move its cursor", "use another one, or set TERM as it should be"
        )


class Screen:
    """The terminal, taken over between `with` and its end, and then put back whatever happened.

    `shape` is asked anew after each change of size. Ctrl-C, SIGTERM and a closed terminal come as the key "interrupt";
    a change of size comes as "resize".
    """

    def __init__(self, shape: Callable[[], Terminal]) -> None:
        self._shape = shape
        self.terminal = shape()
        self._drawn: list[str] = []
        self._keys: list[str] = []
        self._rest = b""
        self._undo: list[Callable[[], Any]] = []
        self._wake: int | None = None
        self._interrupted = False
        self._resized = False
        self.gone = False

    @property
    def rows(self) -> int:
        """Rows of the terminal."""
        return self.terminal.rows or _ROWS

    def __enter__(self) -> Self:
        try:
            if os.name == "nt":
                os.system("")  # switches the console to escape sequences
            else:
                self._take_keyboard()
                self._take_signals()
            self._write(_ENTER)
            self._undo.append(lambda: self._write(_LEAVE))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        while self._undo:
            with suppress(OSError):  # a terminal that is gone needs nothing put back
                self._undo.pop()()

    def draw(self, lines: Sequence[Text]) -> None:
        """Show the lines from the top; rows that are as they were are not written again."""
        wanted = [self._rendered(line) for line in lines[: self.rows]]
        wanted += [("", 0)] * (self.rows - len(wanted))
        out = []
        for place, (text, cells) in enumerate(wanted):
            if place < len(self._drawn) and self._drawn[place] == text:
                continue
            # a full row leaves the cursor on its last cell, which erasing would take away
            clear = "\x1b[K" if cells < self.terminal.width else ""
            out.append(f"\x1b[{place + 1};1H{text}{clear}")
        self._drawn = [text for text, _ in wanted]
        if out:
            self._write("".join(out))

    def key(self, seconds: float | None = None) -> str | None:
        """Return the next key by name; null where none comes within `seconds`."""
        until = None if seconds is None else time.monotonic() + max(0.0, seconds)
        while True:
            if self._interrupted or self.gone:
                return "interrupt"
            if self._resized:
                self._resized = False
                self.terminal, self._drawn = self._shape(), []
                self._write("\x1b[2J")
                return "resize"
            if self._keys:
                return self._keys.pop(0)
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return None
            self._wait(left)

    def _rendered(self, line: Text) -> tuple[str, int]:
        buffer = io.StringIO()
        make_console(self.terminal, buffer).print(line, soft_wrap=True, end="")
        return buffer.getvalue(), line.cell_len

    def _write(self, text: str) -> None:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError:
            self.gone = True

    def _wait(self, seconds: float | None) -> None:
        """Wait until a key, a signal, or the end of the time, and take in what came."""
        if os.name == "nt":
            try:
                self._keys += _windows_keys(seconds)
            except KeyboardInterrupt:
                self._interrupted = True
            return
        if self._rest:
            seconds = _BREAK if seconds is None else min(seconds, _BREAK)
        watched = [sys.stdin.fileno()] + ([] if self._wake is None else [self._wake])
        ready, _, _ = select.select(watched, [], [], seconds)
        if self._wake in ready and self._wake is not None:
            with suppress(BlockingIOError):
                os.read(self._wake, 512)
        if sys.stdin.fileno() in ready:
            try:
                data = os.read(sys.stdin.fileno(), 1024)
            except OSError:
                data = b""
            self.gone = self.gone or not data
            keys, self._rest = decode(self._rest + data)
            self._keys += keys
        elif self._rest and not ready:
            self._rest = b""  # an escape byte alone: no key of ours

    def _take_keyboard(self) -> None:
        import termios

        keyboard = sys.stdin.fileno()
        before = termios.tcgetattr(keyboard)
        self._undo.append(lambda: termios.tcsetattr(keyboard, termios.TCSAFLUSH, before))
        now = termios.tcgetattr(keyboard)
        now[0] &= ~(termios.IXON | termios.ICRNL)
        now[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
        controls = list(now[6])
        controls[termios.VMIN], controls[termios.VTIME] = 1, 0
        for name in (
            "VSUSP",
            "VQUIT",
            "VDSUSP",
        ):  # Ctrl-C alone ends a vote, and it must be able to put things back
            if hasattr(termios, name):
                controls[getattr(termios, name)] = b"\0"
        now[6] = controls
        termios.tcsetattr(keyboard, termios.TCSADRAIN, now)

    def _take_signals(self) -> None:
        """Let signals set a flag and wake the wait; none of them may break a write to the disk in two."""

        def interrupt(*_: object) -> None:
            self._interrupted = True

        def resize(*_: object) -> None:
            self._resized = True

        reading, writing = os.pipe()
        for end in (reading, writing):
            os.set_blocking(end, False)
            self._undo.append(lambda end=end: os.close(end))  # type: ignore[misc]
        self._wake = reading
        before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        self._undo.append(lambda: signal.set_wakeup_fd(before))
        for number, handler in (
            (signal.SIGINT, interrupt),
            (signal.SIGTERM, interrupt),
            (signal.SIGHUP, interrupt),
            (signal.SIGWINCH, resize),
        ):
            old = signal.signal(number, handler)
            self._undo.append(lambda number=number, old=old: signal.signal(number, old))  # type: ignore[misc]


def _windows_keys(seconds: float | None) -> list[str]:
    """Return keys of the Windows console; it has no way to wait for them but to look."""
    import msvcrt

    console: Any = msvcrt
    special = {"H": "up", "P": "down", "I": "pageup", "Q": "pagedown", "G": "home", "O": "end"}
    until = None if seconds is None else time.monotonic() + seconds
    while not console.kbhit():
        if until is not None and time.monotonic() >= until:
            return []
        time.sleep(0.02)
    char = str(console.getwch())
    if char in ("\x00", "\xe0"):
        name = special.get(str(console.getwch()))
        return [name] if name else []
    return decode(char.encode())[0]
